// Package admin serves the admin API (/admin/v1), with which an operator manages users, guilds and applications. Its
// handlers read requests, call the services and write the results. They contain no rules.
package admin

import (
	"context"
	"log/slog"
	"slices"

	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/rules/wire"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/store"
)

// API serves the admin API. All fields are required unless noted.
type API struct {
	Directory *directory.Directory
	Provision *provision.Provisioner // of Directory
	Commands  *registry.Registry
	Picker    *permissions.Picker
	Lobbies   *lobbies.Lobbies
	Clock     clock.Clock
	Accounts  oauth.Accounts
	Audit     *audit.Log
	// LogLevel is the level of the log. nil: it cannot be changed.
	LogLevel *slog.LevelVar
	// AppStatus returns whether an app can receive interactions.
	AppStatus func(ctx context.Context, app *store.Application) wire.AppStatus
	Health    *Health
	Hooks     *hooks.Hooks // nil: there are none
}

// base is the path of all endpoints.
const base = "/admin/v1"

// Routes returns the endpoints of the admin API.
func (a *API) Routes() []api.Route {
	records := recordRoutes(a.Provision, a.AppStatus)
	return slices.Concat(a.worldRoutes(), records, a.tokenRoutes(), a.commandRoutes(), a.lobbyRoutes(), a.explainRoutes(),
		a.healthRoutes(), a.operatorRoutes(), a.authorizationRoutes(), a.auditRoutes(), a.logRoutes(), a.hookRoutes())
}

// route returns a route for operators with a scope.
func route(scope, method, path, name, doc, body string, answer map[int]string, handle func(*api.Call) error) api.Route {
	return api.Route{
		Method: method, Path: base + path, Root: true, Name: "admin." + name, Doc: doc, Allow: api.Operators,
		Scope: scope,
		Body:  body, Answer: answer, Handle: handle,
	}
}
