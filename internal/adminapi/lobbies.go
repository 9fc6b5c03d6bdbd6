package adminapi

import (
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) lobbyRoutes() []httpapi.Route {
	list := route(auth.OperatorRead, http.MethodGet, "/applications/{application_id}/lobbies", "lobbies.list", "List the lobbies of an application, newest first.",
		"", map[int]string{200: "ListedLobbies"}, a.listLobbies)
	list.Query = []httpapi.Parameter{
		{Name: "before", Kind: "string", Doc: "Only lobbies with smaller ids."},
		{Name: "limit", Kind: "integer", Doc: "Maximum number of lobbies, 1 to 1000; default 100."},
	}
	return []httpapi.Route{list}
}

func (a *API) listLobbies(c *httpapi.Call) error {
	app, err := httpapi.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	q := c.Query()
	before, limit := httpapi.QueryID[snowflake.Lobby](q, "before"), q.Limit(100, 1000)
	if err := q.Err(); err != nil {
		return err
	}
	if _, err := a.Directory.Applications.Application(c.Context(), app); err != nil {
		return err
	}
	list, err := a.Lobbies.List(c.Context(), app, before, limit)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, struct {
		Now     time.Time        `json:"now"`
		Lobbies []lobbies.Listed `json:"lobbies"`
	}{a.Clock.Now().UTC(), list})
}
