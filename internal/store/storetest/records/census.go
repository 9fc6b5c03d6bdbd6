package records

import (
	"errors"
	"fmt"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/storetest/check"
	"github.com/bellhop/bellhop/snowflake"
)

// counter collects lines and errors.
type counter struct {
	lines []string
	errs  []error
}

// add notes records under a line for each.
func add[R any](c *counter, records []R, err error, line func(R) string) {
	c.errs = append(c.errs, err)
	for _, r := range records {
		c.lines = append(c.lines, line(r))
	}
}

// one makes a list of a record that may not be there.
func one[R any](r R, err error) ([]R, error) {
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return []R{r}, err
}

// Census lists what a store holds of the world, found in every way that the contract offers and asked for by ids, so that
// what a deletion leaves behind shows.
func Census(t *testing.T, s store.Store) []string {
	t.Helper()
	var c counter
	check.View(t, s, func(r store.Reader) error {
		c.people(r)
		c.apps(r)
		c.guilds(r)
		for i := range 6 {
			found, err := one(r.Credential(store.TokenHash{byte(i + 1)}))
			add(&c, found, err, func(k store.Credential) string {
				return fmt.Sprintf("credential %d of %d/%d", k.Hash[0], k.Application, k.User)
			})
		}
		for _, id := range []snowflake.Channel{310, 311, 500, 501} {
			found, err := one(r.Channel(id))
			add(&c, found, err, func(k store.Channel) string { return fmt.Sprintf("channel %d", k.ID) })
		}
		return errors.Join(c.errs...)
	})
	return c.lines
}

func (c *counter) people(r store.Reader) {
	for _, id := range worldUsers {
		found, err := one(r.User(id))
		add(c, found, err, func(u store.User) string { return fmt.Sprintf("user %d", u.ID) })
		members, err := r.Memberships(id, 0, 100)
		add(c, members, err, func(m store.Member) string { return fmt.Sprintf("membership %d/%d", m.User, m.Guild) })
		installs, err := r.UserInstalls(id)
		add(c, installs, err, func(i store.Install) string {
			return fmt.Sprintf("user install %d/%d", i.User, i.Application)
		})
		channels, err := r.DirectChannels(id)
		add(c, channels, err, func(k store.Channel) string { return fmt.Sprintf("direct %d/%d", id, k.ID) })
	}
}

func (c *counter) apps(r store.Reader) {
	for _, id := range worldApps {
		found, err := one(r.Application(id))
		add(c, found, err, func(a store.Application) string { return fmt.Sprintf("application %d", a.ID) })
		installs, err := r.InstalledGuilds(id, 0, 100)
		add(c, installs, err, func(i store.Install) string { return fmt.Sprintf("installed %d/%d", i.Application, i.Guild) })
		for _, guild := range append([]snowflake.Guild{0}, worldGuilds...) {
			scope, err := r.Scope(command.Scope{Application: id, Guild: guild})
			if scope.Revision != 0 {
				c.lines = append(c.lines, fmt.Sprintf("scope %d/%d at %d", id, guild, scope.Revision))
			}
			add(c, scope.Commands, err, func(k command.Command) string {
				return fmt.Sprintf("command %d/%d/%d", k.Scope.Application, k.Scope.Guild, k.ID)
			})
			sets, err := r.Overwrites(id, guild)
			add(c, sets, err, func(o store.OverwriteSet) string {
				return fmt.Sprintf("overwrites %d/%d/%d", o.Application, o.Guild, o.ID)
			})
		}
	}
}

func (c *counter) guilds(r store.Reader) {
	for _, id := range worldGuilds {
		found, err := one(r.Guild(id))
		add(c, found, err, func(g store.Guild) string { return fmt.Sprintf("guild %d", g.ID) })
		roles, err := r.Roles(id)
		add(c, roles, err, func(k store.Role) string { return fmt.Sprintf("role %d/%d", k.Guild, k.ID) })
		members, err := r.Members(id, 0, 100)
		add(c, members, err, func(m store.Member) string {
			return fmt.Sprintf("member %d/%d %v", m.Guild, m.User, m.Roles)
		})
		installs, err := r.GuildInstalls(id)
		add(c, installs, err, func(i store.Install) string {
			return fmt.Sprintf("guild install %d/%d", i.Guild, i.Application)
		})
	}
}
