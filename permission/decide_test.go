package permission_test

import (
	"testing"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// scene is a use of a command. What it leaves zero is ordinary: a moderator and helper of age uses a global slash
// command without restrictions in a channel of the guild, where the app is installed.
type scene struct {
	user     snowflake.User // plain
	roles    []snowflake.Role
	timedOut bool
	stranger bool
	minor    bool
	adultDMs bool

	context    permission.Context
	hidden     bool
	denied     permission.Bits // to everyone in the channel
	thread     bool
	archived   bool
	ageChannel bool
	installed  permission.Installs // GuildInstall

	asked       uint8 // the command's type
	kind        uint8 // 1
	nsfw        bool
	guildScoped bool
	contexts    *permission.Contexts
	noDM        bool
	types       permission.Installs
	asks        *permission.Bits
	command     []permission.Entry
	app         []permission.Entry
}

func (s scene) question() permission.Question {
	if s.user == 0 {
		s.user = plain
	}
	if s.roles == nil {
		s.roles = []snowflake.Role{helpers, mods}
	}
	if s.kind == 0 {
		s.kind = 1
	}
	if s.asked == 0 {
		s.asked = s.kind
	}
	if s.installed == 0 {
		s.installed = permission.GuildInstall
	}
	if s.hidden {
		s.denied |= permission.ViewChannel
	}
	q := permission.Question{
		Asked: s.asked,
		Command: permission.Command{
			Type: s.kind, NSFW: s.nsfw, GuildScoped: s.guildScoped, Contexts: s.contexts,
			DMPermission: !s.noDM, IntegrationTypes: s.types, Default: s.asks,
		},
		Overwrites: permission.NewSet(s.command), App: permission.NewSet(s.app),
		Context: s.context, Installed: s.installed, Adult: !s.minor, AdultDMs: s.adultDMs,
	}
	if s.context != permission.ContextGuild {
		return q
	}
	q.Channel = permission.Channel{
		ID: general, NSFW: s.ageChannel,
		Overwrites: []permission.Overwrite{{ID: permission.Everyone(lab), Deny: s.denied}},
	}
	if s.thread {
		q.Channel.ID, q.Channel.Parent, q.Channel.Thread, q.Channel.Archived = thread, general, true, s.archived
	}
	if !s.stranger {
		m := labGuild().Member(s.user, s.roles)
		m.TimedOut = s.timedOut
		q.Member, q.Permissions = &m, m.In(q.Channel)
	}
	return q
}

type decisionCase struct {
	name string
	rule string // of the specification, else the step of the official chart or client
	give scene
	want permission.Decision
}

func refused(r permission.Reason) permission.Decision { return permission.Decision{Reason: r} }

func lacks(r permission.Reason, missing permission.Bits) permission.Decision {
	return permission.Decision{Reason: r, Missing: missing}
}

func byEntry(l permission.Level, e permission.Entry) permission.Decision {
	d := permission.Decision{Reason: permission.MemberDenied, Level: l, Entry: e, Allowed: e.Allow}
	switch {
	case e.Type == permission.ForChannel:
		d.Reason, d.General = permission.ChannelDenied, e.ID == permission.AllChannels(lab)
	case e.Allow:
		d.Reason = permission.EntryAllows
	}
	if e.Type == permission.ForRole {
		d.General = e.ID == permission.Everyone(lab)
	}
	return d
}

var (
	byDefault = permission.Decision{Allowed: true, Reason: permission.DefaultAllows, Level: permission.LevelDefault}
	asAdmin   = permission.Decision{Allowed: true, Reason: permission.IsAdministrator}
	anywhere  = permission.Decision{Allowed: true, Reason: permission.OutsideGuild}
	notEven   = permission.Decision{Reason: permission.DefaultDenies, Level: permission.LevelDefault}
)

func in(list ...permission.Context) *permission.Contexts {
	set := permission.ContextsOf(list...)
	return &set
}

func runDecisions(t *testing.T, cases []decisionCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := permission.Decide(tt.give.question()); got != tt.want {
				t.Errorf("%s: Decide() = %+v (%s), want %+v (%s)", tt.rule, got, got.Explain(), tt.want, tt.want.Explain())
			}
		})
	}
}

