package authorization

import (
	"context"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	tokenPath  = "/oauth2/token" //nolint:gosec // G101: a path
	revokePath = tokenPath + "/revoke"
)

// Token is a pair of credentials for the API. A request carries the access token in its header, as
// "Authorization: Bearer <access token>".
type Token struct {
	ClientID     uint64 // the application it was given to; 0 stands for the client's application id
	AccessToken  Secret
	RefreshToken Secret
	IDToken      Secret // with the scope openid; empty after a refresh
	Type         string // always "Bearer"
	ExpiresIn    time.Duration
	Scopes       string // what was granted, separated by spaces
}

// LogValue leaves the credentials out.
func (t Token) LogValue() slog.Value {
	return slog.GroupValue(slog.Uint64("client_id", t.ClientID), slog.String("scopes", t.Scopes), slog.Duration("expires_in", t.ExpiresIn))
}

// Exchange turns the code of a grant into a token. v is the verifier whose challenge the sign-in carried. The server
// takes a code once and for a short time only.
func (c *Client) Exchange(ctx context.Context, g Grant, v CodeVerifier) (Token, error) {
	const op = "exchange"
	if g.Code == "" || g.RedirectURI == "" {
		return Token{}, invalid(op, "the grant holds no code")
	}
	if v.text == "" {
		return Token{}, invalid(op, "a code is exchanged only with its verifier")
	}
	return c.requestToken(ctx, op, g.ClientID, url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {string(g.Code)},
		"redirect_uri":  {g.RedirectURI},
		"code_verifier": {v.text},
	}, g.Code, v.Verifier())
}

// Refresh trades the refresh token of t for a new pair; both tokens of t are dead then. When the answer is lost on the
// way they may be dead as well; if a retry is refused the person has to sign in again.
func (c *Client) Refresh(ctx context.Context, t Token) (Token, error) {
	const op = "refresh"
	if t.RefreshToken == "" {
		return Token{}, invalid(op, "there is no refresh token")
	}
	fresh, err := c.requestToken(ctx, op, t.ClientID, url.Values{
		"grant_type":    {"refresh_token"},
		"refresh_token": {string(t.RefreshToken)},
	}, t.RefreshToken)
	if err == nil && fresh.RefreshToken == "" {
		fresh.RefreshToken = t.RefreshToken // by RFC 6749 the old one stays good when no new one comes
	}
	return fresh, err
}

// Revoke ends what the person granted: every token that the application holds for them dies. Repeating it does no harm.
func (c *Client) Revoke(ctx context.Context, t Token) error {
	const op = "revoke"
	id, err := c.clientID(op, t.ClientID)
	if err != nil {
		return err
	}
	token, hint := t.RefreshToken, "refresh_token"
	if token == "" {
		token, hint = t.AccessToken, "access_token"
	}
	if token == "" {
		return invalid(op, "there is no token")
	}
	return c.post(ctx, call{op: op, path: revokePath, secrets: []Secret{token}, form: url.Values{
		"client_id":       {strconv.FormatUint(id, 10)},
		"token":           {string(token)},
		"token_type_hint": {hint},
	}}, nil)
}

// requestToken asks the token endpoint. The secrets are those of the form.
func (c *Client) requestToken(ctx context.Context, op string, clientID uint64, form url.Values, secrets ...Secret) (Token, error) {
	id, err := c.clientID(op, clientID)
	if err != nil {
		return Token{}, err
	}
	form.Set("client_id", strconv.FormatUint(id, 10))
	var wire tokenReply
	if err := c.post(ctx, call{op: op, path: tokenPath, form: form, secrets: secrets}, &wire); err != nil {
		return Token{}, err
	}
	return Token{
		ClientID: id, AccessToken: wire.AccessToken, RefreshToken: wire.RefreshToken, IDToken: wire.IDToken,
		Type: "Bearer", ExpiresIn: seconds(wire.ExpiresIn), Scopes: wire.Scope,
	}, nil
}

// tokenReply is the answer of the token endpoint.
type tokenReply struct {
	AccessToken  Secret `json:"access_token"`
	RefreshToken Secret `json:"refresh_token"`
	IDToken      Secret `json:"id_token"`
	Type         string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`
	Scope        string `json:"scope"`
}

// complete asks for the type too: RFC 6749 forbids using a token of a type that one does not know.
func (r *tokenReply) complete() bool {
	return r.AccessToken != "" && strings.EqualFold(r.Type, "Bearer")
}
