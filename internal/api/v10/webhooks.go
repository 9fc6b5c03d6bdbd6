package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/channelhook"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// webhookHandlers serve the webhooks of channels, and their messages.
type webhookHandlers struct {
	hooks        *channelhook.Webhooks
	messages     *messages.Messages
	interactions *interactionHandlers
}

func (h *webhookHandlers) routes() []api.Route {
	at := func(method, path, name, doc, body, answer string, handle func(*api.Call) error) api.Route {
		r := api.Route{
			Method: method, Path: path, Name: name, Doc: doc, Allow: api.Participants, Group: ratelimit.Other,
			Body: body, Answer: map[int]string{200: answer}, Handle: handle,
		}
		if answer == "" {
			r.Answer = map[int]string{204: ""}
		}
		r.Reason = method != http.MethodGet
		return r
	}
	const one, withToken = "/webhooks/{webhook_id}", "/webhooks/{webhook_id}/{webhook_token}" //nolint:gosec // a path, no token
	list := []api.Route{
		at(http.MethodPost, "/channels/{channel_id}/webhooks", "channels.webhooks.create", "Create a webhook of a channel.",
			"WebhookCreate", "Webhook", h.create),
		at(http.MethodGet, "/channels/{channel_id}/webhooks", "channels.webhooks", "List the webhooks of a channel.",
			"", "Webhooks", h.listOfChannel),
		at(http.MethodGet, "/guilds/{guild_id}/webhooks", "guilds.webhooks", "List the webhooks of a guild.", "", "Webhooks", h.listOfGuild),
		at(http.MethodGet, one, "webhooks.get", "Read a webhook.", "", "Webhook", h.get),
		at(http.MethodPatch, one, "webhooks.edit", "Change a webhook.", "WebhookEdit", "Webhook", h.edit),
		at(http.MethodDelete, one, "webhooks.delete", "Delete a webhook. Its messages stay.", "", "", h.delete),
	}
	for _, r := range []api.Route{
		at(http.MethodGet, withToken, "webhooks.token.get", "Read a webhook with its token.", "", "Webhook", h.get),
		at(http.MethodPatch, withToken, "webhooks.token.edit", "Change a webhook with its token. The token does not allow to move it.",
			"WebhookEdit", "Webhook", h.edit),
		at(http.MethodDelete, withToken, "webhooks.token.delete", "Delete a webhook with its token.", "", "", h.delete),
	} {
		r.Allow, r.Group, r.Reason = api.TokenHolders, ratelimit.Webhooks, false
		list = append(list, r)
	}
	return list
}

// path returns the webhook in the path of a request, and its caller.
func (h *webhookHandlers) path(c *api.Call) (channelhook.Caller, snowflake.Webhook, error) {
	id, err := api.PathID[snowflake.Webhook](c, "webhook_id")
	return channelhook.Caller{Viewer: viewerOf(c), Token: c.Request.PathValue("webhook_token")}, id, err
}

func (h *webhookHandlers) create(c *api.Call) error {
	channel, body, err := api.PathBody[snowflake.Channel](c, "channel_id", c.ReadImages)
	if err != nil {
		return err
	}
	return c.OK(h.hooks.Create(c.Context(), viewerOf(c), channel, body))
}

func (h *webhookHandlers) listOfChannel(c *api.Call) error {
	channel, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	return c.OK(h.hooks.OfChannel(c.Context(), viewerOf(c), channel))
}

func (h *webhookHandlers) listOfGuild(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	return c.OK(h.hooks.OfGuild(c.Context(), viewerOf(c), guild))
}

func (h *webhookHandlers) get(c *api.Call) error {
	by, id, err := h.path(c)
	if err != nil {
		return err
	}
	return c.OK(h.hooks.Get(c.Context(), by, id))
}

func (h *webhookHandlers) edit(c *api.Call) error {
	by, id, err := h.path(c)
	if err != nil {
		return err
	}
	body, err := c.ReadImages()
	if err != nil {
		return err
	}
	return c.OK(h.hooks.Edit(c.Context(), by, id, body))
}

func (h *webhookHandlers) delete(c *api.Call) error {
	by, id, err := h.path(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.hooks.Delete(c.Context(), by, id))
}
