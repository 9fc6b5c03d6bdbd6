package permission_test

import (
	"slices"
	"testing"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"pgregory.net/rapid"
)

// labChannels are the channels of the guild; moderators manage general, cannot see quiet and only see 312.
func labChannels() []permission.Channel {
	return []permission.Channel{
		{ID: general, Overwrites: []permission.Overwrite{{ID: 301, Allow: permission.ManageChannels}}},
		{ID: quiet, Overwrites: []permission.Overwrite{{ID: 300, Deny: permission.ViewChannel}}},
		{ID: 312},
	}
}

// edit is an edit by a moderator unless it names others.
type edit struct {
	user      snowflake.User // plain
	roles     []snowflake.Role
	timedOut  bool
	stranger  bool
	ofApp     bool
	stored    []permission.Entry // what is replaced
	app       []permission.Entry // the app's, when a command's is replaced
	asks      *permission.Bits
	next      []permission.Entry
	everyone  permission.Bits // everyday
	allManage bool            // moderators manage every channel
}

func (e edit) ask() permission.Edit {
	if e.user == 0 {
		e.user = plain
	}
	if e.roles == nil {
		e.roles = []snowflake.Role{mods}
	}
	if e.everyone == 0 {
		e.everyone = everyday
	}
	guild := permission.NewGuild(lab, owner, e.everyone, []permission.Role{
		{ID: admins, Permissions: permission.Administrator, Position: 3},
		{ID: mods, Permissions: permission.ManageGuild | permission.ManageRoles, Position: 2},
		{ID: helpers, Position: 1},
	})
	ask := permission.Edit{
		Guild: guild, OfApp: e.ofApp, Default: e.asks, Next: permission.NewSet(e.next), Channels: labChannels(),
		Command: permission.NewSet(e.stored), App: permission.NewSet(e.app),
		Members: []permission.Member{
			guild.Member(owner, nil),
			guild.Member(202, []snowflake.Role{helpers}),
			guild.Member(203, []snowflake.Role{helpers, mods}),
			guild.Member(204, []snowflake.Role{admins}),
		},
	}
	if e.ofApp {
		ask.Command, ask.App = nil, permission.NewSet(e.stored)
	}
	if e.allManage {
		ask.Channels = ask.Channels[:1]
	}
	if !e.stranger {
		m := guild.Member(e.user, e.roles)
		m.TimedOut = e.timedOut
		ask.Editor = &m
	}
	return ask
}

