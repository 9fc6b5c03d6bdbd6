package authorization

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

// Client signs people in with one server. Set its fields before its first use and do not copy it; after that it is safe
// for concurrent use.
type Client struct {
	// APIBase is the address of the API with its version, such as https://bellhop.example/api/v10. Required.
	APIBase string
	// WebBase is the address of the pages that people see, such as https://bellhop.example. Required for Authorize.
	WebBase string
	// Redirect says how the browser comes back from Authorize.
	Redirect Redirect
	// SchemePrefix, with the application id behind it, is the scheme of the deep link for records that name none.
	// Empty means "discord-".
	SchemePrefix string
	// OpenBrowser shows a page to the person. It must return once its context has ended. Nil means SystemBrowser.
	OpenBrowser func(ctx context.Context, page string) error
	// HTTP sends the requests. Nil means a client with the defaults of net/http. Redirects are never followed, for a
	// request may carry a token.
	HTTP *http.Client

	applicationID atomic.Uint64

	mu      sync.Mutex
	running *flow // the sign-in that is under way, or nil
}

// ApplicationID returns the application that the client speaks for, or 0.
func (c *Client) ApplicationID() uint64 { return c.applicationID.Load() }

// SetApplicationID sets the application that the client speaks for wherever a call does not name one.
func (c *Client) SetApplicationID(id uint64) { c.applicationID.Store(id) }

// NewCodeVerifier returns a new verifier: its challenge for Authorize, itself for Exchange.
func (c *Client) NewCodeVerifier() CodeVerifier { return NewCodeVerifier() }

// DefaultCommunicationScopes returns [DefaultCommunicationScopes].
func (c *Client) DefaultCommunicationScopes() string { return DefaultCommunicationScopes() }

// DefaultPresenceScopes returns [DefaultPresenceScopes].
func (c *Client) DefaultPresenceScopes() string { return DefaultPresenceScopes() }

// clientID returns the application of a call that names id.
func (c *Client) clientID(op string, id uint64) (uint64, error) {
	if id == 0 {
		id = c.ApplicationID()
	}
	if id == 0 {
		return 0, invalid(op, "no client id given and no application id set")
	}
	return id, nil
}

// address returns base without a slash at its end. field names it in the error, which does not repeat the address: it
// may hold a password by mistake.
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
