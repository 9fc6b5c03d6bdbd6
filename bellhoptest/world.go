package bellhoptest

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// World lists the users, applications and guilds that a server starts with. All fields of all its parts are optional except
// ids and names; Start fills in the defaults that docs/world.md describes. The JSON form is a valid world file.
type World struct {
	Users        []User        `json:"users,omitzero"`
	Applications []Application `json:"applications,omitzero"`
	Guilds       []Guild       `json:"guilds,omitzero"`
	UserInstalls []UserInstall `json:"user_installs,omitzero"`
}

// User is a user of the service.
type User struct {
	ID         snowflake.User `json:"id"`
	Username   string         `json:"username"`
	GlobalName string         `json:"global_name,omitzero"`
	Locale     string         `json:"locale,omitzero"` // default: en-US
	Email      string         `json:"email,omitzero"`
	Minor      bool           `json:"minor,omitzero"`
	Token      string         `json:"token,omitzero"` // of the user's own client; Start makes one if it is empty
}

// Application is an app with its bot user.
type Application struct {
	ID                      snowflake.Application `json:"id"`
	Name                    string                `json:"name"`
	Description             string                `json:"description,omitzero"`
	Owner                   snowflake.User        `json:"owner,omitzero"`         // default: the first user
	BotToken                string                `json:"bot_token,omitzero"`     // Start makes one if it is empty
	ClientSecret            string                `json:"client_secret,omitzero"` // Start makes one if it is empty
	PublicClient            bool                  `json:"public_client,omitzero"`
	IntegrationTypes        []int                 `json:"integration_types,omitzero"` // 0: guilds, 1: users; default: 0
	Activities              bool                  `json:"activities,omitzero"`
	InteractionsEndpointURL string                `json:"interactions_endpoint_url,omitzero"` // empty: the gateway
	RedirectURIs            []string              `json:"redirect_uris,omitzero"`
	PostLogoutRedirectURIs  []string              `json:"post_logout_redirect_uris,omitzero"`
	GrantTypes              []string              `json:"grant_types,omitzero"` // default: all but implicit
	RequirePKCE             bool                  `json:"require_pkce,omitzero"`
	ClientKeys              []string              `json:"client_keys,omitzero"`         // public keys in PEM
	RequestsPerSecond       int                   `json:"requests_per_second,omitzero"` // default: 50
	// Intents are the privileged intents that are switched on: GUILD_MEMBERS, GUILD_PRESENCES, MESSAGE_CONTENT; nil: all.
	Intents []string `json:"intents,omitzero"`
	// ProvisionalAccounts says which players can have provisional accounts. The zero value lets the app name them.
	ProvisionalAccounts ProvisionalAccounts `json:"provisional_accounts,omitzero"`
	LobbySearch         bool                `json:"lobby_search,omitzero"` // the app can search its lobbies
	SKUs                []SKU               `json:"skus,omitzero"`         // what the app sells
	// EventWebhooksURL gets event webhooks of the types EventWebhooksTypes if EventWebhooksStatus is 2.
	EventWebhooksURL    string   `json:"event_webhooks_url,omitzero"`
	EventWebhooksStatus int      `json:"event_webhooks_status,omitzero"`
	EventWebhooksTypes  []string `json:"event_webhooks_types,omitzero"`
}

// SKU is an offer of an app.
type SKU struct {
	ID    snowflake.SKU `json:"id"`
	Type  int           `json:"type"` // 2: durable, 3: consumable, 5: subscription
	Name  string        `json:"name"`
	Flags int           `json:"flags,omitzero"` // default: for sale, and a subscription is for users
}

// ProvisionalAccounts says which players of an app can have provisional accounts.
type ProvisionalAccounts struct {
	Disabled bool   `json:"disabled,omitzero"`
	Issuer   string `json:"issuer,omitzero"`    // the OpenID provider of the players
	ClientID string `json:"client_id,omitzero"` // the id of the game there
}

// Guild is a guild with roles, channels, members and installed apps.
type Guild struct {
	ID              snowflake.Guild  `json:"id"`
	Name            string           `json:"name,omitzero"`             // default: "guild-" and the id
	Owner           snowflake.User   `json:"owner,omitzero"`            // default: the first user
	PreferredLocale string           `json:"preferred_locale,omitzero"` // default: en-US
	Everyone        *permission.Bits `json:"everyone,omitzero"`         // permissions of all members
	Roles           []Role           `json:"roles,omitzero"`
	Channels        []Channel        `json:"channels,omitzero"`
	Members         []Member         `json:"members,omitzero"`
	Installs        []GuildInstall   `json:"installs,omitzero"`
}

