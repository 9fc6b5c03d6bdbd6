package auth_test

import (
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/auth"
)

// documented lists the scopes of Discord's documentation on OAuth2, without the SDK's.
var documented = []string{
	"activities.read", "activities.write", "applications.builds.read", "applications.builds.upload", "applications.commands",
	"applications.commands.update", "applications.commands.permissions.update", "applications.entitlements",
	"applications.store.update", "bot", "connections", "dm_channels.read", "email", "gdm.join", "guilds", "guilds.join",
	"guilds.members.read", "identify", "messages.read", "relationships.read", "role_connections.write", "rpc",
	"rpc.activities.write", "rpc.notifications.read", "rpc.voice.read", "rpc.voice.write", "voice", "webhook.incoming",
}

func TestDocumentedScopes(t *testing.T) {
	t.Parallel()
	for _, s := range documented {
		if !auth.KnownScope(s) {
			t.Errorf("KnownScope(%s) = false", s)
		}
		if got := slices.Contains(auth.Obtainable(), s); got != (s != auth.ScopeWebhook) {
			t.Errorf("%s is obtainable: %v", s, got)
		}
	}
	if !slices.IsSorted(auth.Obtainable()) {
		t.Error("Obtainable() is not sorted")
	}
	for _, tt := range []struct {
		name   string
		scopes []string
		of     func([]string) bool
		want   bool
	}{
		{"the documentation's example of client credentials", []string{"identify", "connections"}, auth.GrantableToClient, true},
		{"connections by a user", []string{"identify", "connections", "guilds.join"}, auth.GrantableByUser, true},
		{"connections by a user on a device", []string{"connections"}, auth.GrantableToDevice, true},
		{"a webhook", []string{"identify", "webhook.incoming"}, auth.GrantableByUser, false},
		{"an unknown scope", []string{"identify", "everything"}, auth.GrantableToClient, false},
		{"an included scope alone", []string{"lobbies.write"}, auth.GrantableByUser, false},
		{"command updates by a user", []string{"applications.commands.update"}, auth.GrantableByUser, false},
	} {
		if got := tt.of(tt.scopes); got != tt.want {
			t.Errorf("%s: grantable %v, want %v", tt.name, got, tt.want)
		}
	}
}
