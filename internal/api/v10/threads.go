package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/threads"
	"github.com/bellhop/bellhop/snowflake"
)

// threadHandlers serve threads, the posts of forums, and their members.
type threadHandlers struct {
	threads *threads.Threads
}

func (h *threadHandlers) routes() []api.Route {
	const one = "/channels/{channel_id}"
	return []api.Route{
		{
			Method: http.MethodPost, Path: one + "/messages/{message_id}/threads", Name: "channels.messages.thread",
			Doc: "Create a thread from a message.", Allow: api.Participants, Group: ratelimit.Other, Reason: true, Body: "MessageThreadInput",
			Answer: map[int]string{201: "Thread"}, Handle: h.startFromMessage,
		},
		{
			Method: http.MethodPost, Path: one + "/threads", Name: "channels.threads.create",
			Doc: "Create a thread without a message, or a post of a forum with its first message.", Allow: api.Participants, Group: ratelimit.Other, Reason: true,
			Body: "ThreadInput", Files: true, Answer: map[int]string{201: "NewThread"}, Handle: h.start,
		},
	}
}

// memberRoutes returns the endpoints for the members of threads.
func (h *threadHandlers) memberRoutes() []api.Route {
	const all = "/channels/{channel_id}/thread-members"
	withMember := api.Parameter{Name: "with_member", Kind: "boolean", Doc: "Add the user in the guild."}
	return []api.Route{
		{
			Method: http.MethodGet, Path: all, Name: "channels.thread_members", Doc: "List the members of a thread.",
			Allow: api.Bots, Group: ratelimit.Other, Answer: map[int]string{200: "ThreadMembers"}, Handle: h.listMembers,
			Query: []api.Parameter{
				withMember,
				{Name: "after", Kind: "string", Doc: "Only users above this id. Needs with_member."},
				{Name: "limit", Kind: "integer", Doc: "Maximum number of members, 1 to 100; default 100. Needs with_member."},
			},
		},
		{
			Method: http.MethodGet, Path: all + "/@me", Name: "channels.thread_members.own", Doc: "Read the caller's member of a thread.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{200: "ThreadMember"}, Handle: h.getMember,
			Query: []api.Parameter{withMember},
		},
		{
			Method: http.MethodPut, Path: all + "/@me", Name: "channels.thread_members.join", Doc: "Join a thread.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{204: ""}, Handle: h.addMember,
		},
		{
			Method: http.MethodDelete, Path: all + "/@me", Name: "channels.thread_members.leave", Doc: "Leave a thread.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{204: ""}, Handle: h.removeMember,
		},
		{
			Method: http.MethodGet, Path: all + "/{user_id}", Name: "channels.thread_members.get", Doc: "Read a member of a thread.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{200: "ThreadMember"}, Handle: h.getMember,
			Query: []api.Parameter{withMember},
		},
		{
			Method: http.MethodPut, Path: all + "/{user_id}", Name: "channels.thread_members.add", Doc: "Add a user to a thread.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{204: ""}, Handle: h.addMember,
		},
		{
			Method: http.MethodDelete, Path: all + "/{user_id}", Name: "channels.thread_members.remove", Doc: "Remove a user from a thread.",
			Allow: api.Participants, Group: ratelimit.Other, Answer: map[int]string{204: ""}, Handle: h.removeMember,
		},
	}
}

// listRoutes returns the endpoints for lists of threads.
func (h *threadHandlers) listRoutes() []api.Route {
	page := func(kind string) []api.Parameter {
		return []api.Parameter{
			{Name: "before", Kind: "string", Doc: "Only threads before this " + kind + "."},
			{Name: "limit", Kind: "integer", Doc: "Maximum number of threads, 2 to 100; default 50."},
		}
	}
	return []api.Route{
		{
			Method: http.MethodGet, Path: "/channels/{channel_id}/threads/archived/public", Name: "channels.threads.public",
			Doc: "List the archived public threads of a channel, the last archived first.", Allow: api.Participants, Group: ratelimit.Other,
			Query: page("archive time"), Answer: map[int]string{200: "ThreadList"}, Handle: h.listPublic,
		},
		{
			Method: http.MethodGet, Path: "/channels/{channel_id}/threads/archived/private", Name: "channels.threads.private",
			Doc: "List the archived private threads of a channel, the last archived first.", Allow: api.Participants, Group: ratelimit.Other,
			Query: page("archive time"), Answer: map[int]string{200: "ThreadList"}, Handle: h.listPrivate,
		},
		{
			Method: http.MethodGet, Path: "/channels/{channel_id}/users/@me/threads/archived/private", Name: "channels.threads.joined",
			Doc: "List the archived private threads of a channel that the caller has joined, the newest first.", Allow: api.Participants,
			Group: ratelimit.Other, Query: page("id"), Answer: map[int]string{200: "ThreadList"}, Handle: h.listJoined,
		},
		{
			Method: http.MethodGet, Path: "/guilds/{guild_id}/threads/active", Name: "guilds.threads",
			Doc: "List the active threads of a guild that the caller sees, the newest first.", Allow: api.Bots, Group: ratelimit.Other,
			Answer: map[int]string{200: "ThreadList"}, Handle: h.listActive,
		},
	}
}

