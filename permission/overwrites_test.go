package permission_test

import (
	"testing"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// TestDecideOverwrites runs the permission matrix for member 201 with the roles 301 and 302 in channel 310 of guild 300.
func TestDecideOverwrites(t *testing.T) {
	t.Parallel()
	const (
		role, user, channel = permission.ForRole, permission.ForUser, permission.ForChannel
		onCommand, onApp    = levelCommand, levelApplication
		everyone, all       = 300, 299
	)
	type list = []permission.Entry
	nobody := new(permission.Bits(0))
	type matrixCase struct {
		name         string
		step         string // of Discord's chart
		command, app list
		needed       *permission.Bits
		want         permission.Decision
	}
	cases := []matrixCase{
		{"nothing stored", "4", nil, nil, nil, byDefault},

		{"the channel is denied", "1a", list{deny(channel, 310)}, nil, nil, byEntry(onCommand, deny(channel, 310))},
		{"another channel is denied", "1a", list{deny(channel, 311)}, nil, nil, byDefault},
		{"all channels are denied", "1b", list{deny(channel, all)}, nil, nil, byEntry(onCommand, deny(channel, all))},
		{"all but this one are denied", "1a", list{deny(channel, all), allow(channel, 310)}, nil, nil, byDefault},
		{
			"this one of all is denied", "1a",
			list{allow(channel, all), deny(channel, 310)},
			nil, nil, byEntry(onCommand, deny(channel, 310)),
		},
		{
			"the channel is denied for the app", "1c", nil,
			list{deny(channel, 310)},
			nil,
			byEntry(onApp, deny(channel, 310)),
		},
		{
			"all channels are denied for the app", "1d", nil,
			list{deny(channel, all)},
			nil,
			byEntry(onApp, deny(channel, all)),
		},
		{
			"all but this one are denied for the app", "1c", nil,
			list{deny(channel, all), allow(channel, 310)},
			nil,
			byDefault,
		},
		{
			"the command's channel beats the app's", "1a",
			list{allow(channel, 310)},
			list{deny(channel, 310)},
			nil,
			byDefault,
		},
		{
			"the command's all channels beat the app's channel", "1b",
			list{allow(channel, all)},
			list{deny(channel, 310)},
			nil, byDefault,
		},
		{
			"the command's denial of all beats the app's allowance", "1b",
			list{deny(channel, all)},
			list{allow(channel, 310)},
			nil, byEntry(onCommand, deny(channel, all)),
		},
		{
			"another channel on the command leaves it to the app", "1c",
			list{allow(channel, 311)},
			list{deny(channel, 310)},
			nil, byEntry(onApp, deny(channel, 310)),
		},
		{
			"an allowed user in a denied channel", "1a",
			list{deny(channel, 310), allow(user, 201)},
			nil, nil, byEntry(onCommand, deny(channel, 310)),
		},
		{
			"an allowed user in a channel denied for the app", "1c",
			list{allow(user, 201)},
			list{deny(channel, 310)},
			nil, byEntry(onApp, deny(channel, 310)),
		},
		{"an allowed channel allows nobody", "2", list{allow(channel, 310)}, nil, nobody, notEven},

		{"the user is allowed", "2a", list{allow(user, 201)}, nil, nobody, byEntry(onCommand, allow(user, 201))},
		{"the user is denied", "2a", list{deny(user, 201)}, nil, nil, byEntry(onCommand, deny(user, 201))},
		{
			"the user beats the roles", "2a",
			list{allow(user, 201), deny(role, 301), deny(role, 302), deny(role, everyone)},
			nil, nil, byEntry(onCommand, allow(user, 201)),
		},
		{
			"the denied user beats the roles", "2a",
			list{deny(user, 201), allow(role, 301), allow(role, everyone)},
			nil, nil, byEntry(onCommand, deny(user, 201)),
		},
		{"another user", "2a", list{deny(user, 202)}, nil, nil, byDefault},
		{"a role is allowed", "2b", list{allow(role, 302)}, nil, nobody, byEntry(onCommand, allow(role, 302))},
		{"a role is denied", "2b", list{deny(role, 302)}, nil, nil, byEntry(onCommand, deny(role, 302))},
		{
			"one allowing role beats a denying one", "2b",
			list{deny(role, 301), allow(role, 302)},
			nil, nil, byEntry(onCommand, allow(role, 302)),
		},
		{
			"all roles deny", "2b",
			list{deny(role, 302), deny(role, 301)},
			nil, nil, byEntry(onCommand, deny(role, 301)),
		},
		{
			"a denying role beats everyone", "2b",
			list{deny(role, 301), allow(role, everyone)},
			nil, nil, byEntry(onCommand, deny(role, 301)),
		},
		{
			"an allowing role beats everyone", "2b",
			list{allow(role, 301), deny(role, everyone)},
			nil, nil, byEntry(onCommand, allow(role, 301)),
		},
		{"a role that the member does not carry", "2b", list{deny(role, 303)}, nil, nil, byDefault},
		{
			"everyone is allowed", "2c",
			list{allow(role, everyone)},
			nil, nobody,
			byEntry(onCommand, allow(role, everyone)),
		},
		{"everyone is denied", "2c", list{deny(role, everyone)}, nil, nil, byEntry(onCommand, deny(role, everyone))},
		{"a user with everyone's id is nobody here", "2c", list{deny(user, everyone)}, nil, nil, byDefault},

		{
			"the command's user beats the app's", "2a",
			list{allow(user, 201)},
			list{deny(user, 201)},
			nil,
			byEntry(onCommand, allow(user, 201)),
		},
		{
			"the command's everyone beats the app's user", "2c",
			list{allow(role, everyone)},
			list{deny(user, 201)},
			nil, byEntry(onCommand, allow(role, everyone)),
		},
		{
			"the command's denial beats the app's allowance", "2c",
			list{deny(role, everyone)},
			list{allow(user, 201)},
			nil, byEntry(onCommand, deny(role, everyone)),
		},
		{
			"an entry for others leaves it to the app", "3c",
			list{allow(role, 303), allow(channel, 310)},
			list{deny(role, everyone)},
			nil, byEntry(onApp, deny(role, everyone)),
		},
		{"the user is denied for the app", "3a", nil, list{deny(user, 201)}, nil, byEntry(onApp, deny(user, 201))},
		{"the user beats everyone on the app", "3a", nil, list{allow(user, 201), deny(role, everyone)}, nil, byDefault},
		{
			"the roles are denied for the app", "3b", nil,
			list{deny(role, 302), deny(role, 301)},
			nil,
			byEntry(onApp, deny(role, 301)),
		},
		{
			"one allowing role on the app", "3b", nil,
			list{deny(role, 301), allow(role, 302), deny(role, everyone)},
			nil, byDefault,
		},
		{
			"everyone is denied for the app", "3c", nil,
			list{deny(role, everyone)},
			nil,
			byEntry(onApp, deny(role, everyone)),
		},
		{"an allowance for the app does not skip the defaults", "3a", nil, list{allow(user, 201)}, nobody, notEven},

		{"zero is for administrators", "4a", nil, nil, nobody, notEven},
		{"the member has the bits", "4b", nil, nil, new(permission.ManageGuild | permission.ManageMessages), byDefault},
		{
			"the member lacks a bit", "4b", nil, nil, new(permission.ManageGuild | permission.BanMembers),
			permission.Decision{Reason: defaultDenies, Level: levelDefault, Missing: permission.BanMembers},
		},
		{
			"a denial beats bits that the member has", "2b",
			list{deny(role, 301)},
			nil, new(permission.ManageGuild),
			byEntry(onCommand, deny(role, 301)),
		},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := usage{command: tt.command, app: tt.app, needed: tt.needed}
			if got := permission.Decide(s.question()); got != tt.want {
				t.Errorf("step %s: Decide() = %+v (%s), want %+v (%s)", tt.step, got, got.Explain(), tt.want, tt.want.Explain())
			}
			if len(tt.command)+len(tt.app) == 0 {
				return
			}
			s.thread = true
			if got := permission.Decide(s.question()); got != tt.want {
				t.Errorf("step %s, in a thread: %s, want %s as in its parent", tt.step, got.Explain(), tt.want.Explain())
			}
			s.user = owner
			if got := permission.Decide(s.question()); got != asAdmin {
				t.Errorf("step 0, as the owner: %s", got.Explain())
			}
		})
	}
}

