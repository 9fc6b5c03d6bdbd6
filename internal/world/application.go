package world

import (
	"cmp"

	"github.com/bellhop/bellhop/internal/jsonbody"
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
	RequestsPerSecond       int      `json:"requests_per_second"` // default: 50
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
	a.RequestsPerSecond = o.int("requests_per_second", MinRequestsPerSecond, MaxRequestsPerSecond)
}

// Complete returns the application with default values for absent members, or a *jsonbody.Tree with its problems.
func (a Application) Complete() (Application, error) { return completed(a) }

func (a *Application) complete(t *jsonbody.Tree) {
	if len(a.IntegrationTypes) == 0 {
		a.IntegrationTypes = []int{0}
	}
	a.RequestsPerSecond = cmp.Or(a.RequestsPerSecond, defaultRequestsPerSecond)
	a.RedirectURIs = clone(a.RedirectURIs)
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
	if len(a.RedirectURIs) > MaxRedirects {
		find(t, "redirect_uris", func(at *jsonbody.Tree) { length(at, 0, MaxRedirects) })
	}
	for i, uri := range a.RedirectURIs {
		redirect(t.At("redirect_uris").Index(i), uri)
	}
	within(t, "requests_per_second", a.RequestsPerSecond, MinRequestsPerSecond, MaxRequestsPerSecond)
}
