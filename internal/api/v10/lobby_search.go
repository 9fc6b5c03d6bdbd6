package v10

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// searchRoute is the route that finds lobbies. Discord has none like it.
func (h *lobbyHandlers) searchRoute() api.Route {
	return api.Route{
		Method: http.MethodGet, Path: "/lobbies", Name: "lobbies.search",
		Doc:   "Find lobbies of the application by their metadata. An extension of Bellhop, which the application turns on. Accept: text/event-stream sends the page again when it changes.",
		Allow: api.LobbyApps, Group: ratelimit.LobbiesGet, Answer: map[int]string{200: "LobbyPage"}, Handle: h.search,
		Query: []api.Parameter{
			{Name: "metadata[KEY]", Kind: "string", Doc: "Only lobbies with this text in their metadata. Several keys are possible."},
			{Name: "min[KEY]", Kind: "number", Doc: "Only lobbies whose metadata has at least this number."},
			{Name: "max[KEY]", Kind: "number", Doc: "Only lobbies whose metadata has at most this number."},
			{Name: "free", Kind: "integer", Doc: "Only lobbies with this many free places, 0 to 1000: max_members of the metadata, or 1000, without the members."},
			{Name: "after", Kind: "string", Doc: "Only lobbies with larger ids: the cursor of the page before."},
			{Name: "limit", Kind: "integer", Doc: "Maximum number of lobbies, 1 to 100; default 50."},
		},
	}
}

func (h *lobbyHandlers) search(c *api.Call) error {
	q := c.Query()
	f := lobby.ReadFilter(&q.Tree, q.Values)
	after, limit := api.QueryID[snowflake.Lobby](q, "after"), q.Limit(lobby.UsualFound, lobby.MaxFound)
	if err := q.Err(); err != nil {
		return err
	}
	if strings.Contains(c.RequestHeader("Accept"), api.EventStream) {
		return h.watch(c, &f, after, limit)
	}
	page, err := h.lobbies.Search.Find(c.Context(), c.Principal.Application, &f, after, limit)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, appendPage(&page, c.Principal.Application))
}

// appendPage returns a page as JSON.
func appendPage(page *lobbies.Page, app snowflake.Application) []byte {
	b := append(make([]byte, 0, 64+256*len(page.Found)), `{"lobbies":[`...)
	for i, l := range page.Found {
		if i > 0 {
			b = append(b, ',')
		}
		b = l.AppendJSON(b, app)
	}
	if page.After == 0 {
		return append(b, `],"after":null}`...)
	}
	return append(page.After.Append(append(b, `],"after":"`...)), `"}`...)
}

// watch sends the page, and sends it again each time that it has changed.
func (h *lobbyHandlers) watch(c *api.Call, f *lobby.Filter, after snowflake.Lobby, limit int) error {
	app := c.Principal.Application
	list, err := h.lobbies.Search.Watch(c.Context(), app, f, after, limit)
	if errors.Is(err, lobbies.ErrTooManyWatches) {
		return api.ErrBusy
	}
	if err != nil {
		return err
	}
	defer list.Close()
	n := uint64(0)
	return api.Stream(c, func(ctx context.Context) ([]api.Event, error) {
		page, changed, err := list.Next(ctx)
		if err != nil || !changed {
			return nil, err
		}
		n++
		return []api.Event{{ID: n, Name: "lobbies", Value: jsontext.Value(appendPage(&page, app))}}, nil
	})
}
