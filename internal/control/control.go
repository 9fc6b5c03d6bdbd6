// Package control is how operators and developers steer the service over HTTP: the admin API, which keeps people, places
// and apps, and the dev controls, which move the clock, let things go wrong and show what was sent. It holds no rules.
package control

import (
	"slices"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/picker"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rest"
)

// API serves what operators and developers steer the service with. All fields but Dev are required.
type API struct {
	Directory *directory.Directory
	Commands  *registry.Registry
	Picker    *picker.Picker
	Lobbies   *lobbies.Lobbies
	Gateway   *gateway.Gateway
	Clock     clock.Clock
	Dev       *devtools.Dev // nil: no dev controls
}

// Routes lists every endpoint.
func (a *API) Routes() []rest.Route {
	list := slices.Concat(a.adminRoutes(), a.operateRoutes())
	if a.Dev == nil {
		return list
	}
	return slices.Concat(list, a.devRoutes(), a.explainRoutes(), a.faultRoutes(), a.inspectRoutes(), a.devInvokeRoutes())
}
