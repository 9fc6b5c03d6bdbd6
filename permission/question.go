package permission

// Context is the kind of place that a command is used in, by its wire number.
type Context uint8

// The kinds of places.
const (
	ContextGuild          Context = 0
	ContextBotDM          Context = 1 // direct messages with the app's bot
	ContextPrivateChannel Context = 2 // all other direct messages
)

// Contexts is a set of kinds of places.
type Contexts uint8

// ContextsOf returns the set of the given kinds. A number that names none adds nothing.
func ContextsOf(list ...Context) Contexts {
	var set Contexts
	for _, c := range list {
		if c <= ContextPrivateChannel {
			set |= 1 << c
		}
	}
	return set
}

// Has reports whether c is in the set.
func (s Contexts) Has(c Context) bool { return s&(1<<c) != 0 }

// Installs is a set of ways to install an app: bit n stands for the integration type n.
type Installs uint8

// The ways to install an app.
const (
	GuildInstall Installs = 1 << iota
	UserInstall
)

// Has reports whether every way of i is in the set.
func (s Installs) Has(i Installs) bool { return s&i == i }

// userCommand is the type of commands in the menu of a user.
const userCommand = 2

// Command is what the decision needs to know of a command.
type Command struct {
	Type uint8 // by its wire number
	NSFW bool
	// GuildScoped says that the command is registered to a guild. It works there alone: Contexts, DMPermission and
	// IntegrationTypes do not count.
	GuildScoped bool
	// Contexts are where the command works; nil: in guilds, and with DMPermission in the bot's direct messages.
	Contexts         *Contexts
	DMPermission     bool     // dm_permission, true when a definition does not say
	IntegrationTypes Installs // none: GuildInstall
	// Default is default_member_permissions; nil: everyone may use the command.
	Default *Bits
}

// worksIn reports whether the command is made for a kind of place.
func (c *Command) worksIn(where Context) bool {
	switch {
	case c.GuildScoped:
		return where == ContextGuild
	case where == ContextPrivateChannel && !c.IntegrationTypes.Has(UserInstall):
		return false
	case c.Contexts != nil:
		return c.Contexts.Has(where)
	default:
		return where == ContextGuild || where == ContextBotDM && c.DMPermission
	}
}

// supports returns the ways to install the app that make the command available.
func (c *Command) supports() Installs {
	if c.GuildScoped || c.IntegrationTypes == 0 {
		return GuildInstall
	}
	return c.IntegrationTypes
}

// Question asks whether a user may use a command in a place. Its zero values refuse.
type Question struct {
	Asked      uint8 // the type of command that the user asked for
	Command    Command
	Overwrites *Set // of the command in the guild
	App        *Set // of the application in the guild

	Context   Context
	Installed Installs // how the app is installed, for the guild and for the user
	Adult     bool     // the user is of age
	AdultDMs  bool     // the user wants age-restricted commands in direct messages

	// What follows is for guilds.

	Member      *Member // nil outside of guilds
	Channel     Channel // its Overwrites have gone into Permissions
	Permissions Bits    // Member.In(Channel), given because it serves many questions
}

// grownUp reports whether user and place are open to what is age-restricted.
func (q *Question) grownUp() bool {
	if q.Context == ContextGuild {
		return q.Adult && q.Channel.NSFW
	}
	return q.Adult && q.AdultDMs
}

// installs returns the installs that bring the command to this place.
func (q *Question) installs() Installs {
	have := q.Installed
	switch q.Context {
	case ContextGuild:
	case ContextBotDM:
		have |= GuildInstall
	default:
		have &= UserInstall
	}
	return have & q.Command.supports()
}
