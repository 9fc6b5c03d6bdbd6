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

// TestHiddenAtOnce looks at the directory while nothing but the deleted record itself is removed.
func TestHiddenAtOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range deletions {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			removed, _, end := doom(t, filepath.Join(t.TempDir(), "bellhop.db"))
			defer end()
			d, x, end := doom(t, filepath.Join(t.TempDir(), "bellhop.db"))
			defer end()
			d.shown(t) // is in memory now
			x.fail = func(string) error { return errors.New("not yet") }
			for _, d := range []*desk{removed, d} {
				if err := tt.delete(t.Context(), d); err != nil {
					t.Fatal(err)
				}
			}
			want := removed.shown(t)
			if diff := cmp.Diff(want, d.shown(t)); diff != "" {
				t.Errorf("(-removed +being removed):\n%s", diff)
			}
			if diff := cmp.Diff(want, newDesk(d.db.Store).shown(t)); diff != "" {
				t.Errorf("without memory (-removed +being removed):\n%s", diff)
			}
			x.fail = nil
			if err := d.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, d.shown(t)); diff != "" {
				t.Errorf("after Resume (-removed +removed later):\n%s", diff)
			}
		})
	}
}

// shown is what reads show, by the name of the read.
type shown map[string]any

func (s shown) note(name string, v any, err error) {
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

// shown returns what reads about the doomed records show.
func (d *desk) shown(t *testing.T) shown {
	t.Helper()
	all := shown{}
	for _, header := range []string{"user-eve", "Bot bot-doom", "user-ada", "Bot bot-echo"} {
		all["token "+header] = d.accepts(t, header)
	}
	d.showUsers(t.Context(), all.note)
	d.showGuilds(t.Context(), all.note)
	d.showRest(t.Context(), all.note)
	return all
}

func (d *desk) showUsers(ctx context.Context, note func(name string, v any, err error)) {
	for _, id := range []snowflake.User{200, goneUser, snowflake.User(goneApp)} {
		_, err := d.User(ctx, id)
		note(fmt.Sprint("user ", id), true, err)
		m, err := d.Memberships(ctx, id, 0, 10)
		note(fmt.Sprint("memberships ", id), ids(len(m), func(i int) any { return m[i].Guild }), err)
		in, err := d.UserInstalls(ctx, id)
		note(fmt.Sprint("user installs ", id), ids(len(in), func(i int) any { return in[i].Application }), err)
		dm, err := d.Directs(ctx, id)
		note(fmt.Sprint("directs ", id), len(dm), err)
		stays, err := d.Stays(ctx, directory.Visitor{User: id, Bot: id == snowflake.User(goneApp)}, 0, 0, 10)
		note(fmt.Sprint("stays ", id), ids(len(stays), func(i int) any { return stays[i].Place.ID }), err)
		for _, guild := range []snowflake.Guild{300, goneGuild} {
			m, err := d.Member(ctx, guild, id)
			note(fmt.Sprint("member ", guild, id), len(m.Roles), err)
			_, err = d.Resident(ctx, guild, id)
			note(fmt.Sprint("resident ", guild, id), true, err)
			_, err = d.Enter(ctx, guild, directory.Visitor{User: id})
			note(fmt.Sprint("enter ", guild, id), true, err)
		}
	}
}

func (d *desk) showGuilds(ctx context.Context, note func(name string, v any, err error)) {
	for _, guild := range []snowflake.Guild{300, goneGuild} {
		_, err := d.Guild(ctx, guild)
		note(fmt.Sprint("guild ", guild), true, err)
		p, err := d.Place(ctx, guild)
		if err == nil {
			note(fmt.Sprint("place ", guild), ids(len(p.Installs), func(i int) any { return p.Installs[i].Application }), nil)
		}
		c, err := d.Channels(ctx, guild)
		note(fmt.Sprint("channels ", guild), ids(len(c), func(i int) any { return c[i].ID }), err)
		m, err := d.Members(ctx, guild, 0, 10)
		note(fmt.Sprint("members ", guild), ids(len(m), func(i int) any { return m[i].User }), err)
		r, err := d.Residents(ctx, guild, 0, 10)
		note(fmt.Sprint("residents ", guild), ids(len(r), func(i int) any { return r[i].User }), err)
		n, err := d.MemberCount(ctx, guild)
		note(fmt.Sprint("member count ", guild), n, err)
		in, err := d.GuildInstalls(ctx, guild)
		note(fmt.Sprint("installs ", guild), ids(len(in), func(i int) any { return in[i].Application }), err)
	}
}

func (d *desk) showRest(ctx context.Context, note func(name string, v any, err error)) {
	for _, app := range []snowflake.Application{100, goneApp} {
		_, err := d.Application(ctx, app)
		note(fmt.Sprint("application ", app), true, err)
		in, err := d.InstalledGuilds(ctx, app, 0, 10)
		note(fmt.Sprint("installed guilds ", app), ids(len(in), func(i int) any { return in[i].Guild }), err)
		guilds, users, err := d.InstallCount(ctx, app)
		note(fmt.Sprint("install count ", app), fmt.Sprint(guilds, users), err)
		for _, guild := range []snowflake.Guild{300, goneGuild} {
			_, err := d.GuildInstall(ctx, guild, app)
			note(fmt.Sprint("guild install ", guild, app), true, err)
		}
	}
	for _, id := range []snowflake.Channel{310, goneChannel, goneThread, 9003, 9004} {
		_, err := d.Channel(ctx, id)
		note(fmt.Sprint("channel ", id), true, err)
		_, err = d.Where(ctx, id)
		note(fmt.Sprint("where ", id), true, err)
		_, err = d.Sight(ctx, id, directory.Visitor{User: 200})
		note(fmt.Sprint("sight ", id), true, err)
	}
	_, err := d.DirectChannel(ctx, []snowflake.User{200, goneUser})
	note("direct channel", true, err)
}
