package directory_test

import (
	"errors"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// viewWorld is a guild with a hidden channel, a member in timeout, a bot and an application without a bot.
const viewWorld = `
users:
  - {id: 200, username: ada, token: a}
  - {id: 201, username: bob, global_name: Robert, token: b}
  - {id: 202, username: cleo, token: c}
  - {id: 203, username: dan, token: d}
applications:
  - {id: 100, name: Echo, bot_token: e, client_secret: s}
  - {id: 101, name: Dice, bot_token: f, client_secret: s}
  - {id: 102, name: Game, bot_token: g, client_secret: s}
guilds:
  - id: 300
    owner: 200
    everyone: [VIEW_CHANNEL, SEND_MESSAGES, USE_APPLICATION_COMMANDS]
    roles: [{id: 301, permissions: 32}]
    channels:
      - {id: 310}
      - {id: 311, permission_overwrites: [{id: 300, deny: 1024}, {id: 301, allow: 1024}]}
      - {id: 312, type: 11, parent: 310}
      - {id: 313, type: 11, parent: 311}
      - {id: 314, permission_overwrites: [{id: 100, type: 1, deny: 1024}]}
    members: [{user: 201, roles: [301], nick: Countess}, {user: 202, communication_disabled_until: "2026-05-01T13:00:00Z"}]
    installs: [{application: 100, scopes: [bot]}, {application: 101}]
`

func TestChannelView(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, viewWorld)
	direct := lab.Get[directory.ChannelView](t)(d.Channels.OpenDirect(t.Context(), 201, []snowflake.User{202})).Channel.ID
	owner, mod, member, stranger := directory.Viewer{User: 200}, directory.Viewer{User: 201}, directory.Viewer{User: 202}, directory.Viewer{User: 203}
	bot, app, elsewhere := directory.Viewer{User: 100, Bot: true}, directory.Viewer{User: 101, Bot: true}, directory.Viewer{User: 102, Bot: true}
	for _, tt := range []struct {
		name    string
		channel snowflake.Channel
		sees    []directory.Viewer
		hidden  []directory.Viewer
	}{
		{"for everyone", 310, []directory.Viewer{owner, mod, member, bot, app}, []directory.Viewer{stranger, elsewhere}},
		{"for a role", 311, []directory.Viewer{owner, mod}, []directory.Viewer{member, bot, app, stranger, elsewhere}},
		{"thread of a channel for everyone", 312, []directory.Viewer{owner, mod, member, bot, app}, []directory.Viewer{stranger}},
		{"thread of a channel for a role", 313, []directory.Viewer{owner, mod}, []directory.Viewer{member, bot, app, stranger}},
		{"hidden from a bot", 314, []directory.Viewer{owner, mod, member, app}, []directory.Viewer{bot, stranger}},
		{"direct message", direct, []directory.Viewer{mod, member}, []directory.Viewer{owner, bot, app, stranger}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, who := range tt.sees {
				if s, err := d.Channels.View(t.Context(), tt.channel, who); err != nil || s.Channel.ID != tt.channel {
					t.Errorf("View() = channel %d, %v for %+v", s.Channel.ID, err, who)
				}
			}
			for _, who := range tt.hidden {
				if _, err := d.Channels.View(t.Context(), tt.channel, who); !errors.Is(err, directory.ErrHidden) {
					t.Errorf("View() = %v for %+v, want ErrHidden", err, who)
				}
			}
		})
	}
	if _, err := d.Channels.View(t.Context(), 5, owner); !errors.Is(err, directory.ErrUnknownChannel) {
		t.Errorf("View() = %v for an unknown channel", err)
	}
}

func TestGuildView(t *testing.T) {
	t.Parallel()
	const everyone = permission.ViewChannel | permission.SendMessages | permission.UseApplicationCommands
	d := open(t)
	d.ApplyText(t, viewWorld)
	for _, tt := range []struct {
		name  string
		guild snowflake.Guild
		who   directory.Viewer
		want  permission.Bits // 0: ErrUnknownGuild
	}{
		{"owner", 300, directory.Viewer{User: 200}, permission.All},
		{"member with a role", 300, directory.Viewer{User: 201}, everyone | permission.ManageGuild},
		{"member in timeout", 300, directory.Viewer{User: 202}, permission.ViewChannel},
		{"bot", 300, directory.Viewer{User: 100, Bot: true}, everyone},
		{"app without a bot", 300, directory.Viewer{User: 101, Bot: true}, everyone},
		{"app that is not installed", 300, directory.Viewer{User: 102, Bot: true}, 0},
		{"user with the id of an installed application", 300, directory.Viewer{User: 101}, 0},
		{"stranger", 300, directory.Viewer{User: 203}, 0},
		{"unknown guild", 5, directory.Viewer{User: 200}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := d.Guilds.View(t.Context(), tt.guild, tt.who)
			if errors.Is(err, directory.ErrUnknownGuild) != (tt.want == 0) {
				t.Fatalf("View() = %v", err)
			}
			if err == nil && s.Member.Permissions() != tt.want {
				t.Errorf("Permissions() = %v, want %v", s.Member.Permissions(), tt.want)
			}
		})
	}
	d.Now.Time = lab.Start.Add(time.Hour)
	if s := lab.Get[directory.GuildView](t)(d.Guilds.View(t.Context(), 300, directory.Viewer{User: 202})); s.Member.Permissions() != everyone {
		t.Errorf("Permissions() = %v after the timeout, want %v", s.Member.Permissions(), everyone)
	}
}

