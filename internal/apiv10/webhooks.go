package apiv10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) webhookRoutes() []httpapi.Route {
	const all = "/webhooks/{application_id}/{interaction_token}"
	at := func(method, path, name, doc, body string, answer map[int]string, handle func(*httpapi.Call) error) httpapi.Route {
		return httpapi.Route{
			Method: method, Path: path, Name: "webhooks." + name, Doc: doc, Allow: httpapi.TokenHolders, Group: ratelimit.Webhooks,
			Body: body, Files: body != "", Answer: answer, Handle: handle,
		}
	}
	const one = all + "/messages/{message}"
	return []httpapi.Route{
		at(http.MethodPost, all, "follow-up", "Follow up on an answered interaction; fill the answer that is loading.",
			"MessageInput", map[int]string{200: "Message"}, a.followUp),
		at(http.MethodGet, one, "messages.get", "Read a message of an interaction; @original is the first answer.",
			"", map[int]string{200: "Message"}, a.getAnswer),
		at(http.MethodPatch, one, "messages.edit", "Change a message of an interaction.",
			"MessageInput", map[int]string{200: "Message"}, a.editAnswer),
		at(http.MethodDelete, one, "messages.delete", "Delete a message of an interaction.",
			"", map[int]string{204: ""}, a.deleteAnswer),
	}
}

func (a *API) followUp(c *httpapi.Call) error {
	app, err := httpapi.PathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	p, err := c.ReadAnswer()
	if err != nil {
		return err
	}
	defer p.Drop()
	return c.Found(a.Interactions.FollowUp(c.Context(), app, c.Request.PathValue("interaction_token"), p.Response()))
}

// answerPath reads which message of which interaction is meant.
func answerPath(c *httpapi.Call) (app snowflake.Application, token string, message snowflake.Message, err error) {
	if app, err = httpapi.PathID[snowflake.Application](c, "application_id"); err != nil {
		return 0, "", 0, err
	}
	if c.Request.PathValue("message") == "@original" {
		return app, c.Request.PathValue("interaction_token"), dispatch.Original, nil
	}
	message, err = httpapi.PathID[snowflake.Message](c, "message")
	if err == nil && message == dispatch.Original {
		err = httpapi.ErrNotFound // no message has the id that stands for the original
	}
	return app, c.Request.PathValue("interaction_token"), message, err
}

func (a *API) getAnswer(c *httpapi.Call) error {
	app, token, id, err := answerPath(c)
	if err != nil {
		return err
	}
	return c.Found(a.Interactions.Message(c.Context(), app, token, id))
}

func (a *API) editAnswer(c *httpapi.Call) error {
	app, token, id, err := answerPath(c)
	if err != nil {
		return err
	}
	p, err := c.ReadAnswer()
	if err != nil {
		return err
	}
	defer p.Drop()
	return c.Found(a.Interactions.EditMessage(c.Context(), app, token, id, p.Response()))
}

func (a *API) deleteAnswer(c *httpapi.Call) error {
	app, token, id, err := answerPath(c)
	if err != nil {
		return err
	}
	if err := a.Interactions.DeleteMessage(c.Context(), app, token, id); err != nil {
		return err
	}
	return c.Empty()
}
