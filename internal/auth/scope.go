package auth

import (
	"maps"
	"slices"
	"strings"
)

// Scopes that have rules.
const (
	ScopeBot               = "bot"
	ScopeCommands          = "applications.commands"
	ScopeCommandsUpdate    = "applications.commands.update"
	ScopePermissionsUpdate = "applications.commands.permissions.update"
	ScopeIdentify          = "identify"
	ScopeEmail             = "email"
	ScopeGuilds            = "guilds"
	ScopeMembersRead       = "guilds.members.read"
	ScopeOpenID            = "openid"
	ScopeLobbies           = "lobbies.write"
	ScopeSocialLayer       = "sdk.social_layer"
	ScopeGlobalName        = "account.global_name.update"
	ScopePresence          = "sdk.social_layer_presence"
	ScopeEntitlements      = "applications.entitlements"
	ScopeRoleConnections   = "role_connections.write"
)

// presence lists the scopes that ScopePresence includes.
var presence = []string{
	"activities.invites.write", "activities.read", "activities.write", "application_identities.write",
	"gateway.connect", "identify", "relationships.read", "relationships.write",
}

// includes lists the scopes that a scope includes.
var includes = map[string][]string{
	ScopeBot:      {ScopeCommands},
	ScopePresence: presence,
	ScopeSocialLayer: slices.Concat(presence, []string{
		ScopeGlobalName,
		"dm_channels.messages.read", "dm_channels.messages.write", "dm_channels.read",
		"guilds", "guilds.channels.read", ScopeLobbies,
	}),
}

// Allows reports whether one of the scopes is the wanted scope or includes it.
func Allows(scopes []string, want string) bool {
	for _, s := range scopes {
		if s == want || slices.Contains(includes[s], want) {
			return true
		}
	}
	return false
}

// grant is a set of ways to obtain a scope.
type grant uint8

const (
	byUser   grant = 1 << iota // the authorization code grant: a user consents
	byDevice                   // the device grant: a user consents, but an install is not possible
	byClient                   // the client credentials grant: the application acts for its owner
)

// unserved lists the documented scopes for which Bellhop has no endpoints. Clients can request them and get tokens, so
// that programs that use several scopes work. The endpoints of these scopes answer 404.
var unserved = []string{
	"activities.read", "activities.write", "applications.builds.read", "applications.builds.upload",
	"applications.store.update", "connections", "dm_channels.read", "gdm.join", "guilds.join", "messages.read",
	"relationships.read", "rpc", "rpc.activities.write", "rpc.notifications.read", "rpc.voice.read",
	"rpc.voice.write", "voice",
}

// ScopeWebhook is the documented scope that no client can obtain: granting it would have to create a webhook.
const ScopeWebhook = "webhook.incoming"

// obtainable lists the scopes that a client can request, besides those in unserved. Most included scopes cannot be
// requested alone.
var obtainable = map[string]grant{
	ScopeIdentify:          byUser | byDevice | byClient,
	ScopeEmail:             byUser | byDevice | byClient,
	ScopeGuilds:            byUser | byDevice | byClient,
	ScopeMembersRead:       byUser | byDevice | byClient,
	ScopePermissionsUpdate: byUser | byDevice | byClient,
	ScopeCommandsUpdate:    byClient,
	ScopeEntitlements:      byUser | byDevice | byClient,
	ScopeRoleConnections:   byUser | byDevice | byClient,
	ScopeOpenID:            byUser | byDevice,
	ScopeSocialLayer:       byUser | byDevice,
	ScopePresence:          byUser | byDevice,
	ScopeBot:               byUser,
	ScopeCommands:          byUser,
}

// ParseScopes returns the scopes of a request in their order, without duplicates.
func ParseScopes(text string) []string {
	var list []string
	for s := range strings.FieldsSeq(text) {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// GrantableByUser reports whether a user can grant all of these scopes.
func GrantableByUser(scopes []string) bool { return all(scopes, byUser) }

// GrantableToDevice reports whether a user can grant all of these scopes to a device.
func GrantableToDevice(scopes []string) bool { return all(scopes, byDevice) }

// GrantableToClient reports whether the client credentials grant can give all of these scopes.
func GrantableToClient(scopes []string) bool { return all(scopes, byClient) }

func all(scopes []string, g grant) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return obtainable[s]&g == 0 && !slices.Contains(unserved, s) })
}

// Installs reports whether granting the scopes installs the application.
func Installs(scopes []string) bool {
	return slices.Contains(scopes, ScopeBot) || slices.Contains(scopes, ScopeCommands)
}

// OnlyInstalls reports whether granting the scopes only installs the application.
func OnlyInstalls(scopes []string) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return s != ScopeBot && s != ScopeCommands })
}

// Obtainable returns all scopes that a client can request, sorted.
func Obtainable() []string {
	list := slices.AppendSeq(slices.Clone(unserved), maps.Keys(obtainable))
	slices.Sort(list)
	return list
}

// KnownScope reports whether a scope exists, by itself or as part of another scope.
func KnownScope(scope string) bool {
	return obtainable[scope] != 0 || scope == ScopeWebhook || slices.Contains(unserved, scope) || slices.Contains(includes[ScopeSocialLayer], scope)
}
