package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/polls"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/snowflake"
)

// pollHandlers serve the votes for polls, and their end.
type pollHandlers struct {
	polls *polls.Polls
}

func (h *pollHandlers) routes() []api.Route {
	const poll = "/channels/{channel_id}/polls/{message_id}"
	return []api.Route{
		{
			Method: http.MethodGet, Path: poll + "/answers/{answer_id}", Name: "channels.polls.voters",
			Doc: "List the users who voted for an answer of a poll, by ascending id.", Allow: api.Participants, Group: ratelimit.Other,
			Answer: map[int]string{200: "Voters"}, Handle: h.listVoters,
			Query: []api.Parameter{
				{Name: "after", Kind: "string", Doc: "Only users with larger ids."},
				{Name: "limit", Kind: "integer", Doc: "Maximum number of users, 1 to 100; default 25."},
			},
		},
		{
			Method: http.MethodPut, Path: poll + "/answers/@me", Name: "channels.polls.vote",
			Doc: "Vote in a poll. The answers replace those of an earlier vote.", Allow: api.People, Group: ratelimit.Other,
			Body: "Vote", Answer: map[int]string{204: ""}, Handle: h.vote,
		},
		{
			Method: http.MethodPost, Path: poll + "/expire", Name: "channels.polls.end", Doc: "End a poll of the caller.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{200: "Message"}, Handle: h.endPoll,
		},
	}
}

// path returns the poll in the path of a request.
func (h *pollHandlers) path(c *api.Call) (at polls.Path, err error) {
	if at.Channel, err = api.PathID[snowflake.Channel](c, "channel_id"); err == nil {
		at.Message, err = api.PathID[snowflake.Message](c, "message_id")
	}
	return at, err
}

func (h *pollHandlers) listVoters(c *api.Call) error {
	at, err := h.path(c)
	if err != nil {
		return err
	}
	q := c.Query()
	page := polls.VotersPage{After: api.QueryID[snowflake.User](q, "after"), Limit: q.Limit(polls.DefaultVoters, polls.MaxVoters)}
	if err := q.Err(); err != nil {
		return err
	}
	return c.Result(h.polls.Voters(c.Context(), viewerOf(c), at, c.Request.PathValue("answer_id"), page))
}

func (h *pollHandlers) vote(c *api.Call) error {
	at, err := h.path(c)
	if err != nil {
		return err
	}
	body, err := c.ReadJSON()
	if err != nil {
		return err
	}
	return c.NoContent(h.polls.Vote(c.Context(), viewerOf(c), at, body))
}

func (h *pollHandlers) endPoll(c *api.Call) error {
	at, err := h.path(c)
	if err != nil {
		return err
	}
	return c.Result(h.polls.End(c.Context(), viewerOf(c), at))
}
