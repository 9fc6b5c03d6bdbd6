package api

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) webhookRoutes() []route {
	const all = "/webhooks/{application_id}/{interaction_token}"
	at := func(method, path, name, doc, body string, answer map[int]string, handle func(*call) error) route {
		return route{
			method: method, path: path, name: "webhooks." + name, doc: doc, allow: tokenHolders, group: ratelimit.Webhooks,
			body: body, files: body != "", answer: answer, handle: handle,
		}
	}
	const one = all + "/messages/{message}"
	return []route{
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

func (a *API) followUp(c *call) error {
	app, err := pathID[snowflake.Application](c, "application_id")
	if err != nil {
		return err
	}
	p, err := c.readAnswer()
	if err != nil {
		return err
	}
	defer p.drop()
	return c.found(a.Interactions.FollowUp(c.r.Context(), app, c.r.PathValue("interaction_token"), p.response()))
}

// answerPath reads which message of which interaction is meant.
func (c *call) answerPath() (app snowflake.Application, token string, message snowflake.Message, err error) {
	if app, err = pathID[snowflake.Application](c, "application_id"); err != nil {
		return 0, "", 0, err
	}
	if c.r.PathValue("message") == "@original" {
		return app, c.r.PathValue("interaction_token"), dispatch.Original, nil
	}
	message, err = pathID[snowflake.Message](c, "message")
	if err == nil && message == dispatch.Original {
		err = errNotFound // no message has the id that stands for the original
	}
	return app, c.r.PathValue("interaction_token"), message, err
}

func (a *API) getAnswer(c *call) error {
	app, token, id, err := c.answerPath()
	if err != nil {
		return err
	}
	return c.found(a.Interactions.Message(c.r.Context(), app, token, id))
}

func (a *API) editAnswer(c *call) error {
	app, token, id, err := c.answerPath()
	if err != nil {
		return err
	}
	p, err := c.readAnswer()
	if err != nil {
		return err
	}
	defer p.drop()
	return c.found(a.Interactions.EditMessage(c.r.Context(), app, token, id, p.response()))
}

func (a *API) deleteAnswer(c *call) error {
	app, token, id, err := c.answerPath()
	if err != nil {
		return err
	}
	if err := a.Interactions.DeleteMessage(c.r.Context(), app, token, id); err != nil {
		return err
	}
	return c.empty()
}