// Role is a set of permissions that members of a guild can have.
type Role struct {
	ID          snowflake.Role        `json:"id"`
	Name        string                `json:"name,omitzero"` // default: "role-" and the id
	Permissions permission.Bits       `json:"permissions,omitzero"`
	Position    int                   `json:"position,omitzero"` // from 1, the lowest; default: by order
	Color       int                   `json:"color,omitzero"`
	Hoist       bool                  `json:"hoist,omitzero"`
	Mentionable bool                  `json:"mentionable,omitzero"`
	Managed     snowflake.Application `json:"managed,omitzero"` // the application whose bot has the role
}

// Channel is a channel or a thread of a guild.
type Channel struct {
	ID         snowflake.Channel `json:"id"`
	Name       string            `json:"name,omitzero"` // default: "channel-" and the id
	Type       int               `json:"type,omitzero"`
	Topic      string            `json:"topic,omitzero"`
	Position   int               `json:"position,omitzero"`
	NSFW       bool              `json:"nsfw,omitzero"`
	Parent     snowflake.Channel `json:"parent,omitzero"` // the category of a channel, the channel of a thread
	Archived   bool              `json:"archived,omitzero"`
	Overwrites []Overwrite       `json:"permission_overwrites,omitzero"`
}

// Overwrite changes the permissions of a role or a member in a channel.
type Overwrite struct {
	ID    snowflake.Target `json:"id"`
	Type  int              `json:"type"` // 0: role, 1: member
	Allow permission.Bits  `json:"allow,omitzero"`
	Deny  permission.Bits  `json:"deny,omitzero"`
}

// Member is a user in a guild.
type Member struct {
	User         snowflake.User   `json:"user"`
	Nick         string           `json:"nick,omitzero"`
	Roles        []snowflake.Role `json:"roles,omitzero"`
	JoinedAt     time.Time        `json:"joined_at,omitzero"`
	TimeoutUntil time.Time        `json:"communication_disabled_until,omitzero"`
}

// GuildInstall is an app that is installed in a guild. With the scope "bot" its bot is a member.
type GuildInstall struct {
	Application snowflake.Application `json:"application"`
	Scopes      []string              `json:"scopes,omitzero"` // default: applications.commands
	Permissions permission.Bits       `json:"permissions,omitzero"`
	InstalledAt time.Time             `json:"installed_at,omitzero"`
}

// UserInstall is an app that a user has installed.
type UserInstall struct {
	User        snowflake.User        `json:"user"`
	Application snowflake.Application `json:"application"`
	Scopes      []string              `json:"scopes,omitzero"` // default: applications.commands
	InstalledAt time.Time             `json:"installed_at,omitzero"`
}

// DemoWorld returns the world of "bellhop dev": the users ada, bob and cleo, the app Echo, and the guild Lab.
func DemoWorld() World {
	w, err := convert[World](world.Demo())
	if err != nil {
		panic(err) // the demo world is a constant
	}
	return w
}

// ReadWorld parses a world file, YAML or JSON. An error in the file ends the test.
func ReadWorld(t testing.TB, file string) World {
	t.Helper()
	read, err := world.Parse("world", []byte(file))
	if err != nil {
		t.Fatalf("bellhoptest: %v", err)
	}
	w, err := convert[World](read)
	if err != nil {
		t.Fatalf("bellhoptest: %v", err)
	}
	return w
}

// complete validates w and fills in the defaults.
func (w World) complete() (world.World, error) {
	file, err := json.Marshal(w)
	if err != nil {
		return world.World{}, err
	}
	return world.Parse("world", file)
}

// convert copies one form of a world to the other by way of JSON, which is the same for both.
func convert[T any](from any) (T, error) {
	var to T
	doc, err := json.Marshal(from)
	if err != nil {
		return to, fmt.Errorf("write the world: %w", err)
	}
	if err := json.Unmarshal(doc, &to); err != nil {
		return to, fmt.Errorf("read the world: %w", err)
	}
	return to, nil
}

// botTokens returns the bot token of each application: the one in the world, or the one that the service made.
func botTokens(w World, made provision.Applied) map[snowflake.Application]string {
	tokens := map[snowflake.Application]string{}
	for _, a := range w.Applications {
		tokens[a.ID] = a.BotToken
	}
	for id, secret := range made.BotTokens {
		tokens[id] = secret.Reveal()
	}
	return tokens
}

func userTokens(w World, made provision.Applied) map[snowflake.User]string {
	tokens := map[snowflake.User]string{}
	for _, u := range w.Users {
		tokens[u.ID] = u.Token
	}
	for id, secret := range made.UserTokens {
		tokens[id] = secret.Reveal()
	}
	return tokens
}
