package world

// Limits of a world.
const (
	MaxSize         = 64 << 20 // bytes of a file
	MaxYAML         = 16 << 20 // bytes of a YAML file: parsing one takes a hundred times its size in memory
	MaxUsers        = 1_000_000
	MaxApplications = 100_000
	MaxGuilds       = 100_000
	MaxMembers      = 1_000_000 // of a guild
	MaxRoles        = 250       // of a guild
	MaxChannels     = 1_500     // of a guild, including threads
	MaxMessages     = 1_000     // of a channel or a thread
	MaxThreads      = 1_000     // of a channel
	MaxWebhooks     = 15        // of a channel
	MaxInstalls     = 1_000     // in a guild, or of a user
	MaxOverwrites   = 1_000     // of a channel
	MaxRedirects    = 10        // of an application
	MaxClientKeys   = 4         // of an application
	MaxCommandLists = 1_000     // of a file
	MaxToken        = 512
	MaxURL          = 2_048
	MaxPosition     = 1_000_000
	MaxColor        = 0xFFFFFF

	// MaxCommandPermissions is the number of commands of a file with permissions.
	MaxCommandPermissions = 10_000

	// MaxScheduledEvents is the number of scheduled events of a guild that have not ended.
	MaxScheduledEvents = 100

	// MaxEmojis is the number of emojis of a guild: half of them still, half of them animated.
	MaxEmojis = 100

	maxClientKey = 4096 // bytes
)

// Limits of requests_per_second.
const (
	MinRequestsPerSecond = 1
	MaxRequestsPerSecond = 1200
)
