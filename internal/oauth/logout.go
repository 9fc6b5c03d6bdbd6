package oauth

import (
	"context"
	"net/url"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
)

// LogoutRequest is the checked request of an application to sign a user out (OpenID Connect RP-Initiated Logout).
type LogoutRequest struct {
	App *store.Application // nil: the request names none
	// User is the user of the ID token in the request. It is 0 when the request has no valid one.
	User snowflake.User
	// Redirect is the URL to which the browser goes after the sign-out. It is empty when there is none.
	Redirect string
}

// ParseLogout checks a logout request. It returns an *Error when the request names an unknown application, or a URI that
// is not registered. An ID token that does not verify counts as absent: its key may be retired.
func (s *Server) ParseLogout(ctx context.Context, q url.Values) (LogoutRequest, error) {
	for name, values := range q {
		if len(values) > 1 {
			return LogoutRequest{}, invalidParameter(name)
		}
	}
	hint, err := s.readHint(ctx, q.Get("id_token_hint"))
	if err != nil {
		return LogoutRequest{}, err
	}
	client := q.Get("client_id")
	switch {
	case client == "":
		client = hint.Audience
	case hint.Audience != "" && hint.Audience != client:
		return LogoutRequest{}, invalidParameter("client_id")
	}
	var r LogoutRequest
	if hint.Audience != "" {
		if r.User, err = snowflake.Parse[snowflake.User](hint.Subject); err != nil {
			return LogoutRequest{}, invalidParameter("id_token_hint")
		}
	}
	if client != "" {
		if r.App, err = s.application(ctx, client); err != nil {
			return LogoutRequest{}, err
		}
	}
	to := q.Get("post_logout_redirect_uri")
	if to == "" {
		return r, nil
	}
	if r.App == nil || !slices.Contains(r.App.LogoutURIs, to) {
		return LogoutRequest{}, invalidParameter("post_logout_redirect_uri")
	}
	r.Redirect = to
	if q.Has("state") {
		if len(q.Get("state")) > maxState {
			return LogoutRequest{}, invalidParameter("state")
		}
		r.Redirect = withQuery(to, []pair{{"state", q.Get("state")}})
	}
	return r, nil
}

// maxHint bounds an ID token in a request, in bytes.
const maxHint = 8 << 10

// readHint returns the claims of an ID token that this server issued. It may have expired. Without a valid token the
// claims are empty.
func (s *Server) readHint(ctx context.Context, text string) (claims, error) {
	if text == "" || len(text) > maxHint {
		return claims{}, nil
	}
	set, err := s.KeySet(ctx)
	if err != nil {
		return claims{}, err
	}
	c, ok := verifyHint(set, text)
	if !ok || c.Issuer != s.Issuer || c.Subject == "" {
		return claims{}, nil
	}
	return c, nil
}

// verifyHint returns the claims of an ID token that one of the keys signed.
func verifyHint(set jose.JSONWebKeySet, text string) (claims, bool) {
	signed, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.RS256})
	if err != nil {
		return claims{}, false
	}
	payload, err := signed.Verify(set)
	if err != nil {
		return claims{}, false
	}
	var c claims
	err = json.Unmarshal(payload, &c)
	return c, err == nil
}
