package apiv10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

func (a *API) gatewayRoutes() []httpapi.Route {
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: "/gateway", Name: "gateway.get", Doc: "Tell where the gateway is.",
			Answer: map[int]string{200: "Gateway"}, Handle: a.getGateway,
		},
		{
			Method: http.MethodGet, Path: "/gateway/bot", Name: "gateway.bot",
			Doc:   "Tell a bot where the gateway is and how many sessions it may begin.",
			Allow: httpapi.Bots, Group: ratelimit.Other, Answer: map[int]string{200: "BotGateway"}, Handle: a.getBotGateway,
		},
		{
			Method: http.MethodGet, Path: "/gateway", Root: true, Slashed: true, Name: "gateway.open",
			Doc: "Open the gateway, a WebSocket. A request that asks for no upgrade is told to.", Handle: a.openGateway,
			Query: []httpapi.Parameter{
				{Name: "v", Kind: "integer", Doc: "Version of the interface, 9 or 10."},
				{Name: "encoding", Kind: "string", Doc: "json, also when it is left out."},
				{Name: "compress", Kind: "string", Doc: "zlib-stream or zstd-stream; plain text when it is left out."},
			},
		},
	}
}

// openGateway hands the connection over.
func (a *API) openGateway(c *httpapi.Call) error {
	err := a.Gateway.Upgrade(c.ResponseWriter, c.Request)
	if err == nil {
		c.HandedOver()
	}
	return err
}

// address is where the gateway is.
type address struct {
	URL string `json:"url"`
}

func (a *API) getGateway(c *httpapi.Call) error {
	return c.Value(http.StatusOK, address{a.Gateway.Address(c.Request)})
}

// guildsPerShard is of how many guilds one shard is recommended to hear.
const guildsPerShard = 1000

func (a *API) getBotGateway(c *httpapi.Call) error {
	type limit struct {
		Total       int   `json:"total"`
		Remaining   int   `json:"remaining"`
		ResetAfter  int64 `json:"reset_after"` // milliseconds
		Concurrency int   `json:"max_concurrency"`
	}
	guilds, _, err := a.Directory.InstallCount(c.Context(), c.Principal.Application)
	if err != nil {
		return err
	}
	s := a.Gateway.Starts(c.Principal.Application)
	return c.Value(http.StatusOK, struct {
		address

		Shards int   `json:"shards"`
		Limit  limit `json:"session_start_limit"`
	}{
		address{a.Gateway.Address(c.Request)},
		max((guilds+guildsPerShard-1)/guildsPerShard, 1),
		limit{s.Total, s.Remaining, s.ResetAfter, s.AtOnce},
	})
}
