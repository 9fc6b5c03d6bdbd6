package oauthapi

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/oauthserver"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/signin"
)

// pageRoutes are the pages that people see.
func (a *API) pageRoutes() []httpapi.Route {
	at := func(method, path, name, doc string, answer map[int]string, page func(http.ResponseWriter, *http.Request) error) httpapi.Route {
		return httpapi.Route{
			Method: method, Path: path, Root: true, Name: "pages." + name, Doc: doc, Allow: httpapi.Visitors, Group: ratelimit.OAuth2Authorize,
			Answer: answer, Fault: "page", Handle: httpapi.Page(page),
		}
	}
	shown, sent := map[int]string{200: "html"}, map[int]string{302: ""}
	either := map[int]string{200: "html", 302: ""}
	list := []httpapi.Route{
		at(http.MethodGet, oauthserver.AuthorizePage, "authorize", "The page on which people see what an app asks for.", either, a.Pages.Authorize),
		at(http.MethodPost, oauthserver.AuthorizePage, "decide", "What a person says on that page.", either, a.Pages.Decide),
		at(http.MethodGet, SignInPath, "signin", "The page on which people sign in.", shown, a.Pages.SignIn),
		at(http.MethodPost, SignInPath, "enter", "Sign in.", shown, a.Pages.Enter),
		at(http.MethodPost, SignOutPath, "leave", "Sign out.", shown, a.Pages.Leave),
	}
	device := []httpapi.Route{
		at(http.MethodGet, oauthserver.DevicePage, "device", "The page on which people type the code that a device shows.", either, a.Pages.Device),
		at(http.MethodPost, oauthserver.DevicePage, "device.decide", "What a person types and says on that page.", either, a.Pages.DecideDevice),
	}
	for i := range device {
		device[i].Group = ratelimit.OAuth2Device // codes are short: nobody tries many of them
	}
	list = append(list, device...)
	list = append(list, httpapi.Route{
		Method: http.MethodPost, Path: "/oauth2/pass", Root: true, Name: "pages.pass", Allow: httpapi.Visitors, Group: ratelimit.OAuth2Authorize,
		Doc:    "Take one's own token for an hour, in the browser in which one has signed in.",
		Answer: map[int]string{200: "Pass"}, Handle: a.visitorPass,
	})
	if a.Pages.Door.Upstream == nil {
		return list
	}
	return append(list,
		at(http.MethodGet, UpstreamPath, "upstream", "Sign in at the platform's identity provider.", sent, a.Pages.Upstream),
		at(http.MethodGet, signin.CallbackPath, "callback", "Come back from there.", shown, a.Pages.Callback),
	)
}

// ownPages refuses what the pages of others let a browser send.
var ownPages = http.NewCrossOriginProtection()

// visitorPass gives whoever has signed in a token of their own: the console acts with it.
func (a *API) visitorPass(c *httpapi.Call) error {
	if c.Principal.User == 0 || ownPages.Check(c.Request) != nil {
		return auth.ErrUnauthorized
	}
	secret, err := a.Directory.UserPass(c.Context(), c.Principal.User)
	if err != nil {
		return err
	}
	return c.Pass(secret, "", directory.PassLife)
}
