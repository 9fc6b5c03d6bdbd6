package oauth_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/google/go-cmp/cmp"
)

// start is when the tests happen.
var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// handClock shows the time that a test sets.
type handClock struct {
	clock.Clock

	now time.Time
}

func (c *handClock) Now() time.Time { return c.now }

// countedStore counts how often it is read.
type countedStore struct {
	store.Store

	mu    sync.Mutex
	views int
}

func (s *countedStore) View(ctx context.Context, fn func(store.Reader) error) error {
	s.mu.Lock()
	s.views++
	s.mu.Unlock()
	return s.Store.View(ctx, fn)
}

func (s *countedStore) reads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.views
}

func open(t testing.TB) (*oauth.Authenticator, *handClock, *countedStore) {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	now := &handClock{now: start}
	counted := &countedStore{Store: db}
	return &oauth.Authenticator{Store: counted, Clock: now}, now, counted
}

// credentials of application 100, which user 200 owns.
var (
	bot    = store.Credential{Hash: oauth.Hash("bot-token"), Kind: store.BotToken, Application: 100}
	person = store.Credential{Hash: oauth.Hash("user-token"), Kind: store.UserToken, User: 201}
	bearer = store.Credential{
		Hash: oauth.Hash("bearer-token"), Kind: store.BearerToken, Application: 100, User: 201,
		Scopes: []string{"identify"}, Expires: start.Add(time.Hour),
	}
	own = store.Credential{
		Hash: oauth.Hash("own-token"), Kind: store.BearerToken, Application: 100,
		Scopes: []string{"applications.commands.update"}, Expires: start.Add(time.Hour),
	}
	admin = store.Credential{Hash: oauth.Hash("admin-token"), Kind: store.AdminToken}
)

