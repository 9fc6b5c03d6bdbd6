package authorization

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

// Client signs users in with one server. Set its fields before the first use, and do not copy it. It is safe for
// concurrent use.
type Client struct {
	// APIBase is the address of the API with its version, such as https://bellhop.example/api/v10. Required.
	APIBase string
	// WebBase is the address of the web pages, such as https://bellhop.example. Required for Authorize.
	WebBase string
	// Redirect selects the way in which Authorize receives the redirect: through a listener on 127.0.0.1 or through a
	// deep link.
	Redirect Redirect
	// SchemePrefix followed by the application id is the scheme of the deep link when the record has no custom scheme.
	// Empty means "discord-".
	SchemePrefix string
	// OpenBrowser shows a page to the user. It must return when its context ends. Nil means SystemBrowser.
	OpenBrowser func(ctx context.Context, page string) error
	// HTTP sends the requests. Nil means a client with the defaults of net/http. The client does not follow redirects,
	// because a request may carry a token.
	HTTP *http.Client

	applicationID atomic.Uint64

	mu      sync.Mutex
	running *flow // the running sign-in, or nil
}

// ApplicationID returns the client's application id, or 0 when it is not set.
func (c *Client) ApplicationID() uint64 { return c.applicationID.Load() }

// SetApplicationID sets the application id for calls whose arguments do not name one.
func (c *Client) SetApplicationID(id uint64) { c.applicationID.Store(id) }

// NewCodeVerifier returns a new verifier. Pass its challenge to Authorize and the verifier to Exchange.
func (c *Client) NewCodeVerifier() CodeVerifier { return NewCodeVerifier() }

// DefaultCommunicationScopes returns [DefaultCommunicationScopes].
func (c *Client) DefaultCommunicationScopes() string { return DefaultCommunicationScopes() }

// DefaultPresenceScopes returns [DefaultPresenceScopes].
func (c *Client) DefaultPresenceScopes() string { return DefaultPresenceScopes() }

// clientID returns id, or the client's application id when id is 0.
func (c *Client) clientID(op string, id uint64) (uint64, error) {
	if id == 0 {
		id = c.ApplicationID()
	}
	if id == 0 {
		return 0, invalid(op, "no client id given and no application id set")
	}
	return id, nil
}

// address checks base and returns it without trailing slashes. The error names field but does not repeat the address,
// which could contain a password by mistake.
func address(op, field, base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil ||
		strings.ContainsAny(base, "?#") {
		return "", &ResultError{
			Op: op, Kind: ErrClientNotReady, Message: field + " is not an http or https address without user, query and fragment",
		}
	}
	return strings.TrimRight(base, "/"), nil
}
