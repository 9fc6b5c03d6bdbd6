package v10

import (
	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *interactionHandlers) followUp(c *api.Call) error {
	app, err := api.PathID[snowflake.Application](c, "webhook_id")
	if err != nil {
		return err
	}
	response, closeFiles, err := readResponse(c)
	if err != nil {
		return err
	}
	defer closeFiles()
	return c.Result(h.interactions.FollowUp(c.Context(), app, c.Request.PathValue("webhook_token"), response))
}

// messagePath returns the application, the token and the message of the path.
func messagePath(c *api.Call) (app snowflake.Application, token string, message snowflake.Message, err error) {
	if app, err = api.PathID[snowflake.Application](c, "webhook_id"); err != nil {
		return 0, "", 0, err
	}
	token = c.Request.PathValue("webhook_token")
	if c.Request.PathValue("message") == "@original" {
		return app, token, dispatch.Original, nil
	}
	message, err = api.PathID[snowflake.Message](c, "message")
	if err == nil && message == dispatch.Original {
		err = api.ErrNotFound // no message has the id that means @original
	}
	return app, token, message, err
}

func (h *interactionHandlers) getMessage(c *api.Call) error {
	app, token, id, err := messagePath(c)
	if err != nil {
		return err
	}
	return c.Result(h.interactions.Message(c.Context(), app, token, id))
}

func (h *interactionHandlers) editMessage(c *api.Call) error {
	app, token, id, err := messagePath(c)
	if err != nil {
		return err
	}
	response, closeFiles, err := readResponse(c)
	if err != nil {
		return err
	}
	defer closeFiles()
	return c.Result(h.interactions.EditMessage(c.Context(), app, token, id, response))
}

func (h *interactionHandlers) deleteMessage(c *api.Call) error {
	app, token, id, err := messagePath(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.interactions.DeleteMessage(c.Context(), app, token, id))
}
