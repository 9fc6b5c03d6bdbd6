package authorization

import "strings"

// DefaultCommunicationScopes returns the scopes for an app in which users talk to each other. They include all scopes
// that such an app needs, among them the scopes for lobbies.
func DefaultCommunicationScopes() string { return "openid sdk.social_layer" }

// DefaultPresenceScopes returns the scopes for an app that shows which users are online. They include all scopes that
// such an app needs.
func DefaultPresenceScopes() string { return "openid sdk.social_layer_presence" }

// cleanScopes returns the scopes separated by single spaces. It returns false when there is no scope or when one of them
// is not a scope-token of RFC 6749.
func cleanScopes(scopes string) (string, bool) {
	fields := strings.Fields(scopes)
	for _, scope := range fields {
		if strings.ContainsFunc(scope, notInScope) {
			return "", false
		}
	}
	return strings.Join(fields, " "), len(fields) > 0
}

func notInScope(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }
