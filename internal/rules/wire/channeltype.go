package wire

// Types of channels. Package world defines those that a world file can contain.
const (
	GuildText    = 0
	DM           = 1
	GuildVoice   = 2
	GroupDM      = 3
	PublicThread = 11
)
