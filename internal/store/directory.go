package store

import (
	"time"

	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// User is a person. The bot of an application is no User: it is made from the Application, under the same id.
type User struct {
	ID         snowflake.User `json:"id"`
	Username   string         `json:"username"`
	GlobalName string         `json:"global_name,omitzero"`
	Locale     locale.Code    `json:"locale"`
	Email      string         `json:"email,omitzero"`
	Minor      bool           `json:"minor,omitzero"` // may not use what is age-restricted
}

// Application is an app that registers commands.
type Application struct {
	ID               snowflake.Application `json:"id"`
	Name             string                `json:"name"`
	Description      string                `json:"description,omitzero"`
	Owner            snowflake.User        `json:"owner"`
	PublicClient     bool                  `json:"public_client,omitzero"`
	IntegrationTypes []uint8               `json:"integration_types"` // ascending
	Activities       bool                  `json:"activities,omitzero"`
	// InteractionsEndpointURL is where interactions are posted; empty: they travel by the gateway.
	InteractionsEndpointURL string   `json:"interactions_endpoint_url,omitzero"`
	RedirectURIs            []string `json:"redirect_uris,omitzero"`
	RequestsPerSecond       int      `json:"requests_per_second"`
	// SecretHash is the SHA-256 of the client secret, SigningKey the Ed25519 seed that signs deliveries.
	SecretHash []byte `json:"secret_hash,omitzero"`
	SigningKey []byte `json:"signing_key"`
	// What the app says of itself over the API; no world file names it. Intents are application flags, InstallParams go
	// by integration type.
	Tags          []string                `json:"tags,omitzero"`
	Intents       uint64                  `json:"intents,omitzero"`
	InstallParams map[uint8]InstallParams `json:"install_params,omitzero"`
}

// InstallParams are what an install asks for when nothing else is said.
type InstallParams struct {
	Scopes      []string        `json:"scopes"`
	Permissions permission.Bits `json:"permissions"`
}

// Guild is a place with members, roles and channels.
type Guild struct {
	ID              snowflake.Guild `json:"id"`
	Name            string          `json:"name"`
	Owner           snowflake.User  `json:"owner"`
	PreferredLocale locale.Code     `json:"preferred_locale"`
	Everyone        permission.Bits `json:"everyone"` // of the role whose id is the guild's
}

// Role is a set of permissions that members of a guild carry.
type Role struct {
	ID          snowflake.Role  `json:"id"`
	Guild       snowflake.Guild `json:"guild"`
	Name        string          `json:"name"`
	Permissions permission.Bits `json:"permissions"`
	Position    int             `json:"position"`
	Color       int             `json:"color,omitzero"`
	Hoist       bool            `json:"hoist,omitzero"`
	Mentionable bool            `json:"mentionable,omitzero"`
	// Managed names the application whose bot carries the role; 0 for roles that people made.
	Managed snowflake.Application `json:"managed,omitzero"`
}

// Channel is a place for messages: of a guild, or between people.
type Channel struct {
	ID         snowflake.Channel  `json:"id"`
	Guild      snowflake.Guild    `json:"guild,omitzero"` // 0: a direct-message channel
	Type       int                `json:"type"`
	Name       string             `json:"name,omitzero"`
	Topic      string             `json:"topic,omitzero"`
	Position   int                `json:"position,omitzero"`
	NSFW       bool               `json:"nsfw,omitzero"`
	Parent     snowflake.Channel  `json:"parent,omitzero"`
	Archived   bool               `json:"archived,omitzero"`
	Overwrites []ChannelOverwrite `json:"overwrites,omitzero"`
	Recipients []snowflake.User   `json:"recipients,omitzero"` // ascending; of a direct-message channel
}

// ChannelOverwrite changes the permissions of a role or a member in one channel.
type ChannelOverwrite struct {
	ID    snowflake.Target `json:"id"`
	Type  int              `json:"type"` // 0 role, 1 member
	Allow permission.Bits  `json:"allow"`
	Deny  permission.Bits  `json:"deny"`
}

// Member is a user, or an application's bot, in a guild.
type Member struct {
	Guild        snowflake.Guild  `json:"guild"`
	User         snowflake.User   `json:"user"`
	Nick         string           `json:"nick,omitzero"`
	Roles        []snowflake.Role `json:"roles,omitzero"` // ascending, without the guild's own
	JoinedAt     time.Time        `json:"joined_at"`
	TimeoutUntil time.Time        `json:"timeout_until,omitzero"`
}

// Install is an application's permission to be used in a guild or by a user; exactly one of the two is set.
type Install struct {
	Application snowflake.Application `json:"application"`
	Guild       snowflake.Guild       `json:"guild,omitzero"`
	User        snowflake.User        `json:"user,omitzero"`
	Scopes      []string              `json:"scopes"`
	Permissions permission.Bits       `json:"permissions,omitzero"`
	InstalledAt time.Time             `json:"installed_at"`
}

// OverwriteSet says who may use a command, or with the application's id all commands without a set, in a guild.
type OverwriteSet struct {
	Guild       snowflake.Guild       `json:"guild"`
	Application snowflake.Application `json:"application"`
	ID          snowflake.Command     `json:"id"`
	Entries     []OverwriteEntry      `json:"entries"`
}

// OverwriteEntry allows or denies one role, user or channel.
type OverwriteEntry struct {
	ID    snowflake.Target `json:"id"`
	Type  uint8            `json:"type"` // 1 role, 2 user, 3 channel
	Allow bool             `json:"allow"`
}

// DirectoryReader reads people, places and apps. A page holds at most limit records with ids above after, none when the
// limit is not positive.
type DirectoryReader interface {
	User(id snowflake.User) (User, error)
	Users(after snowflake.User, limit int) ([]User, error)
	Application(id snowflake.Application) (Application, error)
	Applications(after snowflake.Application, limit int) ([]Application, error)
	Guild(id snowflake.Guild) (Guild, error)
	Guilds(after snowflake.Guild, limit int) ([]Guild, error)
	Roles(guild snowflake.Guild) ([]Role, error)
	Channel(id snowflake.Channel) (Channel, error)
	Channels(guild snowflake.Guild) ([]Channel, error)
	// DirectChannel returns the direct-message channel between exactly these users, given in ascending order.
	DirectChannel(recipients []snowflake.User) (Channel, error)
	// DirectChannels returns a user's direct-message channels.
	DirectChannels(user snowflake.User) ([]Channel, error)
	Member(guild snowflake.Guild, user snowflake.User) (Member, error)
	Members(guild snowflake.Guild, after snowflake.User, limit int) ([]Member, error)
	// MemberCount returns how many members a guild has.
	MemberCount(guild snowflake.Guild) (int, error)
	// Memberships returns a user's memberships in the order of the guilds.
	Memberships(user snowflake.User, after snowflake.Guild, limit int) ([]Member, error)
	GuildInstall(guild snowflake.Guild, app snowflake.Application) (Install, error)
	UserInstall(user snowflake.User, app snowflake.Application) (Install, error)
	// GuildInstalls and UserInstalls return what is installed in a place, in the order of the applications.
	GuildInstalls(guild snowflake.Guild) ([]Install, error)
	UserInstalls(user snowflake.User) ([]Install, error)
	// InstalledGuilds returns where an application is installed, in the order of the guilds.
	InstalledGuilds(app snowflake.Application, after snowflake.Guild, limit int) ([]Install, error)
	// InstallCount returns in how many guilds and with how many users an application is installed.
	InstallCount(app snowflake.Application) (guilds, users int, err error)
}

// DirectoryWriter changes people, places and apps. Put stores a record in place of the one with the same key. Deletes of
// what is not there do nothing; they take along what belongs to the thing deleted: with a user its memberships,
// installs, direct-message channels, places in lobbies and credentials; with a guild its roles, channels, members, installs, commands and
// permission sets; with an application its installs, commands, permission sets, lobbies and credentials and its
// bot's memberships; with a role its mention in members; with a channel its messages. Where commands go, their scopes are as
// if they had never been written. An id of 0 names nothing.
type DirectoryWriter interface {
	PutUser(u User) error
	DeleteUser(id snowflake.User) error
	PutApplication(a Application) error
	DeleteApplication(id snowflake.Application) error
	PutGuild(g Guild) error
	DeleteGuild(id snowflake.Guild) error
	PutRole(r Role) error
	DeleteRole(guild snowflake.Guild, id snowflake.Role) error
	PutChannel(c Channel) error
	DeleteChannel(id snowflake.Channel) error
	PutMember(m Member) error
	DeleteMember(guild snowflake.Guild, user snowflake.User) error
	PutInstall(i Install) error
	DeleteInstall(i Install) error // Application and Guild or User name it
}
