package oauth

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// pageRoutes are the HTML pages.
func (a *API) pageRoutes() []api.Route {
	at := func(method, path, name, doc string, answer map[int]string, page func(http.ResponseWriter, *http.Request) error) api.Route {
		return api.Route{
			Method: method, Path: path, Root: true, Name: "pages." + name, Doc: doc, Allow: api.Browsers, Group: ratelimit.OAuth2Authorize,
			Answer: answer, ErrorSchema: "page", Handle: api.Page(page),
		}
	}
	shown := map[int]string{200: "html"}
	shownOrSent := map[int]string{200: "html", 302: ""}
	account := accountHandlers{a}
	list := []api.Route{
		at(http.MethodGet, oauth.AuthorizePage, "authorize", "Show the consent page of an authorization request.", shownOrSent, a.authorizePage),
		at(http.MethodPost, oauth.AuthorizePage, "decide", "Allow or decline the authorization request.", shownOrSent, a.decidePage),
		at(http.MethodGet, SignInPath, "signin", "Show the sign-in page.", shown, a.getSignInPage),
		at(http.MethodPost, SignInPath, "enter", "Sign in.", shown, a.signIn),
		at(http.MethodPost, signOutPath, "leave", "Sign out.", shown, a.signOut),
		at(http.MethodGet, oauth.LogoutPage, "logout", "Ask whether to sign out, or sign out for an app that sends an ID token.", shown, account.getLogoutPage),
		at(http.MethodPost, oauth.LogoutPage, "logout.confirm", "The same with a form, or the answer to the question.", shownOrSent, account.postLogoutPage),
	}
	list = append(list,
		at(http.MethodGet, AccountPath, "account", "Show the apps that have access, and the sessions of the user.", shownOrSent, account.getAccountPage),
		at(http.MethodPost, AccountPath, "account.end", "End the access of an app, or sessions.", shownOrSent, account.endOnAccountPage),
	)
	device := []api.Route{
		at(http.MethodGet, oauth.DevicePage, "device", "Show the page for the code of a device.", shownOrSent, a.getDevicePage),
		at(http.MethodPost, oauth.DevicePage, "device.decide", "Enter a code, or allow or decline the device.", shownOrSent, a.decideDevicePage),
	}
	for i := range device {
		device[i].Group = ratelimit.OAuth2Device // codes are short, so guesses are limited more strictly
	}
	list = append(list, device...)
	list = append(list, api.Route{
		Method: http.MethodPost, Path: "/oauth2/pass", Root: true, Name: "pages.pass", Allow: api.Browsers, Group: ratelimit.OAuth2Authorize,
		Doc:    "Issue a user token that is valid for an hour to the user who has signed in at this browser.",
		Answer: map[int]string{200: "Pass"}, Handle: a.sessionToken,
	})
	if len(a.Sessions.Upstreams) > 0 {
		list = append(list, a.providerRoutes()...)
	}
	return list
}

// sessionToken issues a user token to the user who has signed in. The console uses it. It ends with the session.
func (a *API) sessionToken(c *api.Call) error {
	if c.Principal.User == 0 || !api.FromOwnPage(c.Request) {
		return auth.ErrUnauthorized
	}
	session, err := a.Sessions.Session(c.Request)
	if err != nil {
		return err
	}
	secret, life, err := a.Sessions.Pass(c.Context(), session)
	if err != nil {
		return err
	}
	return c.Token(secret, "", life)
}
