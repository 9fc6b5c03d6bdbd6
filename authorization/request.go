package authorization

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/oauth2"
)

// maxState is the longest state that a caller may set, in bytes.
const maxState = 2048

// request is a sign-in whose arguments passed every check.
type request struct {
	page     string // the server's authorize page
	clientID uint64
	scopes   string
	state    string
	link     string // redirect URI of a deep link; empty for the listener
	args     Args
}

// newRequest checks the record and fills in defaults. It does not change the record.
func (c *Client) newRequest(a Args) (request, error) {
	if !a.Valid() {
		return request{}, invalid(opAuthorize, "the arguments are a null record")
	}
	web, err := address(opAuthorize, "WebBase", c.WebBase)
	if err != nil {
		return request{}, err
	}
	r := request{page: web + "/oauth2/authorize", args: a}
	if r.clientID, err = c.clientID(opAuthorize, a.ClientID()); err != nil {
		return request{}, err
	}
	if err := r.fill(); err != nil {
		return request{}, err
	}
	if c.usesScheme(a) {
		if r.link, err = c.deepLink(a, r.clientID); err != nil {
			return request{}, err
		}
		if _, ok := a.CodeChallenge(); !ok {
			return request{}, invalid(opAuthorize, "a deep link needs a code challenge")
		}
	}
	return r, nil
}

func (r *request) fill() error {
	var ok bool
	if r.scopes, ok = cleanScopes(r.args.Scopes()); !ok {
		return invalid(opAuthorize, "the scopes are empty or malformed")
	}
	if r.state, ok = r.args.State(); !ok {
		r.state = oauth2.GenerateVerifier() // 256 random bits serve as a state too
	}
	// An empty state protects nothing: a server may leave it out of the redirect.
	if r.state == "" || len(r.state) > maxState {
		return invalid(opAuthorize, "the state is empty or longer than 2048 bytes")
	}
	if challenge, ok := r.args.CodeChallenge(); ok && !challenge.valid() {
		return invalid(opAuthorize, "the code challenge is not a valid S256 challenge")
	}
	if t, ok := r.args.IntegrationType(); ok && !t.known() {
		return invalid(opAuthorize, "the integration type is unknown")
	}
	return nil
}

// url returns the address to open. The order of its parameters is fixed.
func (r request) url(redirectURI string) string {
	var q query
	q.add("response_type", "code")
	q.add("client_id", strconv.FormatUint(r.clientID, 10))
	q.add("scope", r.scopes)
	q.add("redirect_uri", redirectURI)
	q.add("state", r.state)
	if nonce, ok := r.args.Nonce(); ok {
		q.add("nonce", nonce)
	}
	if challenge, ok := r.args.CodeChallenge(); ok {
		q.add("code_challenge", challenge.Challenge)
		q.add("code_challenge_method", challenge.Method.String())
	}
	if t, ok := r.args.IntegrationType(); ok {
		q.add("integration_type", strconv.Itoa(int(t)))
	}
	return r.page + "?" + q.text.String()
}

// query builds a query string. It keeps the order in which parameters are added.
type query struct{ text strings.Builder }

func (q *query) add(name, value string) {
	if q.text.Len() > 0 {
		q.text.WriteByte('&')
	}
	// QueryEscape writes a space as "+", which some servers do not read as a space. %20 is safe.
	q.text.WriteString(name + "=" + strings.ReplaceAll(url.QueryEscape(value), "+", "%20"))
}
