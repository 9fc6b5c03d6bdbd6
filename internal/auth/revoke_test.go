package auth_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

func TestTransactions(t *testing.T) {
	t.Parallel()

	t.Run("are visible after the commit", func(t *testing.T) {
		t.Parallel()
		a, _, _ := open(t)
		second := bot
		second.Hash = auth.Hash("second-token")
		put(t, a, bot, second, user)
		accepted(t, a, "Bot bot-token")
		accepted(t, a, "Bot new-token")
		created := bot
		created.Hash = auth.Hash("new-token")
		err := store.Decide(t.Context(), a.store, func(tx *store.Tx) error {
			if err := tx.Put(created); err != nil {
				return err
			}
			return auth.RevokeOthers(tx, created.Hash, store.BotToken, 100, 0)
		})
		if err != nil {
			t.Fatal(err)
		}
		for header, want := range map[string]bool{
			"Bot new-token": true, "Bot bot-token": false, "Bot second-token": false, "user-token": true,
		} {
			if got := accepted(t, a, header); got != want {
				t.Errorf("%s accepted: %v, want %v", header, got, want)
			}
		}
	})

	t.Run("that fail change nothing", func(t *testing.T) {
		t.Parallel()
		a, _, _ := open(t)
		put(t, a, bot)
		broken := errors.New("broken")
		err := store.Decide(t.Context(), a.store, func(tx *store.Tx) error {
			return errors.Join(auth.Revoke(tx, bot.Hash), broken)
		})
		if !errors.Is(err, broken) || !accepted(t, a, "Bot bot-token") {
			t.Errorf("Decide() = %v, want %v and no change", err, broken)
		}
	})
}

// TestRevocationsAreAnnounced revokes tokens of every kind. An event makes the sessions of their owners check their
// tokens.
func TestRevocationsAreAnnounced(t *testing.T) {
	t.Parallel()
	a, _, db := open(t)
	var published []store.Event
	var ended []store.Subject
	db.Subscribe(func(c *store.Change) {
		published = append(published, c.Events...)
		for _, e := range c.Expect {
			if e.Ends {
				ended = append(ended, e.Subject)
			}
		}
	})
	put(t, a, bot, user, bearer, own, admin)
	app := store.Application{ID: 100, Owner: 200}
	if err := store.Decide(t.Context(), a.store, func(tx *store.Tx) error { return tx.Put(app) }); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		give store.Credential
		want *events.Audience // nil: no event
	}{
		{"bot", bot, &events.Audience{Application: 100}},
		{"user", user, &events.Audience{Users: []snowflake.User{201}}},
		{"access token", bearer, &events.Audience{Users: []snowflake.User{201}, Application: 100}},
		{"application's own token", own, &events.Audience{Users: []snowflake.User{200}, Application: 100}},
		{"operator", admin, nil},
		{"revoked before", bot, nil},
	} {
		published, ended = nil, nil
		if err := a.revoke(t, tt.give.Hash); err != nil {
			t.Fatal(err)
		}
		var want []store.Event
		if tt.want != nil {
			want = []store.Event{{
				Subject: store.CredentialSubject(tt.give.Hash),
				Event:   events.Event{To: *tt.want, Change: &events.Change{Recheck: true}},
			}}
		}
		if diff := cmp.Diff(want, published); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if tt.want != nil && !slices.Contains(ended, store.CredentialSubject(tt.give.Hash)) {
			t.Errorf("%s: the subject of the token does not end", tt.name)
		}
	}
}
