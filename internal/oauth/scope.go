package oauth

import "slices"

// Scopes that rules name.
const (
	ScopeBot               = "bot"
	ScopeCommands          = "applications.commands"
	ScopeCommandsUpdate    = "applications.commands.update"
	ScopePermissionsUpdate = "applications.commands.permissions.update"
	ScopeIdentify          = "identify"
	ScopeEmail             = "email"
	ScopeGuilds            = "guilds"
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
