package apiv10

import (
	"crypto/rand"
	"errors"
	"net/http"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) applicationRoutes() []httpapi.Route {
	read := httpapi.Route{
		Method: http.MethodGet, Path: "/applications/@me", Name: "application.get", Doc: "Read the caller's own application.",
		Allow: httpapi.Bots, Group: ratelimit.Other, Answer: map[int]string{200: "OwnApplication"}, Handle: a.getApplication,
	}
	again := read
	again.Path, again.Name = "/oauth2/applications/@me", "application.oauth2"
	return []httpapi.Route{read, again, {
		Method: http.MethodPatch, Path: "/applications/@me", Name: "application.edit",
		Doc:   "Change what the caller's own application says of itself. Pictures and other members that are not described are ignored.",
		Allow: httpapi.Bots, Group: ratelimit.ApplicationsEdit, Body: "ApplicationPatch", Answer: map[int]string{200: "OwnApplication"}, Handle: a.editApplication,
	}}
}

func (a *API) getApplication(c *httpapi.Call) error {
	app, err := a.Directory.Application(c.Context(), c.Principal.Application)
	if err != nil {
		return err
	}
	return a.ownApplication(c, app)
}

func (a *API) editApplication(c *httpapi.Call) error {
	app, err := a.Directory.Application(c.Context(), c.Principal.Application)
	if err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	if body.Kind() == jsonbody.Absent {
		body = jsonbody.ObjectOf()
	}
	var t jsonbody.Tree
	patch := directory.ReadApplicationPatch(&t, body)
	if !t.Failed() {
		if err := a.verifyEndpoint(c, t.At("interactions_endpoint_url"), app, patch.Endpoint.Or("")); err != nil {
			return err
		}
	}
	if err := t.Err(); err != nil {
		return err
	}
	if app, err = a.Directory.EditApplication(c.Context(), app.ID, patch); err != nil {
		return err
	}
	return a.ownApplication(c, app)
}

// verifyEndpoint asks an address that an application wants its interactions at whether it is its own. An address that is
// set already is not asked again.
func (a *API) verifyEndpoint(c *httpapi.Call, t *jsonbody.Tree, app *store.Application, url string) error {
	if url == "" || url == app.InteractionsEndpointURL {
		return nil
	}
	err := a.Endpoints.Verify(c.Context(), webhook.Probe{
		Application: app.ID, URL: url, Key: app.SigningKey,
		ID: snowflake.Interaction(a.IDs.Next()), Token: rand.Text(),
	})
	failed, ok := errors.AsType[*webhook.Error](err)
	if !ok {
		return err
	}
	if failed.Kind == webhook.Overloaded {
		return httpapi.ErrBusy
	}
	t.Add(directory.EndpointUnverified, "The specified interactions endpoint url could not be verified.")
	return nil
}

// ownApplication answers with an application in its own eyes.
func (a *API) ownApplication(c *httpapi.Call, app *store.Application) error {
	ctx, dir := c.Context(), a.Directory
	owner, err := dir.User(ctx, app.Owner)
	if err != nil {
		return err
	}
	bot, err := dir.User(ctx, snowflake.User(app.ID))
	if err != nil {
		return err
	}
	commands, err := a.Commands.Commands(ctx, command.Scope{Application: app.ID})
	if err != nil {
		return err
	}
	shown := func(k *command.Command) bool { return k.Type != command.PrimaryEntryPoint || app.Activities }
	var installs wire.Installs
	if installs.Guilds, installs.Users, err = dir.InstallCount(ctx, app.ID); err != nil {
		return err
	}
	return c.Value(http.StatusOK, wire.OwnApplicationOf(app, owner, bot, slices.ContainsFunc(commands, shown), installs))
}
