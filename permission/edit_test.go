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

// editCase is an edit, by a moderator unless it names another editor.
type editCase struct {
	user      snowflake.User // plain
	roles     []snowflake.Role
	timedOut  bool
	notMember bool
	ofApp     bool
	stored    []permission.Entry // the replaced set
	app       []permission.Entry // the set of the app, when the set of a command is replaced
	needed    *permission.Bits
	next      []permission.Entry
	everyone  permission.Bits // everyday
	allManage bool            // moderators manage every channel
}

func (e editCase) edit() permission.Edit {
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
		Guild: guild, OfApp: e.ofApp, Default: e.needed, Next: permission.NewSet(e.next), Channels: labChannels(),
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
	if !e.notMember {
		m := guild.Member(e.user, e.roles)
		m.TimedOut = e.timedOut
		ask.Editor = &m
	}
	return ask
}

func TestEditDecide(t *testing.T) {
	t.Parallel()
	const role, user, channel = permission.ForRole, permission.ForUser, permission.ForChannel
	type list = []permission.Entry
	const manage = permission.ManageGuild | permission.ManageRoles
	cannot := func(e permission.Entry) permission.Decision {
		return permission.Decision{Reason: "cannot manage the target of an entry", Entry: e}
	}
	cannotRun := func(e permission.Entry, missing permission.Bits) permission.Decision {
		return permission.Decision{Reason: "cannot run the command", Entry: e, Missing: missing}
	}
	fine := permission.Decision{Allowed: true, Reason: "manages everything that the edit affects"}
	admin := permission.Decision{Allowed: true, Reason: isAdministrator}
	// Entries whose targets a moderator cannot manage.
	unmanageable := list{deny(role, 303), deny(user, 200), deny(user, 999), deny(channel, 299), deny(channel, 311)}
	for _, tt := range []struct {
		name string
		rule int // the condition
		give editCase
		want permission.Decision
	}{
		{"not a member", 2, editCase{notMember: true}, permission.Decision{Reason: "not a member"}},
		{
			"manages neither", 3,
			editCase{roles: []snowflake.Role{helpers}},
			permission.Decision{Reason: "does not manage the guild and its roles", Missing: manage},
		},
		{
			"manages roles alone", 3,
			editCase{roles: []snowflake.Role{}, everyone: everyday | permission.ManageRoles},
			permission.Decision{Reason: "does not manage the guild and its roles", Missing: permission.ManageGuild},
		},
		{"timed out", 3, editCase{timedOut: true}, permission.Decision{Reason: "does not manage the guild and its roles", Missing: manage}},

		{
			"the right to use commands is missing", 4,
			editCase{everyone: permission.ViewChannel},
			cannotRun(permission.Entry{}, permission.UseApplicationCommands),
		},
		{"denied on the command", 4, editCase{stored: list{deny(role, 301)}}, cannotRun(deny(role, 301), 0)},
		{"denied on the app", 4, editCase{app: list{deny(role, 300)}}, cannotRun(deny(role, 300), 0)},
		{
			"denied on the app that is edited", 4,
			editCase{ofApp: true, stored: list{deny(user, 201)}},
			cannotRun(deny(user, 201), 0),
		},
		{
			"allowed on the command", 4,
			editCase{
				stored: list{allow(user, 201)}, app: list{deny(role, 300)}, needed: new(permission.Bits(0)),
				next: list{allow(user, 201)},
			},
			fine,
		},
		{
			"lacks default permissions of the command", 4,
			editCase{needed: new(permission.BanMembers)},
			cannotRun(permission.Entry{}, permission.BanMembers),
		},
		{"the command is for administrators", 4, editCase{needed: new(permission.Bits(0))}, cannotRun(permission.Entry{}, 0)},
		{"channels have no say", 4, editCase{stored: list{deny(channel, 299)}, next: list{deny(channel, 299)}}, fine},
		{"the app has no default permissions", 4, editCase{ofApp: true, needed: new(permission.Bits(0))}, fine},
		{"what will be stored does not count", 4, editCase{next: list{deny(user, 201)}}, fine},

		{"everyone", 5, editCase{next: list{deny(role, 300)}}, fine},
		{"a role below", 5, editCase{next: list{deny(role, 302)}}, fine},
		{"the own highest role", 5, editCase{next: list{deny(role, 301)}}, cannot(deny(role, 301))},
		{"a role above", 5, editCase{next: list{allow(role, 303)}}, cannot(allow(role, 303))},
		{"oneself", 5, editCase{next: list{deny(user, 201)}}, fine},
		{"a user below", 5, editCase{next: list{deny(user, 202)}}, fine},
		{"a user at the same height", 5, editCase{next: list{deny(user, 203)}}, cannot(deny(user, 203))},
		{"a user above", 5, editCase{next: list{deny(user, 204)}}, cannot(deny(user, 204))},
		{"the owner", 5, editCase{next: list{deny(user, 200)}}, cannot(deny(user, 200))},
		{"a channel that the editor manages", 5, editCase{next: list{deny(channel, 310)}}, fine},
		{"a channel that the editor cannot see", 5, editCase{next: list{deny(channel, 311)}}, cannot(deny(channel, 311))},
		{"a channel that the editor only sees", 5, editCase{next: list{deny(channel, 312)}}, cannot(deny(channel, 312))},
		{"all channels, one of them hidden", 5, editCase{next: list{deny(channel, 299)}}, cannot(deny(channel, 299))},
		{"all channels, every one managed", 5, editCase{next: list{deny(channel, 299)}, allManage: true}, fine},
		{"the constant of channels is no role", 5, editCase{next: list{deny(role, 299)}}, cannot(deny(role, 299))},
		{"a role that does not exist", 5, editCase{next: list{allow(role, 999)}}, cannot(allow(role, 999))},
		{"a user who is no member", 5, editCase{next: list{allow(user, 999)}}, cannot(allow(user, 999))},
		{"a channel that does not exist", 5, editCase{next: list{allow(channel, 999)}}, cannot(allow(channel, 999))},
		{
			"what is gone can be removed", 5,
			editCase{stored: list{deny(role, 999), deny(user, 999), deny(channel, 999)}},
			fine,
		},
		{
			"what is gone cannot be turned around", 5,
			editCase{stored: list{deny(role, 999)}, next: list{allow(role, 999)}},
			cannot(allow(role, 999)),
		},
		{"unchanged entries are not affected", 5, editCase{stored: unmanageable, next: append(slices.Clone(unmanageable), deny(role, 302))}, fine},
		{"removing is affecting", 5, editCase{stored: list{deny(role, 303)}}, cannot(deny(role, 303))},
		{
			"turning around is affecting", 5,
			editCase{stored: list{deny(role, 303)}, next: list{allow(role, 303)}},
			cannot(allow(role, 303)),
		},
		{
			"the app's set is compared with the app's", 5,
			editCase{ofApp: true, stored: list{deny(role, 303)}, next: list{deny(role, 303)}},
			fine,
		},
		{
			"and not a command's", 5,
			editCase{app: list{deny(role, 303)}, next: list{deny(role, 303)}},
			cannot(deny(role, 303)),
		},

		{
			"the owner may do everything", 0,
			editCase{
				user: owner, roles: []snowflake.Role{}, stored: list{deny(user, 200)}, next: unmanageable,
				needed: new(permission.Bits(0)),
			},
			admin,
		},
		{
			"an administrator may do everything", 0,
			editCase{roles: []snowflake.Role{admins}, timedOut: true, app: unmanageable, next: unmanageable},
			admin,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.give.edit().Decide(); got != tt.want {
				t.Errorf("condition %d: Decide() = %+v, want %+v", tt.rule, got, tt.want)
			}
		})
	}
}

