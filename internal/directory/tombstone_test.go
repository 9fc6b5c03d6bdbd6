package directory_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// TestReadsDuringRemoval compares reads before and after the dependent records of a deleted record are removed.
func TestReadsDuringRemoval(t *testing.T) {
	t.Parallel()
	for _, tt := range deletions {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			removed, _, end := openDeletedWorld(t, filepath.Join(t.TempDir(), "bellhop.db"))
			defer end()
			d, x, end := openDeletedWorld(t, filepath.Join(t.TempDir(), "bellhop.db"))
			defer end()
			d.readAll(t) // fills the cache
			x.fail = func(string) error { return errors.New("not yet") }
			for _, d := range []*fixture{removed, d} {
				if err := tt.delete(t.Context(), d); err != nil {
					t.Fatal(err)
				}
			}
			want := removed.readAll(t)
			if diff := cmp.Diff(want, d.readAll(t)); diff != "" {
				t.Errorf("(-removed +being removed):\n%s", diff)
			}
			if diff := cmp.Diff(want, newFixture(d.Store.Store).readAll(t)); diff != "" {
				t.Errorf("with an empty cache (-removed +being removed):\n%s", diff)
			}
			x.fail = nil
			if err := d.Removals.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, d.readAll(t)); diff != "" {
				t.Errorf("after Resume (-removed +removed later):\n%s", diff)
			}
		})
	}
}

// reads are the results of reads by name.
type reads map[string]any

func (s reads) note(name string, v any, err error) {
	if err != nil {
		v = err.Error()
	}
	s[name] = v
}

// ids returns the ids of n records.
func ids(n int, id func(int) any) (list []any) {
	for i := range n {
		list = append(list, id(i))
	}
	return list
}

// readAll reads all records that the deletions affect.
func (d *fixture) readAll(t *testing.T) reads {
	t.Helper()
	all := reads{}
	for _, header := range []string{"user-eve", "Bot bot-old", "user-ada", "Bot bot-echo"} {
		all["token "+header] = d.Accepts(t, header)
	}
	d.readUsers(t.Context(), all.note)
	d.readGuilds(t.Context(), all.note)
	d.readApplicationsAndChannels(t.Context(), all.note)
	return all
}

func (d *fixture) readUsers(ctx context.Context, note func(name string, v any, err error)) {
	for _, id := range []snowflake.User{200, goneUser, snowflake.User(goneApp)} {
		_, err := d.Users.User(ctx, id)
		note(fmt.Sprint("user ", id), true, err)
		m, err := d.Users.Memberships(ctx, id, 0, 10)
		note(fmt.Sprint("memberships ", id), ids(len(m), func(i int) any { return m[i].Guild }), err)
		in, err := d.Users.Installs(ctx, id)
		note(fmt.Sprint("user installs ", id), ids(len(in), func(i int) any { return in[i].Application }), err)
		dm, err := d.Channels.Directs(ctx, id)
		note(fmt.Sprint("directs ", id), len(dm), err)
		views, err := d.Guilds.Visible(ctx, directory.Viewer{User: id, Bot: id == snowflake.User(goneApp)}, 0, 0, 10)
		note(fmt.Sprint("visible ", id), ids(len(views), func(i int) any { return views[i].Guild.ID }), err)
		for _, guild := range []snowflake.Guild{300, goneGuild} {
			m, err := d.Guilds.Member(ctx, guild, id)
			note(fmt.Sprint("member ", guild, id), len(m.Roles), err)
			_, err = d.Guilds.MemberWithUser(ctx, guild, id)
			note(fmt.Sprint("member with user ", guild, id), true, err)
			_, err = d.Guilds.View(ctx, guild, directory.Viewer{User: id})
			note(fmt.Sprint("guild view ", guild, id), true, err)
		}
	}
}

func (d *fixture) readGuilds(ctx context.Context, note func(name string, v any, err error)) {
	for _, guild := range []snowflake.Guild{300, goneGuild} {
		_, err := d.Guilds.State(ctx, guild)
		note(fmt.Sprint("guild ", guild), true, err)
		p, err := d.Guilds.State(ctx, guild)
		if err == nil {
			note(fmt.Sprint("state ", guild), ids(len(p.Installs), func(i int) any { return p.Installs[i].Application }), nil)
		}
		c, err := d.Guilds.Channels(ctx, guild)
		note(fmt.Sprint("channels ", guild), ids(len(c), func(i int) any { return c[i].ID }), err)
		m, err := d.Guilds.Members(ctx, guild, 0, 10)
		note(fmt.Sprint("members ", guild), ids(len(m), func(i int) any { return m[i].User }), err)
		r, err := d.Guilds.MembersWithUsers(ctx, guild, 0, 10)
		note(fmt.Sprint("members with users ", guild), ids(len(r), func(i int) any { return r[i].User }), err)
		n, err := d.Guilds.MemberCount(ctx, guild)
		note(fmt.Sprint("member count ", guild), n, err)
		in, err := d.Guilds.Installs(ctx, guild)
		note(fmt.Sprint("installs ", guild), ids(len(in), func(i int) any { return in[i].Application }), err)
	}
}

func (d *fixture) readApplicationsAndChannels(ctx context.Context, note func(name string, v any, err error)) {
	for _, app := range []snowflake.Application{100, goneApp} {
		_, err := d.Applications.Application(ctx, app)
		note(fmt.Sprint("application ", app), true, err)
		in, err := d.Applications.InstalledGuilds(ctx, app, 0, 10)
		note(fmt.Sprint("installed guilds ", app), ids(len(in), func(i int) any { return in[i].Guild }), err)
		guilds, users, err := d.Applications.InstallCount(ctx, app)
		note(fmt.Sprint("install count ", app), fmt.Sprint(guilds, users), err)
		for _, guild := range []snowflake.Guild{300, goneGuild} {
			_, err := d.Guilds.Install(ctx, guild, app)
			note(fmt.Sprint("guild install ", guild, app), true, err)
		}
	}
	for _, id := range []snowflake.Channel{310, goneChannel, goneThread, 9003, 9004} {
		_, err := d.Channels.Channel(ctx, id)
		note(fmt.Sprint("channel ", id), true, err)
		_, err = d.Channels.View(ctx, id, directory.Viewer{User: 200})
		note(fmt.Sprint("channel view ", id), true, err)
	}
	_, err := d.Channels.Direct(ctx, []snowflake.User{200, goneUser})
	note("direct channel", true, err)
}
