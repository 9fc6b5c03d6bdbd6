package admin

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/auth"
)

func (a *API) lobbyRoutes() []api.Route {
	shown := manage.LobbyHandlers{Directory: a.Directory, Lobbies: a.Lobbies, Clock: a.Clock}
	list := route(auth.OperatorRead, http.MethodGet, manage.LobbiesPath, "lobbies.list", "List the lobbies of an application, newest first.",
		"", map[int]string{200: "ListedLobbies"}, shown.List)
	list.Query = manage.LobbiesQuery
	return []api.Route{
		list,
		route(auth.OperatorRead, http.MethodGet, manage.LobbiesPath+"/{lobby_id}", "lobbies.get", "Read a lobby with its idle timeout and the time until it ends.",
			"", map[int]string{200: "ListedLobby"}, shown.Show),
	}
}
