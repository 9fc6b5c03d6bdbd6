package api

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

// route is everything the service knows about one endpoint.
type route struct {
	method  string
	path    string // of http.ServeMux, without the base
	root    bool   // stands at the site's root, not below the API's base
	slashed bool   // is also served with a slash behind the path
	name    string // operation id
	doc     string // one sentence for people
	allow   access // who may call
	group   ratelimit.Group
	query   []parameter
	body    string         // schema of the request body, "" for none
	form    bool           // the body is a form and not JSON
	files   bool           // the body may be a form with files beside the JSON
	answer  map[int]string // schema by status, "" for no body
	fault   string         // schema of what went wrong, "" for that of the API
	handle  func(*call) error
}

// apiBases are the paths under which the API is served. Libraries ask for version 9 or 10; both have the same shapes.
var apiBases = []string{"/api/v10", "/api/v9", "/api", "/v10", "/v9"}

var rootBase = []string{""}

func (r route) bases() []string {
	if r.root {
		return rootBase
	}
	return apiBases
}

// parameter is a query parameter of a route.
type parameter struct{ name, kind, doc string }

// routes lists every endpoint.
func (a *API) routes() []route {
	list := a.systemRoutes()
	list = append(list, a.commandRoutes()...)
	list = append(list, a.permissionRoutes()...)
	list = append(list, a.pickerRoutes()...)
	list = append(list, a.userRoutes()...)
	list = append(list, a.guildRoutes()...)
	list = append(list, a.channelRoutes()...)
	list = append(list, a.applicationRoutes()...)
	list = append(list, a.lobbyRoutes()...)
	list = append(list, a.messageRoutes()...)
	list = append(list, a.interactionRoutes()...)
	list = append(list, a.webhookRoutes()...)
	list = append(list, a.historyRoutes()...)
	list = append(list, a.attachmentRoutes()...)
	list = append(list, a.gatewayRoutes()...)
	list = append(list, a.oauthRoutes()...)
	list = append(list, a.inviteRoutes()...)
	list = append(list, a.adminRoutes()...)
	list = append(list, a.operateRoutes()...)
	if a.Dev != nil {
		list = append(list, a.devRoutes()...)
		list = append(list, a.explainRoutes()...)
		list = append(list, a.faultRoutes()...)
		list = append(list, a.inspectRoutes()...)
		list = append(list, a.devInvokeRoutes()...)
	}
	return list
}

func (a *API) commandRoutes() []route {
	localized := []parameter{{"with_localizations", "boolean", "Show the localization dictionaries instead of one language."}}
	var list []route
	for _, scope := range []struct{ path, name, word string }{
		{"/applications/{application_id}/commands", "global", "global commands of an application"},
		{"/applications/{application_id}/guilds/{guild_id}/commands", "guild", "commands of an application in a guild"},
	} {
		one := scope.path + "/{command_id}"
		list = append(
			list,
			route{
				method: http.MethodGet, path: scope.path, name: scope.name + ".list", doc: "List the " + scope.word + ".",
				allow: ownCommands, group: ratelimit.CommandsList, query: localized, answer: map[int]string{200: "ListedCommands"}, handle: a.listCommands,
			},
			route{
				method: http.MethodPost, path: scope.path, name: scope.name + ".create", doc: "Create or overwrite one of the " + scope.word + ".",
				allow: ownCommands, group: ratelimit.CommandsCreate, body: "CommandCreate", answer: map[int]string{200: "Command", 201: "Command"}, handle: a.createCommand,
			},
			route{
				method: http.MethodPut, path: scope.path, name: scope.name + ".overwrite", doc: "Replace all " + scope.word + ".",
				allow: ownCommands, group: ratelimit.CommandsBulk, body: "CommandList", answer: map[int]string{200: "Commands"}, handle: a.overwriteCommands,
			},
			route{
				method: http.MethodGet, path: one, name: scope.name + ".get", doc: "Read one of the " + scope.word + ".",
				allow: ownCommands, group: ratelimit.CommandsGet, answer: map[int]string{200: "Command"}, handle: a.getCommand,
			},
			route{
				method: http.MethodPatch, path: one, name: scope.name + ".edit", doc: "Change one of the " + scope.word + ".",
				allow: ownCommands, group: ratelimit.CommandsEdit, body: "CommandPatch", answer: map[int]string{200: "Command"}, handle: a.patchCommand,
			},
			route{
				method: http.MethodDelete, path: one, name: scope.name + ".delete", doc: "Delete one of the " + scope.word + ".",
				allow: ownCommands, group: ratelimit.CommandsDelete, answer: map[int]string{204: ""}, handle: a.deleteCommand,
			},
		)
	}
	return list
}
