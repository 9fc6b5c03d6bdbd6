package v10

import (
	"context"
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// screenRoutes are the routes of settings that clients show. All are off.
func (h *moderationHandlers) screenRoutes() []api.Route {
	read := func(path, name, doc string, answer map[int]string, handle func(*api.Call) error) api.Route {
		r := inGuild(http.MethodGet, path, name, doc, "", answer, handle)
		r.Reason = false
		return r
	}
	widget := func(path, name string) api.Route {
		return api.Route{
			Method: http.MethodGet, Path: "/guilds/{guild_id}" + path, Name: "guilds." + name, Doc: "Read the widget of a guild. It is off.",
			Allow: api.Clients, Group: ratelimit.Other, Handle: h.getWidget,
		}
	}
	return []api.Route{
		read("/widget", "widget.settings", "Read the settings of the widget of a guild. It is off.", map[int]string{200: "WidgetSettings"},
			inPath(h.guilds.WidgetSettings)),
		widget("/widget.json", "widget"), widget("/widget.png", "widget.image"),
		read("/vanity-url", "vanity-url", "Read the vanity URL of a guild. It has none.", map[int]string{200: "VanityURL"}, inPath(h.guilds.VanityURL)),
		read("/welcome-screen", "welcome-screen", "Read the welcome screen of a guild. It has none.", nil, h.getWelcomeScreen),
		read("/onboarding", "onboarding", "Read the onboarding of a guild. It is off.", map[int]string{200: "Onboarding"}, inPath(h.guilds.Onboarding)),
		{
			Method: http.MethodPost, Path: "/guilds", Name: "guilds.create", Doc: "Bots cannot create guilds: operators do.",
			Allow: api.Participants, Group: ratelimit.Other, Handle: refuseGuild,
		},
	}
}

// refuseGuild answers bots with the error of Discord. For people there is no such route.
func refuseGuild(c *api.Call) error {
	if viewerOf(c).Bot {
		return api.ErrNoBots
	}
	return api.ErrNotFound
}

// inPath returns the handler of a read of the guild of the path.
func inPath[T any](read func(context.Context, directory.Viewer, snowflake.Guild) (T, error)) func(*api.Call) error {
	return func(c *api.Call) error {
		guild, err := api.PathID[snowflake.Guild](c, "guild_id")
		if err != nil {
			return err
		}
		shown, err := read(c.Context(), viewerOf(c), guild)
		if err != nil {
			return err
		}
		return c.Value(http.StatusOK, shown)
	}
}

func (h *moderationHandlers) getWidget(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	return h.guilds.Widget(c.Context(), guild)
}

func (h *moderationHandlers) getWelcomeScreen(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	return h.guilds.WelcomeScreen(c.Context(), viewerOf(c), guild)
}
