package auth_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// start is the time at which the tests begin.
var start = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// handClock shows the time that a test sets.
type handClock struct {
	clock.Clock

	now time.Time
}

func (c *handClock) Now() time.Time { return c.now }

// countedStore counts reads.
type countedStore struct {
	store.Store

	mu    sync.Mutex
	views int
}

func (s *countedStore) Read(ctx context.Context, fn func(store.Reader) error) error {
	s.mu.Lock()
	s.views++
	s.mu.Unlock()
	return s.Store.Read(ctx, fn)
}

func (s *countedStore) Load(ctx context.Context, of store.Subject, fn func(store.Reader) error) (uint64, error) {
	s.mu.Lock()
	s.views++
	s.mu.Unlock()
	return s.Store.Load(ctx, of, fn)
}

func (s *countedStore) reads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.views
}

// records implements auth.Records with settable users and applications.
type records struct {
	mu    sync.Mutex
	users map[snowflake.User]bool
	apps  map[snowflake.Application]snowflake.User

	credentials cache.Kind[store.TokenHash, store.Credential]
}

func (o *records) HasUser(_ context.Context, id snowflake.User) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.users[id], nil
}

func (o *records) Owner(_ context.Context, id snowflake.Application) (snowflake.User, bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	owner, known := o.apps[id]
	return owner, known, nil
}

func (o *records) Credential(ctx context.Context, hash store.TokenHash) (*store.Credential, error) {
	return o.credentials.Load(ctx, hash)
}

func (o *records) change(do func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	do()
}

func open(t testing.TB) (*fixture, *handClock, *countedStore) {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, slog.New(slog.DiscardHandler))
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
	known := &records{
		users: map[snowflake.User]bool{200: true, 201: true}, apps: map[snowflake.Application]snowflake.User{100: 200, bigApp: 200},
	}
	known.credentials = newCredentials(counted)
	return &fixture{&auth.Authenticator{Records: known, Clock: now}, counted, known}, now, counted
}

// newCredentials returns credentials with an empty cache.
func newCredentials(db store.Store) cache.Kind[store.TokenHash, store.Credential] {
	return cache.Kind[store.TokenHash, store.Credential]{
		Cache: cache.New(db, 1<<20), Subject: store.CredentialSubject,
		Read: func(r store.Reader, hash store.TokenHash) (*store.Credential, error) {
			c, err := r.Credentials.Credential(hash)
			return &c, err
		},
		Size: func(*store.Credential) int { return 256 },
	}
}

// bigApp is an application with an id of usual length.
const bigApp snowflake.Application = 1100000000000000100

// credentials of application 100, which user 200 owns.
var (
	bot    = store.Credential{Hash: auth.Hash("bot-token"), Kind: store.BotToken, Application: 100}
	user   = store.Credential{Hash: auth.Hash("user-token"), Kind: store.UserToken, User: 201}
	bearer = store.Credential{
		Hash: auth.Hash("bearer-token"), Kind: store.BearerToken, Application: 100, User: 201,
		Scopes: []string{"identify"}, Expires: start.Add(time.Hour),
	}
	own = store.Credential{
		Hash: auth.Hash("own-token"), Kind: store.BearerToken, Application: 100,
		Scopes: []string{"applications.commands.update"}, Expires: start.Add(time.Hour),
	}
	admin = store.Credential{Hash: auth.Hash("admin-token"), Kind: store.AdminToken}
)

// fixture is an Authenticator with its store.
type fixture struct {
	*auth.Authenticator

	store   store.Store
	records *records
}

func (f *fixture) revoke(t *testing.T, hashes ...store.TokenHash) error {
	t.Helper()
	return store.Decide(t.Context(), f.store, func(tx *store.Tx) error { return auth.Revoke(tx, hashes...) })
}

