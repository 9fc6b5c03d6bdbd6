package command

// IntegrationType is a way to install an application.
type IntegrationType uint8

// The ways to install an application.
const (
	GuildInstall IntegrationType = 0 // to a guild, for its members
	UserInstall  IntegrationType = 1 // to a user, wherever the user is
)

// Context is a kind of channel that a command can be used in.
type Context uint8

// The contexts.
const (
	InGuild          Context = 0 // channels and threads of a guild
	InBotDM          Context = 1 // direct messages with the bot of the app
	InPrivateChannel Context = 2 // other direct messages and group direct messages
)

// ChannelType is a kind of channel, by its number in the API: 0 is a text channel of a guild.
type ChannelType uint8

// The values of each type.
var (
	integrationTypes = []IntegrationType{GuildInstall, UserInstall}
	contexts         = []Context{InGuild, InBotDM, InPrivateChannel}
	channelTypes     = []ChannelType{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16}
)
