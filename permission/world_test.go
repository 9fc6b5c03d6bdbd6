package permission_test

import (
	"flag"
	"testing"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"pgregory.net/rapid"
)

// TestMain checks every property with 2000 random worlds unless the command line sets another number.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("2000"); err != nil {
			panic(err)
		}
	}
	m.Run()
}

// All ids of a random world are small. Users, roles, channels and the guild share them, so that many entries match
// and a test notices when the kinds of ids are mixed up.
const (
	largestID                   = 6
	randomGuild snowflake.Guild = 3
)

func number[N ~uint64](t *rapid.T, label string) N {
	return N(rapid.Uint64Range(1, largestID).Draw(t, label))
}

func rarely(t *rapid.T, label string) bool {
	return rapid.Uint8().Draw(t, label)&7 == 7
}

func coin(t *rapid.T, label string) bool { return rapid.Bool().Draw(t, label) }

// few draws some of the permissions that decisions depend on.
func few(t *rapid.T, label string) permission.Bits {
	var b permission.Bits
	for _, bit := range rapid.SliceOfN(rapid.SampledFrom([]permission.Bits{
		permission.ViewChannel, permission.SendMessages, permission.SendMessagesInThreads, permission.ReadMessageHistory,
		permission.UseApplicationCommands, permission.ManageGuild, permission.AttachFiles, permission.MentionEveryone,
		permission.BanMembers, permission.Administrator, permission.UseEmbeddedActivities, 1 << 47, 1 << 60,
	}), 0, 4).Draw(t, label) {
		b |= bit
	}
	return b
}

// bits draws permissions with which most decisions reach the later steps.
func bits(t *rapid.T, label string) permission.Bits {
	b := few(t, label)
	if !rarely(t, label+" are administrator's") {
		b &^= permission.Administrator
	}
	if !rarely(t, label+" are narrow") {
		b |= everyday
	}
	return b
}

func entries(t *rapid.T, label string) []permission.Entry {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) permission.Entry {
		return permission.Entry{
			ID:    number[snowflake.Target](t, "id"),
			Type:  permission.EntryType(rapid.Uint8Range(1, 3).Draw(t, "type")),
			Allow: coin(t, "allow"),
		}
	}), 0, 5).Draw(t, label)
}

func overwrites(t *rapid.T) []permission.Overwrite {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) permission.Overwrite {
		return permission.Overwrite{
			ID: number[snowflake.Target](t, "id"), Member: coin(t, "member"),
			Allow: few(t, "allow"), Deny: few(t, "deny"),
		}
	}), 0, 4).Draw(t, "overwrites")
}

func drawInstalls(t *rapid.T, label string) permission.Installs {
	return permission.Installs{Guild: coin(t, label+" in the guild"), User: coin(t, label+" by the user")}
}

func someCommand(t *rapid.T) permission.Command {
	c := permission.Command{
		Type:             rapid.Uint8Range(1, 4).Draw(t, "type"),
		NSFW:             rarely(t, "nsfw"),
		Launches:         rarely(t, "launches"),
		GuildScoped:      rarely(t, "of a guild"),
		DMPermission:     coin(t, "dm_permission"),
		IntegrationTypes: drawInstalls(t, "integration types"),
	}
	if coin(t, "has contexts") {
		c.Contexts = &[3]bool{coin(t, "in guilds"), coin(t, "in bot DMs"), coin(t, "in private channels")}
	}
	if coin(t, "asks for permissions") {
		asks := few(t, "default_member_permissions")
		c.Default = &asks
	}
	return c
}

// worlds draws worlds with few unusual properties each.
var worlds = rapid.Custom(func(t *rapid.T) *world {
	w := &world{
		guild: randomGuild, owner: number[snowflake.User](t, "owner"), everyone: bits(t, "everyone's"),
		roles: map[snowflake.Role]permission.Bits{},
		user:  number[snowflake.User](t, "user"),
		memberRoles: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) snowflake.Role {
			return number[snowflake.Role](t, "role")
		}), 0, 4).Draw(t, "memberRoles"),
		timedOut: rarely(t, "timed out"), notMember: rarely(t, "not a member"),
		adult: coin(t, "adult"), adultDMs: coin(t, "adult direct messages"),
		channel: permission.Channel{
			ID: number[snowflake.Channel](t, "channel"), Parent: number[snowflake.Channel](t, "parent"),
			Thread: coin(t, "thread"), Archived: rarely(t, "archived"), NSFW: coin(t, "nsfw channel"),
			Overwrites: overwrites(t),
		},
		installed: permission.Installs{Guild: true},
		command:   someCommand(t),
		onCommand: entries(t, "on the command"), onApp: entries(t, "on the app"),
	}
	for id := range snowflake.Role(largestID) {
		if !rarely(t, "role was deleted") {
			w.roles[id+1] = bits(t, "role's")
		}
	}
	if w.owner == w.user && !rarely(t, "owner asks") {
		w.owner = 0
	}
	if rarely(t, "elsewhere") {
		w.context = permission.Context(rapid.Uint8Range(0, 4).Draw(t, "context"))
	}
	if rarely(t, "installed otherwise") {
		w.installed = drawInstalls(t, "installed")
	}
	w.asked = w.command.Type
	if rarely(t, "other type") {
		w.asked = rapid.Uint8Range(0, 5).Draw(t, "asked")
	}
	return w
})

// member returns the member of the world.
func (w *world) member() permission.Member {
	var roles []permission.Role
	for id, b := range w.roles {
		roles = append(roles, permission.Role{ID: id, Permissions: b})
	}
	m := permission.NewGuild(w.guild, w.owner, w.everyone, roles).Member(w.user, w.memberRoles)
	m.TimedOut = w.timedOut
	return m
}

// question returns the question about the world.
func (w *world) question() permission.Question {
	q := permission.Question{
		Asked: w.asked, Command: w.command,
		Overwrites: permission.NewSet(w.onCommand), App: permission.NewSet(w.onApp),
		Context: w.context, Installed: w.installed, Adult: w.adult, AdultDMs: w.adultDMs,
		Channel: w.channel,
	}
	if w.context == permission.ContextGuild && !w.notMember {
		m := w.member()
		q.Member, q.Permissions = &m, m.In(w.channel)
	}
	return q
}
