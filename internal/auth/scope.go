package auth

import (
	"maps"
	"slices"
	"strings"
)

// Scopes that rules name.
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
	ScopePresence          = "sdk.social_layer_presence"
)

// presence is what the presence umbrella stands for.
var presence = []string{
	"activities.invites.write", "activities.read", "activities.write", "application_identities.write",
	"gateway.connect", "identify", "relationships.read", "relationships.write",
}

// umbrellas lists what a scope allows beyond its own name.
var umbrellas = map[string][]string{
	ScopeBot:      {ScopeCommands},
	ScopePresence: presence,
	ScopeSocialLayer: slices.Concat(presence, []string{
		"dm_channels.messages.read", "dm_channels.messages.write", "dm_channels.read",
		"guilds", "guilds.channels.read", ScopeLobbies,
	}),
}

// Allows reports whether one of the scopes is the wanted one or stands for it.
func Allows(scopes []string, want string) bool {
	for _, s := range scopes {
		if s == want || slices.Contains(umbrellas[s], want) {
			return true
		}
	}
	return false
}

// way is how a scope can be obtained.
type way uint8

const (
	fromPeople way = 1 << iota // a person's consent
	byDevice                   // consent to a device, which has no place to install to
	byOwner                    // an application for itself: it acts for its owner
)

// obtainable lists the scopes that can be asked for. The parts that the umbrellas stand for are not asked for alone.
var obtainable = map[string]way{
	ScopeIdentify:          fromPeople | byDevice | byOwner,
	ScopeEmail:             fromPeople | byDevice | byOwner,
	ScopeGuilds:            fromPeople | byDevice | byOwner,
	ScopeMembersRead:       fromPeople | byDevice | byOwner,
	ScopePermissionsUpdate: fromPeople | byDevice | byOwner,
	ScopeCommandsUpdate:    byOwner,
	ScopeOpenID:            fromPeople | byDevice,
	ScopeSocialLayer:       fromPeople | byDevice,
	ScopePresence:          fromPeople | byDevice,
	ScopeBot:               fromPeople,
	ScopeCommands:          fromPeople,
}

// ParseScopes returns the scopes of a request, each once and in the order in which they were asked for.
func ParseScopes(text string) []string {
	var list []string
	for s := range strings.FieldsSeq(text) {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// FromPeople reports whether a person can grant all of these scopes.
func FromPeople(scopes []string) bool { return all(scopes, fromPeople) }

// ForDevices reports whether a person can grant all of these scopes to a device.
func ForDevices(scopes []string) bool { return all(scopes, byDevice) }

// ForOwners reports whether an application can have all of these scopes for itself.
func ForOwners(scopes []string) bool { return all(scopes, byOwner) }

func all(scopes []string, w way) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return obtainable[s]&w == 0 })
}

// Installs reports whether granting the scopes installs the application.
func Installs(scopes []string) bool {
	return slices.Contains(scopes, ScopeBot) || slices.Contains(scopes, ScopeCommands)
}

// OnlyInstalls reports whether granting the scopes installs the application and does nothing else.
func OnlyInstalls(scopes []string) bool {
	return !slices.ContainsFunc(scopes, func(s string) bool { return s != ScopeBot && s != ScopeCommands })
}

// Obtainable returns every scope that can be asked for.
func Obtainable() []string { return slices.Sorted(maps.Keys(obtainable)) }

// KnownScope reports whether a scope means something, by itself or as a part of an umbrella.
func KnownScope(scope string) bool {
	return obtainable[scope] != 0 || slices.Contains(umbrellas[ScopeSocialLayer], scope)
}
