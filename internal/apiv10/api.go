// Package apiv10 is the interface of apps and people: it turns requests into calls of the services and their results into
// answers, and puts its routes together with those of the packages issuer and control. It holds no rules.
package apiv10

import (
	"net/http"
	"slices"

	"github.com/bellhop/bellhop/internal/adminapi"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/oauthapi"
	"github.com/bellhop/bellhop/internal/oauthserver"

	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/webhook"
)

// API serves the interface over HTTP. All fields but Dev are required.
type API struct {
	httpapi.Frame

	Commands  *registry.Registry
	Picker    *permissions.Picker
	Lobbies   *lobbies.Lobbies
	Grants    *oauthserver.Grants
	Pages     *oauthapi.Pages
	Endpoints *webhook.Deliverer
	Gateway   *gateway.Gateway
	IDs       interface{ Next() uint64 }
}

// Handler returns what serves every path.
func (a *API) Handler() http.Handler {
	issuing := oauthapi.API{Grants: a.Grants, Pages: a.Pages, Directory: a.Directory}
	controls := adminapi.API{
		Directory: a.Directory, Commands: a.Commands, Picker: a.Picker, Lobbies: a.Lobbies, Gateway: a.Gateway, Clock: a.Clock, Dev: a.Dev,
	}
	return a.Serve(slices.Concat(a.routes(), issuing.Routes(), controls.Routes()))
}

// routes lists the endpoints for apps and people.
func (a *API) routes() []httpapi.Route {
	return slices.Concat(
		a.commandRoutes(), a.permissionRoutes(), a.pickerRoutes(), a.userRoutes(), a.guildRoutes(), a.channelRoutes(),
		a.applicationRoutes(), a.lobbyRoutes(), a.messageRoutes(), a.interactionRoutes(), a.webhookRoutes(), a.historyRoutes(),
		a.attachmentRoutes(), a.gatewayRoutes(), a.inviteRoutes(),
	)
}
