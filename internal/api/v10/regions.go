package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/wire"
)

// regions are the voice regions. There is no voice media, so there is one region, which has no servers.
var regions = []wire.VoiceRegion{{ID: "local", Name: "Local", Optimal: true}}

func (h *guildHandlers) regionRoutes() []api.Route {
	route := func(path, name, doc string, handle func(*api.Call) error) api.Route {
		return api.Route{
			Method: http.MethodGet, Path: path, Name: name, Doc: doc, Allow: api.Accounts, Group: ratelimit.Other,
			Answer: map[int]string{200: "VoiceRegions"}, Handle: handle,
		}
	}
	return []api.Route{
		route("/voice/regions", "voice.regions", "List the voice regions. There is one, without voice servers.", listRegions),
		route("/guilds/{guild_id}/regions", "guilds.regions", "List the voice regions of a guild. There is one, without voice servers.", h.listRegions),
	}
}

func listRegions(c *api.Call) error { return c.Value(http.StatusOK, regions) }

func (h *guildHandlers) listRegions(c *api.Call) error {
	if _, err := h.view(c); err != nil {
		return err
	}
	return listRegions(c)
}
