package oauthapi

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauthserver"
	"github.com/bellhop/bellhop/internal/signin"
)

// device is the page for the code of a device.
type device struct {
	oauthserver.Waiting

	Who   *directory.User
	Form  string
	Code  string // as it was typed
	Asked bool   // the code is known: the person is asked about the device
	Words []string
	Fault string
}

// Device asks for the code that a device shows, or with the code in its address about the device.
func (p *Pages) Device(w http.ResponseWriter, r *http.Request) error {
	v, err := p.Door.Visit(r)
	if err != nil {
		return err
	}
	if v.User == 0 {
		return toSignIn(w, r)
	}
	return p.showDevice(w, r, v, r.URL.Query().Get("user_code"))
}

// showDevice asks about the device that shows a code, or for another code.
func (p *Pages) showDevice(w http.ResponseWriter, r *http.Request, v signin.Visit, code string) error {
	who, err := p.Directory.User(r.Context(), v.User)
	if err != nil {
		return err
	}
	page := device{Who: who, Form: v.FormToken(), Code: code}
	if code == "" {
		return show(w, http.StatusOK, "device", page)
	}
	page.Waiting, err = p.Grants.Waiting(r.Context(), code)
	if errors.Is(err, oauthserver.ErrUserCode) {
		page.Fault = "No device waits under this code. Check it and try again."
		return show(w, http.StatusForbidden, "device", page)
	}
	if err != nil {
		return err
	}
	page.Asked, page.Words = true, wordsFor(page.Scopes)
	return show(w, http.StatusOK, "device", page)
}

// DecideDevice takes a code, and what a person says to the device that shows it.
func (p *Pages) DecideDevice(w http.ResponseWriter, r *http.Request) error {
	v, err := p.Door.Visit(r)
	if err != nil {
		return err
	}
	if v.User == 0 {
		return toSignIn(w, r)
	}
	if readPageForm(w, r, v) != nil {
		return stale(w)
	}
	code, decision := r.PostForm.Get("user_code"), r.PostForm.Get("decision")
	if decision != "accept" && decision != "cancel" {
		return p.showDevice(w, r, v, code)
	}
	waiting, err := p.Grants.Waiting(r.Context(), code)
	if err == nil {
		err = p.Grants.DecideDevice(r.Context(), waiting, v.User, decision == "accept")
	}
	switch {
	case errors.Is(err, oauthserver.ErrUserCode):
		return p.showDevice(w, r, v, code)
	case err != nil:
		return err
	case decision == "cancel":
		return show(w, http.StatusOK, "message", message{
			Title: "Nothing was allowed", Text: "The device was told so. You can close this window.", Fault: oauthserver.AccessDenied,
		})
	}
	return show(w, http.StatusOK, "message", message{
		Title: "The device is signed in", Text: waiting.App.Name + " goes on by itself. You can close this window.",
	})
}
