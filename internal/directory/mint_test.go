package directory_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/google/go-cmp/cmp"
)

func TestMintTokens(t *testing.T) {
	t.Parallel()

	t.Run("a new bot token takes the place of the old one", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.apply(t, lab)
		d.accepts(t, "Bot bot-echo")
		made := get[auth.Secret](t)(d.MintBotToken(t.Context(), 100))
		if !d.accepts(t, "Bot "+made.Reveal()) || d.accepts(t, "Bot bot-echo") {
			t.Error("the new token is not the only one")
		}
		if _, err := d.MintBotToken(t.Context(), 999); !errors.Is(err, directory.ErrUnknownApplication) {
			t.Errorf("MintBotToken() = %v", err)
		}
	})

	t.Run("a new user token takes the place of the old one", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.apply(t, lab)
		d.accepts(t, "user-ada")
		made := get[auth.Secret](t)(d.MintUserToken(t.Context(), 200))
		if !d.accepts(t, made.Reveal()) || d.accepts(t, "user-ada") || !d.accepts(t, "user-bob") {
			t.Error("the new token is not the user's only one")
		}
		if _, err := d.MintUserToken(t.Context(), 100); !errors.Is(err, directory.ErrUnknownUser) {
			t.Errorf("MintUserToken() = %v for a bot", err)
		}
	})

	t.Run("an access token acts for a user or for the owner until it expires", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.apply(t, lab)
		scopes := []string{"identify"}
		person := get[auth.Secret](t)(d.MintAccessToken(t.Context(), 100, 201, scopes))
		own := get[auth.Secret](t)(d.MintAccessToken(t.Context(), 100, 0, scopes))
		ends := start.Add(auth.AccessTokenLife)
		for _, tt := range []struct {
			token auth.Secret
			want  auth.Principal
		}{
			{person, auth.Principal{Kind: store.BearerToken, Application: 100, User: 201, Scopes: scopes, Expires: ends}},
			{own, auth.Principal{Kind: store.BearerToken, Application: 100, User: 200, Scopes: scopes, Own: true, Expires: ends}},
		} {
			got, err := d.Tokens.Authenticate(t.Context(), "Bearer "+tt.token.Reveal())
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("Authenticate() = %v (-want +got):\n%s", err, diff)
			}
		}
		d.clock.now = ends
		if d.accepts(t, "Bearer "+person.Reveal()) || d.accepts(t, "Bearer "+own.Reveal()) {
			t.Error("accepted after seven days")
		}
		if _, err := d.MintAccessToken(t.Context(), 100, 999, nil); !errors.Is(err, directory.ErrUnknownUser) {
			t.Errorf("MintAccessToken() = %v", err)
		}
		if _, err := d.MintAccessToken(t.Context(), 100, 201, []string{"identify", "lobbies.write", "lobby.write"}); err == nil {
			t.Error("minted a token with a scope that means nothing")
		}
	})

	t.Run("a new client secret takes the place of the old one at once", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.apply(t, lab)
		secretIs := func(secret string) bool {
			return auth.Matches(get[*store.Application](t)(d.Application(t.Context(), 100)).SecretHash, secret)
		}
		if !secretIs("secret-echo") {
			t.Fatal("the secret of the world is not the application's")
		}
		made := get[auth.Secret](t)(d.MintClientSecret(t.Context(), 100))
		if !secretIs(made.Reveal()) || secretIs("secret-echo") {
			t.Error("the new secret is not the only one")
		}
	})
}