func TestMayEdit(t *testing.T) {
	t.Parallel()
	const role, user, channel = permission.ForRole, permission.ForUser, permission.ForChannel
	type list = []permission.Entry
	const manage = permission.ManageGuild | permission.ManageRoles
	cannot := func(e permission.Entry) permission.Verdict {
		return permission.Verdict{Obstacle: permission.CannotManage, Entry: e}
	}
	cannotRun := func(e permission.Entry, missing permission.Bits) permission.Verdict {
		return permission.Verdict{Obstacle: permission.CannotRun, Entry: e, Missing: missing}
	}
	fine := permission.Verdict{}
	// What a moderator could not manage alone.
	lofty := list{deny(role, 303), deny(user, 200), deny(user, 999), deny(channel, 299), deny(channel, 311)}
	for _, tt := range []struct {
		name string
		rule int // the condition
		give edit
		want permission.Verdict
	}{
		{"no member", 2, edit{stranger: true}, permission.Verdict{Obstacle: permission.NotMember}},
		{
			"manages neither", 3,
			edit{roles: []snowflake.Role{helpers}},
			permission.Verdict{Obstacle: permission.MissingManage, Missing: manage},
		},
		{
			"manages roles alone", 3,
			edit{roles: []snowflake.Role{}, everyone: everyday | permission.ManageRoles},
			permission.Verdict{Obstacle: permission.MissingManage, Missing: permission.ManageGuild},
		},
		{"timed out", 3, edit{timedOut: true}, permission.Verdict{Obstacle: permission.MissingManage, Missing: manage}},

		{
			"the right to use commands is missing", 4,
			edit{everyone: permission.ViewChannel},
			cannotRun(permission.Entry{}, permission.UseApplicationCommands),
		},
		{"denied on the command", 4, edit{stored: list{deny(role, 301)}}, cannotRun(deny(role, 301), 0)},
		{"denied on the app", 4, edit{app: list{deny(role, 300)}}, cannotRun(deny(role, 300), 0)},
		{
			"denied on the app that is edited", 4,
			edit{ofApp: true, stored: list{deny(user, 201)}},
			cannotRun(deny(user, 201), 0),
		},
		{
			"allowed on the command", 4,
			edit{
				stored: list{allow(user, 201)}, app: list{deny(role, 300)}, asks: new(permission.Bits(0)),
				next: list{allow(user, 201)},
			},
			fine,
		},
		{
			"lacks what the command asks for", 4,
			edit{asks: new(permission.BanMembers)},
			cannotRun(permission.Entry{}, permission.BanMembers),
		},
		{"the command is for administrators", 4, edit{asks: new(permission.Bits(0))}, cannotRun(permission.Entry{}, 0)},
		{"channels have no say", 4, edit{stored: list{deny(channel, 299)}, next: list{deny(channel, 299)}}, fine},
		{"the app asks for nothing by default", 4, edit{ofApp: true, asks: new(permission.Bits(0))}, fine},
		{"what will be stored does not count", 4, edit{next: list{deny(user, 201)}}, fine},

		{"everyone", 5, edit{next: list{deny(role, 300)}}, fine},
		{"a role below", 5, edit{next: list{deny(role, 302)}}, fine},
		{"the own highest role", 5, edit{next: list{deny(role, 301)}}, cannot(deny(role, 301))},
		{"a role above", 5, edit{next: list{allow(role, 303)}}, cannot(allow(role, 303))},
		{"oneself", 5, edit{next: list{deny(user, 201)}}, fine},
		{"a user below", 5, edit{next: list{deny(user, 202)}}, fine},
		{"a user at the same height", 5, edit{next: list{deny(user, 203)}}, cannot(deny(user, 203))},
		{"a user above", 5, edit{next: list{deny(user, 204)}}, cannot(deny(user, 204))},
		{"the owner", 5, edit{next: list{deny(user, 200)}}, cannot(deny(user, 200))},
		{"a channel that the editor manages", 5, edit{next: list{deny(channel, 310)}}, fine},
		{"a channel that the editor cannot see", 5, edit{next: list{deny(channel, 311)}}, cannot(deny(channel, 311))},
		{"a channel that the editor only sees", 5, edit{next: list{deny(channel, 312)}}, cannot(deny(channel, 312))},
		{"all channels, one of them hidden", 5, edit{next: list{deny(channel, 299)}}, cannot(deny(channel, 299))},
		{"all channels, every one managed", 5, edit{next: list{deny(channel, 299)}, allManage: true}, fine},
		{"the constant of channels is no role", 5, edit{next: list{deny(role, 299)}}, cannot(deny(role, 299))},
		{"a role that does not exist", 5, edit{next: list{allow(role, 999)}}, cannot(allow(role, 999))},
		{"a user who is no member", 5, edit{next: list{allow(user, 999)}}, cannot(allow(user, 999))},
		{"a channel that does not exist", 5, edit{next: list{allow(channel, 999)}}, cannot(allow(channel, 999))},
		{
			"what is gone can be removed", 5,
			edit{stored: list{deny(role, 999), deny(user, 999), deny(channel, 999)}},
			fine,
		},
		{
			"what is gone cannot be turned around", 5,
			edit{stored: list{deny(role, 999)}, next: list{allow(role, 999)}},
			cannot(allow(role, 999)),
		},
		{"what stays is not affected", 5, edit{stored: lofty, next: append(slices.Clone(lofty), deny(role, 302))}, fine},
		{"removing is affecting", 5, edit{stored: list{deny(role, 303)}}, cannot(deny(role, 303))},
		{
			"turning around is affecting", 5,
			edit{stored: list{deny(role, 303)}, next: list{allow(role, 303)}},
			cannot(allow(role, 303)),
		},
		{
			"the app's set is compared with the app's", 5,
			edit{ofApp: true, stored: list{deny(role, 303)}, next: list{deny(role, 303)}},
			fine,
		},
		{
			"and not a command's", 5,
			edit{app: list{deny(role, 303)}, next: list{deny(role, 303)}},
			cannot(deny(role, 303)),
		},

		{
			"the owner may do all", 0,
			edit{
				user: owner, roles: []snowflake.Role{}, stored: list{deny(user, 200)}, next: lofty,
				asks: new(permission.Bits(0)),
			},
			fine,
		},
		{
			"an administrator may do all", 0,
			edit{roles: []snowflake.Role{admins}, timedOut: true, app: lofty, next: lofty},
			fine,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := permission.MayEdit(tt.give.ask()); got != tt.want {
				t.Errorf("condition %d: MayEdit() = %+v (%s), want %+v (%s)", tt.rule, got, got.Obstacle, tt.want, tt.want.Obstacle)
			}
		})
	}
}

// Whatever is stored and asked for: administrators pass, what stands in the way of others is affected, and splitting an
// edit into its entries finds the same one.
func TestMayEditJudgesWhatChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := worlds.Draw(t, "world")
		var roles []permission.Role
		for id, b := range w.roles {
			roles = append(roles, permission.Role{ID: id, Permissions: b, Position: int(id) % 3})
		}
		w.everyone |= permission.ManageRoles | permission.ManageGuild
		guild := permission.NewGuild(w.guild, w.owner, w.everyone, roles)
		editor := guild.Member(w.user, w.carries)
		ask := permission.Edit{
			Guild: guild, Editor: &editor, OfApp: coin(t, "of the app"), Default: w.command.Default,
			Command: permission.NewSet(w.onCommand), App: permission.NewSet(w.onApp),
			Next: permission.NewSet(entries(t, "next")), Channels: []permission.Channel{w.channel},
			Members: []permission.Member{guild.Member(1, nil), guild.Member(2, []snowflake.Role{2, 5})},
		}
		stored := ask.Command
		if ask.OfApp {
			stored = ask.App
		}
		got := permission.MayEdit(ask)
		switch affected := permission.Affected(stored, ask.Next); {
		case editor.Administrator() && got != permission.Verdict{}:
			t.Fatalf("an administrator meets %+v", got)
		case got.Obstacle == permission.CannotManage && !slices.Contains(affected, got.Entry):
			t.Fatalf("%+v stands in the way and is not among %+v", got.Entry, affected)
		case got.Obstacle == permission.NoObstacle && !editor.Administrator():
			for _, e := range affected {
				part := slices.DeleteFunc(stored.Entries(), func(old permission.Entry) bool {
					return old.Type == e.Type && old.ID == e.ID
				})
				if _, stays := ask.Next.Lookup(e.Type, e.ID); stays {
					part = append(part, e)
				}
				alone := ask
				alone.Next = permission.NewSet(part)
				if got := permission.MayEdit(alone); got.Obstacle != permission.NoObstacle {
					t.Fatalf("%+v is fine with others, and alone meets %+v", e, got)
				}
			}
		}
	})
}
