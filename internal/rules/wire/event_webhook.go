package wire

import "slices"

// The statuses of event webhooks of an application.
const (
	EventWebhooksDisabled    = 1
	EventWebhooksEnabled     = 2
	EventWebhooksSwitchedOff = 3 // by the service, because too many failed in a row
)

// Types of event webhooks. Those about lobbies have the names of events of the gateway.
const (
	ApplicationAuthorized   = "APPLICATION_AUTHORIZED"
	ApplicationDeauthorized = "APPLICATION_DEAUTHORIZED"
)

// EventWebhookTypes returns the types that an application can ask for.
func EventWebhookTypes() []string {
	return []string{
		ApplicationAuthorized, ApplicationDeauthorized, "ENTITLEMENT_CREATE", "ENTITLEMENT_UPDATE", "ENTITLEMENT_DELETE",
		"GAME_DIRECT_MESSAGE_CREATE", "GAME_DIRECT_MESSAGE_DELETE", "GAME_DIRECT_MESSAGE_UPDATE",
		"LOBBY_MESSAGE_CREATE", "LOBBY_MESSAGE_DELETE", "LOBBY_MESSAGE_UPDATE", "QUEST_USER_ENROLLMENT",
	}
}

// KnowsEventWebhook reports whether an application can ask for a type.
func KnowsEventWebhook(name string) bool { return slices.Contains(EventWebhookTypes(), name) }

// AuthorizedEvent is the data of APPLICATION_AUTHORIZED.
type AuthorizedEvent struct {
	IntegrationType *int     `json:"integration_type,omitzero"` // 0 a guild, 1 a user; nil: the application was not installed
	User            User     `json:"user"`
	Scopes          []string `json:"scopes"`
	Guild           *Guild   `json:"guild,omitzero"`
}

// DeauthorizedEvent is the data of APPLICATION_DEAUTHORIZED.
type DeauthorizedEvent struct {
	User User `json:"user"`
}