func TestVisible(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, viewWorld)
	// The bot 100 is a member of the guilds with odd ids, and installed in those whose ids are multiples of three.
	for id := snowflake.Guild(1); id < 20; id++ {
		d.Seed(t, store.Guild{ID: id, Owner: 200})
		if id%2 == 1 {
			d.Seed(t, store.Member{Guild: id, User: 100})
		}
		if id%3 == 0 {
			d.Seed(t, store.Install{Guild: id, Application: 100})
		}
	}
	for _, tt := range []struct {
		name          string
		after, before snowflake.Guild
		limit         int
		want          []snowflake.Guild
	}{
		{"first", 0, 0, 4, []snowflake.Guild{1, 3, 5, 6}},
		{"all", 0, 0, 200, []snowflake.Guild{1, 3, 5, 6, 7, 9, 11, 12, 13, 15, 17, 18, 19, 300}},
		{"after", 6, 0, 3, []snowflake.Guild{7, 9, 11}},
		{"the last before", 0, 13, 3, []snowflake.Guild{9, 11, 12}},
		{"all before", 0, 6, 200, []snowflake.Guild{1, 3, 5}},
		{"between", 5, 12, 200, []snowflake.Guild{6, 7, 9, 11}},
		{"the first between", 5, 12, 2, []snowflake.Guild{6, 7}},
		{"none", 300, 0, 200, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stays := lab.Get[[]directory.GuildView](t)(d.Guilds.Visible(t.Context(), directory.Viewer{User: 100, Bot: true}, tt.after, tt.before, tt.limit))
			var got []snowflake.Guild
			for _, s := range stays {
				got = append(got, s.Guild.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Visible() (-want +got):\n%s", diff)
			}
		})
	}
	if _, err := d.Guilds.Visible(t.Context(), directory.Viewer{User: 5}, 0, 0, 1); !errors.Is(err, directory.ErrUnknownUser) {
		t.Errorf("Visible() = %v for an unknown user", err)
	}
}

func TestSearchMembers(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, viewWorld)
	for _, tt := range []struct {
		text  string
		limit int
		want  []snowflake.User
	}{
		{"bo", 10, []snowflake.User{201}},
		{"ROB", 10, []snowflake.User{201}},
		{"count", 10, []snowflake.User{201}},
		{"c", 10, []snowflake.User{201, 202}},
		{"c", 1, []snowflake.User{201}},
		{"echo", 10, []snowflake.User{100}},
		{"ob", 10, nil},
		{"dan", 10, nil},
	} {
		found := lab.Get[[]wire.Member](t)(d.Guilds.SearchMembers(t.Context(), 300, tt.text, tt.limit))
		var got []snowflake.User
		for _, m := range found {
			got = append(got, m.User.ID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("SearchMembers(%q, %d) (-want +got):\n%s", tt.text, tt.limit, diff)
		}
	}
	if _, err := d.Guilds.SearchMembers(t.Context(), 5, "a", 1); !errors.Is(err, directory.ErrUnknownGuild) {
		t.Errorf("SearchMembers() = %v in an unknown guild", err)
	}
	if _, err := d.Guilds.MemberWithUser(t.Context(), 300, 203); !errors.Is(err, directory.ErrUnknownMember) {
		t.Errorf("MemberWithUser() = %v for a user who is no member", err)
	}
	if n := lab.Get[int](t)(d.Guilds.MemberCount(t.Context(), 300)); n != 4 {
		t.Errorf("MemberCount() = %d, want 4", n)
	}
	if guilds, users, err := d.Applications.InstallCount(t.Context(), 100); guilds != 1 || users != 0 || err != nil {
		t.Errorf("InstallCount() = %d, %d, %v, want 1 and 0", guilds, users, err)
	}
}

// TestSearchMembersPages finds a member beyond the first page.
func TestSearchMembersPages(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, viewWorld)
	var crowd []store.Record
	for i := range snowflake.User(directory.MaxPage + 1) {
		u := store.User{ID: 10000 + i, Username: "walk-on"}
		if i == directory.MaxPage {
			u.Username = "zoe"
		}
		crowd = append(crowd, u, store.Member{Guild: 300, User: u.ID})
	}
	d.Seed(t, crowd...)
	found := lab.Get[[]wire.Member](t)(d.Guilds.SearchMembers(t.Context(), 300, "zoe", 10))
	if len(found) != 1 || found[0].User.ID != 10000+directory.MaxPage {
		t.Errorf("SearchMembers() = %+v", found)
	}
}
