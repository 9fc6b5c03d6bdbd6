package api

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

func (a *API) gatewayRoutes() []route {
	return []route{
		{
			method: http.MethodGet, path: "/gateway", name: "gateway.get", doc: "Tell where the gateway is.",
			answer: map[int]string{200: "Gateway"}, handle: a.getGateway,
		},
		{
			method: http.MethodGet, path: "/gateway/bot", name: "gateway.bot",
			doc:   "Tell a bot where the gateway is and how many sessions it may begin.",
			allow: bots, group: ratelimit.Other, answer: map[int]string{200: "BotGateway"}, handle: a.getBotGateway,
		},
		{
			method: http.MethodGet, path: "/gateway", root: true, slashed: true, name: "gateway.open",
			doc: "Open the gateway, a WebSocket. A request that asks for no upgrade is told to.", handle: a.openGateway,
			query: []parameter{
				{"v", "integer", "Version of the interface, 9 or 10."},
				{"encoding", "string", "json, also when it is left out."},
				{"compress", "string", "zlib-stream or zstd-stream; plain text when it is left out."},
			},
		},
	}
}

// openGateway hands the connection over.
func (a *API) openGateway(c *call) error {
	err := a.Gateway.Upgrade(c.ResponseWriter, c.r)
	if err == nil {
		c.status = http.StatusSwitchingProtocols
	}
	return err
}

// address is where the gateway is.
type address struct {
	URL string `json:"url"`
}

func (a *API) getGateway(c *call) error {
	return c.value(http.StatusOK, address{a.Gateway.Address(c.r)})
}

// guildsPerShard is of how many guilds one shard is recommended to hear.
const guildsPerShard = 1000

func (a *API) getBotGateway(c *call) error {
	type limit struct {
		Total       int   `json:"total"`
		Remaining   int   `json:"remaining"`
		ResetAfter  int64 `json:"reset_after"` // milliseconds
		Concurrency int   `json:"max_concurrency"`
	}
	guilds, _, err := a.Directory.InstallCount(c.r.Context(), c.principal.Application)
	if err != nil {
		return err
	}
	s := a.Gateway.Starts(c.principal.Application)
	return c.value(http.StatusOK, struct {
		address

		Shards int   `json:"shards"`
		Limit  limit `json:"session_start_limit"`
	}{
		address{a.Gateway.Address(c.r)},
		max((guilds+guildsPerShard-1)/guildsPerShard, 1),
		limit{s.Total, s.Remaining, s.ResetAfter, s.AtOnce},
	})
}
