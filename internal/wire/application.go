package wire

import (
	"crypto/ed25519"
	"encoding/hex"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
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

// Application is an app as everybody sees it.
type Application struct {
	ID                  snowflake.Application `json:"id"`
	Name                string                `json:"name"`
	Icon                null                  `json:"icon"`
	Description         string                `json:"description"`
	Summary             string                `json:"summary"`
	Type                null                  `json:"type"`
	Hook                bool                  `json:"hook"`
	BotPublic           bool                  `json:"bot_public"`
	BotRequireCodeGrant bool                  `json:"bot_require_code_grant"`
	VerifyKey           string                `json:"verify_key"`
	Flags               uint64                `json:"flags"`
	Tags                []string              `json:"tags"`
}

// ApplicationOf returns an app. Whether it has global commands, its record does not say: commands does.
func ApplicationOf(a *store.Application, commands bool) Application {
	return Application{
		ID: a.ID, Name: a.Name, Description: a.Description, Hook: true, BotPublic: true,
		VerifyKey: verifyKey(a.SigningKey), Flags: ApplicationFlags(a, commands), Tags: a.Tags,
	}
}

// verifyKey returns the public half of the key that signs deliveries, in hexadecimal.
func verifyKey(seed []byte) string {
	if len(seed) != ed25519.SeedSize {
		return ""
	}
	public := ed25519.NewKeyFromSeed(seed)[ed25519.PrivateKeySize-ed25519.PublicKeySize:]
	return hex.EncodeToString(public)
}

// ApplicationFlags returns the flags of an app; see ApplicationOf.
func ApplicationFlags(a *store.Application, commands bool) uint64 {
	flags := a.Intents
	if a.PublicClient {
		flags |= PublicOAuth2Client
	}
	if a.Activities {
		flags |= Embedded
	}
	if commands {
		flags |= ApplicationCommandBadge
	}
	return flags
}

// OwnApplication is an app in its own eyes.
type OwnApplication struct {
	Application

	Owner                          User                      `json:"owner"`
	Team                           null                      `json:"team"`
	Bot                            User                      `json:"bot"`
	RPCOrigins                     []string                  `json:"rpc_origins"`
	RedirectURIs                   []string                  `json:"redirect_uris"`
	InteractionsEndpointURL        *string                   `json:"interactions_endpoint_url"`
	RoleConnectionsVerificationURL null                      `json:"role_connections_verification_url"`
	EventWebhooksURL               null                      `json:"event_webhooks_url"`
	EventWebhooksStatus            int                       `json:"event_webhooks_status"`
	EventWebhooksTypes             []string                  `json:"event_webhooks_types"`
	IntegrationTypesConfig         map[uint8]IntegrationType `json:"integration_types_config"`
	ApproximateGuildCount          int                       `json:"approximate_guild_count"`
	ApproximateUserInstallCount    int                       `json:"approximate_user_install_count"`
}

// IntegrationType says how an app is installed in one of the ways that it supports.
type IntegrationType struct {
	InstallParams *InstallParams `json:"oauth2_install_params,omitzero"`
}

// InstallParams are what an install asks for when nothing else is said.
type InstallParams struct {
	Scopes      []string        `json:"scopes"`
	Permissions permission.Bits `json:"permissions"`
}

// webhooksOff is the status of an app that gets no events by HTTP.
const webhooksOff = 1

// Installs counts where an app is installed.
type Installs struct{ Guilds, Users int }

// OwnApplicationOf returns an app in its own eyes.
func OwnApplicationOf(a *store.Application, owner, bot *directory.User, commands bool, installs Installs) OwnApplication {
	own := OwnApplication{
		Application: ApplicationOf(a, commands), Owner: UserOf(owner), Bot: UserOf(bot), RedirectURIs: a.RedirectURIs,
		InteractionsEndpointURL: orNull(a.InteractionsEndpointURL), EventWebhooksStatus: webhooksOff,
		IntegrationTypesConfig: map[uint8]IntegrationType{},
		ApproximateGuildCount:  installs.Guilds, ApproximateUserInstallCount: installs.Users,
	}
	for _, n := range a.IntegrationTypes {
		var way IntegrationType
		if p, ok := a.InstallParams[n]; ok {
			params := InstallParams(p)
			way.InstallParams = &params
		}
		own.IntegrationTypesConfig[n] = way
	}
	return own
}
