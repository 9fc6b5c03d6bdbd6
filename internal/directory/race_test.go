package directory_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/credentials"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// TestDeleteRaces deletes users while other writes make them members, owners and recipients.
func TestDeleteRaces(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	d, end := openAt(t, path)
	d.ApplyText(t, deletedWorld)
	known := func(err error) bool {
		for _, e := range []error{directory.ErrUnknownUser, directory.ErrOwner, directory.ErrNoConversation} {
			if errors.Is(err, e) {
				return true
			}
		}
		return err == nil || strings.Contains(err.Error(), "user")
	}
	for round := range 10 {
		user := goneUser + 1000 + snowflake.User(round)
		if _, err := d.PutUser(t.Context(), world.User{ID: user, Username: "eve"}); err != nil {
			t.Fatal(err)
		}
		app := snowflake.Application(5000 + round)
		var wg sync.WaitGroup
		for name, do := range map[string]func() error{
			"delete": func() error { return d.Users.Delete(t.Context(), user) },
			"member": func() error { _, err := d.PutMember(t.Context(), 300, world.Member{User: user}); return err },
			"install": func() error {
				_, err := d.PutUserInstall(t.Context(), world.UserInstall{User: user, Application: 100})
				return err
			},
			"owner": func() error {
				_, err := d.PutApplication(t.Context(), world.Application{ID: app, Name: "Two", Owner: user})
				return err
			},
			"direct": func() error { _, err := d.Channels.OpenDirect(t.Context(), 200, []snowflake.User{user}); return err },
			"token": func() error {
				_, err := credentials.Tokens{Directory: d.Directory, Clock: d.Now}.ReplaceUserToken(t.Context(), user)
				return err
			},
		} {
			wg.Go(func() {
				if err := do(); !known(err) {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		wg.Wait()
		a, err := d.Applications.Application(t.Context(), app)
		_, gone := d.Users.User(t.Context(), user)
		if err == nil && a.Owner == user && gone != nil {
			t.Errorf("application %v has the owner %v, who is deleted", app, user)
		}
		if err == nil {
			if err := d.Applications.Delete(t.Context(), app); err != nil {
				t.Error(err)
			}
		}
		if gone == nil {
			if err := d.Users.Delete(t.Context(), user); err != nil {
				t.Error(err)
			}
		}
	}
	end()
	for round := range 10 {
		if left := mentions(t, path, goneUser+1000+snowflake.User(round)); len(left) > 0 {
			t.Errorf("rows are left:\n%s", strings.Join(left, "\n"))
		}
	}
}

// TestDeleteMany deletes many users at the same time.
func TestDeleteMany(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, manyUsers(100))
	var wg sync.WaitGroup
	for _, user := range userIDs(1001, 99) {
		wg.Go(func() {
			if err := d.Users.Delete(t.Context(), user); err != nil {
				t.Errorf("Users.Delete(%v) = %v", user, err)
			}
		})
	}
	wg.Wait()
	if left := d.tombstones(t); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// interferingStore calls a function before the first commit.
type interferingStore struct {
	store.Store

	before func()
}

func (m *interferingStore) Commit(ctx context.Context, c store.Change) error {
	if do := m.before; do != nil {
		m.before = nil
		do()
	}
	return m.Store.Commit(ctx, c)
}

// TestTransactionRunsAgain changes records that a transaction has read before it is committed.
func TestTransactionRunsAgain(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, deletedWorld)
	for _, tt := range []struct {
		name   string
		decide func(*fixture) error
		before func() error
		want   func(error) bool
	}{
		{
			"a member whose user is deleted",
			func(d *fixture) error {
				_, err := d.PutMember(t.Context(), 300, world.Member{User: goneUser, Nick: "E"})
				return err
			},
			func() error { return d.Users.Delete(t.Context(), goneUser) },
			func(err error) bool { _, is := errors.AsType[*jsonbody.Tree](err); return is },
		},
		{
			"a user who becomes an owner",
			func(d *fixture) error { return d.Users.Delete(t.Context(), 201) },
			func() error {
				d.ApplyText(t, "users: [{id: 201, username: bob}]\napplications: [{id: 102, name: Three, owner: 201}]")
				return nil
			},
			func(err error) bool { return errors.Is(err, directory.ErrOwner) },
		},
		{
			"a channel of a guild that is deleted",
			func(d *fixture) error {
				_, err := d.PutChannel(t.Context(), goneGuild, world.Channel{ID: 999, Name: "den"})
				return err
			},
			func() error { return d.Guilds.Delete(t.Context(), goneGuild) },
			func(err error) bool { return errors.Is(err, directory.ErrUnknownGuild) },
		},
	} {
		d.ApplyText(t, "users: [{id: 201, username: bob}]")
		m := &interferingStore{Store: d.Store.Store}
		m.before = func() {
			if err := tt.before(); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		if err := tt.decide(newFixture(m)); !tt.want(err) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
