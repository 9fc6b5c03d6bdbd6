package admin

import (
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/manage"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/provision"
)

func (a *API) worldRoutes() []api.Route {
	return []api.Route{
		route(auth.OperatorRead, http.MethodGet, "/world", "world.export", "Export the world without secrets: as YAML, or as JSON if Accept names it.",
			"", map[int]string{200: "world"}, a.exportWorld),
		route(auth.OperatorDirectory, http.MethodPut, "/world", "world.apply", "Apply a world file. Records that it does not name stay. A file of at most 1 MiB is applied completely or not at all.",
			"World", map[int]string{200: "DevApplied"}, a.applyWorld),
	}
}

func (a *API) exportWorld(c *api.Call) error {
	who := audit.Actor{Operator: c.Principal.Name, Address: c.Address()}
	a.Audit.AddAlone(audit.WithActor(c.Context(), &who), audit.Entry{Action: "world.export", Target: "world"})
	if !strings.Contains(c.Request.Header.Get("Accept"), "application/json") {
		return manage.ExportYAML(c, a.Directory)
	}
	return c.OK(provision.Export(c.Context(), a.Directory))
}

func (a *API) applyWorld(c *api.Call) error {
	return manage.ApplyWorld(c, a.Provision, c.Principal.IsOperator(auth.OperatorSecrets))
}
