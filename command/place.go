package command

// IntegrationType is a way to install an application.
type IntegrationType uint8

// The ways to install an application.
const (
	GuildInstall IntegrationType = 0
	UserInstall  IntegrationType = 1
)

// Context is a kind of place where a command is used.
type Context uint8

// The kinds of places.
const (
	InGuild          Context = 0
	InBotDM          Context = 1
	InPrivateChannel Context = 2
)

// ChannelType is a kind of channel.
type ChannelType uint8

// The kinds of channels.
const (
	GuildText          ChannelType = 0
	DM                 ChannelType = 1
	GuildVoice         ChannelType = 2
	GroupDM            ChannelType = 3
	GuildCategory      ChannelType = 4
	GuildAnnouncement  ChannelType = 5
	AnnouncementThread ChannelType = 10
	PublicThread       ChannelType = 11
	PrivateThread      ChannelType = 12
	GuildStageVoice    ChannelType = 13
	GuildDirectory     ChannelType = 14
	GuildForum         ChannelType = 15
	GuildMedia         ChannelType = 16
)

// The values of each, for reading and for telling what would have been right.
var (
	integrationTypes = []IntegrationType{GuildInstall, UserInstall}
	contexts         = []Context{InGuild, InBotDM, InPrivateChannel}
	channelTypes     = []ChannelType{
		GuildText, DM, GuildVoice, GroupDM, GuildCategory, GuildAnnouncement, AnnouncementThread, PublicThread,
		PrivateThread, GuildStageVoice, GuildDirectory, GuildForum, GuildMedia,
	}
)
