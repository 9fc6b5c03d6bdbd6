package v10

import (
	"cmp"
	"context"
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
	sealer    *auth.Sealer
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
		for _, v := range []verification{
			{"interactions_endpoint_url", patch.Endpoint.Or(""), app.InteractionsEndpointURL, convert.EndpointUnverified, h.webhooks.Verify, interactionsUnverified},
			{"event_webhooks_url", patch.EventURL.Or(""), app.EventURL, convert.EventURLUnverified, h.webhooks.VerifyEvents, eventsUnverified},
		} {
			if err := h.verify(c, &t, app, v); err != nil {
				return err
			}
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
	if err := h.limitBotEdits(c, patch); err != nil {
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

// The codes of names and avatars that a bot changes too fast.
const (
	usernameLimit jsonbody.Code = "USERNAME_RATE_LIMIT"
	avatarLimit   jsonbody.Code = "AVATAR_RATE_LIMIT"
)

// limitBotEdits counts a new username and a new avatar of the caller's bot. Above the limit the member is invalid.
func (h *applicationHandlers) limitBotEdits(c *api.Call, p convert.ApplicationPatch) error {
	var t jsonbody.Tree
	if name, given := p.BotName.Get(); given {
		bot, err := h.directory.Users.User(c.Context(), snowflake.User(c.Principal.Application))
		if err != nil {
			return err
		}
		if bot.Username != name && c.Take(ratelimit.UsersRename, 0) != nil {
			t.At("username").Add(usernameLimit, "You are changing your username too fast. Try again later.")
		}
	}
	if _, given := p.BotAvatar.Get(); given && c.Take(ratelimit.UsersAvatar, 0) != nil {
		t.At("avatar").Add(avatarLimit, "You are changing your avatar too fast. Try again later.")
	}
	return t.Err()
}

// verification is a check of a new URL with a PING.
type verification struct {
	member   string
	url, old string
	code     jsonbody.Code
	ping     func(context.Context, webhook.Probe) error
	problem  string
}

// The problems with URLs that do not answer a PING correctly.
const (
	interactionsUnverified = "The specified interactions endpoint url could not be verified. The endpoint "
	eventsUnverified       = "The specified event webhooks url could not be verified. The endpoint "
)

// verify sends a PING to a new URL. If the app does not answer correctly, it adds the error to t.
func (h *applicationHandlers) verify(c *api.Call, t *jsonbody.Tree, app *store.Application, v verification) error {
	if v.url == "" || v.url == v.old {
		return nil
	}
	key, err := h.sealer.ApplicationKey(app)
	if err != nil {
		return err
	}
	err = v.ping(c.Context(), webhook.Probe{
		Application: app.ID, URL: v.url, Key: key,
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
	t.At(v.member).Add(v.code, v.problem+why+".")
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
