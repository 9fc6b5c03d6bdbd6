package directory_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/ledger"
	"github.com/bellhop/bellhop/internal/oauth"
)

func TestAdminToken(t *testing.T) {
	t.Parallel()
	d := open(t)
	operates := func(s oauth.Secret) bool {
		err := d.Tokens.AuthenticateOperator(t.Context(), "Bearer "+s.Reveal())
		if err != nil && !errors.Is(err, oauth.ErrUnauthorized) {
			t.Fatal(err)
		}
		return err == nil
	}
	first := get[oauth.Secret](t)(d.FirstAdminToken(t.Context()))
	if first == "" || !operates(first) {
		t.Fatal("the first token does not work")
	}
	if again := get[oauth.Secret](t)(d.FirstAdminToken(t.Context())); again != "" {
		t.Error("there is a second first token")
	}
	second := get[oauth.Secret](t)(d.MintAdminToken(t.Context()))
	if !operates(second) || operates(first) {
		t.Error("the new token is not the only one")
	}
	d.apply(t, lab)
	if get[ledger.Applied](t)(d.Reset(t.Context(), parse(t, lab))); !operates(second) {
		t.Error("a reset takes the operator's token")
	}
}
