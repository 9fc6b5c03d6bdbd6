package oauth

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
)

// devicePage is the page for the code of a device.
type devicePage struct {
	oauth.PendingDevice

	Who     *store.User
	Form    string   // token
	Code    string   // as the user typed it
	Asked   bool     // the code is known: ask whether to allow the device
	Allowed []string // what the scopes allow
	Fault   string   // error message; empty: none
}

// getDevicePage asks for the code of a device. With the code in its query it asks whether to allow the device.
func (a *API) getDevicePage(w http.ResponseWriter, r *http.Request) error {
	session, err := a.Sessions.Session(r)
	if err != nil {
		return err
	}
	if session.User == 0 {
		return a.toSignIn(w, r.URL)
	}
	return a.showDevice(w, r, session, r.URL.Query().Get("user_code"))
}

// showDevice asks whether to allow the device of a code. If the code is unknown, it asks for another one.
func (a *API) showDevice(w http.ResponseWriter, r *http.Request, session Session, code string) error {
	who, err := a.Directory.Users.User(r.Context(), session.User)
	if err != nil {
		return err
	}
	page := devicePage{Who: who, Form: session.FormToken(), Code: code}
	if code == "" {
		return show(w, http.StatusOK, "device", page)
	}
	if !a.guess(w, r, ratelimit.OAuth2UserCode, session.User) {
		return tooManyGuesses(w)
	}
	page.PendingDevice, err = a.OAuth.PendingDevice(r.Context(), code)
	if errors.Is(err, oauth.ErrUserCode) {
		page.Fault = "No device waits under this code. Check it and try again."
		return show(w, http.StatusForbidden, "device", page)
	}
	if err != nil {
		return err
	}
	page.Asked, page.Allowed = true, describeScopes(page.Scopes)
	return show(w, http.StatusOK, "device", page)
}

// decideDevicePage handles the forms of the device page: a code, and the decision of the user.
func (a *API) decideDevicePage(w http.ResponseWriter, r *http.Request) error {
	session, err := a.Sessions.Session(r)
	if err != nil {
		return err
	}
	if session.User == 0 {
		return a.toSignIn(w, r.URL)
	}
	if readPageForm(w, r, session) != nil {
		return stale(w)
	}
	code, decision := r.PostForm.Get("user_code"), r.PostForm.Get("decision")
	if decision != "accept" && decision != "cancel" {
		return a.showDevice(w, r, session, code)
	}
	if !a.guess(w, r, ratelimit.OAuth2UserCode, session.User) {
		return tooManyGuesses(w)
	}
	waiting, err := a.OAuth.PendingDevice(r.Context(), code)
	if err == nil {
		err = a.OAuth.DecideDevice(r.Context(), waiting, session.User, decision == "accept")
	}
	switch {
	case errors.Is(err, oauth.ErrUserCode):
		return a.showDevice(w, r, session, code)
	case err != nil:
		return err
	case decision == "cancel":
		return show(w, http.StatusOK, "message", message{
			Title: "Nothing was allowed", Text: "The device was told so. You can close this window.", Fault: oauth.AccessDenied,
		})
	}
	return show(w, http.StatusOK, "message", message{
		Title: "The device is signed in", Text: waiting.App.Name + " goes on by itself. You can close this window.",
	})
}
