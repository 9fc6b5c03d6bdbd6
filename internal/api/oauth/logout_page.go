package oauth

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
)

// logoutPage asks whether to sign out.
type logoutPage struct {
	Who    *store.User
	Form   string // token
	Action string // path and query of the page, to which its form is sent
	App    string // name of the app that asks; empty: none
}

// getLogoutPage handles a logout request of an app.
func (a accountHandlers) getLogoutPage(w http.ResponseWriter, r *http.Request) error {
	session, err := a.Sessions.Session(r)
	if err != nil {
		return err
	}
	return a.logout(w, r, session, r.URL.Query(), false)
}

// postLogoutPage handles the answer to the question, and a logout request that is a form. The form of another site comes
// without the cookie of the session, so it is redirected: the next request has the cookie.
func (a accountHandlers) postLogoutPage(w http.ResponseWriter, r *http.Request) error {
	session, err := a.Sessions.Session(r)
	if err != nil {
		return err
	}
	if readPageForm(w, r, session) == nil {
		return a.logout(w, r, session, r.URL.Query(), true)
	}
	return redirect(w, a.Sessions.at(oauth.LogoutPage)+"?"+r.PostForm.Encode())
}

// logout signs the user out if the user confirms it or the app sends an ID token of the user. Otherwise it asks, because
// any page can send a browser here.
func (a accountHandlers) logout(w http.ResponseWriter, r *http.Request, session Session, q url.Values, confirmed bool) error {
	asked, err := a.OAuth.ParseLogout(r.Context(), q)
	if refused, ok := errors.AsType[*oauth.Error](err); ok {
		return refuse(w, refused)
	}
	if err != nil {
		return err
	}
	if session.User != 0 && !confirmed && asked.User != session.User {
		who, err := a.Directory.Users.User(r.Context(), session.User)
		if err != nil {
			return err
		}
		page := logoutPage{Who: who, Form: session.FormToken(), Action: a.Sessions.at(oauth.LogoutPage) + "?" + q.Encode()}
		if asked.App != nil {
			page.App = asked.App.Name
		}
		return show(w, http.StatusOK, "logout", page)
	}
	if session.User != 0 {
		if err := a.Sessions.SignOut(r.Context(), w, session); err != nil {
			return err
		}
	}
	if asked.Redirect != "" {
		return handOver(w, asked.Redirect, asked.App.Name)
	}
	return show(w, http.StatusOK, "message", message{Title: "You are signed out", Text: "You can close this window."})
}
