package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// gatewayHandlers serve the URL of the gateway and open its WebSockets.
type gatewayHandlers struct {
	gateway   *gateway.Gateway
	directory *directory.Directory
}

func (h *gatewayHandlers) routes() []api.Route {
	return []api.Route{
		{
			Method: http.MethodGet, Path: "/gateway", Name: "gateway.get", Doc: "Read the URL of the gateway.",
			Answer: map[int]string{200: "Gateway"}, Handle: h.getGateway,
		},
		{
			Method: http.MethodGet, Path: "/gateway/bot", Name: "gateway.bot",
			Doc:   "Read the URL of the gateway and how many sessions the bot may start.",
			Allow: api.Bots, Group: ratelimit.Other, Answer: map[int]string{200: "BotGateway"}, Handle: h.getBotGateway,
		},
		{
			Method: http.MethodGet, Path: "/gateway", Root: true, Slashed: true, Name: "gateway.open",
			Doc: "Open a WebSocket of the gateway. A request without an upgrade gets 426.", Handle: h.openGateway,
			Query: []api.Parameter{
				{Name: "v", Kind: "integer", Doc: "Version of the API, 9 or 10."},
				{Name: "encoding", Kind: "string", Doc: "json, the default."},
				{Name: "compress", Kind: "string", Doc: "zlib-stream or zstd-stream; default no compression."},
			},
		},
	}
}

// openGateway upgrades the connection and gives it to the gateway.
func (h *gatewayHandlers) openGateway(c *api.Call) error {
	err := h.gateway.Upgrade(c.ResponseWriter, c.Request, c.Address())
	if err == nil {
		c.Hijacked()
	}
	return err
}

// gatewayURL is the response of GET /gateway.
type gatewayURL struct {
	URL string `json:"url"`
}

func (h *gatewayHandlers) getGateway(c *api.Call) error {
	return c.Value(http.StatusOK, gatewayURL{h.gateway.Address(c.Request)})
}

// guildsPerShard is the recommended number of guilds of one shard.
const guildsPerShard = 1000

func (h *gatewayHandlers) getBotGateway(c *api.Call) error {
	type limit struct {
		Total       int   `json:"total"`
		Remaining   int   `json:"remaining"`
		ResetAfter  int64 `json:"reset_after"` // milliseconds
		Concurrency int   `json:"max_concurrency"`
	}
	guilds, _, err := h.directory.Applications.InstallCount(c.Context(), c.Principal.Application)
	if err != nil {
		return err
	}
	s := h.gateway.Starts(c.Principal.Application)
	return c.Value(http.StatusOK, struct {
		gatewayURL

		Shards int   `json:"shards"`
		Limit  limit `json:"session_start_limit"`
	}{
		gatewayURL{h.gateway.Address(c.Request)},
		max((guilds+guildsPerShard-1)/guildsPerShard, 1),
		limit{s.Total, s.Remaining, s.ResetAfter, s.AtOnce},
	})
}
