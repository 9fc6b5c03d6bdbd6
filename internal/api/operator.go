package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// AnyScope is the scope of routes that every operator may call.
const AnyScope = "any"

// authenticateOperator finds the operator of a token or of a cookie. Calls with another token count like all calls with
// a wrong token.
func (h *handler) authenticateOperator(c *Call) (err error) {
	header, secret := c.RequestHeader("Authorization"), OperatorSession(c)
	switch {
	case header != "" || secret == "":
		c.Principal, err = h.Tokens.AuthenticateOperator(c.Context(), header)
	case !FromOwnPage(c.Request):
		err = auth.ErrUnauthorized // another site must not use the cookie
	default:
		c.Principal, err = h.Tokens.AuthenticateOperatorSession(c.Context(), secret)
	}
	if errors.Is(err, auth.ErrUnauthorized) {
		if err = h.limit(c, ratelimit.Other, err); errors.Is(err, auth.ErrUnauthorized) && header+secret != "" {
			h.Audit.AddFailure(audit.WithActor(c.Context(), &audit.Actor{Address: c.from}),
				audit.Entry{Action: "operator.signin_failed", Target: c.route.Method + " " + c.route.Path})
		}
		return err
	}
	if err != nil {
		return err
	}
	return c.EnterByAddress()
}

// operatorCookie returns the name of the cookie of operators, and whether browsers send it only over https.
func (h *handler) operatorCookie() (name string, secure bool) {
	if strings.HasPrefix(h.publicURL(), "https:") {
		return "__Host-bellhop-operator", true
	}
	return "bellhop-operator", false
}

// publicURL returns the URL at which browsers reach the service; empty: it is not known.
func (h *handler) publicURL() string {
	if h.Public == nil {
		return ""
	}
	return h.Public()
}

// OperatorSession returns the secret in the cookie of an operator's browser, or an empty text.
func OperatorSession(c *Call) string {
	name, _ := c.h.operatorCookie()
	for _, cookie := range c.Request.CookiesNamed(name) {
		return cookie.Value
	}
	return ""
}

// SetOperatorSession sets the cookie of an operator's browser for some seconds. A negative number removes it. Scripts
// cannot read the cookie, and browsers do not send it with requests of other sites.
func SetOperatorSession(c *Call, secret auth.Secret, seconds int) {
	name, secure := c.h.operatorCookie()
	http.SetCookie(c, &http.Cookie{ //nolint:gosec // secure is false only when the service is served over plain http
		Name: name, Value: secret.Reveal(), Path: CookiePath(c.h.publicURL()), MaxAge: seconds, HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode,
	})
}
