package permission

// Context is the kind of channel that a command is used in, by its number in the API.
type Context uint8

// The contexts.
const (
	ContextGuild          Context = 0 // channels and threads of a guild
	ContextBotDM          Context = 1 // direct messages with the bot of the app
	ContextPrivateChannel Context = 2 // other direct messages and group direct messages
)

// Installs is a set of ways to install an app.
type Installs struct{ Guild, User bool }

// userCommand is the type of commands in the menu of a user.
const userCommand = 2

// Command holds the parts of a command definition that a decision depends on.
type Command struct {
	Type uint8 // by its number in the API
	NSFW bool
	// Launches means that every use of the command launches the Activity of the app.
	Launches bool
	// GuildScoped means that the command is registered to a guild. It works only there, and Contexts, DMPermission and
	// IntegrationTypes have no effect.
	GuildScoped bool
	// Contexts says for each Context whether the command works there. If it is nil, the command works in guilds and,
	// with DMPermission, in direct messages with the bot.
	Contexts         *[3]bool
	DMPermission     bool     // dm_permission; true if a definition does not have it
	IntegrationTypes Installs // the zero value means Guild
	// Default is default_member_permissions; nil: everyone may use the command.
	Default *Bits
}

// worksIn reports whether the command works in a context.
func (c *Command) worksIn(where Context) bool {
	switch {
	case c.GuildScoped:
		return where == ContextGuild
	case where == ContextPrivateChannel && !c.IntegrationTypes.User:
		return false
	case c.Contexts != nil:
		return int(where) < len(c.Contexts) && c.Contexts[where]
	default:
		return where == ContextGuild || where == ContextBotDM && c.DMPermission
	}
}

// supports returns the installs that make the command available.
func (c *Command) supports() Installs {
	if c.GuildScoped || c.IntegrationTypes == (Installs{}) {
		return Installs{Guild: true}
	}
	return c.IntegrationTypes
}

// Question asks whether a user may use a command in a channel. [Decide] answers it.
type Question struct {
	Asked      uint8 // the type of command that the user asked for
	Command    Command
	Overwrites *Set // the entries of the command in the guild
	App        *Set // the entries of the application in the guild

	Context   Context
	Installed Installs // whether the app is installed to the guild, and to the user
	Adult     bool     // the user is an adult
	AdultDMs  bool     // the user allows age-restricted commands in direct messages

	// The fields below are used only in guilds.

	Member      *Member // nil: the user is not a member of the guild
	Channel     Channel
	Permissions Bits // the result of Member.In(Channel), which serves many questions
}

// adultAllowed reports whether the user can use age-restricted commands in this channel.
func (q *Question) adultAllowed() bool {
	if q.Context == ContextGuild {
		return q.Adult && q.Channel.NSFW
	}
	return q.Adult && q.AdultDMs
}

// installs returns the installs that make the command available in this channel.
func (q *Question) installs() Installs {
	have, supported := q.Installed, q.Command.supports()
	switch q.Context {
	case ContextGuild:
	case ContextBotDM:
		have.Guild = true // the bot can always answer its own direct messages
	default:
		have.Guild = false
	}
	return Installs{Guild: have.Guild && supported.Guild, User: have.User && supported.User}
}
