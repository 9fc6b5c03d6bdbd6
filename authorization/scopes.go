package authorization

import "strings"

// DefaultCommunicationScopes returns the scopes of an app that lets people talk: they expand to all that needs, lobbies
// included.
func DefaultCommunicationScopes() string { return "openid sdk.social_layer" }

// DefaultPresenceScopes returns the scopes of an app that shows who is there: they expand to all that needs.
func DefaultPresenceScopes() string { return "openid sdk.social_layer_presence" }

// cleanScopes returns the scopes one space apart, in their order, and whether there is at least one and each is a
// scope-token of RFC 6749.
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
