package directory_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
)

func TestAdminToken(t *testing.T) {
	t.Parallel()
	d := open(t)
	operates := func(s auth.Secret) bool {
		err := d.Tokens.AuthenticateOperator(t.Context(), "Bearer "+s.Reveal())
		if err != nil && !errors.Is(err, auth.ErrUnauthorized) {
			t.Fatal(err)
		}
		return err == nil
	}
	first := get[auth.Secret](t)(d.FirstAdminToken(t.Context()))
	if first == "" || !operates(first) {
		t.Fatal("the first token does not work")
	}
	if again := get[auth.Secret](t)(d.FirstAdminToken(t.Context())); again != "" {
		t.Error("there is a second first token")
	}
	second := get[auth.Secret](t)(d.MintAdminToken(t.Context()))
	if !operates(second) || operates(first) {
		t.Error("the new token is not the only one")
	}
	d.apply(t, lab)
	if get[directory.Applied](t)(d.Reset(t.Context(), parse(t, lab))); !operates(second) {
		t.Error("a reset takes the operator's token")
	}
}
