// Package oauth serves OAuth2 and OpenID Connect over HTTP: the endpoints that clients call, and the pages on which
// users sign in, consent, and enter the code of a device. It keeps the sessions of browsers and signs users in at the
// platform's OpenID provider. The pages need no scripts and cannot be framed or submitted from other sites. The rules
// of OAuth2 are in package oauth.
package oauth

import (
	"net/http"
	"slices"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/provisional"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// API serves OAuth2 and OpenID Connect. All fields are required, except Limits and Pace.
type API struct {
	OAuth     *oauth.Server
	Sessions  *Sessions
	Directory *directory.Directory
	Limits    *ratelimit.Guard // limits guesses for each account and new codes of devices; nil: no limits
	Players   *provisional.Accounts
	Pace      *ratelimit.Pace // slows down attempts to sign in; nil: it does not
}

// guess counts an attempt that concerns a user, and reports whether the limits allow it. Otherwise it has set the header
// Retry-After.
func (a *API) guess(w http.ResponseWriter, r *http.Request, group ratelimit.Group, user snowflake.User) bool {
	if a.Limits == nil || user == 0 {
		return true
	}
	verdict := a.Limits.Check(r.Context(), group, &ratelimit.Caller{User: user}, a.Sessions.Clock.Now())
	if verdict.Scope() == ratelimit.Allowed {
		return true
	}
	verdict.SetHeaders(w.Header())
	return false
}

// tooManyGuesses shows that there were too many attempts.
func tooManyGuesses(w http.ResponseWriter) error {
	return show(w, http.StatusTooManyRequests, "message", message{
		Title: "Too many attempts", Text: "Wait a few minutes and try again.", Fault: "too_many_attempts",
	})
}

// Routes returns the endpoints and the pages.
func (a *API) Routes() []api.Route {
	return slices.Concat(a.tokenRoutes(), a.authorizeRoutes(), a.pageRoutes(), a.identityRoutes(), accountHandlers{a}.authorizationRoutes(), playerHandlers{a}.routes())
}

// tokenRoutes serve clients that ask for tokens.
func (a *API) tokenRoutes() []api.Route {
	route := func(path, name, doc, body, answer string, handle func(*api.Call) error) api.Route {
		return api.Route{
			Method: http.MethodPost, Path: path, Name: "oauth2." + name, Doc: doc, Allow: api.Clients, Group: ratelimit.OAuth2Token,
			Body: body, Form: true, Answer: map[int]string{200: answer}, ErrorSchema: "OAuthFault", Handle: handle,
		}
	}
	return []api.Route{
		route("/oauth2/token", "token", "Exchange a code, a refresh token, a device code or the client's secret for an access token.",
			"TokenRequest", "Token", a.token),
		route("/oauth2/token/revoke", "revoke", "Revoke all tokens of the application for the user of a token.",
			"RevokeRequest", "Empty", a.revokeToken),
		route("/oauth2/token/introspect", "introspect", "Read the state of a token of the application (RFC 7662).",
			"IntrospectRequest", "Introspection", a.introspectToken),
		route("/oauth2/device/authorize", "device", "Begin the sign-in of a device. The user enters a code in a browser.",
			"DeviceRequest", "Device", a.authorizeDevice),
	}
}
