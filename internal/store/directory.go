package store

import (
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// User is a user. Bots are not stored as users: the bot of an application has the id of the Application.
type User struct {
	ID         snowflake.User `json:"id"`
	Username   string         `json:"username"`
	GlobalName string         `json:"global_name,omitzero"`
	Locale     locale.Code    `json:"locale"`
	Email      string         `json:"email,omitzero"`
	Minor      bool           `json:"minor,omitzero"`  // may not use age-restricted commands and channels
	Avatar     string         `json:"avatar,omitzero"` // the hash of an image, as is Banner; empty: none
	Banner     string         `json:"banner,omitzero"`
	// Provisional is the application that a provisional user belongs to; 0 for all other users.
	Provisional snowflake.Application `json:"provisional,omitzero"`
	// Bot says that the directory made this user from an application. It is not stored.
	Bot bool `json:"-"`
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
	// InteractionsEndpointURL receives interactions. When it is empty, interactions are sent over the gateway.
	InteractionsEndpointURL string   `json:"interactions_endpoint_url,omitzero"`
	RedirectURIs            []string `json:"redirect_uris,omitzero"`
	// LogoutURIs are the URIs to which a browser may return after a sign-out that the app requested.
	LogoutURIs        []string `json:"logout_uris,omitzero"`
	GrantTypes        []string `json:"grant_types,omitzero"` // ascending; how the app may obtain tokens; empty: the default of package world
	RequirePKCE       bool     `json:"require_pkce,omitzero"`
	ClientKeys        []string `json:"client_keys,omitzero"` // public keys in PEM that verify client assertions
	RequestsPerSecond int      `json:"requests_per_second"`
	SecretHash        []byte   `json:"secret_hash,omitzero"` // SHA-256 of the client secret
	// SigningKey is the Ed25519 seed that signs deliveries, encrypted with the key that Sealed names; if Sealed is empty, it
	// is not encrypted. VerifyKey is the public key.
	SigningKey []byte `json:"signing_key"`
	Sealed     string `json:"sealed,omitzero"`
	VerifyKey  []byte `json:"verify_key"`
	// The fields below are set by the app through the API, not by a world file. Intents are application flags. The keys of
	// InstallParams are integration types.
	Tags          []string                `json:"tags,omitzero"`
	Intents       uint64                  `json:"intents,omitzero"`
	InstallParams map[uint8]InstallParams `json:"install_params,omitzero"`
	// DefaultInstall has the parameters of the app's older, single install link; nil: none. CustomInstallURL replaces it.
	DefaultInstall     *InstallParams `json:"default_install,omitzero"`
	CustomInstallURL   string         `json:"custom_install_url,omitzero"`
	RoleConnectionsURL string         `json:"role_connections_url,omitzero"`
	// RoleConnections describe what RoleConnection.Metadata of users contains.
	RoleConnections []RoleMetadata `json:"role_connections,omitzero"`
	SKUs            []SKU          `json:"skus,omitzero"`     // ascending; what the app sells
	BotName         string         `json:"bot_name,omitzero"` // empty: Name
	// Icon, BotAvatar and BotBanner are the hashes of images; empty: none.
	Icon      string `json:"icon,omitzero"`
	BotAvatar string `json:"bot_avatar,omitzero"`
	BotBanner string `json:"bot_banner,omitzero"`
	// NoProvisional refuses provisional accounts. PlayerIssuer and PlayerClient are the OpenID provider of the players and the
	// client id of the app there; empty: none.
	NoProvisional bool   `json:"no_provisional,omitzero"`
	PlayerIssuer  string `json:"player_issuer,omitzero"`
	PlayerClient  string `json:"player_client,omitzero"`
	// LobbySearch lets the app search its lobbies.
	LobbySearch bool `json:"lobby_search,omitzero"`
	// EventURL gets event webhooks of the types EventTypes if EventStatus is wire.EventWebhooksEnabled. The types are ascending.
	EventURL    string   `json:"event_url,omitzero"`
	EventStatus int      `json:"event_status,omitzero"` // 0: wire.EventWebhooksDisabled
	EventTypes  []string `json:"event_types,omitzero"`
}

// InstallParams are the default scopes and permissions of an install.
type InstallParams struct {
	Scopes      []string        `json:"scopes"`
	Permissions permission.Bits `json:"permissions"`
}

// Guild is a guild without its members, roles and channels.
type Guild struct {
	ID              snowflake.Guild `json:"id"`
	Name            string          `json:"name"`
	Owner           snowflake.User  `json:"owner"`
	PreferredLocale locale.Code     `json:"preferred_locale"`
	Everyone        permission.Bits `json:"everyone"` // permissions of the @everyone role
	GuildSettings
}

// GuildSettings are the settings of a guild that requests change. Of these, a world file has only the features.
type GuildSettings struct {
	Features          []string          `json:"features,omitzero"` // ascending
	Description       string            `json:"description,omitzero"`
	VerificationLevel int               `json:"verification_level,omitzero"`
	Notifications     int               `json:"notifications,omitzero"`
	ContentFilter     int               `json:"content_filter,omitzero"`
	AFKChannel        snowflake.Channel `json:"afk_channel,omitzero"` // 0: none, as for the channels below
	AFKTimeout        int               `json:"afk_timeout,omitzero"` // seconds; 0: the default
	SystemChannel     snowflake.Channel `json:"system_channel,omitzero"`
	SystemFlags       int               `json:"system_flags,omitzero"`
	RulesChannel      snowflake.Channel `json:"rules_channel,omitzero"`
	UpdatesChannel    snowflake.Channel `json:"updates_channel,omitzero"`
	SafetyChannel     snowflake.Channel `json:"safety_channel,omitzero"`
	ProgressBar       bool              `json:"progress_bar,omitzero"`
	// MentionEveryone means that the everyone role is shown as mentionable. Mentions of it need a permission in any case.
	MentionEveryone bool   `json:"mention_everyone,omitzero"`
	Icon            string `json:"icon,omitzero"` // the hash of an image, as are those below; empty: none
	Splash          string `json:"splash,omitzero"`
	DiscoverySplash string `json:"discovery_splash,omitzero"`
	Banner          string `json:"banner,omitzero"`
	HomeHeader      string `json:"home_header,omitzero"`
}

// Role is a role of a guild.
type Role struct {
	ID          snowflake.Role  `json:"id"`
	Guild       snowflake.Guild `json:"guild"`
	Name        string          `json:"name"`
	Permissions permission.Bits `json:"permissions"`
	Position    int             `json:"position"`
	Color       int             `json:"color,omitzero"`
	Hoist       bool            `json:"hoist,omitzero"`
	Mentionable bool            `json:"mentionable,omitzero"`
	// Managed is the application whose bot has the role; 0 for roles that users created.
	Managed snowflake.Application `json:"managed,omitzero"`
	// The fields below are set by requests, not by a world file. Secondary and Tertiary are more colors; nil: none.
	Secondary    *int   `json:"secondary,omitzero"`
	Tertiary     *int   `json:"tertiary,omitzero"`
	Icon         string `json:"icon,omitzero"` // the hash of an image; empty: none
	UnicodeEmoji string `json:"unicode_emoji,omitzero"`
}

// Channel is a channel of a guild, a thread, or a direct-message channel. Which fields are used depends on the type.
type Channel struct {
	ID         snowflake.Channel  `json:"id"`
	Guild      snowflake.Guild    `json:"guild,omitzero"` // 0 for a direct-message channel
	Type       int                `json:"type"`
	Name       string             `json:"name,omitzero"`
	Topic      string             `json:"topic,omitzero"`
	Position   int                `json:"position,omitzero"`
	NSFW       bool               `json:"nsfw,omitzero"`
	Parent     snowflake.Channel  `json:"parent,omitzero"`   // the category, or of a thread the channel
	Archived   bool               `json:"archived,omitzero"` // of a thread
	Overwrites []ChannelOverwrite `json:"overwrites,omitzero"`
	Recipients []snowflake.User   `json:"recipients,omitzero"` // ascending; of a direct-message channel
	Owner      snowflake.User     `json:"owner,omitzero"`      // of a group or a thread
	Flags      int                `json:"flags,omitzero"`
	SlowMode   int                `json:"slow_mode,omitzero"` // seconds between two messages, or two posts of a forum
	Thread     *Thread            `json:"thread,omitzero"`    // nil: not a thread, or one that a version before made
	Voice      *Voice             `json:"voice,omitzero"`     // of a voice or stage channel; nil: the defaults
	Forum      *Forum             `json:"forum,omitzero"`     // of a channel with threads; nil: the defaults
}

// Voice holds the settings of a voice or stage channel.
type Voice struct {
	Bitrate   int    `json:"bitrate,omitzero"`
	UserLimit int    `json:"user_limit,omitzero"`
	Region    string `json:"region,omitzero"` // empty: automatic
	Quality   int    `json:"quality,omitzero"`
	Status    string `json:"status,omitzero"`
}

// Forum holds the settings for the threads of a channel.
type Forum struct {
	AutoArchive int        `json:"auto_archive,omitzero"` // minutes; 0: not set
	SlowMode    int        `json:"slow_mode,omitzero"`    // of new threads, in seconds
	Tags        []ForumTag `json:"tags,omitzero"`
	Reaction    *Emoji     `json:"reaction,omitzero"` // nil: none
	SortOrder   *int       `json:"sort_order,omitzero"`
	Layout      int        `json:"layout,omitzero"`
}

// ForumTag is a tag that posts of a forum can have.
type ForumTag struct {
	ID        snowflake.Tag `json:"id"`
	Name      string        `json:"name"`
	Moderated bool          `json:"moderated,omitzero"`
	Emoji     *Emoji        `json:"emoji,omitzero"` // nil: none
}

// Emoji is a custom emoji with an ID, or a standard one with the text in Name.
type Emoji struct {
	ID       snowflake.Emoji `json:"id,omitzero"`
	Name     string          `json:"name,omitzero"`
	Animated bool            `json:"animated,omitzero"`
}

// Key returns the text that is equal for equal emojis.
func (e Emoji) Key() string {
	if e.ID != 0 {
		return e.ID.String()
	}
	return e.Name
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
	Roles        []snowflake.Role `json:"roles,omitzero"` // ascending, without @everyone
	JoinedAt     time.Time        `json:"joined_at"`
	TimeoutUntil time.Time        `json:"timeout_until,omitzero"`
	Mute         bool             `json:"mute,omitzero"` // in voice channels, as is Deaf
	Deaf         bool             `json:"deaf,omitzero"`
	Flags        int              `json:"flags,omitzero"`
	Avatar       string           `json:"avatar,omitzero"` // the hash of an image, as is Banner; empty: none
	Banner       string           `json:"banner,omitzero"`
	Bio          string           `json:"bio,omitzero"`
}

// Install is the installation of an application in a guild or for a user. Exactly one of Guild and User is set.
type Install struct {
	Application snowflake.Application `json:"application"`
	Guild       snowflake.Guild       `json:"guild,omitzero"`
	User        snowflake.User        `json:"user,omitzero"`
	Scopes      []string              `json:"scopes"`
	Permissions permission.Bits       `json:"permissions,omitzero"`
	InstalledAt time.Time             `json:"installed_at"`
}

func (u User) subjects() []Subject { return []Subject{UserSubject(u.ID)} }

func (u User) write(w *writes) {
	w.put(usersTable, key(u.ID), w.doc(u))
}

// UserKey names a user. The records that belong to the user have separate keys.
func UserKey(id snowflake.User) Key {
	return Key{ends: []Subject{UserSubject(id)}, rows: []rowKey{{usersTable, []string{"id"}, []any{key(id)}}}}
}

func (a Application) subjects() []Subject { return []Subject{ApplicationSubject(a.ID)} }

func (a Application) write(w *writes) {
	w.put(appsTable, key(a.ID), w.doc(a))
}

// ApplicationKey names an application. The records that belong to it have separate keys.
func ApplicationKey(id snowflake.Application) Key {
	return Key{ends: []Subject{ApplicationSubject(id)}, rows: []rowKey{{appsTable, []string{"id"}, []any{key(id)}}}}
}

func (g Guild) subjects() []Subject { return []Subject{GuildSubject(g.ID)} }

func (g Guild) write(w *writes) {
	w.put(guildsTable, key(g.ID), w.doc(g))
}

// GuildKey names a guild with its roles and emojis. Its channels have separate keys.
func GuildKey(id snowflake.Guild) Key {
	return Key{ends: []Subject{GuildSubject(id)}, rows: []rowKey{
		{guildsTable, []string{"id"}, []any{key(id)}},
		{rolesTable, []string{"guild_id"}, []any{key(id)}},
		{emojisTable, []string{"guild_id"}, []any{key(id)}},
	}}
}

func (r Role) subjects() []Subject { return []Subject{GuildSubject(r.Guild)} }

func (r Role) write(w *writes) {
	w.put(rolesTable, key(r.Guild), key(r.ID), w.doc(r))
}

// RoleKey names a role. The caller changes the members who have it.
func RoleKey(guild snowflake.Guild, id snowflake.Role) Key {
	return Key{subs: []Subject{GuildSubject(guild)}, rows: []rowKey{{rolesTable, []string{"guild_id", "id"}, []any{key(guild), key(id)}}}}
}

// subjects returns the channel and its guild, or the channel and the channel lists of its recipients.
func (c Channel) subjects() []Subject { return append(c.owners(), ChannelSubject(c.ID)) }

func (c Channel) owners() []Subject {
	switch {
	case c.Thread != nil:
		return []Subject{GuildSubject(c.Guild), ThreadsSubject(c.Parent)}
	case c.Guild != 0:
		return []Subject{GuildSubject(c.Guild)}
	}
	var subjects []Subject
	for _, u := range c.Recipients {
		subjects = append(subjects, DirectsSubject(u))
	}
	return subjects
}

func (c Channel) write(w *writes) {
	var recipients any // NULL
	if c.Guild == 0 {
		recipients = joined(c.Recipients)
		w.delete(recipientsTable, []string{"channel_id"}, key(c.ID))
		for _, u := range c.Recipients {
			w.put(recipientsTable, key(c.ID), key(u))
		}
	}
	parent, archived, due := c.threadColumns()
	w.put(channelsTable, key(c.ID), key(c.Guild), recipients, w.doc(c), parent, archived, due)
}

// ChannelKey names a channel. Its messages have separate keys.
func ChannelKey(c Channel) Key {
	k := Key{
		subs: c.owners(), ends: []Subject{ChannelSubject(c.ID)},
		rows: []rowKey{{channelsTable, []string{"id"}, []any{key(c.ID)}}},
	}
	if c.Guild == 0 {
		k.rows = append(k.rows, rowKey{recipientsTable, []string{"channel_id"}, []any{key(c.ID)}})
	}
	return k
}

// joined returns ids as one string.
func joined(users []snowflake.User) string {
	var b []byte
	for i, user := range users {
		if i > 0 {
			b = append(b, ',')
		}
		b = user.Append(b)
	}
	return string(b)
}

func (m Member) subjects() []Subject {
	return []Subject{MemberSubject(m.Guild, m.User), MembershipsSubject(m.User)}
}

func (m Member) write(w *writes) {
	guild, user := key(m.Guild), key(m.User)
	w.delete(memberRolesTable, []string{"guild_id", "user_id"}, guild, user)
	for _, role := range m.Roles {
		w.put(memberRolesTable, guild, user, key(role))
	}
	w.put(membersTable, guild, user, w.doc(m))
}

// MemberKey names a member of a guild.
func MemberKey(guild snowflake.Guild, user snowflake.User) Key {
	columns, values := []string{"guild_id", "user_id"}, []any{key(guild), key(user)}
	return Key{
		subs: []Subject{MembershipsSubject(user)}, ends: []Subject{MemberSubject(guild, user)},
		rows: []rowKey{{memberRolesTable, columns, values}, {membersTable, columns, values}},
	}
}

func (i Install) subjects() []Subject {
	if i.Guild != 0 {
		return []Subject{GuildSubject(i.Guild), InstallsSubject(i.Application)}
	}
	return []Subject{UserSubject(i.User)}
}

func (i Install) write(w *writes) {
	w.put(installsTable, key(i.Guild), key(i.User), key(i.Application), w.doc(i))
}

// InstallKey names the install of i.Application in i.Guild or for i.User.
func InstallKey(i Install) Key {
	return Key{subs: i.subjects(), rows: []rowKey{{
		installsTable, []string{"guild_id", "user_id", "application_id"}, []any{key(i.Guild), key(i.User), key(i.Application)},
	}}}
}

// DirectoryQueries reads users, applications, guilds, channels and installs. A page has up to limit records with ids
// above after, and no records when the limit is not positive.
type DirectoryQueries struct{ *reader }

// User returns a user.
func (q DirectoryQueries) User(id snowflake.User) (User, error) {
	q.read(UserSubject(id))
	return find[User](q.reader, usersTable, key(id))
}

// Users returns a page of users.
func (q DirectoryQueries) Users(after snowflake.User, limit int) ([]User, error) {
	return list[User](q.reader, usersTable, page{"id", key(after), limit}, nil)
}

// Application returns an application.
func (q DirectoryQueries) Application(id snowflake.Application) (Application, error) {
	q.read(ApplicationSubject(id))
	return find[Application](q.reader, appsTable, key(id))
}

// Applications returns a page of applications.
func (q DirectoryQueries) Applications(after snowflake.Application, limit int) ([]Application, error) {
	return list[Application](q.reader, appsTable, page{"id", key(after), limit}, nil)
}

// Guild returns a guild.
func (q DirectoryQueries) Guild(id snowflake.Guild) (Guild, error) {
	q.read(GuildSubject(id))
	return find[Guild](q.reader, guildsTable, key(id))
}

// Guilds returns a page of guilds.
func (q DirectoryQueries) Guilds(after snowflake.Guild, limit int) ([]Guild, error) {
	return list[Guild](q.reader, guildsTable, page{"id", key(after), limit}, nil)
}

// Roles returns the roles of a guild.
func (q DirectoryQueries) Roles(guild snowflake.Guild) ([]Role, error) {
	q.read(GuildSubject(guild))
	return list[Role](q.reader, rolesTable, page{}, []string{"guild_id"}, key(guild))
}

// Role returns a role of a guild.
func (q DirectoryQueries) Role(guild snowflake.Guild, id snowflake.Role) (Role, error) {
	q.read(GuildSubject(guild))
	return find[Role](q.reader, rolesTable, key(guild), key(id))
}

// Channel returns a channel.
func (q DirectoryQueries) Channel(id snowflake.Channel) (Channel, error) {
	q.read(ChannelSubject(id))
	return find[Channel](q.reader, channelsTable, key(id))
}

// Channels returns the channels of a guild, without archived threads.
func (q DirectoryQueries) Channels(guild snowflake.Guild) ([]Channel, error) {
	if guild == 0 {
		return nil, nil // direct-message channels belong to no guild
	}
	q.read(GuildSubject(guild))
	rows, err := q.rowsWithout(channelsTable, "archived", page{}, []string{"guild_id"}, key(guild))
	if err != nil {
		return nil, err
	}
	return decodeAll[Channel](channelsTable, rows)
}

// AllChannels returns the channels of a guild with all of its threads.
func (q DirectoryQueries) AllChannels(guild snowflake.Guild) ([]Channel, error) {
	if guild == 0 {
		return nil, nil // direct-message channels belong to no guild
	}
	q.read(GuildSubject(guild))
	return list[Channel](q.reader, channelsTable, page{}, []string{"guild_id"}, key(guild))
}

// DirectChannel returns the direct-message channel between exactly these users, given in ascending order.
func (q DirectoryQueries) DirectChannel(recipients []snowflake.User) (Channel, error) {
	for _, u := range recipients {
		q.read(DirectsSubject(u))
	}
	found, err := list[Channel](q.reader, channelsTable, page{}, []string{"recipients"}, joined(recipients))
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Channel{}, err
	}
	return found[0], nil
}