// created answers 201 with the JSON text that a service returned, or returns its error.
func created(c *api.Call, body []byte, err error) error {
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, body)
}

func (h *threadHandlers) startFromMessage(c *api.Call) error {
	id, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	source, body, err := api.PathBody[snowflake.Message](c, "message_id", c.ReadObject)
	if err != nil {
		return err
	}
	text, err := h.threads.StartFromMessage(c.Context(), viewerOf(c), id, source, body)
	return created(c, text, err)
}

func (h *threadHandlers) start(c *api.Call) error {
	id, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	p, err := c.ReadPayload()
	if err != nil {
		return err
	}
	defer p.Close()
	text, err := h.threads.Start(c.Context(), viewerOf(c), id, messages.Request{Body: p.Body, Files: uploads(p.Files)})
	return created(c, text, err)
}

// memberPath returns the thread and the user in the path of a request. @me is the caller.
func (h *threadHandlers) memberPath(c *api.Call) (id snowflake.Channel, user snowflake.User, err error) {
	if id, err = api.PathID[snowflake.Channel](c, "channel_id"); err != nil {
		return 0, 0, err
	}
	if name := c.Request.PathValue("user_id"); name == "" || name == "@me" {
		return id, viewerOf(c).User, nil
	}
	user, err = api.PathID[snowflake.User](c, "user_id")
	return id, user, err
}

func (h *threadHandlers) addMember(c *api.Call) error {
	id, user, err := h.memberPath(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.threads.Add(c.Context(), viewerOf(c), id, user))
}

func (h *threadHandlers) removeMember(c *api.Call) error {
	id, user, err := h.memberPath(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.threads.Remove(c.Context(), viewerOf(c), id, user))
}

func (h *threadHandlers) getMember(c *api.Call) error {
	id, user, err := h.memberPath(c)
	if err != nil {
		return err
	}
	q := c.Query()
	withMember := q.Bool("with_member")
	if err := q.Err(); err != nil {
		return err
	}
	return c.OK(h.threads.Member(c.Context(), viewerOf(c), id, user, withMember))
}

func (h *threadHandlers) listMembers(c *api.Call) error {
	id, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	q := c.Query()
	page := threads.MemberPage{WithMember: q.Bool("with_member"), After: api.QueryID[snowflake.User](q, "after"), Limit: q.Limit(100, 100)}
	if err := q.Err(); err != nil {
		return err
	}
	return c.OK(h.threads.Members(c.Context(), viewerOf(c), id, page))
}

func (h *threadHandlers) listPublic(c *api.Call) error {
	return h.listArchived(c, threads.ArchivedPage{})
}

func (h *threadHandlers) listPrivate(c *api.Call) error {
	return h.listArchived(c, threads.ArchivedPage{Private: true})
}

func (h *threadHandlers) listJoined(c *api.Call) error {
	return h.listArchived(c, threads.ArchivedPage{Private: true, Joined: true})
}

func (h *threadHandlers) listArchived(c *api.Call, page threads.ArchivedPage) error {
	id, err := api.PathID[snowflake.Channel](c, "channel_id")
	if err != nil {
		return err
	}
	q := c.Query()
	page.Limit = channel.DefaultThreads
	if text := q.Values.Get("limit"); text != "" {
		n, _ := jsonbody.AsInt(q.At("limit"), jsonbody.StringOf(text), channel.MinThreadPage, channel.MaxThreadPage)
		page.Limit = int(n)
	}
	if page.Joined {
		page.Below = api.QueryID[snowflake.Channel](q, "before")
	} else if text := q.Values.Get("before"); text != "" {
		page.Before = jsonbody.ParseTime(q.At("before"), text)
	}
	if err := q.Err(); err != nil {
		return err
	}
	return c.OK(h.threads.Archived(c.Context(), viewerOf(c), id, page))
}

func (h *threadHandlers) listActive(c *api.Call) error {
	id, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	return c.OK(h.threads.Active(c.Context(), viewerOf(c), id))
}
