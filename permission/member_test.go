package permission_test

import (
	"testing"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// The guild of the tests: 200 is the owner, 301 moderators, 302 helpers, 303 administrators.
const (
	lab     snowflake.Guild   = 300
	owner   snowflake.User    = 200
	plain   snowflake.User    = 201
	mods    snowflake.Role    = 301
	helpers snowflake.Role    = 302
	admins  snowflake.Role    = 303
	general snowflake.Channel = 310
	quiet   snowflake.Channel = 311
	thread  snowflake.Channel = 320 // in general
)

const everyday = permission.ViewChannel | permission.SendMessages | permission.SendMessagesInThreads |
	permission.ReadMessageHistory | permission.UseApplicationCommands

func labGuild() *permission.Guild {
	return permission.NewGuild(lab, owner, everyday, []permission.Role{
		{ID: admins, Permissions: permission.Administrator, Position: 3},
		{ID: helpers, Permissions: permission.ManageMessages | permission.EmbedLinks, Position: 1},
		{ID: mods, Permissions: permission.ManageGuild | permission.ManageRoles, Position: 2},
	})
}

func TestMemberPermissions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		user     snowflake.User
		roles    []snowflake.Role
		timedOut bool
		want     permission.Bits
	}{
		{"everyone's without roles", plain, nil, false, everyday},
		{
			"roles add up", plain,
			[]snowflake.Role{mods, helpers},
			false,
			everyday | permission.ManageGuild | permission.ManageRoles | permission.ManageMessages | permission.EmbedLinks,
		},
		{"an unknown role adds nothing", plain, []snowflake.Role{999}, false, everyday},
		{"the owner holds all", owner, nil, false, permission.All},
		{"an administrator holds all", plain, []snowflake.Role{admins}, false, permission.All},
		{
			"timed out", plain,
			[]snowflake.Role{mods},
			true,
			permission.ViewChannel | permission.ReadMessageHistory,
		},
		{"a timeout does not touch the owner", owner, nil, true, permission.All},
		{"a timeout does not touch administrators", plain, []snowflake.Role{admins}, true, permission.All},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := labGuild().Member(tt.user, tt.roles)
			m.TimedOut = tt.timedOut
			if got := m.Permissions(); got != tt.want {
				t.Errorf("Permissions() = %v, want %v", got.Names(), tt.want.Names())
			}
		})
	}
}