func TestDecideOverwritesOfInstalls(t *testing.T) {
	t.Parallel()
	user, both := permission.Installs{User: true}, permission.Installs{Guild: true, User: true}
	no := []permission.Entry{deny(permission.ForRole, 300)}
	denied := byEntry(levelCommand, no[0])
	runDecisions(t, []decisionCase{
		{
			"entries do not apply to the user's own app", "user install",
			usage{types: both, installed: user, command: no, app: no},
			byDefault,
		},
		{
			"nor do those for channels", "user install",
			usage{types: both, installed: user, command: []permission.Entry{deny(permission.ForChannel, 310)}},
			byDefault,
		},
		{
			"nor do they allow", "user install",
			usage{
				types: both, installed: user, needed: new(permission.Bits(0)),
				command: []permission.Entry{allow(permission.ForUser, 201)},
			},
			notEven,
		},
		{
			"default permissions apply to the user's own app", "user install",
			usage{types: both, installed: user, needed: new(permission.ManageGuild)},
			byDefault,
		},
		{
			"entries apply when the guild has the app too", "user install",
			usage{types: both, installed: both, command: no},
			denied,
		},
		{
			"also to a command for users alone", "user install",
			usage{types: user, installed: both, command: no},
			denied,
		},
	})
}

// TestDecideDefaultInChannel checks that default permissions are compared with those in the channel, not in the guild.
func TestDecideDefaultInChannel(t *testing.T) {
	t.Parallel()
	s := usage{needed: new(permission.ManageMessages)}
	if got := permission.Decide(s.question()); got != byDefault {
		t.Errorf("with the bit in the guild: %s", got.Explain())
	}
	s.denied = permission.ManageMessages
	// The channel denies everyone the permission that the role grants in the guild.
	want := notEven
	want.Missing = permission.ManageMessages
	if got := permission.Decide(s.question()); got != want {
		t.Errorf("without the bit in the channel: %s, want %s", got.Explain(), want.Explain())
	}

	s = usage{roles: []snowflake.Role{}, needed: new(permission.PinMessages)}
	q := s.question()
	q.Channel.Overwrites = []permission.Overwrite{{ID: 201, Member: true, Allow: permission.PinMessages}}
	q.Permissions = q.Member.In(q.Channel)
	if got := permission.Decide(q); got != byDefault {
		t.Errorf("with the bit in the channel alone: %s", got.Explain())
	}
}
