package manage

import (
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/snowflake"
)

// LobbiesPath is the path of an application's lobbies, in the admin API and in the dev controls.
const LobbiesPath = "/applications/{application_id}/lobbies"

// LobbiesQuery are the query parameters of LobbyHandlers.List.
var LobbiesQuery = []api.Parameter{
	{Name: "before", Kind: "string", Doc: "Only lobbies with smaller ids."},
	{Name: "limit", Kind: "integer", Doc: "Maximum number of lobbies, 1 to 1000; default 100."},
}

// LobbyHandlers show lobbies with what the API for apps does not show: the idle timeout and the time until a lobby ends.
type LobbyHandlers struct {
	Directory *directory.Directory
	Lobbies   *lobbies.Lobbies
	Clock     clock.Clock
}

// List answers with the lobbies of an application.
func (h LobbyHandlers) List(c *api.Call) error {
	app, err := api.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	q := c.Query()
	before, limit := api.QueryID[snowflake.Lobby](q, "before"), q.Limit(100, 1000)
	if err := q.Err(); err != nil {
		return err
	}
	if _, err := h.Directory.Applications.Application(c.Context(), app); err != nil {
		return err
	}
	list, err := h.Lobbies.List(c.Context(), app, before, limit)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, struct {
		Now     time.Time        `json:"now"`
		Lobbies []lobbies.Listed `json:"lobbies"`
	}{h.Clock.Now().UTC(), list})
}

// Show answers with one lobby.
func (h LobbyHandlers) Show(c *api.Call) error {
	app, err := api.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	id, err := api.PathID[snowflake.Lobby](c, "lobby_id")
	if err != nil {
		return err
	}
	return c.OK(h.Lobbies.Show(c.Context(), app, id))
}
