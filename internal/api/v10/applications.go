package v10

import (
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/images"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/registry"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

// applicationHandlers serve the application of a bot.
type applicationHandlers struct {
	directory *directory.Directory
	commands  *registry.Registry
	webhooks  *webhook.Deliverer
	images    *images.Images
	ids       interface{ Next() uint64 }
}

func (h *applicationHandlers) routes() []api.Route {
	read := api.Route{
		Method: http.MethodGet, Path: "/applications/@me", Name: "application.get", Doc: "Read the caller's own application.",
		Allow: api.Bots, Group: ratelimit.Other, Answer: map[int]string{200: "OwnApplication"}, Handle: h.getApplication,
	}
	edit := api.Route{
		Method: http.MethodPatch, Path: "/applications/@me", Name: "application.edit",
		Doc:   "Change the caller's own application.",
		Allow: api.Bots, Group: ratelimit.ApplicationsEdit, Body: "ApplicationPatch", Answer: map[int]string{200: "OwnApplication"}, Handle: h.editApplication,
	}
	alias := read
	alias.Path, alias.Name = "/oauth2/applications/@me", "application.oauth2"
	return []api.Route{read, alias, edit, byID(read), byID(edit), {
		Method: http.MethodPatch, Path: "/users/@me", Name: "users.edit", Doc: "Change the name and the images of the caller's bot.",
		Allow: api.Bots, Group: ratelimit.ApplicationsEdit, Body: "BotPatch", Answer: map[int]string{200: "Me"}, Handle: h.editBot,
	}}
}

// byID returns a route of the caller's own application that has the application's id in its path.
func byID(r api.Route) api.Route {
	r.Path, r.Name, r.Allow = "/applications/{application_id}", r.Name+"ByID", api.OwnBot
	return r
}

func (h *applicationHandlers) getApplication(c *api.Call) error {
	app, err := h.directory.Applications.Application(c.Context(), c.Principal.Application)
	if err != nil {
		return err
	}
	return h.answerApplication(c, app)
}

func (h *applicationHandlers) editApplication(c *api.Call) error {
	app, err := h.directory.Applications.Application(c.Context(), c.Principal.Application)
	if err != nil {
		return err
	}
	body, err := c.ReadImages()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	patch, unusable := convert.ReadApplicationPatch(&t, body)
	if !t.Failed() {
		if err := h.verifyEndpoint(c, t.At("interactions_endpoint_url"), app, patch.Endpoint.Or("")); err != nil {
			return err
		}
	}
	if err := cmp.Or(t.Err(), unusable); err != nil {
		return err
	}
	if app, err = h.images.EditApplication(c.Context(), app.ID, patch); err != nil {
		return err
	}
	return h.answerApplication(c, app)
}

func (h *applicationHandlers) editBot(c *api.Call) error {
	body, err := c.ReadImages()
	if err != nil {
		return err
	}
	var t jsonbody.Tree
	patch, unusable := convert.ReadBotPatch(&t, body)
	if err := cmp.Or(t.Err(), unusable); err != nil {
		return err
	}
	app := c.Principal.Application
	if _, err := h.images.EditApplication(c.Context(), app, patch); err != nil {
		return err
	}
	bot, err := h.directory.Users.User(c.Context(), snowflake.User(app))
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, convert.WireMe(bot, true))
}

// verifyEndpoint sends a PING to a new interactions endpoint. If the endpoint does not answer correctly, it adds the
// error to t.
func (h *applicationHandlers) verifyEndpoint(c *api.Call, t *jsonbody.Tree, app *store.Application, url string) error {
	if url == "" || url == app.InteractionsEndpointURL {
		return nil
	}
	key, err := h.directory.Applications.SigningKey(app)
	if err != nil {
		return err
	}
	err = h.webhooks.Verify(c.Context(), webhook.Probe{
		Application: app.ID, URL: url, Key: key,
		ID: snowflake.Interaction(h.ids.Next()), Token: rand.Text(),
	})
	failed, ok := errors.AsType[*webhook.Error](err)
	if !ok {
		return err
	}
	if failed.Kind == webhook.Overloaded {
		return api.ErrBusy
	}
	why := failed.Explain()
	if step, ok := errors.AsType[*webhook.VerifyError](err); ok {
		why = step.Explain()
	}
	t.Add(convert.EndpointUnverified, "The specified interactions endpoint url could not be verified. The endpoint "+why+".")
	return nil
}

// answerApplication answers with an application as its own bot sees it.
func (h *applicationHandlers) answerApplication(c *api.Call, app *store.Application) error {
	ctx, dir := c.Context(), h.directory
	owner, err := dir.Users.User(ctx, app.Owner)
	if err != nil {
		return err
	}
	bot, err := dir.Users.User(ctx, snowflake.User(app.ID))
	if err != nil {
		return err
	}
	commands, err := h.commands.Commands(ctx, command.Scope{Application: app.ID})
	if err != nil {
		return err
	}
	shown := func(k *command.Command) bool { return k.Type != command.PrimaryEntryPoint || app.Activities }
	var installs convert.Installs
	if installs.Guilds, installs.Users, err = dir.Applications.InstallCount(ctx, app.ID); err != nil {
		return err
	}
	own := convert.WireOwnApplication(app, owner, bot, slices.ContainsFunc(commands, shown), installs)
	own.EligibleOAuth2Scopes = eligibleScopes()
	return c.Value(http.StatusOK, own)
}

// eligibleScopes returns the scopes that applications can request, without those of the Social SDK, which Discord's
// OpenAPI description does not list.
func eligibleScopes() []string {
	return slices.DeleteFunc(auth.Obtainable(), func(s string) bool { return s == auth.ScopeSocialLayer || s == auth.ScopePresence })
}
