package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// moderationHandlers serve what bots and members do in guilds.
type moderationHandlers struct {
	guilds *guilds.Guilds
}

func (h *moderationHandlers) auditRoutes() []api.Route {
	return []api.Route{{
		Method: http.MethodGet, Path: "/guilds/{guild_id}/audit-logs", Name: "guilds.audit",
		Doc:   "Read the audit log of a guild, with the objects that its entries refer to.",
		Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{200: "GuildAuditLog"}, Handle: h.readAuditLog,
		Query: []api.Parameter{
			{Name: "user_id", Kind: "string", Doc: "Only entries of this user or bot."},
			{Name: "target_id", Kind: "string", Doc: "Only entries about this object."},
			{Name: "action_type", Kind: "integer", Doc: "Only entries of this kind."},
			{Name: "before", Kind: "string", Doc: "Only entries with smaller ids."},
			{Name: "after", Kind: "string", Doc: "Only entries with larger ids, oldest first."},
			{Name: "limit", Kind: "integer", Doc: "Maximum number of entries, 1 to 100; default 50."},
		},
	}}
}

// maxAction bounds the numbers of actions.
const maxAction = 1 << 16

func (h *moderationHandlers) readAuditLog(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	q := c.Query()
	f := store.GuildAuditFilter{
		User: api.QueryID[snowflake.User](q, "user_id"), Target: api.QueryID[snowflake.Target](q, "target_id"),
		Before: api.QueryID[uint64](q, "before"), After: api.QueryID[uint64](q, "after"), Oldest: q.Values.Has("after"),
	}
	if text := q.Values.Get("action_type"); text != "" {
		n, _ := jsonbody.AsInt(q.At("action_type"), jsonbody.StringOf(text), 0, maxAction)
		f.Action = int(n)
	}
	limit := q.Limit(50, guilds.MaxAuditPage)
	if err := q.Err(); err != nil {
		return err
	}
	return c.OK(h.guilds.AuditLog(c.Context(), viewerOf(c), guild, f, limit))
}