func TestMemberIn(t *testing.T) {
	t.Parallel()
	const (
		send  = permission.SendMessages
		tts   = permission.SendTTSMessages
		files = permission.AttachFiles
	)
	everyone := permission.Everyone(lab)
	for _, tt := range []struct {
		name     string
		user     snowflake.User
		roles    []snowflake.Role
		timedOut bool
		thread   bool
		give     []permission.Overwrite
		want     permission.Bits
	}{
		{name: "no overwrites", want: everyday},
		{
			name: "an allowance for everyone beats a denial for everyone",
			give: []permission.Overwrite{{ID: everyone, Allow: files, Deny: files}},
			want: everyday | files,
		},
		{
			name:  "a denial for a role beats an allowance for everyone",
			roles: []snowflake.Role{mods},
			give: []permission.Overwrite{
				{ID: everyone, Allow: files},
				{ID: 301, Deny: files | permission.ManageGuild | permission.ManageRoles},
			},
			want: everyday,
		},
		{
			name:  "an allowance for one role beats denials for others",
			roles: []snowflake.Role{mods, helpers},
			give: []permission.Overwrite{
				{ID: 301, Deny: files | permission.ManageGuild | permission.ManageRoles},
				{ID: 302, Allow: files, Deny: permission.EmbedLinks | permission.ManageMessages},
			},
			want: everyday | files,
		},
		{
			name: "overwrites of roles that the member does not carry do nothing",
			give: []permission.Overwrite{{ID: 301, Allow: files, Deny: send}},
			want: everyday,
		},
		{
			name:  "the member's own come last",
			roles: []snowflake.Role{helpers},
			give: []permission.Overwrite{
				{ID: 201, Member: true, Allow: tts, Deny: permission.EmbedLinks | permission.ManageMessages},
				{ID: 302, Allow: permission.EmbedLinks, Deny: tts},
			},
			want: everyday | tts,
		},
		{
			name: "a role's overwrite with a user's id is not the user's",
			give: []permission.Overwrite{{ID: 201, Allow: files}, {ID: 300, Member: true, Deny: send}},
			want: everyday,
		},
		{
			name: "without VIEW_CHANNEL nothing else counts",
			give: []permission.Overwrite{{ID: everyone, Deny: permission.ViewChannel}},
			want: 0,
		},
		{
			name: "without SEND_MESSAGES four more do not count",
			give: []permission.Overwrite{{
				ID: everyone, Deny: send,
				Allow: tts | files | permission.EmbedLinks | permission.MentionEveryone | permission.AddReactions,
			}},
			want: everyday&^send | permission.AddReactions,
		},
		{
			name: "in a thread they depend on SEND_MESSAGES_IN_THREADS", thread: true,
			give: []permission.Overwrite{{ID: everyone, Deny: send, Allow: files}},
			want: everyday&^send | files,
		},
		{
			name: "in a thread SEND_MESSAGES does not save them", thread: true,
			give: []permission.Overwrite{{ID: everyone, Deny: permission.SendMessagesInThreads, Allow: files}},
			want: everyday &^ permission.SendMessagesInThreads,
		},
		{
			name: "overwrites do not touch the owner", user: owner,
			give: []permission.Overwrite{{ID: everyone, Deny: permission.All}, {ID: 200, Member: true, Deny: permission.All}},
			want: permission.All,
		},
		{
			name: "overwrites do not touch administrators", roles: []snowflake.Role{admins},
			give: []permission.Overwrite{{ID: 303, Deny: permission.All}},
			want: permission.All,
		},
		{
			name: "an overwrite makes no administrators",
			give: []permission.Overwrite{{ID: 201, Member: true, Allow: permission.Administrator | files}},
			want: everyday | files,
		},
		{
			name: "timed out", timedOut: true,
			give: []permission.Overwrite{{ID: 201, Member: true, Allow: permission.All}},
			want: permission.ViewChannel | permission.ReadMessageHistory,
		},
		{
			name: "timed out where the channel is hidden", timedOut: true,
			give: []permission.Overwrite{{ID: everyone, Deny: permission.ViewChannel}},
			want: 0,
		},
		{
			name: "a timeout does not touch the owner", user: owner, timedOut: true,
			want: permission.All,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.user == 0 {
				tt.user = plain
			}
			m := labGuild().Member(tt.user, tt.roles)
			m.TimedOut = tt.timedOut
			got := m.In(permission.Channel{ID: general, Thread: tt.thread, Overwrites: tt.give})
			if got != tt.want {
				t.Errorf("In() = %v, want %v", got.Names(), tt.want.Names())
			}
		})
	}
}

func TestBitsNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		give permission.Bits
		want string
	}{
		{permission.CreateInstantInvite, "CREATE_INSTANT_INVITE"},
		{permission.Administrator, "ADMINISTRATOR"},
		{permission.ViewChannel, "VIEW_CHANNEL"},
		{permission.UseVAD, "USE_VAD"},
		{permission.UseApplicationCommands, "USE_APPLICATION_COMMANDS"},
		{permission.SendMessagesInThreads, "SEND_MESSAGES_IN_THREADS"},
		{permission.SendVoiceMessages, "SEND_VOICE_MESSAGES"},
		{1 << 47, "bit 47"},
		{permission.SetVoiceChannelStatus, "SET_VOICE_CHANNEL_STATUS"},
		{permission.UseExternalApps, "USE_EXTERNAL_APPS"},
		{permission.BypassSlowmode, "BYPASS_SLOWMODE"},
		{1 << 63, "bit 63"},
	} {
		if got := tt.give.Names(); len(got) != 1 || got[0] != tt.want {
			t.Errorf("Bits(%s).Names() = %q, want %q", tt.give, got, tt.want)
		}
	}
	if got := permission.All.Names(); len(got) != 52 {
		t.Errorf("All has %d names, want 52", len(got))
	}
}
