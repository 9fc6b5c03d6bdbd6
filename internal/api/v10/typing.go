package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// typingHandlers serve the indicator that a user is typing.
type typingHandlers struct {
	messages *messages.Messages
}

func (h *typingHandlers) routes() []api.Route {
	return []api.Route{{
		Method: http.MethodPost, Path: "/channels/{channel_id}/typing", Name: "channels.typing",
		Doc: "Show that the caller is typing in a channel, for ten seconds.", Allow: api.Participants, Group: ratelimit.Other,
		Answer: map[int]string{204: ""}, Handle: h.startTyping,
	}}
}

func (h *typingHandlers) startTyping(c *api.Call) error {
	channel, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	return c.NoContent(h.messages.StartTyping(c.Context(), viewerOf(c), channel))
}