func put(t testing.TB, a *oauth.Authenticator, all ...store.Credential) {
	t.Helper()
	for _, c := range all {
		if err := a.Put(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

func putApplication(t *testing.T, a *oauth.Authenticator, app store.Application) {
	t.Helper()
	if err := a.Store.Update(t.Context(), func(tx store.Tx) error { return tx.PutApplication(app) }); err != nil {
		t.Fatal(err)
	}
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	a, _, _ := open(t)
	put(t, a, bot, person, bearer, own, admin)
	putApplication(t, a, store.Application{ID: 100, Name: "Echo", Owner: 200})
	for _, tt := range []struct {
		name   string
		header string
		want   oauth.Principal // zero: unauthorized
	}{
		{"bot token", "Bot bot-token", oauth.Principal{Kind: store.BotToken, Application: 100}},
		{"scheme in other letters", "bOT bot-token", oauth.Principal{Kind: store.BotToken, Application: 100}},
		{"access token", "Bearer bearer-token", oauth.Principal{Kind: store.BearerToken, Application: 100, User: 201, Scopes: []string{"identify"}, Expires: start.Add(time.Hour)}},
		{"scheme in capitals", "BEARER bearer-token", oauth.Principal{Kind: store.BearerToken, Application: 100, User: 201, Scopes: []string{"identify"}, Expires: start.Add(time.Hour)}},
		{"client credentials act for the owner", "Bearer own-token", oauth.Principal{
			Kind: store.BearerToken, Application: 100, User: 200, Scopes: []string{"applications.commands.update"}, Own: true, Expires: start.Add(time.Hour),
		}},
		{"user token alone", "user-token", oauth.Principal{Kind: store.UserToken, User: 201}},
		{"no header", "", oauth.Principal{}},
		{"a blank", " ", oauth.Principal{}},
		{"scheme alone", "Bot", oauth.Principal{}},
		{"scheme and blank", "Bot ", oauth.Principal{}},
		{"two blanks", "Bot  bot-token", oauth.Principal{}},
		{"blank before", " Bot bot-token", oauth.Principal{}},
		{"blank behind", "Bot bot-token ", oauth.Principal{}},
		{"tab between", "Bot\tbot-token", oauth.Principal{}},
		{"unknown scheme", "Basic bot-token", oauth.Principal{}},
		{"unknown bot token", "Bot nobody", oauth.Principal{}},
		{"unknown access token", "Bearer nobody", oauth.Principal{}},
		{"unknown user token", "nobody", oauth.Principal{}},
		{"access token as bot", "Bot bearer-token", oauth.Principal{}},
		{"bot token as access token", "Bearer bot-token", oauth.Principal{}},
		{"bot token alone", "bot-token", oauth.Principal{}},
		{"access token alone", "bearer-token", oauth.Principal{}},
		{"user token as bot", "Bot user-token", oauth.Principal{}},
		{"user token as access token", "Bearer user-token", oauth.Principal{}},
		{"operator's token", "Bearer admin-token", oauth.Principal{}},
		{"operator's token alone", "admin-token", oauth.Principal{}},
		{"too long", "Bot " + strings.Repeat("x", oauth.MaxTokenLen+1), oauth.Principal{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // from the store, and from memory
				got, err := a.Authenticate(t.Context(), tt.header)
				if refused := errors.Is(err, oauth.ErrUnauthorized); refused != (tt.want.Kind == 0) {
					t.Fatalf("Authenticate(%q) = %v", tt.header, err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("Authenticate(%q) (-want +got):\n%s", tt.header, diff)
				}
			}
		})
	}
}

// accepted asks whether a header is accepted, and fails on any other trouble.
func accepted(t *testing.T, a *oauth.Authenticator, header string) bool {
	t.Helper()
	_, err := a.Authenticate(t.Context(), header)
	if err != nil && !errors.Is(err, oauth.ErrUnauthorized) {
		t.Fatalf("Authenticate(%q) = %v", header, err)
	}
	return err == nil
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	a, now, _ := open(t)
	put(t, a, bearer)
	if !accepted(t, a, "Bearer bearer-token") {
		t.Error("refused before it expires")
	}
	now.now = start.Add(time.Hour - time.Nanosecond)
	if !accepted(t, a, "Bearer bearer-token") {
		t.Error("refused in its last moment")
	}
	now.now = start.Add(time.Hour)
	if accepted(t, a, "Bearer bearer-token") {
		t.Error("accepted from memory when it has expired")
	}
	a.Reset()
	if accepted(t, a, "Bearer bearer-token") {
		t.Error("accepted from the store when it has expired")
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()

	t.Run("a known token is read once", func(t *testing.T) {
		t.Parallel()
		a, _, db := open(t)
		put(t, a, bot)
		for range 10 {
			accepted(t, a, "Bot bot-token")
		}
		if n := db.reads(); n != 1 {
			t.Errorf("%d reads of the store, want 1", n)
		}
	})

	t.Run("an unknown token is read once and found when it comes to be", func(t *testing.T) {
		t.Parallel()
		a, _, db := open(t)
		for range 10 {
			if accepted(t, a, "Bot bot-token") {
				t.Fatal("accepted a token that is not there")
			}
		}
		if n := db.reads(); n != 1 {
			t.Errorf("%d reads of the store, want 1", n)
		}
		put(t, a, bot)
		if !accepted(t, a, "Bot bot-token") {
			t.Error("refused after it was put")
		}
	})

	t.Run("a revoked token is refused at once", func(t *testing.T) {
		t.Parallel()
		a, _, _ := open(t)
		put(t, a, bot, person)
		accepted(t, a, "Bot bot-token")
		if err := a.Revoke(t.Context(), bot.Hash, oauth.Hash("nobody")); err != nil {
			t.Fatal(err)
		}
		if accepted(t, a, "Bot bot-token") {
			t.Error("accepted after it was revoked")
		}
		if !accepted(t, a, "user-token") {
			t.Error("another token was revoked too")
		}
	})

	t.Run("a changed token is read again", func(t *testing.T) {
		t.Parallel()
		a, _, _ := open(t)
		put(t, a, bearer)
		accepted(t, a, "Bearer bearer-token")
		changed := bearer
		changed.Scopes = []string{"email"}
		put(t, a, changed)
		if p, err := a.Authenticate(t.Context(), "Bearer bearer-token"); err != nil || !p.HasScope("email") {
			t.Errorf("Authenticate() = %+v, %v, want the new scope", p, err)
		}
	})

	t.Run("what another node changed is seen after Forget, or Reset", func(t *testing.T) {
		t.Parallel()
		a, now, db := open(t)
		put(t, a, bot)
		accepted(t, a, "Bot bot-token")
		elsewhere := &oauth.Authenticator{Store: db.Store, Clock: now}
		if err := elsewhere.Revoke(t.Context(), bot.Hash); err != nil {
			t.Fatal(err)
		}
		a.Forget(bot.Hash)
		if accepted(t, a, "Bot bot-token") {
			t.Error("accepted after Forget")
		}
		put(t, elsewhere, bot)
		a.Reset()
		if !accepted(t, a, "Bot bot-token") {
			t.Error("refused after Reset")
		}
	})

	t.Run("an owner's successor is seen after Reset", func(t *testing.T) {
		t.Parallel()
		a, _, _ := open(t)
		put(t, a, own)
		if accepted(t, a, "Bearer own-token") {
			t.Error("accepted a token of an application that is not there")
		}
		for _, owner := range []store.Application{{ID: 100, Owner: 200}, {ID: 100, Owner: 201}} {
			putApplication(t, a, owner)
			a.Reset()
			if p, err := a.Authenticate(t.Context(), "Bearer own-token"); err != nil || p.User != owner.Owner {
				t.Errorf("Authenticate() = %+v, %v, want owner %v", p, err, owner.Owner)
			}
		}
	})

	t.Run("a store that fails is no refusal", func(t *testing.T) {
		t.Parallel()
		a, _, db := open(t)
		put(t, a, bot)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := a.Authenticate(t.Context(), "Bot bot-token")
		if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, oauth.ErrUnauthorized) {
			t.Errorf("Authenticate() = %v, want ErrUnavailable", err)
		}
	})
}

func TestChanges(t *testing.T) {
	t.Parallel()

	t.Run("are seen when the unit of work is settled", func(t *testing.T) {
		t.Parallel()
		a, _, _ := open(t)
		second := bot
		second.Hash = oauth.Hash("second-token")
		put(t, a, bot, second, person)
		accepted(t, a, "Bot bot-token")
		accepted(t, a, "Bot new-token")
		made := bot
		made.Hash = oauth.Hash("new-token")
		var changes *oauth.Changes
		err := a.Store.Update(t.Context(), func(tx store.Tx) error {
			changes = a.Within(tx)
			if err := changes.Put(made); err != nil {
				return err
			}
			return changes.RevokeOthers(made.Hash, store.BotToken, 100, 0)
		})
		if err != nil {
			t.Fatal(err)
		}
		changes.Settle()
		for header, want := range map[string]bool{
			"Bot new-token": true, "Bot bot-token": false, "Bot second-token": false, "user-token": true,
		} {
			if got := accepted(t, a, header); got != want {
				t.Errorf("%s accepted: %v, want %v", header, got, want)
			}
		}
	})

	t.Run("of a failed unit of work leave everything as it was", func(t *testing.T) {
		t.Parallel()
		a, _, _ := open(t)
		put(t, a, bot)
		var changes *oauth.Changes
		broken := errors.New("broken")
		err := a.Store.Update(t.Context(), func(tx store.Tx) error {
			changes = a.Within(tx)
			return errors.Join(changes.Revoke(bot.Hash), broken)
		})
		changes.Settle()
		if !errors.Is(err, broken) || !accepted(t, a, "Bot bot-token") {
			t.Errorf("Update() = %v, want %v and the token as it was", err, broken)
		}
	})

	t.Run("of a unit that never ran are none", func(*testing.T) {
		var none *oauth.Changes
		none.Settle()
	})
}

// TestNeverStale races readers against a writer: once a change is acknowledged, no later request is judged by what was
// before.
func TestNeverStale(t *testing.T) {
	t.Parallel()
	a, _, _ := open(t)
	var wg sync.WaitGroup
	for i := range 4 {
		token := store.Credential{Hash: oauth.Hash("token"), Kind: store.BotToken, Application: 100}
		header := "Bot token"
		if i > 0 { // others keep the cache busy with the same key
			wg.Go(func() {
				for range 200 {
					accepted(t, a, header)
				}
			})
			continue
		}
		wg.Go(func() {
			for range 30 {
				put(t, a, token)
				if !accepted(t, a, header) {
					t.Error("refused after Put returned")
				}
				if err := a.Revoke(t.Context(), token.Hash); err != nil {
					t.Error(err)
				}
				if accepted(t, a, header) {
					t.Error("accepted after Revoke returned")
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkAuthenticate(b *testing.B) {
	a, _, _ := open(b)
	token := oauth.NewBotToken(1100000000000000100, start)
	put(b, a, store.Credential{Hash: oauth.Hash(token.Reveal()), Kind: store.BotToken, Application: 1100000000000000100})
	ctx := b.Context()
	for name, tt := range map[string]struct {
		header string
		want   error
	}{
		"known":   {"Bot " + token.Reveal(), nil},
		"unknown": {"Bot " + token.Reveal() + "x", oauth.ErrUnauthorized},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Authenticate(ctx, tt.header); !errors.Is(err, tt.want) {
					b.Fatal(err)
				}
			}
		})
	}
}
