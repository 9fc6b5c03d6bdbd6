package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// reactionHandlers serve the reactions to messages.
type reactionHandlers struct {
	messages *messages.Messages
}

// reactionType is the query parameter for the type of reactions.
var reactionType = api.Parameter{Name: "type", Kind: "integer", Doc: "0 for normal reactions, 1 for burst reactions. Bellhop has no burst reactions."}

func (h *reactionHandlers) routes() []api.Route {
	const all = "/channels/{channel_id}/messages/{message_id}/reactions"
	const one = all + "/{emoji}"
	return []api.Route{
		{
			Method: http.MethodPut, Path: one + "/@me", Name: "channels.reactions.create",
			Doc: "React to a message. The emoji is a character, or name:id of a custom emoji.", Allow: api.Participants, Group: ratelimit.ChannelReactions,
			Query: []api.Parameter{reactionType}, Answer: map[int]string{204: ""}, Handle: h.react,
		},
		{
			Method: http.MethodDelete, Path: one + "/@me", Name: "channels.reactions.deleteOwn", Doc: "Remove a reaction of the caller.",
			Allow: api.Participants, Group: ratelimit.ChannelReactions, Answer: map[int]string{204: ""}, Handle: h.unreact,
		},
		{
			Method: http.MethodDelete, Path: one + "/{type}/@me", Name: "channels.reactions.deleteOwnOfType",
			Doc:   "Remove a reaction of the caller. The type is 0 for normal reactions, 1 for burst reactions.",
			Allow: api.Participants, Group: ratelimit.ChannelReactions, Answer: map[int]string{204: ""}, Handle: h.unreact,
		},
		{
			Method: http.MethodDelete, Path: one + "/{user_id}", Name: "channels.reactions.delete", Doc: "Remove a reaction of a user.",
			Allow: api.Participants, Group: ratelimit.ChannelReactions, Answer: map[int]string{204: ""}, Handle: h.removeReaction,
		},
		{
			Method: http.MethodGet, Path: one, Name: "channels.reactions.users", Doc: "List the users who reacted with an emoji, by ascending id.",
			Allow: api.Participants, Group: ratelimit.ChannelReactions, Answer: map[int]string{200: "People"}, Handle: h.listReactors,
			Query: []api.Parameter{
				reactionType,
				{Name: "after", Kind: "string", Doc: "Only users with larger ids."},
				{Name: "limit", Kind: "integer", Doc: "Maximum number of users, 1 to 100; default 25."},
			},
		},
		{
			Method: http.MethodDelete, Path: one, Name: "channels.reactions.clearEmoji", Doc: "Remove all reactions with an emoji.",
			Allow: api.Participants, Group: ratelimit.ChannelReactions, Answer: map[int]string{204: ""}, Handle: h.clearEmoji,
		},
		{
			Method: http.MethodDelete, Path: all, Name: "channels.reactions.clear", Doc: "Remove all reactions to a message.",
			Allow: api.Participants, Group: ratelimit.ChannelReactions, Answer: map[int]string{204: ""}, Handle: h.clearReactions,
		},
	}
}

// path returns the message and the emoji in the path of a request. The router has decoded the emoji once.
func (h *reactionHandlers) path(c *api.Call) (at messages.ReactionPath, err error) {
	at.Emoji = c.Request.PathValue("emoji")
	if at.Channel, err = api.PathID[snowflake.Channel](c, "channel_id"); err == nil {
		at.Message, err = api.PathID[snowflake.Message](c, "message_id")
	}
	return at, err
}

// isBurst reports whether a request is about burst reactions.
func isBurst(q *api.Query) bool {
	text := q.Values.Get("type")
	if text == "" {
		return false
	}
	n, _ := jsonbody.AsInt(q.At("type"), jsonbody.StringOf(text), 0, 1)
	return n == 1
}

func (h *reactionHandlers) react(c *api.Call) error {
	at, err := h.path(c)
	if err != nil {
		return err
	}
	q := c.Query()
	at.Burst = isBurst(q)
	if err := q.Err(); err != nil {
		return err
	}
	return c.NoContent(h.messages.React(c.Context(), viewerOf(c), at))
}

func (h *reactionHandlers) unreact(c *api.Call) error {
	at, err := h.path(c)
	if err != nil {
		return err
	}
	viewer := viewerOf(c)
	return c.NoContent(h.messages.Unreact(c.Context(), viewer, at, viewer.User))
}

func (h *reactionHandlers) removeReaction(c *api.Call) error {
	at, err := h.path(c)
	if err != nil {
		return err
	}
	user, err := api.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	return c.NoContent(h.messages.Unreact(c.Context(), viewerOf(c), at, user))
}

func (h *reactionHandlers) listReactors(c *api.Call) error {
	at, err := h.path(c)
	if err != nil {
		return err
	}
	q := c.Query()
	page := messages.ReactorsPage{
		After: api.QueryID[snowflake.User](q, "after"), Limit: q.Limit(messages.DefaultReactors, messages.MaxReactors),
	}
	at.Burst = isBurst(q)
	if err := q.Err(); err != nil {
		return err
	}
	return c.Result(h.messages.Reactors(c.Context(), viewerOf(c), at, page))
}

func (h *reactionHandlers) clearEmoji(c *api.Call) error {
	at, err := h.path(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.messages.ClearEmoji(c.Context(), viewerOf(c), at))
}

func (h *reactionHandlers) clearReactions(c *api.Call) error {
	at, err := h.path(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.messages.ClearReactions(c.Context(), viewerOf(c), at.Channel, at.Message))
}
