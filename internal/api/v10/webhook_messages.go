package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
)

// messageRoutes returns the routes of messages with a token in the path: that of a webhook of a channel, or that of an
// interaction. The form of the token tells which one it is.
func (h *webhookHandlers) messageRoutes() []api.Route {
	const all, one = "/webhooks/{webhook_id}/{webhook_token}", "/webhooks/{webhook_id}/{webhook_token}/messages/{message}"
	thread := api.Parameter{Name: "thread_id", Kind: "string", Doc: "The thread of the message, if a webhook of a channel sends it."}
	components := api.Parameter{
		Name: "with_components", Kind: "boolean", Doc: "Whether a webhook that no app owns sends components, which are not interactive.",
	}
	wait := api.Parameter{
		Name: "wait", Kind: "boolean", Doc: "Whether a webhook of a channel answers with the message. Follow-up messages are always returned.",
	}
	serviceWait := api.Parameter{Name: "wait", Kind: "boolean", Doc: "Accepted and ignored: the response always comes after the message."}
	at := func(method, path, name, doc, body string, answer map[int]string, handle func(*api.Call) error, query ...api.Parameter) api.Route {
		return api.Route{
			Method: method, Path: path, Name: "webhooks." + name, Doc: doc, Allow: api.TokenHolders, Group: ratelimit.Webhooks,
			Body: body, Files: body != "" && body != "SlackMessage" && body != "GitHubEvent", Answer: answer, Handle: handle, Query: query,
		}
	}
	return []api.Route{
		at(http.MethodPost, all, "execute", "Send a message through a webhook. With the token of an interaction, send a follow-up message: after a deferred response it fills in the response.",
			"WebhookMessageInput", map[int]string{200: "Message", 204: ""}, h.execute, wait, thread, components),
		at(http.MethodPost, all+"/slack", "execute.slack", "Send a message in the format of Slack through a webhook.",
			"SlackMessage", map[int]string{200: "text"}, h.executeSlack, serviceWait, thread),
		at(http.MethodPost, all+"/github", "execute.github", "Send a message about an event of GitHub through a webhook. The header X-GitHub-Event names the event.",
			"GitHubEvent", map[int]string{204: ""}, h.executeGitHub, serviceWait, thread),
		at(http.MethodGet, one, "messages.get", "Read a message of a webhook or an interaction. @original is the first response.",
			"", map[int]string{200: "Message"}, h.getMessage, thread),
		at(http.MethodPatch, one, "messages.edit", "Change a message of a webhook or an interaction.",
			"MessageInput", map[int]string{200: "Message"}, h.editMessage, thread, components),
		at(http.MethodDelete, one, "messages.delete", "Delete a message of a webhook or an interaction.",
			"", map[int]string{204: ""}, h.deleteMessage, thread),
	}
}

// ofInteraction reports whether the token in the path is that of an interaction.
func ofInteraction(c *api.Call) bool { return dispatch.IsToken(c.Request.PathValue("webhook_token")) }

// request returns a request with the token of a webhook, without its body. It checks the token first, so that a request
// with a wrong token does not fill the disk.
func (h *webhookHandlers) request(c *api.Call) (messages.WebhookRequest, error) {
	by, id, err := h.path(c)
	if err != nil {
		return messages.WebhookRequest{}, err
	}
	channel, err := h.hooks.ChannelOf(c.Context(), id, by.Token)
	if err == nil && c.Request.Method != http.MethodGet {
		err = c.Take(ratelimit.ChannelWebhooks, channel)
	}
	if err != nil {
		return messages.WebhookRequest{}, err
	}
	q := c.Query()
	r := messages.WebhookRequest{
		Open: h.hooks.Opener(id, by.Token), Thread: api.QueryID[snowflake.Channel](q, "thread_id"), WithComponents: q.Bool("with_components"),
	}
	return r, q.Err()
}

// messageRequest returns a request about a message of a webhook.
func (h *webhookHandlers) messageRequest(c *api.Call) (r messages.WebhookRequest, id snowflake.Message, err error) {
	if r, err = h.request(c); err == nil {
		id, err = api.PathID[snowflake.Message](c, "message")
	}
	return r, id, err
}

func (h *webhookHandlers) execute(c *api.Call) error {
	if ofInteraction(c) {
		return h.interactions.followUp(c)
	}
	q := c.Query()
	wait := q.Bool("wait")
	if err := q.Err(); err != nil {
		return err
	}
	r, err := h.request(c)
	if err != nil {
		return err
	}
	p, err := c.ReadPayload()
	if err != nil {
		return err
	}
	defer p.Close()
	r.Body, r.Files = p.Body, uploads(p.Files)
	text, err := h.messages.Execute(c.Context(), r)
	if !wait {
		return c.NoContent(err)
	}
	return c.Result(text, err)
}

// readService returns a request of another service with its body.
func (h *webhookHandlers) readService(c *api.Call) (messages.WebhookRequest, error) {
	q := c.Query()
	q.Bool("wait")
	if err := q.Err(); err != nil {
		return messages.WebhookRequest{}, err
	}
	r, err := h.request(c)
	if err != nil {
		return r, err
	}
	r.Service = true
	p, err := c.ReadPayload()
	if err != nil {
		return r, err
	}
	p.Close()
	r.Body = p.Body
	return r, nil
}

func (h *webhookHandlers) executeSlack(c *api.Call) error {
	r, err := h.readService(c)
	if err != nil {
		return err
	}
	if r.Body, err = message.FromSlack(r.Body); err != nil {
		return err
	}
	if _, err := h.messages.Execute(c.Context(), r); err != nil {
		return err
	}
	return c.Text("ok")
}

func (h *webhookHandlers) executeGitHub(c *api.Call) error {
	r, err := h.readService(c)
	if err != nil {
		return err
	}
	body, ok, err := message.FromGitHub(c.RequestHeader("X-Github-Event"), r.Body)
	if err != nil || !ok {
		return c.NoContent(err)
	}
	r.Body = body
	_, err = h.messages.Execute(c.Context(), r)
	return c.NoContent(err)
}

func (h *webhookHandlers) getMessage(c *api.Call) error {
	if ofInteraction(c) {
		return h.interactions.getMessage(c)
	}
	r, id, err := h.messageRequest(c)
	if err != nil {
		return err
	}
	return c.Result(h.messages.MessageOfWebhook(c.Context(), r, id))
}

func (h *webhookHandlers) editMessage(c *api.Call) error {
	if ofInteraction(c) {
		return h.interactions.editMessage(c)
	}
	r, id, err := h.messageRequest(c)
	if err != nil {
		return err
	}
	p, err := c.ReadPayload()
	if err != nil {
		return err
	}
	defer p.Close()
	r.Body, r.Files = p.Body, uploads(p.Files)
	return c.Result(h.messages.EditOfWebhook(c.Context(), r, id))
}

func (h *webhookHandlers) deleteMessage(c *api.Call) error {
	if ofInteraction(c) {
		return h.interactions.deleteMessage(c)
	}
	r, id, err := h.messageRequest(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.messages.DeleteOfWebhook(c.Context(), r, id))
}
