package oauth

import (
	"context"
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/rules/apierror"
)

// askHooks calls the hooks before a sign-in. Its error is an *apierror.Error if a hook refuses.
func (s *Sessions) askHooks(ctx context.Context, e Entry) error {
	_, err := s.Hooks.Before(ctx, hooks.SignIn, e.about())
	return err
}

// about returns what hooks learn of a sign-in.
func (e Entry) about() hooks.SignInData {
	d := hooks.SignInData{User: e.User, Method: hooks.ByChoice, Issuer: e.Identity.Issuer, Subject: e.Identity.Subject}
	switch {
	case e.Token != "":
		d.Method = hooks.ByToken
	case e.Identity.Issuer != "":
		d.Method = hooks.ByProvider
	}
	return d
}

// showRefusal shows why a hook refused. It returns false for other errors.
func showRefusal(w http.ResponseWriter, title string, err error) (bool, error) {
	refused, ok := errors.AsType[*apierror.Error](err)
	if !ok {
		return false, nil
	}
	return true, show(w, refused.Status, "message", message{Title: title, Text: refused.Message, Fault: "refused"})
}
