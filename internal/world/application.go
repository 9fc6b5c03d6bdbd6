package world

import (
	"bytes"
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/url"
	"slices"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/premium"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Application is an application.
type Application struct {
	ID               snowflake.Application `json:"id"`
	Name             string                `json:"name"`
	Description      string                `json:"description,omitzero"`
	Owner            snowflake.User        `json:"owner"`                  // default: the first user of the file
	BotToken         string                `json:"bot_token,omitzero"`     // empty: the stored one stays, or one is created
	ClientSecret     string                `json:"client_secret,omitzero"` // as BotToken
	PublicClient     bool                  `json:"public_client,omitzero"` // may exchange codes and refresh tokens without a client secret
	IntegrationTypes []int                 `json:"integration_types"`      // ascending; 0 guilds, 1 users; default: [0]
	Activities       bool                  `json:"activities,omitzero"`
	// InteractionsEndpointURL is the URL to which interactions are posted. When it is empty, the gateway delivers them.
	InteractionsEndpointURL string   `json:"interactions_endpoint_url,omitzero"`
	RedirectURIs            []string `json:"redirect_uris,omitzero"`
	PostLogoutRedirectURIs  []string `json:"post_logout_redirect_uris,omitzero"`
	// GrantTypes are the ways in which the application may obtain tokens, ascending; empty: DefaultGrantTypes.
	GrantTypes        []string `json:"grant_types,omitzero"`
	RequirePKCE       bool     `json:"require_pkce,omitzero"` // codes need a challenge
	ClientKeys        []string `json:"client_keys,omitzero"`  // public keys in PEM, for private_key_jwt
	RequestsPerSecond int      `json:"requests_per_second"`   // default: 50
	// Intents are the names of the privileged intents that are switched on, ascending. nil: the stored ones stay.
	Intents []string `json:"intents,omitzero"`
	// SKUs are the offers of the application, ascending. nil: the stored ones stay.
	SKUs []SKU `json:"skus,omitzero"`
	// ProvisionalAccounts says which players can have provisional accounts.
	ProvisionalAccounts ProvisionalAccounts `json:"provisional_accounts,omitzero"`
	// LobbySearch lets the application search its lobbies.
	LobbySearch bool `json:"lobby_search,omitzero"`
	// EventWebhooksURL gets event webhooks of the types EventWebhooksTypes, ascending, if EventWebhooksStatus is 2. The status 3
	// means that the service has switched them off; 1 is stored as 0.
	EventWebhooksURL    string   `json:"event_webhooks_url,omitzero"`
	EventWebhooksStatus int      `json:"event_webhooks_status,omitzero"`
	EventWebhooksTypes  []string `json:"event_webhooks_types,omitzero"`
}

// ProvisionalAccounts says which players of an application can have provisional accounts. The zero value lets the application
// itself name them, with its bot token.
type ProvisionalAccounts struct {
	Disabled bool `json:"disabled,omitzero"` // nobody can have one
	// Issuer is the OpenID provider whose ID tokens players sign in with, and ClientID the id of the game there; empty: none.
	Issuer   string `json:"issuer,omitzero"`
	ClientID string `json:"client_id,omitzero"`
}

func (p *ProvisionalAccounts) read(o *object) {
	p.Disabled = o.bool("disabled")
	p.Issuer = o.mayBeEmpty("issuer")
	p.ClientID = o.mayBeEmpty("client_id")
}

// maxClientID bounds the id of a game at an OpenID provider.
const maxClientID = 256

func (p *ProvisionalAccounts) complete(t *jsonbody.Tree) {
	endpoint(t, "issuer", p.Issuer)
	if u, err := url.Parse(p.Issuer); err == nil && u.RawQuery != "" {
		find(t, "issuer", func(at *jsonbody.Tree) { at.Add(BadText, "Must have no query.") })
	}
	text(t, "client_id", p.ClientID, 0, maxClientID)
	switch {
	case p.Issuer != "" && p.ClientID == "":
		required(t, "client_id", false)
	case p.ClientID != "" && p.Issuer == "":
		required(t, "issuer", false)
	}
}

// Intent is an intent of the gateway that has to be switched on for an application.
type Intent struct {
	Name  string
	Bit   uint64 // of the intent
	Flags uint64 // of the application; one of them switches the intent on
}

// The names of privileged intents.
const (
	GuildMembers   = "GUILD_MEMBERS"
	GuildPresences = "GUILD_PRESENCES"
	MessageContent = "MESSAGE_CONTENT"
)

// PrivilegedIntents returns the intents that have to be switched on for an application, by name.
func PrivilegedIntents() []Intent {
	return []Intent{
		{GuildMembers, 1 << 1, 1<<14 | 1<<15},
		{GuildPresences, 1 << 8, 1<<12 | 1<<13},
		{MessageContent, 1 << 15, 1<<18 | 1<<19},
	}
}

// AllIntents returns the names of the privileged intents.
func AllIntents() []string {
	var names []string
	for _, i := range PrivilegedIntents() {
		names = append(names, i.Name)
	}
	return names
}

// The grant types of applications.
const (
	GrantCode        = "authorization_code"
	GrantCredentials = "client_credentials"
	GrantDevice      = "device_code"
	GrantImplicit    = "implicit"
	GrantRefresh     = "refresh_token"
)

// DefaultGrantTypes returns the grant types of an application that lists none. The implicit grant is not among them: it
// shows access tokens to the browser.
func DefaultGrantTypes() []string {
	return []string{GrantCode, GrantCredentials, GrantDevice, GrantRefresh}
}

// defaultRequestsPerSecond is the rate limit of the specification.
const defaultRequestsPerSecond = 50

func (a *Application) read(o *object) {
	a.ID = id[snowflake.Application](o, "id")
	a.Name = o.text("name")
	a.Description = o.mayBeEmpty("description")
	a.Owner = id[snowflake.User](o, "owner")
	a.BotToken = o.secret("bot_token")
	a.ClientSecret = o.secret("client_secret")
	a.PublicClient = o.bool("public_client")
	a.IntegrationTypes = o.ints("integration_types", 1, 2, 0, 1)
	a.Activities = o.bool("activities")
	a.InteractionsEndpointURL = o.mayBeEmpty("interactions_endpoint_url")
	a.RedirectURIs = o.texts("redirect_uris", 0, MaxRedirects)
	a.PostLogoutRedirectURIs = o.texts("post_logout_redirect_uris", 0, MaxRedirects)
	a.GrantTypes = o.texts("grant_types", 1, len(DefaultGrantTypes())+1)
	a.RequirePKCE = o.bool("require_pkce")
	a.ClientKeys = o.texts("client_keys", 0, MaxClientKeys)
	a.RequestsPerSecond = o.int("requests_per_second", MinRequestsPerSecond, MaxRequestsPerSecond)
	a.LobbySearch = o.bool("lobby_search")
	a.EventWebhooksURL = o.mayBeEmpty("event_webhooks_url")
	a.EventWebhooksStatus = o.int("event_webhooks_status", wire.EventWebhooksDisabled, wire.EventWebhooksSwitchedOff)
	a.EventWebhooksTypes = o.texts("event_webhooks_types", 0, len(wire.EventWebhookTypes()))
	if v, at, set := o.take("provisional_accounts"); set {
		a.ProvisionalAccounts = readRecord[ProvisionalAccounts](at, v)
	}
	if a.SKUs = list[SKU](o, "skus", premium.MaxSKUs); a.SKUs == nil && o.value.Get("skus").IsSet() {
		a.SKUs = []SKU{}
	}
	if a.Intents = o.texts("intents", 0, len(PrivilegedIntents())); a.Intents == nil && o.value.Get("intents").IsSet() {
		a.Intents = []string{}
	}
}

// Complete returns the application with default values for absent members, or a *jsonbody.Tree with its problems.
func (a Application) Complete() (Application, error) { return completed(a) }

func (a *Application) complete(t *jsonbody.Tree) {
	if len(a.IntegrationTypes) == 0 {
		a.IntegrationTypes = []int{0}
	}
	a.RequestsPerSecond = cmp.Or(a.RequestsPerSecond, defaultRequestsPerSecond)
	a.RedirectURIs, a.PostLogoutRedirectURIs = clone(a.RedirectURIs), clone(a.PostLogoutRedirectURIs)
	required(t, "id", a.ID != 0)
	name(t, "name", a.Name, 1, 32)
	text(t, "description", a.Description, 0, 400)
	required(t, "owner", a.Owner != 0)
	credential(t, "bot_token", a.BotToken)
	credential(t, "client_secret", a.ClientSecret)
	ascending(t, "integration_types", &a.IntegrationTypes)
	for _, n := range a.IntegrationTypes {
		within(t, "integration_types", n, 0, 1)
	}
	endpoint(t, "interactions_endpoint_url", a.InteractionsEndpointURL)
	redirects(t, "redirect_uris", a.RedirectURIs)
	redirects(t, "post_logout_redirect_uris", a.PostLogoutRedirectURIs)
	a.completeClient(t)
	within(t, "requests_per_second", a.RequestsPerSecond, MinRequestsPerSecond, MaxRequestsPerSecond)
	a.completeIntents(t)
	a.completeSKUs(t.At("skus"))
	a.ProvisionalAccounts.complete(t.At("provisional_accounts"))
	a.completeEventWebhooks(t)
}

// completeEventWebhooks sorts the types of event webhooks.
func (a *Application) completeEventWebhooks(t *jsonbody.Tree) {
	endpoint(t, "event_webhooks_url", a.EventWebhooksURL)
	if a.EventWebhooksStatus == wire.EventWebhooksDisabled {
		a.EventWebhooksStatus = 0
	}
	for i, name := range a.EventWebhooksTypes {
		if at := t.At("event_webhooks_types").Index(i); !wire.KnowsEventWebhook(name) && !at.Failed() {
			at.NotOneOf(wire.EventWebhookTypes()...)
		}
	}
	ascending(t, "event_webhooks_types", &a.EventWebhooksTypes)
	if len(a.EventWebhooksTypes) == 0 {
		a.EventWebhooksTypes = nil
	}
}

// completeIntents sorts the intents and removes those that are there twice.
func (a *Application) completeIntents(t *jsonbody.Tree) {
	if a.Intents == nil {
		return
	}
	known := AllIntents()
	for i, name := range a.Intents {
		if at := t.At("intents").Index(i); !slices.Contains(known, name) && !at.Failed() {
			at.NotOneOf(known...)
		}
	}
	a.Intents = slices.DeleteFunc(known, func(name string) bool { return !slices.Contains(a.Intents, name) })
}

// completeClient completes how the application obtains tokens.
func (a *Application) completeClient(t *jsonbody.Tree) {
	known := append(DefaultGrantTypes(), GrantImplicit)
	for i, g := range a.GrantTypes {
		if at := t.At("grant_types").Index(i); !slices.Contains(known, g) && !at.Failed() {
			at.NotOneOf(known...)
		}
	}
	ascending(t, "grant_types", &a.GrantTypes)
	a.ClientKeys = clone(a.ClientKeys)
	if len(a.ClientKeys) > MaxClientKeys {
		find(t, "client_keys", func(at *jsonbody.Tree) { length(at, 0, MaxClientKeys) })
	}
	for i, text := range a.ClientKeys {
		if _, err := ParseClientKey(text); err != nil && !t.At("client_keys").Index(i).Failed() {
			t.At("client_keys").Index(i).Add(BadText, "Must be a public key in PEM: RSA with at least 2048 bits, ECDSA with P-256, or Ed25519.")
		}
	}
}

var errClientKey = errors.New("not a public key of a supported type")

// ParseClientKey reads a public key that verifies the assertions of a client: an *rsa.PublicKey, an *ecdsa.PublicKey or
// an ed25519.PublicKey.
func ParseClientKey(text string) (crypto.PublicKey, error) {
	block, rest := pem.Decode([]byte(text))
	if block == nil || block.Type != "PUBLIC KEY" || len(bytes.TrimSpace(rest)) > 0 || len(text) > maxClientKey {
		return nil, errClientKey
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, errClientKey
	}
	switch k := key.(type) {
	case *rsa.PublicKey:
		if k.N.BitLen() >= 2048 {
			return k, nil
		}
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return k, nil
		}
	case ed25519.PublicKey:
		return k, nil
	}
	return nil, errClientKey
}
