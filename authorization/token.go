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

// Token is an access token with its refresh token. Send the access token with API requests, in the header
// "Authorization: Bearer <access token>".
type Token struct {
	ClientID     uint64 // the application; 0 means the client's application id
	AccessToken  Secret
	RefreshToken Secret
	IDToken      Secret // only with the scope openid; empty after a refresh
	Type         string // always "Bearer"
	ExpiresIn    time.Duration
	Scopes       string // the granted scopes, separated by spaces
}

// LogValue leaves the credentials out.
func (t Token) LogValue() slog.Value {
	return slog.GroupValue(slog.Uint64("client_id", t.ClientID), slog.String("scopes", t.Scopes), slog.Duration("expires_in", t.ExpiresIn))
}

// Exchange exchanges the code of a grant for a token. v is the verifier that belongs to the code challenge of the
// sign-in. The server accepts a code once, and only for a short time.
func (c *Client) Exchange(ctx context.Context, g Grant, v CodeVerifier) (Token, error) {
	const op = "exchange"
	if g.Code == "" || g.RedirectURI == "" {
		return Token{}, invalid(op, "the grant has no code")
	}
	if v.text == "" {
		return Token{}, invalid(op, "the code verifier is empty")
	}
	return c.requestToken(ctx, op, g.ClientID, url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {string(g.Code)},
		"redirect_uri":  {g.RedirectURI},
		"code_verifier": {v.text},
	}, g.Code, v.Verifier())
}

// Refresh exchanges the refresh token of t for a new token; both tokens of t are then invalid. They may also be invalid
// after a network error. If the server rejects a retry, the user has to sign in again.
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
		fresh.RefreshToken = t.RefreshToken // RFC 6749: without a new one, the old one stays valid
	}
	return fresh, err
}

// Revoke withdraws the user's consent: all tokens of the application for this user become invalid. Revoke succeeds for
// a token that is already revoked.
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

// requestToken sends form to the token endpoint. secrets are the secrets in the form.
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

// tokenReply is the response body of the token endpoint.
type tokenReply struct {
	AccessToken  Secret `json:"access_token"`
	RefreshToken Secret `json:"refresh_token"`
	IDToken      Secret `json:"id_token"`
	Type         string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`
	Scope        string `json:"scope"`
}

// complete also checks the type: RFC 6749 forbids the use of a token of an unknown type.
func (r *tokenReply) complete() bool {
	return r.AccessToken != "" && strings.EqualFold(r.Type, "Bearer")
}