// DirectChannels returns a user's direct-message channels.
func (q DirectoryQueries) DirectChannels(user snowflake.User) ([]Channel, error) {
	q.read(DirectsSubject(user))
	rows, err := q.rows(recipientsTable, page{}, []string{"user_id"}, key(user))
	if err != nil {
		return nil, err
	}
	var channels []Channel
	for _, row := range rows {
		c, err := find[Channel](q.reader, channelsTable, row[0])
		if err != nil {
			return nil, err
		}
		channels = append(channels, c)
	}
	return channels, nil
}

// Member returns a user, or an application's bot, in a guild.
func (q DirectoryQueries) Member(guild snowflake.Guild, user snowflake.User) (Member, error) {
	q.read(MemberSubject(guild, user))
	return find[Member](q.reader, membersTable, key(guild), key(user))
}

// Members returns a page of a guild's members.
func (q DirectoryQueries) Members(guild snowflake.Guild, after snowflake.User, limit int) ([]Member, error) {
	return list[Member](q.reader, membersTable, page{"user_id", key(after), limit}, []string{"guild_id"}, key(guild))
}

// MembersWith returns up to limit members of a guild who have a role.
func (q DirectoryQueries) MembersWith(guild snowflake.Guild, role snowflake.Role, limit int) ([]Member, error) {
	rows, err := q.rows(memberRolesTable, page{"user_id", 0, limit}, []string{"guild_id", "role_id"}, key(guild), key(role))
	if err != nil {
		return nil, err
	}
	var members []Member
	for _, row := range rows {
		m, err := q.Member(guild, snowflake.User(row.int(1)))
		if err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

// MemberCount returns how many members a guild has in the snapshot. It reads a counter that triggers keep.
func (q DirectoryQueries) MemberCount(guild snowflake.Guild) (int, error) {
	n, err := q.number("SELECT CAST(COALESCE(SUM(members), 0) AS BIGINT) FROM member_counts WHERE guild_id = ?", key(guild))
	return int(n), err
}

// RoleCounts returns how many members have each role of a guild in the snapshot. Roles without members are not in the result.
func (q DirectoryQueries) RoleCounts(guild snowflake.Guild) (map[snowflake.Role]int, error) {
	counts := map[snowflake.Role]int{}
	const query = "SELECT role_id, COUNT(*) FROM member_roles WHERE guild_id = ? GROUP BY role_id"
	err := q.q.Query(query, []any{key(guild)}, func(row Row) error {
		counts[snowflake.Role(row.int(0))] = int(row.int(1))
		return nil
	})
	return counts, err
}

// MemberCountKey names the counter of the members of a guild that was deleted.
func MemberCountKey(guild snowflake.Guild) Key {
	return Key{rows: []rowKey{{memberCountsTable, []string{"guild_id"}, []any{key(guild)}}}}
}

// Memberships returns a page of a user's memberships in the order of the guilds.
func (q DirectoryQueries) Memberships(user snowflake.User, after snowflake.Guild, limit int) ([]Member, error) {
	q.read(MembershipsSubject(user))
	return list[Member](q.reader, membersTable, page{"guild_id", key(after), limit}, []string{"user_id"}, key(user))
}

// GuildInstall returns an application's install in a guild.
func (q DirectoryQueries) GuildInstall(guild snowflake.Guild, app snowflake.Application) (Install, error) {
	q.read(GuildSubject(guild))
	return find[Install](q.reader, installsTable, key(guild), int64(0), key(app))
}

// UserInstall returns an application's install for a user.
func (q DirectoryQueries) UserInstall(user snowflake.User, app snowflake.Application) (Install, error) {
	q.read(UserSubject(user))
	return find[Install](q.reader, installsTable, int64(0), key(user), key(app))
}

// GuildInstalls returns the installs in a guild, in the order of the applications.
func (q DirectoryQueries) GuildInstalls(guild snowflake.Guild) ([]Install, error) {
	q.read(GuildSubject(guild))
	return list[Install](q.reader, installsTable, page{}, []string{"guild_id", "user_id"}, key(guild), int64(0))
}

// UserInstalls returns the installs of a user, in the order of the applications.
func (q DirectoryQueries) UserInstalls(user snowflake.User) ([]Install, error) {
	q.read(UserSubject(user))
	return list[Install](q.reader, installsTable, page{}, []string{"guild_id", "user_id"}, int64(0), key(user))
}

// InstalledGuilds returns a page of the guild installs of an application, in the order of the guilds.
func (q DirectoryQueries) InstalledGuilds(app snowflake.Application, after snowflake.Guild, limit int) ([]Install, error) {
	q.read(InstallsSubject(app))
	return list[Install](q.reader, installsTable, page{"guild_id", key(after), limit}, []string{"application_id"}, key(app))
}

// InstalledUsers returns up to limit user installs of an application.
func (q DirectoryQueries) InstalledUsers(app snowflake.Application, limit int) ([]Install, error) {
	return list[Install](q.reader, installsTable, page{"user_id", 0, limit}, []string{"application_id", "guild_id"}, key(app), int64(0))
}

// InstallCount returns the number of guilds and of users that have installed an application.
func (q DirectoryQueries) InstallCount(app snowflake.Application) (guilds, users int, err error) {
	err = q.q.Query("SELECT COUNT(NULLIF(guild_id, 0)), COUNT(*) FROM installs WHERE application_id = ?", []any{key(app)}, func(row Row) error {
		guilds, users = int(row.int(0)), int(row.int(1)-row.int(0))
		return nil
	})
	return guilds, users, err
}

// except returns err, or nil when err is other.
func except(err, other error) error {
	if errors.Is(err, other) {
		return nil
	}
	return err
}
