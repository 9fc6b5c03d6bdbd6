package wire

import (
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Flags of applications.
const (
	PublicOAuth2Client      = 1 << 8
	GatewayPresenceLimited  = 1 << 13
	GatewayMembersLimited   = 1 << 15
	Embedded                = 1 << 17
	GatewayContentLimited   = 1 << 19
	ApplicationCommandBadge = 1 << 23 // has global commands
)

// Application is the public part of an application.
type Application struct {
	ID                  snowflake.Application `json:"id"`
	Name                string                `json:"name"`
	Icon                NullString            `json:"icon"`
	Description         string                `json:"description"`
	Summary             string                `json:"summary"`
	Type                null                  `json:"type"`
	BotPublic           bool                  `json:"bot_public"`
	BotRequireCodeGrant bool                  `json:"bot_require_code_grant"`
	VerifyKey           string                `json:"verify_key"`
	Flags               uint64                `json:"flags"`
	FlagsNew            string                `json:"flags_new"` // Flags as a string
	Tags                []string              `json:"tags,omitempty"`
}

// OwnApplication is an application as its own bot and its owner see it.
type OwnApplication struct {
	Application

	Owner                          User                      `json:"owner"`
	Team                           null                      `json:"team"`
	Bot                            User                      `json:"bot"`
	RPCOrigins                     []string                  `json:"rpc_origins"`
	RedirectURIs                   []string                  `json:"redirect_uris"`
	InteractionsEndpointURL        NullString                `json:"interactions_endpoint_url"`
	RoleConnectionsVerificationURL NullString                `json:"role_connections_verification_url"`
	CustomInstallURL               string                    `json:"custom_install_url,omitzero"`
	InstallParams                  *InstallParams            `json:"install_params,omitzero"`
	ExplicitContentFilter          int                       `json:"explicit_content_filter"`
	EventWebhooksURL               NullString                `json:"event_webhooks_url"`
	EventWebhooksStatus            int                       `json:"event_webhooks_status"`
	EventWebhooksTypes             []string                  `json:"event_webhooks_types"`
	IntegrationTypesConfig         map[uint8]IntegrationType `json:"integration_types_config"`
	ApproximateGuildCount          int                       `json:"approximate_guild_count"`
	ApproximateUserInstallCount    int                       `json:"approximate_user_install_count"`
	ApproximateAuthorizationCount  int                       `json:"approximate_user_authorization_count"`
	EligibleOAuth2Scopes           []string                  `json:"eligible_oauth2_scopes"`
}

// IntegrationType configures one way to install an application.
type IntegrationType struct {
	InstallParams *InstallParams `json:"oauth2_install_params,omitzero"`
}

// InstallParams are the scopes and permissions of an install link that names none.
type InstallParams struct {
	Scopes      []string        `json:"scopes"`
	Permissions permission.Bits `json:"permissions"`
}
