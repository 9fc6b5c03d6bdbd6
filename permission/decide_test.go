package permission_test

import (
	"testing"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// usage is the use of a command. The zero value is the common case: an adult with the roles helpers and mods uses a
// global CHAT_INPUT command without restrictions in a channel of a guild that has the app installed.
type usage struct {
	user      snowflake.User // plain
	roles     []snowflake.Role
	timedOut  bool
	notMember bool
	minor     bool
	adultDMs  bool

	context    permission.Context
	hidden     bool
	denied     permission.Bits // to everyone in the channel
	thread     bool
	archived   bool
	ageChannel bool
	installed  permission.Installs // in the guild

	asked       uint8 // the command's type
	kind        uint8 // 1
	nsfw        bool
	launches    bool
	guildScoped bool
	contexts    *[3]bool
	noDM        bool
	types       permission.Installs
	needed      *permission.Bits
	command     []permission.Entry
	app         []permission.Entry
}

func (s usage) question() permission.Question {
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
	if s.installed == (permission.Installs{}) {
		s.installed.Guild = true
	}
	if s.hidden {
		s.denied |= permission.ViewChannel
	}
	q := permission.Question{
		Asked: s.asked,
		Command: permission.Command{
			Type: s.kind, NSFW: s.nsfw, Launches: s.launches, GuildScoped: s.guildScoped, Contexts: s.contexts,
			DMPermission: !s.noDM, IntegrationTypes: s.types, Default: s.needed,
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
	if !s.notMember {
		m := labGuild().Member(s.user, s.roles)
		m.TimedOut = s.timedOut
		q.Member, q.Permissions = &m, m.In(q.Channel)
	}
	return q
}

type decisionCase struct {
	name string
	rule string // a heading of the specification, or a step of Discord's chart or client
	give usage
	want permission.Decision
}

func refused(r string) permission.Decision { return permission.Decision{Reason: r} }

func lacks(r string, missing permission.Bits) permission.Decision {
	return permission.Decision{Reason: r, Missing: missing}
}

func byEntry(l string, e permission.Entry) permission.Decision {
	d := permission.Decision{Reason: memberDenied, Level: l, Entry: e, Allowed: e.Allow}
	switch {
	case e.Type == permission.ForChannel:
		d.Reason, d.General = channelDenied, e.ID == permission.AllChannels(lab)
	case e.Allow:
		d.Reason = entryAllows
	}
	if e.Type == permission.ForRole {
		d.General = e.ID == permission.Everyone(lab)
	}
	return d
}

var (
	byDefault = permission.Decision{Allowed: true, Reason: defaultAllows, Level: levelDefault}
	asAdmin   = permission.Decision{Allowed: true, Reason: isAdministrator}
	anywhere  = permission.Decision{Allowed: true, Reason: outsideGuild}
	notEven   = permission.Decision{Reason: defaultDenies, Level: levelDefault}
)

// in returns a set of contexts.
func in(list ...permission.Context) *[3]bool {
	var set [3]bool
	for _, c := range list {
		set[c] = true
	}
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

func TestDecideAvailability(t *testing.T) {
	t.Parallel()
	const (
		guild   = permission.ContextGuild
		botDM   = permission.ContextBotDM
		private = permission.ContextPrivateChannel
	)
	toUser, toBoth := permission.Installs{User: true}, permission.Installs{Guild: true, User: true}
	runDecisions(t, []decisionCase{
		{"another type", "client 1", usage{kind: 2, asked: 1}, refused(wrongType)},
		{"another type, administrator", "client 1", usage{user: owner, kind: 1, asked: 3}, refused(wrongType)},
		{"age-restricted in an ordinary channel", "nsfw", usage{nsfw: true}, refused(ageRestricted)},
		{"age-restricted in an age-restricted channel", "nsfw", usage{nsfw: true, ageChannel: true}, byDefault},
		{
			"age-restricted for a minor", "nsfw",
			usage{nsfw: true, ageChannel: true, minor: true},
			refused(ageRestricted),
		},
		{
			"age-restricted for a minor who owns the guild", "nsfw",
			usage{user: owner, nsfw: true, ageChannel: true, minor: true},
			refused(ageRestricted),
		},
		{
			"age-restricted in direct messages", "nsfw",
			usage{nsfw: true, context: botDM},
			refused(ageRestricted),
		},
		{
			"age-restricted in consenting direct messages", "nsfw",
			usage{nsfw: true, context: botDM, adultDMs: true},
			anywhere,
		},
		{
			"age-restricted for a minor in direct messages", "nsfw",
			usage{nsfw: true, context: botDM, adultDMs: true, minor: true},
			refused(ageRestricted),
		},
		{"no contexts in a guild", "contexts", usage{}, byDefault},
		{"no contexts in the bot's messages", "contexts", usage{context: botDM}, anywhere},
		{
			"no contexts, dm_permission false", "dm_permission",
			usage{context: botDM, noDM: true},
			refused(wrongContext),
		},
		{"dm_permission false in a guild", "dm_permission", usage{noDM: true}, byDefault},
		{
			"no contexts in a private channel", "contexts",
			usage{context: private, types: toBoth, installed: toBoth},
			refused(wrongContext),
		},
		{"contexts without guilds", "contexts", usage{contexts: in(botDM)}, refused(wrongContext)},
		{
			"contexts without guilds, owner", "contexts",
			usage{user: owner, contexts: in(botDM)},
			refused(wrongContext),
		},
		{
			"contexts beat dm_permission", "dm_permission",
			usage{context: botDM, contexts: in(botDM), noDM: true},
			anywhere,
		},
		{
			"contexts without the bot's messages", "contexts",
			usage{context: botDM, contexts: in(guild)},
			refused(wrongContext),
		},
		{"empty contexts", "contexts", usage{contexts: in()}, refused(wrongContext)},
		{
			"a private channel with the user install", "PRIVATE_CHANNEL",
			usage{context: private, contexts: in(private), types: toUser, installed: toUser},
			anywhere,
		},
		{
			"a private channel, the command is not for users", "PRIVATE_CHANNEL",
			usage{context: private, contexts: in(private), types: permission.Installs{Guild: true}, installed: toBoth},
			refused(wrongContext),
		},
		{
			"a private channel, the user has not installed the app", "PRIVATE_CHANNEL",
			usage{context: private, contexts: in(private), types: toBoth, installed: permission.Installs{Guild: true}},
			refused(notInstalled),
		},
		{"a guild's command in its guild", "scope", usage{guildScoped: true, contexts: in(botDM)}, byDefault},
		{
			"a guild's command in direct messages", "scope: never in DMs",
			usage{guildScoped: true, contexts: in(guild, botDM, private), context: botDM},
			refused(wrongContext),
		},
		{
			"a guild's command where only the user has the app", "scope",
			usage{guildScoped: true, types: toBoth, installed: toUser},
			refused(notInstalled),
		},
		{
			"a command for users in a guild that has the app", "integration_types",
			usage{types: toUser},
			refused(notInstalled),
		},
		{
			"a command for guilds where only the user has the app", "integration_types",
			usage{user: owner, installed: toUser},
			refused(notInstalled),
		},
		{
			"the bot's messages without the user install", "integration_types",
			usage{context: botDM, types: toUser},
			refused(notInstalled),
		},
		{"a context that does not exist", "contexts", usage{context: 3, contexts: in(guild)}, refused(wrongContext)},
		{
			"no permission steps in direct messages", "DMs",
			usage{
				context: botDM, kind: 2, needed: new(permission.Bits(0)),
				command: []permission.Entry{deny(permission.ForUser, 201), deny(permission.ForRole, 300)},
			},
			anywhere,
		},
		{"an archived thread", "archived", usage{thread: true, archived: true}, refused(threadArchived)},
		{
			"an archived thread, owner", "archived",
			usage{user: owner, thread: true, archived: true},
			refused(threadArchived),
		},
		{"a thread", "archived", usage{thread: true}, byDefault},
		{
			"not a member", "VIEW_CHANNEL",
			usage{notMember: true},
			lacks(channelHidden, permission.ViewChannel),
		},
	})
}

func TestDecideRights(t *testing.T) {
	t.Parallel()
	const (
		use     = permission.UseApplicationCommands
		send    = permission.SendMessages
		threads = permission.SendMessagesInThreads
	)
	toUser := permission.Installs{User: true}
	everything := []permission.Entry{deny(permission.ForChannel, 299), deny(permission.ForRole, 300), deny(permission.ForUser, 200)}
	runDecisions(t, []decisionCase{
		{
			"the owner, denied everywhere", "Authentication 6",
			usage{user: owner, command: everything, app: everything, needed: new(permission.Bits(0)), denied: permission.All},
			asAdmin,
		},
		{
			"an administrator, denied everywhere", "Authentication 6",
			usage{roles: []snowflake.Role{admins}, command: everything, needed: new(permission.Bits(0)), denied: permission.All},
			asAdmin,
		},
		{"an administrator who is timed out", "timeout", usage{roles: []snowflake.Role{admins}, timedOut: true}, asAdmin},
		{
			"a hidden channel", "VIEW_CHANNEL",
			usage{hidden: true},
			lacks(channelHidden, permission.ViewChannel),
		},
		{
			"a hidden channel and a user command", "VIEW_CHANNEL",
			usage{hidden: true, kind: 2},
			lacks(channelHidden, permission.ViewChannel),
		},
		{
			"an allowance does not open a hidden channel", "VIEW_CHANNEL",
			usage{hidden: true, command: []permission.Entry{allow(permission.ForUser, 201)}},
			lacks(channelHidden, permission.ViewChannel),
		},
		{"without the right to use commands", "client 5", usage{denied: use}, lacks(missingPermissions, use)},
		{
			"an allowance does not give the right to use commands", "client notes",
			usage{denied: use, command: []permission.Entry{allow(permission.ForUser, 201)}},
			lacks(missingPermissions, use),
		},
		{"without the right to send", "client 5", usage{denied: send}, lacks(missingPermissions, send)},
		{"without both", "client 5", usage{denied: send | use}, lacks(missingPermissions, send|use)},
		{
			"an entry point without the right to use activities", "Entry point handler types",
			usage{kind: 4, launches: true},
			lacks(missingPermissions, permission.UseEmbeddedActivities),
		},
		{"an entry point that the app answers", "Entry point handler types", usage{kind: 4}, byDefault},
		{"an entry point for an administrator", "Authentication 6", usage{kind: 4, launches: true, roles: []snowflake.Role{admins}}, asAdmin},
		{
			"a message command without the right to send", "client 5",
			usage{kind: 3, denied: send},
			lacks(missingPermissions, send),
		},
		{
			"the user's own app without the right to send", "client 5",
			usage{types: toUser, installed: toUser, denied: send},
			byDefault,
		},
		{
			"a command for users without the right to send, the app in both", "client 5",
			usage{types: toUser, installed: permission.Installs{Guild: true, User: true}, denied: send},
			byDefault,
		},
		{
			"the user's own app without the right to use commands", "client 5",
			usage{types: toUser, installed: toUser, denied: use},
			lacks(missingPermissions, use),
		},
		{
			"in a thread another right to send", "client 5",
			usage{thread: true, denied: threads},
			lacks(missingPermissions, threads),
		},
		{"in a thread not the channel's", "client 5", usage{thread: true, denied: send}, byDefault},
		{"a user command", "Authentication 7", usage{kind: 2}, byDefault},
		{
			"a user command without the right to send", "Authentication 7",
			usage{kind: 2, denied: send},
			lacks(cannotSend, send),
		},
		{
			"a user command without both", "Authentication 7",
			usage{kind: 2, denied: send | use},
			lacks(cannotSend, send|use),
		},
		{
			"a user command without the right to use commands", "client 5",
			usage{kind: 2, denied: use},
			lacks(missingPermissions, use),
		},
		{
			"a user command of the user's own app without the right to send", "Authentication 7",
			usage{kind: 2, types: toUser, installed: toUser, denied: send},
			lacks(cannotSend, send),
		},
		{
			"a user command in a thread", "Authentication 7",
			usage{kind: 2, thread: true, denied: threads},
			lacks(cannotSend, threads),
		},
		{
			"a user command, denied by an entry too", "Authentication 7",
			usage{kind: 2, denied: send, command: []permission.Entry{deny(permission.ForUser, 201)}},
			lacks(cannotSend, send),
		},
		{"timed out", "timeout", usage{timedOut: true}, lacks(missingPermissions, send|use)},
		{"timed out, a user command", "timeout", usage{timedOut: true, kind: 2}, lacks(cannotSend, send|use)},
	})
}
