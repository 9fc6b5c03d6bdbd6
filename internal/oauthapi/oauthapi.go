// Package oauthapi serves OAuth2 and OpenID Connect over HTTP: the endpoints that clients call, and the pages on which
// users sign in, consent, and enter the code of a device. It keeps the sessions of browsers and signs users in at the
// platform's OpenID provider. The pages need no scripts and cannot be framed or submitted from other sites. The rules
// of OAuth2 are in package oauthserver.
package oauthapi

import (
	"net/http"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/oauthserver"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// API serves OAuth2 and OpenID Connect. All fields are required.
type API struct {
	OAuth     *oauthserver.Server
	Sessions  *Sessions
	Directory *directory.Directory
}

// Routes returns the endpoints and the pages.
func (a *API) Routes() []httpapi.Route {
	return slices.Concat(a.tokenRoutes(), a.authorizeRoutes(), a.pageRoutes(), a.identityRoutes(), a.authorizationRoutes())
}

// tokenRoutes serve clients that ask for tokens.
func (a *API) tokenRoutes() []httpapi.Route {
	route := func(path, name, doc, body, answer string, handle func(*httpapi.Call) error) httpapi.Route {
		return httpapi.Route{
			Method: http.MethodPost, Path: path, Name: "oauth2." + name, Doc: doc, Allow: httpapi.Clients, Group: ratelimit.OAuth2Token,
			Body: body, Form: true, Answer: map[int]string{200: answer}, ErrorSchema: "OAuthFault", Handle: handle,
		}
	}
	return []httpapi.Route{
		route("/oauth2/token", "token", "Exchange a code, a refresh token, a device code or the client's secret for an access token.",
			"TokenRequest", "Token", a.token),
		route("/oauth2/token/revoke", "revoke", "Revoke all tokens of the application for the user of a token.",
			"RevokeRequest", "Empty", a.revokeToken),
		route("/oauth2/device/authorize", "device", "Begin the sign-in of a device. The user enters a code in a browser.",
			"DeviceRequest", "Device", a.authorizeDevice),
	}
}
