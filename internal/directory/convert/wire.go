// Package convert converts records of the directory: to API objects, to and from the records of a world file, and from the
// bodies of requests that edit them. It performs no I/O.
package convert

import (
	"cmp"
	"encoding/hex"
	"slices"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// WireUser returns the API object of a user.
func WireUser(u *store.User) wire.User {
	shown := wire.User{
		ID: u.ID, Username: u.Username, Discriminator: "0", GlobalName: wire.NullString(u.GlobalName), Bot: u.Bot,
		Avatar: wire.NullString(u.Avatar), Banner: wire.NullString(u.Banner),
	}
	if u.Provisional != 0 {
		shown.PublicFlags = wire.ProvisionalAccount
		shown.Flags = wire.ProvisionalAccount
	}
	return shown
}

// WireWebhookAuthor returns the user object that stands for a webhook as the author of a message.
func WireWebhookAuthor(h *store.WebhookAuthor) wire.User {
	return wire.User{
		ID: snowflake.User(h.ID), Username: h.Name, Discriminator: "0000", Avatar: wire.NullString(h.Avatar), Bot: true,
	}
}

// WireMe returns the API object of a user as the user itself sees it. mail adds the email address. A bot has none and
// counts as verified.
func WireMe(u *store.User, mail bool) wire.Me {
	me := wire.Me{User: WireUser(u), Locale: u.Locale}
	if mail {
		me.Mail = &wire.Mail{Email: wire.NullString(u.Email), Verified: u.Bot || u.Email != ""}
	}
	return me
}

// WireMember returns the API object of a member. u is the member's user.
func WireMember(m store.Member, u *store.User) wire.Member {
	return wire.Member{
		User: WireUser(u), Nick: wire.NullString(m.Nick), Roles: m.Roles,
		JoinedAt: wire.Time(m.JoinedAt), TimeoutUntil: wire.Time(m.TimeoutUntil),
		Mute: m.Mute, Deaf: m.Deaf, Flags: m.Flags, Avatar: wire.NullString(m.Avatar), Banner: wire.NullString(m.Banner),
	}
}

// WireRole returns the API object of a role.
func WireRole(r store.Role) wire.Role {
	role := wire.Role{
		ID: r.ID, Name: r.Name, Color: r.Color, Colors: wire.Colors{Primary: r.Color, Secondary: r.Secondary, Tertiary: r.Tertiary},
		Hoist: r.Hoist, Icon: wire.NullString(r.Icon), UnicodeEmoji: wire.NullString(r.UnicodeEmoji), Position: r.Position,
		Permissions: r.Permissions, Managed: r.Managed != 0, Mentionable: r.Mentionable,
	}
	if r.Managed != 0 {
		role.Tags = &wire.RoleTags{BotID: r.Managed}
	}
	return role
}

// WireRoles returns the API objects of roles, in the order of the roles.
func WireRoles(roles []store.Role) []wire.Role {
	list := make([]wire.Role, len(roles))
	for i, r := range roles {
		list[i] = WireRole(r)
	}
	return list
}

// Default values of guilds.
const (
	DefaultAFKTimeout      = 300 // seconds
	defaultVideoUsers      = 25
	defaultStageVideoUsers = 50
)

// WireEmoji returns the API object of an emoji. user is its creator, nil to hide it.
func WireEmoji(e store.CustomEmoji, user *store.User) wire.Emoji {
	shown := wire.Emoji{ID: e.ID, Name: e.Name, Roles: e.Roles, RequireColons: true, Animated: e.Animated, Available: true}
	if user != nil {
		creator := WireUser(user)
		shown.User = &creator
	}
	return shown
}

// WireEmojis returns the API objects of emojis without their creators.
func WireEmojis(emojis []store.CustomEmoji) []wire.Emoji {
	list := make([]wire.Emoji, len(emojis))
	for i, e := range emojis {
		list[i] = WireEmoji(e, nil)
	}
	return list
}

// WireGuild returns the API object of a guild with its roles and emojis. counts may be nil.
func WireGuild(g store.Guild, roles []store.Role, emojis []store.CustomEmoji, counts *wire.Counts) wire.Guild {
	return wire.Guild{
		ID: g.ID, Name: g.Name, OwnerID: g.Owner, PreferredLocale: g.PreferredLocale, Roles: WireRoles(roles), Emojis: WireEmojis(emojis),
		Features: g.Features, Icon: wire.NullString(g.Icon), Splash: wire.NullString(g.Splash),
		DiscoverySplash: wire.NullString(g.DiscoverySplash), Banner: wire.NullString(g.Banner), HomeHeader: wire.NullString(g.HomeHeader),
		Description: wire.NullString(g.Description), VerificationLevel: g.VerificationLevel,
		DefaultMessageNotifications: g.Notifications, ExplicitContentFilter: g.ContentFilter,
		AFKChannelID: orNull(g.AFKChannel), AFKTimeout: cmp.Or(g.AFKTimeout, DefaultAFKTimeout),
		SystemChannelID: orNull(g.SystemChannel), SystemChannelFlags: g.SystemFlags, RulesChannelID: orNull(g.RulesChannel),
		PublicUpdatesChannelID: orNull(g.UpdatesChannel), SafetyAlertsChannelID: orNull(g.SafetyChannel),
		PremiumProgressBarEnabled: g.ProgressBar, Region: wire.NoRegion, MaxMembers: world.MaxMembers,
		MaxVideoChannelUsers: defaultVideoUsers, MaxStageVideoChannelUsers: defaultStageVideoUsers, Counts: counts,
	}
}

// orNull returns nil for no channel.
func orNull(id snowflake.Channel) *snowflake.Channel {
	if id == 0 {
		return nil
	}
	return &id
}

// WireOwnGuild returns the entry of a guild in the list of a user's guilds. permissions are the user's; counts may be
// nil.
func WireOwnGuild(g store.Guild, user snowflake.User, permissions permission.Bits, counts *wire.Counts) wire.OwnGuild {
	return wire.OwnGuild{
		ID: g.ID, Name: g.Name, Icon: wire.NullString(g.Icon), Banner: wire.NullString(g.Banner), Features: g.Features,
		Owner: g.Owner == user, Permissions: permissions, Counts: counts,
	}
}

// WireFullGuild returns the object of GUILD_CREATE: a guild with its channels, its active threads and some of its
// members. joined is when the receiver joined, count the number of all members; large says that members are left out.
func WireFullGuild(
	g wire.Guild, channels []wire.Channel, threads []wire.Thread, members []wire.Member, joined wire.Time, count int, large bool,
) wire.FullGuild {
	return wire.FullGuild{
		Guild: g, JoinedAt: joined, Large: large, MemberCount: count, Members: members, Channels: channels, Threads: threads,
	}
}

// WireInvite returns the API object of an invite.
func WireInvite(code string, expires time.Time, g store.Guild, c store.Channel) wire.Invite {
	return wire.Invite{
		Code: code, ExpiresAt: wire.Time(expires), GuildID: g.ID, Channel: wire.InviteChannel{ID: c.ID, Name: c.Name, Type: c.Type},
		Guild: wire.InviteGuild{
			ID: g.ID, Name: g.Name, Icon: wire.NullString(g.Icon), Splash: wire.NullString(g.Splash), Banner: wire.NullString(g.Banner),
			Description: wire.NullString(g.Description), Features: g.Features, VerificationLevel: g.VerificationLevel,
		},
	}
}

// WireInviteRole returns a role as an invite shows it.
func WireInviteRole(r store.Role) wire.InviteRole {
	role := WireRole(r)
	return wire.InviteRole{
		ID: role.ID, Name: role.Name, Position: role.Position, Color: role.Color, Colors: role.Colors, Icon: role.Icon,
		UnicodeEmoji: role.UnicodeEmoji,
	}
}

// WirePreview returns what a guild shows of itself to others.
func WirePreview(g store.Guild, emojis []store.CustomEmoji, counts *wire.Counts) wire.GuildPreview {
	full := WireGuild(g, nil, emojis, counts)
	return wire.GuildPreview{
		ID: full.ID, Name: full.Name, Icon: full.Icon, Splash: full.Splash, DiscoverySplash: full.DiscoverySplash, HomeHeader: full.HomeHeader,
		Emojis: full.Emojis, Features: full.Features, Description: full.Description, Stickers: full.Stickers, Counts: counts,
	}
}

// WireApplication returns the public API object of an application. commands says whether it has global commands.
func WireApplication(a *store.Application, commands bool) wire.Application {
	flags := ApplicationFlags(a, commands)
	return wire.Application{
		ID: a.ID, Name: a.Name, Icon: wire.NullString(a.Icon), Description: a.Description, BotPublic: true,
		VerifyKey: hex.EncodeToString(a.VerifyKey), Flags: flags, FlagsNew: strconv.FormatUint(flags, 10), Tags: a.Tags,
	}
}

// WantsEvent reports whether an application gets event webhooks of a type.
func WantsEvent(a *store.Application, event string) bool {
	return a.EventStatus == wire.EventWebhooksEnabled && slices.Contains(a.EventTypes, event)
}

// ApplicationFlags returns the flags of an application. commands says whether it has global commands.
func ApplicationFlags(a *store.Application, commands bool) uint64 {
	flags := a.Intents
	if a.PublicClient {
		flags |= wire.PublicOAuth2Client
	}
	if a.Activities {
		flags |= wire.Embedded
	}
	if commands {
		flags |= wire.ApplicationCommandBadge
	}
	return flags
}

// Installs counts the installs of an application.
type Installs struct{ Guilds, Users int }

// WireOwnApplication returns the API object of an application as its own bot and its owner see it. The caller sets the
// eligible scopes.
func WireOwnApplication(a *store.Application, owner, bot *store.User, commands bool, installs Installs) wire.OwnApplication {
	own := wire.OwnApplication{
		Application: WireApplication(a, commands), Owner: WireUser(owner), Bot: WireUser(bot), RedirectURIs: a.RedirectURIs,
		InteractionsEndpointURL: wire.NullString(a.InteractionsEndpointURL), EventWebhooksURL: wire.NullString(a.EventURL),
		EventWebhooksStatus: cmp.Or(a.EventStatus, wire.EventWebhooksDisabled), EventWebhooksTypes: a.EventTypes,
		IntegrationTypesConfig: map[uint8]wire.IntegrationType{},
		ApproximateGuildCount:  installs.Guilds, ApproximateUserInstallCount: installs.Users,
		ApproximateAuthorizationCount:  installs.Users,
		RoleConnectionsVerificationURL: wire.NullString(a.RoleConnectionsURL), CustomInstallURL: a.CustomInstallURL,
	}
	if a.DefaultInstall != nil {
		params := wire.InstallParams(*a.DefaultInstall)
		own.InstallParams = &params
	}
	for _, n := range a.IntegrationTypes {
		var config wire.IntegrationType
		if p, ok := a.InstallParams[n]; ok {
			params := wire.InstallParams(p)
			config.InstallParams = &params
		}
		own.IntegrationTypesConfig[n] = config
	}
	return own
}

// WireIntegration returns the API object of an application's install in a guild.
func WireIntegration(a *store.Application, in store.Install, bot *store.User) wire.Integration {
	return wire.Integration{
		ID: a.ID, Name: a.Name, Type: "discord", Enabled: true, Account: wire.Account{ID: a.ID, Name: a.Name}, Scopes: in.Scopes,
		Application: wire.IntegrationApp{
			ID: a.ID, Name: a.Name, Icon: wire.NullString(a.Icon), Description: a.Description, Bot: WireUser(bot),
		},
	}
}

// WirePermissions returns the API object of the permission entries of a command.
func WirePermissions(set store.OverwriteSet) wire.CommandPermissions {
	p := wire.CommandPermissions{
		ID: set.ID, ApplicationID: set.Application, GuildID: set.Guild,
		Permissions: make([]wire.PermissionEntry, len(set.Entries)),
	}
	for i, e := range set.Entries {
		p.Permissions[i] = wire.PermissionEntry{ID: e.ID, Type: e.Type, Permission: e.Allow}
	}
	return p
}
