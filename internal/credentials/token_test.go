package credentials_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/google/go-cmp/cmp"
)

func TestTokens(t *testing.T) {
	t.Parallel()

	t.Run("a new bot token replaces the old one", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		d.Accepts(t, "Bot bot-echo")
		created := lab.Get[auth.Secret](t)(d.Tokens.ReplaceBotToken(t.Context(), 100))
		if !d.Accepts(t, "Bot "+created.Reveal()) || d.Accepts(t, "Bot bot-echo") {
			t.Error("the new token is not the only one")
		}
		if _, err := d.Tokens.ReplaceBotToken(t.Context(), 999); !errors.Is(err, directory.ErrUnknownApplication) {
			t.Errorf("ReplaceBotToken() = %v", err)
		}
	})

	t.Run("a new user token replaces the old one", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		d.Accepts(t, "user-ada")
		created := lab.Get[auth.Secret](t)(d.Tokens.ReplaceUserToken(t.Context(), 200))
		if !d.Accepts(t, created.Reveal()) || d.Accepts(t, "user-ada") || !d.Accepts(t, "user-bob") {
			t.Error("the new token is not the user's only one")
		}
		if _, err := d.Tokens.ReplaceUserToken(t.Context(), 100); !errors.Is(err, directory.ErrUnknownUser) {
			t.Errorf("ReplaceUserToken() = %v for a bot", err)
		}
	})

	t.Run("an access token acts for a user or for the owner until it expires", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		scopes := []string{"identify"}
		userToken := lab.Get[auth.Secret](t)(d.Tokens.CreateAccessToken(t.Context(), 100, 201, scopes))
		own := lab.Get[auth.Secret](t)(d.Tokens.CreateAccessToken(t.Context(), 100, 0, scopes))
		ends := lab.Start.Add(auth.AccessTokenLife)
		for _, tt := range []struct {
			token auth.Secret
			want  auth.Principal
		}{
			{userToken, auth.Principal{Kind: store.BearerToken, Application: 100, User: 201, Scopes: scopes, Expires: ends}},
			{own, auth.Principal{Kind: store.BearerToken, Application: 100, User: 200, Scopes: scopes, Own: true, Expires: ends}},
		} {
			got, err := d.Auth.Authenticate(t.Context(), "Bearer "+tt.token.Reveal())
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("Authenticate() = %v (-want +got):\n%s", err, diff)
			}
		}
		d.Now.Time = ends
		if d.Accepts(t, "Bearer "+userToken.Reveal()) || d.Accepts(t, "Bearer "+own.Reveal()) {
			t.Error("accepted after seven days")
		}
		if _, err := d.Tokens.CreateAccessToken(t.Context(), 100, 999, nil); !errors.Is(err, directory.ErrUnknownUser) {
			t.Errorf("CreateAccessToken() = %v", err)
		}
		if _, err := d.Tokens.CreateAccessToken(t.Context(), 100, 201, []string{"identify", "lobbies.write", "lobby.write"}); err == nil {
			t.Error("created a token with an unknown scope")
		}
	})

	t.Run("a new client secret replaces the old one", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		d.ApplyText(t, lab.World)
		secretIs := func(secret string) bool {
			return auth.Matches(lab.Get[*store.Application](t)(d.Applications.Application(t.Context(), 100)).SecretHash, secret)
		}
		if !secretIs("secret-echo") {
			t.Fatal("the application does not have the secret of the world")
		}
		created := lab.Get[auth.Secret](t)(d.Tokens.ReplaceClientSecret(t.Context(), 100))
		if !secretIs(created.Reveal()) || secretIs("secret-echo") {
			t.Error("the new secret is not the only one")
		}
	})
}
