package oauth_test

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// recordedCommits records the number of deleted records in each commit. It fails when there have been limit commits.
type recordedCommits struct {
	store.Store

	sizes []int
	limit int // 0: no limit
}

func (s *recordedCommits) Commit(ctx context.Context, c store.Change) error {
	if s.limit > 0 && len(s.sizes) == s.limit {
		return store.ErrUnavailable
	}
	s.sizes = append(s.sizes, len(c.Delete))
	return s.Store.Commit(ctx, c)
}

// fill adds n codes, devices and grants of a user for an application, and n sessions and accounts of the user.
func (d *fixture) fill(t *testing.T, app snowflake.Application, user snowflake.User, n int) {
	t.Helper()
	until := d.clock.Now().Add(time.Hour)
	err := store.Decide(t.Context(), d.db, func(tx *store.Tx) error {
		for i := range n {
			hash := auth.Hash(string(binary.BigEndian.AppendUint64(nil, uint64(app)<<40|uint64(user)<<20|uint64(i))))
			err := tx.Put(
				store.Code{Hash: hash, Application: app, User: user, Until: until},
				store.Device{Hash: hash, UserCode: hash, Application: app, User: user, Until: until},
				store.Grant{ID: hash, Application: app, User: user},
				store.Session{Hash: hash, User: user, Expires: until},
				store.Account{Issuer: "https://id.example", Subject: hex.EncodeToString(hash[:]), User: user},
			)
			if err != nil {
				return err
			}
		}
		return tx.Put(store.Consent{Application: app, User: user})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// left returns the number of records that list finds, up to 10000 of each kind.
func (d *fixture) left(t *testing.T, list func(store.GrantQueries, int) ([]store.Key, error)) (n int) {
	t.Helper()
	err := d.db.Read(t.Context(), func(r store.Reader) error {
		keys, err := list(r.Grants, 10_000)
		n = len(keys)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func ofUser(user snowflake.User) func(store.GrantQueries, int) ([]store.Key, error) {
	return func(q store.GrantQueries, limit int) ([]store.Key, error) { return q.OfUser(user, limit) }
}

func ofApplication(app snowflake.Application) func(store.GrantQueries, int) ([]store.Key, error) {
	return func(q store.GrantQueries, limit int) ([]store.Key, error) { return q.OfApplication(app, limit) }
}

func TestDependentRecords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		remove func(context.Context, *oauth.Server) error
		gone   func(store.GrantQueries, int) ([]store.Key, error)
		keep   map[snowflake.User]int // the number of records of users after the removal
	}{
		{
			"of a user", func(ctx context.Context, g *oauth.Server) error { return g.UserDeleted(ctx, 200) },
			ofUser(200),
			map[snowflake.User]int{200: 0, 201: 5*300 + 1 + 5*300 + 1},
		},
		{
			"of an application", func(ctx context.Context, g *oauth.Server) error { return g.ApplicationDeleted(ctx, 100) },
			ofApplication(100),
			map[snowflake.User]int{200: 2 * 300, 201: 2*300 + 5*300 + 1},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.fill(t, 100, 200, 300)
			d.fill(t, 100, 201, 300)
			d.fill(t, 101, 201, 300)
			before := d.left(t, tt.gone)

			// The process ends after two batches.
			cut := &recordedCommits{Store: d.db, limit: 2}
			d.Store = cut
			if err := tt.remove(t.Context(), d.Server); !errors.Is(err, store.ErrUnavailable) {
				t.Fatalf("removal with a store that fails = %v, want %v", err, store.ErrUnavailable)
			}
			if got := d.left(t, tt.gone); got != before-2*256 {
				t.Errorf("%d of %d records are left after two batches, want %d", got, before, before-2*256)
			}

			rest := &recordedCommits{Store: d.db}
			d.Store = rest
			if err := tt.remove(t.Context(), d.Server); err != nil {
				t.Fatal(err)
			}
			if got := d.left(t, tt.gone); got != 0 {
				t.Errorf("%d records are left, want none", got)
			}
			for user, want := range tt.keep {
				if got := d.left(t, ofUser(user)); got != want {
					t.Errorf("user %d has %d records, want %d", user, got, want)
				}
			}
			for _, n := range rest.sizes {
				if n > 256 {
					t.Errorf("a commit removed %d records, want at most 256", n)
				}
			}
		})
	}
}

// TestDeletedOwners uses grants of a deleted user or application before the removal of dependent records has run.
func TestDeletedOwners(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		remove store.Key
	}{
		{"user", store.UserKey(201)},
		{"application", store.ApplicationKey(101)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			const callback = "http://127.0.0.1:51234/callback"
			trade := func(code string) (oauth.Token, error) {
				return d.Token(t.Context(), oauth.TokenRequest{
					Client: game, GrantType: "authorization_code", Code: code, RedirectURI: callback, Verifier: verifier,
				})
			}
			token, err := trade(d.accept(t, 201, gameParams()).Get("code"))
			if err != nil {
				t.Fatal(err)
			}
			code := d.accept(t, 201, gameParams()).Get("code")
			device := d.wait(t)
			if err := d.decide(t, device.UserCode, true); err != nil {
				t.Fatal(err)
			}
			ask, err := d.ParseAuthorization(t.Context(), gameParams())
			if err != nil {
				t.Fatal(err)
			}
			waiting, err := d.PendingDevice(t.Context(), d.wait(t).UserCode)
			if err != nil {
				t.Fatal(err)
			}
			before := d.left(t, ofUser(201))

			err = store.Decide(t.Context(), d.db, func(tx *store.Tx) error {
				tx.Delete(tt.remove)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := trade(code); err == nil {
				t.Error("the code was exchanged")
			}
			if _, err := d.Token(t.Context(), oauth.TokenRequest{Client: game, GrantType: "refresh_token", RefreshToken: token.RefreshToken.Reveal()}); err == nil {
				t.Error("the grant was refreshed")
			}
			if _, got := d.poll(t, device); got == "" {
				t.Error("the device got a token")
			}
			if _, err := d.Decide(t.Context(), ask, oauth.Choice{User: 201, Accept: true}); err == nil {
				t.Error("the consent was accepted")
			}
			if err := d.DecideDevice(t.Context(), waiting, 201, true); !errors.Is(err, oauth.ErrUserCode) {
				t.Errorf("DecideDevice() = %v, want %v", err, oauth.ErrUserCode)
			}
			if got := d.left(t, ofUser(201)); got != before {
				t.Errorf("%d records are left, want %d", got, before)
			}
		})
	}
}
