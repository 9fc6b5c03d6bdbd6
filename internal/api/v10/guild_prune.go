package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *moderationHandlers) pruneRoutes() []api.Route {
	count := inGuild(http.MethodGet, "/prune", "prune.count", "Count the members that a prune would remove.", "", map[int]string{200: "Pruned"}, h.countInactive)
	count.Reason, count.Query = false, []api.Parameter{
		{Name: "days", Kind: "integer", Doc: "Days without activity, 1 to 30; default 7."},
		{Name: "include_roles", Kind: "string", Doc: "Ids of roles with commas. Without them, only members without roles count."},
	}
	return []api.Route{
		count,
		inGuild(http.MethodPost, "/prune", "prune", "Remove inactive members.", "Prune", map[int]string{200: "Pruned"}, h.prune),
	}
}

// pruned is the answer to a request to prune.
type pruned struct {
	Pruned *int `json:"pruned"`
}

func (h *moderationHandlers) countInactive(c *api.Call) error {
	id, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	q := c.Query().Values
	p, invalid := guild.ReadPruneQuery(q.Get("days"), q.Get("include_roles"))
	n, err := h.guilds.CountInactive(c.Context(), viewerOf(c), id, p, invalid)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, pruned{&n})
}

func (h *moderationHandlers) prune(c *api.Call) error {
	id, body, err := api.PathBody[snowflake.Guild](c, "guild_id", c.ReadObject)
	if err != nil {
		return err
	}
	n, err := h.guilds.Prune(c.Context(), viewerOf(c), id, body)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, pruned{n})
}
