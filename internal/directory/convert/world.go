package convert

import (
	"cmp"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// WorldUser returns a user as a world record. Like the functions below, it leaves out secrets.
func WorldUser(u store.User) world.User {
	return world.User{
		ID: u.ID, Username: u.Username, GlobalName: u.GlobalName, Locale: u.Locale, Email: u.Email, Minor: u.Minor,
	}
}

// UserRecord returns the stored form of a user. It keeps the images of old, which a world file does not have.
func UserRecord(u world.User, old store.User) store.User {
	return store.User{
		ID: u.ID, Username: u.Username, GlobalName: u.GlobalName, Locale: u.Locale, Email: u.Email, Minor: u.Minor,
		Avatar: old.Avatar, Banner: old.Banner, Provisional: old.Provisional,
	}
}

// WorldApplication returns an application as a world record.
func WorldApplication(a store.Application) world.Application {
	w := world.Application{
		ID: a.ID, Name: a.Name, Description: a.Description, Owner: a.Owner, PublicClient: a.PublicClient,
		Activities: a.Activities, InteractionsEndpointURL: a.InteractionsEndpointURL, RedirectURIs: a.RedirectURIs,
		PostLogoutRedirectURIs: a.LogoutURIs, GrantTypes: a.GrantTypes, RequirePKCE: a.RequirePKCE, ClientKeys: a.ClientKeys,
		RequestsPerSecond:   a.RequestsPerSecond,
		ProvisionalAccounts: world.ProvisionalAccounts{Disabled: a.NoProvisional, Issuer: a.PlayerIssuer, ClientID: a.PlayerClient},
		LobbySearch:         a.LobbySearch,
		SKUs:                worldSKUs(a.SKUs),
		EventWebhooksURL:    a.EventURL, EventWebhooksStatus: a.EventStatus, EventWebhooksTypes: a.EventTypes,
	}
	for _, n := range a.IntegrationTypes {
		w.IntegrationTypes = append(w.IntegrationTypes, int(n))
	}
	for _, intent := range world.PrivilegedIntents() {
		if IntentOn(&a, intent.Name) {
			w.Intents = append(w.Intents, intent.Name)
		}
	}
	return w
}

// IntentOn reports whether a privileged intent, such as world.GuildMembers, is switched on for an application.
func IntentOn(a *store.Application, name string) bool {
	return slices.ContainsFunc(world.PrivilegedIntents(), func(i world.Intent) bool { return i.Name == name && a.Intents&i.Flags != 0 })
}

// intentsOf returns the application flags for a list of privileged intents. Without a list the old flags stay.
func intentsOf(names []string, old uint64) uint64 {
	if names == nil {
		return old
	}
	flags := uint64(0)
	for _, intent := range world.PrivilegedIntents() {
		if slices.Contains(names, intent.Name) {
			flags |= intent.Flags & LimitedIntents
		}
	}
	return flags
}

// ApplicationRecord returns the stored form of an application. It keeps the secrets of old, and the settings of old
// that a world file does not have.
func ApplicationRecord(a world.Application, old store.Application) store.Application {
	r := store.Application{
		ID: a.ID, Name: a.Name, Description: a.Description, Owner: a.Owner, PublicClient: a.PublicClient,
		Activities: a.Activities, InteractionsEndpointURL: a.InteractionsEndpointURL, RedirectURIs: a.RedirectURIs,
		LogoutURIs: a.PostLogoutRedirectURIs, GrantTypes: a.GrantTypes, RequirePKCE: a.RequirePKCE, ClientKeys: a.ClientKeys,
		RequestsPerSecond: a.RequestsPerSecond, SecretHash: old.SecretHash, SigningKey: old.SigningKey,
		Sealed: old.Sealed, VerifyKey: old.VerifyKey,
		Tags: old.Tags, Intents: intentsOf(a.Intents, old.Intents), InstallParams: old.InstallParams, DefaultInstall: old.DefaultInstall,
		CustomInstallURL: old.CustomInstallURL, RoleConnectionsURL: old.RoleConnectionsURL, BotName: old.BotName,
		Icon: old.Icon, BotAvatar: old.BotAvatar, BotBanner: old.BotBanner,
		NoProvisional: a.ProvisionalAccounts.Disabled, PlayerIssuer: a.ProvisionalAccounts.Issuer, PlayerClient: a.ProvisionalAccounts.ClientID,
		LobbySearch: a.LobbySearch, SKUs: skusOf(a.SKUs, old.SKUs), RoleConnections: old.RoleConnections,
		EventURL: a.EventWebhooksURL, EventStatus: a.EventWebhooksStatus, EventTypes: a.EventWebhooksTypes,
	}
	for _, n := range a.IntegrationTypes {
		r.IntegrationTypes = append(r.IntegrationTypes, uint8(n))
	}
	return r
}

// WorldGuild returns a guild as a world record, without its parts.
func WorldGuild(g store.Guild) world.Guild {
	everyone := g.Everyone
	return world.Guild{
		ID: g.ID, Name: g.Name, Owner: g.Owner, PreferredLocale: g.PreferredLocale, Everyone: &everyone, Features: g.Features,
	}
}

// GuildRecord returns the stored form of a guild, without its parts. It keeps the settings of old that a world file does not
// have, and the features of old if the world does not list any.
func GuildRecord(g world.Guild, old store.Guild) store.Guild {
	r := store.Guild{
		ID: g.ID, Name: g.Name, Owner: g.Owner, PreferredLocale: g.PreferredLocale, Everyone: *g.Everyone, GuildSettings: old.GuildSettings,
	}
	if g.Features != nil {
		r.Features = nilIfEmpty(g.Features)
	}
	return r
}

// WorldRole returns a role as a world record.
func WorldRole(r store.Role) world.Role {
	return world.Role{
		ID: r.ID, Name: r.Name, Permissions: r.Permissions, Position: r.Position, Color: r.Color, Hoist: r.Hoist,
		Mentionable: r.Mentionable, Managed: r.Managed,
	}
}

// RoleRecord returns the stored form of a role. It keeps the icon and the further colors of old, which a world file does not have.
func RoleRecord(guild snowflake.Guild, r world.Role, old store.Role) store.Role {
	return store.Role{
		ID: r.ID, Guild: guild, Name: r.Name, Permissions: r.Permissions, Position: r.Position, Color: r.Color, Hoist: r.Hoist,
		Mentionable: r.Mentionable, Managed: r.Managed,
		Secondary: old.Secondary, Tertiary: old.Tertiary, Icon: old.Icon, UnicodeEmoji: old.UnicodeEmoji,
	}
}

// WorldChannel returns a channel of a guild as a world record.
func WorldChannel(c store.Channel) world.Channel {
	w := world.Channel{
		ID: c.ID, Name: c.Name, Type: c.Type, Topic: c.Topic, Position: c.Position, NSFW: c.NSFW, Parent: c.Parent,
		Archived: c.Archived,
	}
	for _, o := range c.Overwrites {
		w.Overwrites = append(w.Overwrites, world.Overwrite(o))
	}
	return w
}

// ChannelRecord returns the stored form of a channel of a guild.
func ChannelRecord(guild snowflake.Guild, c world.Channel) store.Channel {
	r := store.Channel{
		ID: c.ID, Guild: guild, Name: c.Name, Type: c.Type, Topic: c.Topic, Position: c.Position, NSFW: c.NSFW,
		Parent: c.Parent, Archived: c.Archived,
	}
	for _, o := range c.Overwrites {
		r.Overwrites = append(r.Overwrites, store.ChannelOverwrite(o))
	}
	return r
}

// defaultArchive is the time after which a thread of a world is archived, in minutes.
const defaultArchive = 4320

// ThreadRecord returns the stored form of a thread of a channel. old is the stored thread, or its zero value.
func ThreadRecord(g world.Guild, parent snowflake.Channel, h *world.Thread, old store.Channel, now time.Time) store.Channel {
	r := store.Channel{
		ID: h.ID, Guild: g.ID, Type: h.Type, Name: h.Name, Parent: parent, Archived: h.Archived, Owner: cmp.Or(h.Owner, old.Owner, g.Owner),
	}
	state := store.Thread{Since: now, AutoArchive: defaultArchive, Invitable: h.Type == world.PrivateThread}
	if old.Thread != nil {
		r.Flags, r.SlowMode, state = old.Flags, old.SlowMode, *old.Thread
	}
	if old.Thread == nil || old.Archived != h.Archived {
		state.Since, state.Due = now, time.Time{}
		if !h.Archived {
			state.Due = now.Add(time.Duration(state.AutoArchive) * time.Minute)
		}
	}
	state.Locked = h.Locked
	r.Thread = &state
	return r
}

// KeepChannel returns a channel of a world file with what it does not say: the settings that requests made, and the state of a
// thread. old is the stored channel, or its zero value.
func KeepChannel(old, r store.Channel) store.Channel {
	if old.ID != r.ID || old.Guild != r.Guild || world.IsThread(old.Type) != world.IsThread(r.Type) {
		return r
	}
	r.Owner, r.Flags, r.SlowMode, r.Voice, r.Forum = old.Owner, old.Flags, old.SlowMode, old.Voice, old.Forum
	if old.Thread != nil {
		state := *old.Thread
		if old.Archived != r.Archived {
			state.Due = time.Time{}
		}
		r.Thread = &state
	}
	return r
}

// WorldMember returns a member as a world record.
func WorldMember(m store.Member) world.Member {
	return world.Member{User: m.User, Nick: m.Nick, Roles: nilIfEmpty(m.Roles), JoinedAt: m.JoinedAt, TimeoutUntil: m.TimeoutUntil}
}

// MemberRecord returns the stored form of a member. Without a join time in m, it keeps that of old, or uses
// now. It keeps what a world file does not have.
func MemberRecord(guild snowflake.Guild, m world.Member, old store.Member, now time.Time) store.Member {
	return store.Member{
		Guild: guild, User: m.User, Nick: m.Nick, Roles: m.Roles, JoinedAt: firstTime(m.JoinedAt, old.JoinedAt, now),
		TimeoutUntil: m.TimeoutUntil, Mute: old.Mute, Deaf: old.Deaf, Flags: old.Flags,
		Avatar: old.Avatar, Banner: old.Banner, Bio: old.Bio,
	}
}

// WorldGuildInstall returns an install in a guild as a world record.
func WorldGuildInstall(i store.Install) world.GuildInstall {
	return world.GuildInstall{
		Application: i.Application, Scopes: i.Scopes, Permissions: i.Permissions, InstalledAt: i.InstalledAt,
	}
}

// GuildInstallRecord returns the stored form of an install in a guild. Without a time in i, it keeps that of old, or uses now.
func GuildInstallRecord(guild snowflake.Guild, i world.GuildInstall, old store.Install, now time.Time) store.Install {
	return store.Install{
		Application: i.Application, Guild: guild, Scopes: i.Scopes, Permissions: i.Permissions,
		InstalledAt: firstTime(i.InstalledAt, old.InstalledAt, now),
	}
}

// WorldUserInstall returns a user's install as a world record.
func WorldUserInstall(i store.Install) world.UserInstall {
	return world.UserInstall{User: i.User, Application: i.Application, Scopes: i.Scopes, InstalledAt: i.InstalledAt}
}

// UserInstallRecord returns the stored form of a user's install. Without a time in i, it keeps that of old, or uses now.
func UserInstallRecord(i world.UserInstall, old store.Install, now time.Time) store.Install {
	return store.Install{
		Application: i.Application, User: i.User, Scopes: i.Scopes, InstalledAt: firstTime(i.InstalledAt, old.InstalledAt, now),
	}
}

// nilIfEmpty returns nil for an empty list, so that reflect.DeepEqual treats empty lists as equal.
func nilIfEmpty[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// firstTime returns the first time that is not zero.
func firstTime(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}