func TestDecidePlace(t *testing.T) {
	t.Parallel()
	const (
		guild   = permission.ContextGuild
		botDM   = permission.ContextBotDM
		private = permission.ContextPrivateChannel
		toUser  = permission.UserInstall
		toBoth  = permission.UserInstall | permission.GuildInstall
	)
	runDecisions(t, []decisionCase{
		{"another type", "client 1", scene{kind: 2, asked: 1}, refused(permission.WrongType)},
		{"another type, administrator", "client 1", scene{user: owner, kind: 1, asked: 3}, refused(permission.WrongType)},
		{"age-restricted in an ordinary channel", "nsfw", scene{nsfw: true}, refused(permission.AgeRestricted)},
		{"age-restricted in an age-restricted channel", "nsfw", scene{nsfw: true, ageChannel: true}, byDefault},
		{
			"age-restricted for a minor", "nsfw",
			scene{nsfw: true, ageChannel: true, minor: true},
			refused(permission.AgeRestricted),
		},
		{
			"age-restricted for a minor who owns the guild", "nsfw",
			scene{user: owner, nsfw: true, ageChannel: true, minor: true},
			refused(permission.AgeRestricted),
		},
		{
			"age-restricted in direct messages", "nsfw",
			scene{nsfw: true, context: botDM},
			refused(permission.AgeRestricted),
		},
		{
			"age-restricted in consenting direct messages", "nsfw",
			scene{nsfw: true, context: botDM, adultDMs: true},
			anywhere,
		},
		{
			"age-restricted for a minor in direct messages", "nsfw",
			scene{nsfw: true, context: botDM, adultDMs: true, minor: true},
			refused(permission.AgeRestricted),
		},
		{"no contexts in a guild", "contexts", scene{}, byDefault},
		{"no contexts in the bot's messages", "contexts", scene{context: botDM}, anywhere},
		{
			"no contexts, dm_permission false", "dm_permission",
			scene{context: botDM, noDM: true},
			refused(permission.WrongContext),
		},
		{"dm_permission false in a guild", "dm_permission", scene{noDM: true}, byDefault},
		{
			"no contexts in a private channel", "contexts",
			scene{context: private, types: toBoth, installed: toBoth},
			refused(permission.WrongContext),
		},
		{"contexts without guilds", "contexts", scene{contexts: in(botDM)}, refused(permission.WrongContext)},
		{
			"contexts without guilds, owner", "contexts",
			scene{user: owner, contexts: in(botDM)},
			refused(permission.WrongContext),
		},
		{
			"contexts beat dm_permission", "dm_permission",
			scene{context: botDM, contexts: in(botDM), noDM: true},
			anywhere,
		},
		{
			"contexts without the bot's messages", "contexts",
			scene{context: botDM, contexts: in(guild)},
			refused(permission.WrongContext),
		},
		{"empty contexts", "contexts", scene{contexts: in()}, refused(permission.WrongContext)},
		{
			"a private channel with the user install", "PRIVATE_CHANNEL",
			scene{context: private, contexts: in(private), types: toUser, installed: toUser},
			anywhere,
		},
		{
			"a private channel, the command is not for users", "PRIVATE_CHANNEL",
			scene{context: private, contexts: in(private), types: permission.GuildInstall, installed: toBoth},
			refused(permission.WrongContext),
		},
		{
			"a private channel, the user has not installed the app", "PRIVATE_CHANNEL",
			scene{context: private, contexts: in(private), types: toBoth, installed: permission.GuildInstall},
			refused(permission.NotInstalled),
		},
		{"a guild's command in its guild", "scope", scene{guildScoped: true, contexts: in(botDM)}, byDefault},
		{
			"a guild's command in direct messages", "scope: never in DMs",
			scene{guildScoped: true, contexts: in(guild, botDM, private), context: botDM},
			refused(permission.WrongContext),
		},
		{
			"a guild's command where only the user has the app", "scope",
			scene{guildScoped: true, types: toBoth, installed: toUser},
			refused(permission.NotInstalled),
		},
		{
			"a command for users in a guild that has the app", "integration_types",
			scene{types: toUser},
			refused(permission.NotInstalled),
		},
		{
			"a command for guilds where only the user has the app", "integration_types",
			scene{user: owner, installed: toUser},
			refused(permission.NotInstalled),
		},
		{
			"the bot's messages without the user install", "integration_types",
			scene{context: botDM, types: toUser},
			refused(permission.NotInstalled),
		},
		{"a place that does not exist", "contexts", scene{context: 3, contexts: in(3)}, refused(permission.WrongContext)},
		{
			"no permission steps in direct messages", "DMs",
			scene{
				context: botDM, kind: 2, asks: new(permission.Bits(0)),
				command: []permission.Entry{deny(permission.ForUser, 201), deny(permission.ForRole, 300)},
			},
			anywhere,
		},
		{"an archived thread", "archived", scene{thread: true, archived: true}, refused(permission.ThreadArchived)},
		{
			"an archived thread, owner", "archived",
			scene{user: owner, thread: true, archived: true},
			refused(permission.ThreadArchived),
		},
		{"a thread", "archived", scene{thread: true}, byDefault},
		{
			"who is no member", "VIEW_CHANNEL",
			scene{stranger: true},
			lacks(permission.ChannelHidden, permission.ViewChannel),
		},
	})
}

