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
		Answer: map[int]string{200: "TypingCooldown", 204: ""}, Handle: h.startTyping,
	}}
}

// typingCooldown is the answer to a user whom slow mode lets wait.
type typingCooldown struct {
	MessageSend int64 `json:"message_send_cooldown_ms"`
}

func (h *typingHandlers) startTyping(c *api.Call) error {
	channel, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	wait, err := h.messages.StartTyping(c.Context(), viewerOf(c), channel)
	if err != nil || wait == 0 {
		return c.NoContent(err)
	}
	return c.Value(http.StatusOK, typingCooldown{wait.Milliseconds()})
}
