// Package adminapi serves the admin API, with which operators manage users, guilds and applications, and the dev
// controls, which move the clock, inject faults and show traffic. It holds no rules.
package adminapi

import (
	"slices"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"
)

// API serves what operators and developers steer the service with. All fields but Dev are required.
type API struct {
	Directory *directory.Directory
	Commands  *registry.Registry
	Picker    *permissions.Picker
	Lobbies   *lobbies.Lobbies
	Gateway   *gateway.Gateway
	Clock     clock.Clock
	Dev       *devtools.Dev // nil: no dev controls
}

// Routes lists every endpoint.
func (a *API) Routes() []httpapi.Route {
	list := slices.Concat(a.adminRoutes(), a.operateRoutes())
	if a.Dev == nil {
		return list
	}
	return slices.Concat(list, a.devRoutes(), a.explainRoutes(), a.faultRoutes(), a.inspectRoutes(), a.devInvokeRoutes())
}