func TestDecideRights(t *testing.T) {
	t.Parallel()
	const (
		use     = permission.UseApplicationCommands
		send    = permission.SendMessages
		threads = permission.SendMessagesInThreads
		toUser  = permission.UserInstall
	)
	everything := []permission.Entry{deny(permission.ForChannel, 299), deny(permission.ForRole, 300), deny(permission.ForUser, 200)}
	runDecisions(t, []decisionCase{
		{
			"the owner, denied everywhere", "Authentication 6",
			scene{user: owner, command: everything, app: everything, asks: new(permission.Bits(0)), denied: permission.All},
			asAdmin,
		},
		{
			"an administrator, denied everywhere", "Authentication 6",
			scene{roles: []snowflake.Role{admins}, command: everything, asks: new(permission.Bits(0)), denied: permission.All},
			asAdmin,
		},
		{"an administrator who is timed out", "timeout", scene{roles: []snowflake.Role{admins}, timedOut: true}, asAdmin},
		{
			"a hidden channel", "VIEW_CHANNEL",
			scene{hidden: true},
			lacks(permission.ChannelHidden, permission.ViewChannel),
		},
		{
			"a hidden channel and a user command", "VIEW_CHANNEL",
			scene{hidden: true, kind: 2},
			lacks(permission.ChannelHidden, permission.ViewChannel),
		},
		{
			"an allowance does not open a hidden channel", "VIEW_CHANNEL",
			scene{hidden: true, command: []permission.Entry{allow(permission.ForUser, 201)}},
			lacks(permission.ChannelHidden, permission.ViewChannel),
		},
		{"without the right to use commands", "client 5", scene{denied: use}, lacks(permission.MissingPermissions, use)},
		{
			"an allowance does not give the right to use commands", "client notes",
			scene{denied: use, command: []permission.Entry{allow(permission.ForUser, 201)}},
			lacks(permission.MissingPermissions, use),
		},
		{"without the right to send", "client 5", scene{denied: send}, lacks(permission.MissingPermissions, send)},
		{"without both", "client 5", scene{denied: send | use}, lacks(permission.MissingPermissions, send|use)},
		{
			"a message command without the right to send", "client 5",
			scene{kind: 3, denied: send},
			lacks(permission.MissingPermissions, send),
		},
		{
			"the user's own app without the right to send", "client 5",
			scene{types: toUser, installed: toUser, denied: send},
			byDefault,
		},
		{
			"a command for users without the right to send, the app in both", "client 5",
			scene{types: toUser, installed: toUser | permission.GuildInstall, denied: send},
			byDefault,
		},
		{
			"the user's own app without the right to use commands", "client 5",
			scene{types: toUser, installed: toUser, denied: use},
			lacks(permission.MissingPermissions, use),
		},
		{
			"in a thread another right to send", "client 5",
			scene{thread: true, denied: threads},
			lacks(permission.MissingPermissions, threads),
		},
		{"in a thread not the channel's", "client 5", scene{thread: true, denied: send}, byDefault},
		{"a user command", "Authentication 7", scene{kind: 2}, byDefault},
		{
			"a user command without the right to send", "Authentication 7",
			scene{kind: 2, denied: send},
			lacks(permission.CannotSend, send),
		},
		{
			"a user command without both", "Authentication 7",
			scene{kind: 2, denied: send | use},
			lacks(permission.CannotSend, send|use),
		},
		{
			"a user command without the right to use commands", "client 5",
			scene{kind: 2, denied: use},
			lacks(permission.MissingPermissions, use),
		},
		{
			"a user command of the user's own app without the right to send", "Authentication 7",
			scene{kind: 2, types: toUser, installed: toUser, denied: send},
			lacks(permission.CannotSend, send),
		},
		{
			"a user command in a thread", "Authentication 7",
			scene{kind: 2, thread: true, denied: threads},
			lacks(permission.CannotSend, threads),
		},
		{
			"a user command, denied by an entry too", "Authentication 7",
			scene{kind: 2, denied: send, command: []permission.Entry{deny(permission.ForUser, 201)}},
			lacks(permission.CannotSend, send),
		},
		{"timed out", "timeout", scene{timedOut: true}, lacks(permission.MissingPermissions, send|use)},
		{"timed out, a user command", "timeout", scene{timedOut: true, kind: 2}, lacks(permission.CannotSend, send|use)},
	})
}