// TestEditDecideRandom checks random edits: administrators may make all of them, an edit is only denied for an entry
// that it affects, and each part of an allowed edit is allowed by itself.
func TestEditDecideRandom(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := worlds.Draw(t, "world")
		var roles []permission.Role
		for id, b := range w.roles {
			roles = append(roles, permission.Role{ID: id, Permissions: b, Position: int(id) % 3})
		}
		w.everyone |= permission.ManageRoles | permission.ManageGuild
		guild := permission.NewGuild(w.guild, w.owner, w.everyone, roles)
		editor := guild.Member(w.user, w.memberRoles)
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
		got := ask.Decide()
		switch affected := stored.Affected(ask.Next); {
		case editor.Administrator() && !got.Allowed:
			t.Fatalf("an administrator is denied: %+v", got)
		case got.Reason == "cannot manage the target of an entry" && !slices.Contains(affected, got.Entry):
			t.Fatalf("denied for %+v, which is not among %+v", got.Entry, affected)
		case got.Allowed && !editor.Administrator():
			for _, e := range affected {
				part := slices.DeleteFunc(stored.Entries(), func(old permission.Entry) bool {
					return old.Type == e.Type && old.ID == e.ID
				})
				if _, kept := ask.Next.Lookup(e.Type, e.ID); kept {
					part = append(part, e)
				}
				alone := ask
				alone.Next = permission.NewSet(part)
				if got := alone.Decide(); !got.Allowed {
					t.Fatalf("%+v is allowed with others, and alone it is %+v", e, got)
				}
			}
		}
	})
}