func put(t testing.TB, a *fixture, all ...store.Credential) {
	t.Helper()
	for _, c := range all {
		if err := store.Decide(t.Context(), a.store, func(tx *store.Tx) error { return tx.Put(c) }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	a, _, _ := open(t)
	put(t, a, bot, user, bearer, own, admin)
	for _, tt := range []struct {
		name   string
		header string
		want   auth.Principal // zero: unauthorized
	}{
		{"bot token", "Bot bot-token", auth.Principal{Kind: store.BotToken, Application: 100}},
		{"scheme in lower case", "bot bot-token", auth.Principal{}},
		{"access token", "Bearer bearer-token", auth.Principal{Kind: store.BearerToken, Application: 100, User: 201, Scopes: []string{"identify"}, Expires: start.Add(time.Hour)}},
		{"scheme in capitals", "BEARER bearer-token", auth.Principal{Kind: store.BearerToken, Application: 100, User: 201, Scopes: []string{"identify"}, Expires: start.Add(time.Hour)}},
		{"client credentials act for the owner", "Bearer own-token", auth.Principal{
			Kind: store.BearerToken, Application: 100, User: 200, Scopes: []string{"applications.commands.update"}, Own: true, Expires: start.Add(time.Hour),
		}},
		{"user token alone", "user-token", auth.Principal{Kind: store.UserToken, User: 201}},
		{"no header", "", auth.Principal{}},
		{"space", " ", auth.Principal{}},
		{"scheme alone", "Bot", auth.Principal{}},
		{"scheme and space", "Bot ", auth.Principal{}},
		{"two spaces", "Bot  bot-token", auth.Principal{}},
		{"space before", " Bot bot-token", auth.Principal{}},
		{"space after", "Bot bot-token ", auth.Principal{}},
		{"tab between", "Bot\tbot-token", auth.Principal{}},
		{"unknown scheme", "Basic bot-token", auth.Principal{}},
		{"unknown bot token", "Bot unknown", auth.Principal{}},
		{"unknown access token", "Bearer unknown", auth.Principal{}},
		{"unknown user token", "unknown", auth.Principal{}},
		{"access token as bot", "Bot bearer-token", auth.Principal{}},
		{"bot token as access token", "Bearer bot-token", auth.Principal{}},
		{"bot token alone", "bot-token", auth.Principal{}},
		{"access token alone", "bearer-token", auth.Principal{}},
		{"user token as bot", "Bot user-token", auth.Principal{}},
		{"user token as access token", "Bearer user-token", auth.Principal{}},
		{"operator's token", "Bearer admin-token", auth.Principal{}},
		{"operator's token alone", "admin-token", auth.Principal{}},
		{"too long", "Bot " + strings.Repeat("x", auth.MaxTokenLen+1), auth.Principal{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // from the store, and from the cache
				got, err := a.Authenticate(t.Context(), tt.header)
				if refused := errors.Is(err, auth.ErrUnauthorized); refused != (tt.want.Kind == 0) {
					t.Fatalf("Authenticate(%q) = %v", tt.header, err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("Authenticate(%q) (-want +got):\n%s", tt.header, diff)
				}
			}
		})
	}
}

// accepted reports whether a header is accepted. The test fails for errors other than ErrUnauthorized.
func accepted(t *testing.T, a *fixture, header string) bool {
	t.Helper()
	_, err := a.Authenticate(t.Context(), header)
	if err != nil && !errors.Is(err, auth.ErrUnauthorized) {
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
		t.Error("refused just before it expires")
	}
	now.now = start.Add(time.Hour)
	if accepted(t, a, "Bearer bearer-token") {
		t.Error("accepted from the cache after it expired")
	}
	a.records.credentials = newCredentials(a.store)
	if accepted(t, a, "Bearer bearer-token") {
		t.Error("accepted from the store after it expired")
	}
	if holds, err := a.Holds(t.Context(), bearer.Hash); holds || err != nil {
		t.Errorf("Holds() = %v, %v after it expired", holds, err)
	}
}

func TestCache(t *testing.T) {
	t.Parallel()

	t.Run("a known token is read once", func(t *testing.T) {
		t.Parallel()
		a, _, db := open(t)
		put(t, a, bot)
		before := db.reads()
		for range 10 {
			accepted(t, a, "Bot bot-token")
		}
		if n := db.reads() - before; n != 1 {
			t.Errorf("%d reads of the store, want 1", n)
		}
	})

	t.Run("an unknown token is found after it is stored", func(t *testing.T) {
		t.Parallel()
		a, _, _ := open(t)
		if accepted(t, a, "Bot bot-token") {
			t.Fatal("accepted an unknown token")
		}
		put(t, a, bot)
		if !accepted(t, a, "Bot bot-token") {
			t.Error("refused after it was stored")
		}
	})

	t.Run("a revoked token is refused at once", func(t *testing.T) {
		t.Parallel()
		a, _, _ := open(t)
		put(t, a, bot, user)
		accepted(t, a, "Bot bot-token")
		if err := a.revoke(t, bot.Hash, auth.Hash("unknown")); err != nil {
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

	t.Run("tokens of deleted users and applications are refused", func(t *testing.T) {
		t.Parallel()
		a, _, _ := open(t)
		put(t, a, bot, user, bearer, own)
		known := a.records
		for _, step := range []struct {
			name    string
			change  func()
			refused []string
		}{
			{"nothing deleted", func() {}, nil},
			{"user deleted", func() { known.users[201] = false }, []string{"user-token", "Bearer bearer-token"}},
			{
				"application deleted", func() { known.users[201] = true; delete(known.apps, 100) },
				[]string{"Bot bot-token", "Bearer bearer-token", "Bearer own-token"},
			},
		} {
			known.change(step.change)
			for header, c := range map[string]store.Credential{
				"Bot bot-token": bot, "user-token": user, "Bearer bearer-token": bearer, "Bearer own-token": own,
			} {
				want := !slices.Contains(step.refused, header)
				if got := accepted(t, a, header); got != want {
					t.Errorf("%s: %s accepted: %v, want %v", step.name, header, got, want)
				}
				if got, err := a.Holds(t.Context(), c.Hash); got != want || err != nil {
					t.Errorf("%s: Holds(%s) = %v, %v, want %v", step.name, header, got, err, want)
				}
			}
		}
	})

	t.Run("an application's own token acts for the current owner", func(t *testing.T) {
		t.Parallel()
		a, _, _ := open(t)
		put(t, a, own)
		known := a.records
		for _, owner := range []snowflake.User{200, 201} {
			known.change(func() { known.apps[100] = owner })
			if p, err := a.Authenticate(t.Context(), "Bearer own-token"); err != nil || p.User != owner || !p.Own {
				t.Errorf("Authenticate() = %+v, %v, want owner %v", p, err, owner)
			}
		}
	})

	t.Run("a failed store is not ErrUnauthorized", func(t *testing.T) {
		t.Parallel()
		a, _, db := open(t)
		put(t, a, bot)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := a.Authenticate(t.Context(), "Bot bot-token")
		if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, auth.ErrUnauthorized) {
			t.Errorf("Authenticate() = %v, want ErrUnavailable", err)
		}
	})
}

// TestNeverStale races readers against a writer. After a change is committed, no request uses the old credential.
func TestNeverStale(t *testing.T) {
	t.Parallel()
	a, _, _ := open(t)
	var wg sync.WaitGroup
	for i := range 4 {
		token := store.Credential{Hash: auth.Hash("token"), Kind: store.BotToken, Application: 100}
		header := "Bot token"
		if i > 0 { // the other goroutines read the same key
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
					t.Error("refused after the commit")
				}
				if err := a.revoke(t, token.Hash); err != nil {
					t.Error(err)
				}
				if accepted(t, a, header) {
					t.Error("accepted after the revocation")
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkAuthenticate(b *testing.B) {
	a, _, _ := open(b)
	token := auth.NewBotToken(bigApp, start)
	put(b, a, store.Credential{Hash: auth.Hash(token.Reveal()), Kind: store.BotToken, Application: bigApp})
	ctx := b.Context()
	for name, tt := range map[string]struct {
		header string
		want   error
	}{
		"known":   {"Bot " + token.Reveal(), nil},
		"unknown": {"Bot " + token.Reveal() + "x", auth.ErrUnauthorized},
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

// With AnyBot, an unknown bot token belongs to that application. Tokens that are known, and other kinds of tokens, are checked as before.
func TestAnyBotToken(t *testing.T) {
	t.Parallel()
	f, _, _ := open(t)
	put(t, f, user)
	f.AnyBot = bigApp
	for header, want := range map[string]snowflake.Application{"Bot from-config.json": bigApp, "Bot user-token": 0, "from-config.json": 0, "Bearer from-config.json": 0} {
		p, err := f.Authenticate(t.Context(), header)
		if p.Application != want || (want == 0) != errors.Is(err, auth.ErrUnauthorized) {
			t.Errorf("%s: application %v, error %v; want application %v", header, p.Application, err, want)
		}
	}
	if ok, err := f.Holds(t.Context(), auth.Hash("from-config.json")); !ok || err != nil {
		t.Errorf("the session of the bot ends: %v %v", ok, err)
	}
	if _, err := f.AuthenticateOperator(t.Context(), "Bearer from-config.json"); !errors.Is(err, auth.ErrUnauthorized) {
		t.Errorf("an unknown token is that of an operator: %v", err)
	}
}
