package v10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/guilds"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *moderationHandlers) eventRoutes() []api.Route {
	const list, one = "/scheduled-events", "/scheduled-events/{guild_scheduled_event_id}"
	counted := []api.Parameter{{Name: "with_user_count", Kind: "boolean", Doc: "Add how many users are interested."}}
	read := func(path, name, doc, answer string, query []api.Parameter, handle func(*api.Call) error) api.Route {
		r := inGuild(http.MethodGet, path, "events."+name, doc, "", map[int]string{200: answer}, handle)
		r.Reason, r.Query = false, query
		return r
	}
	event := map[int]string{200: "ScheduledEvent"}
	remove := inGuild(http.MethodDelete, one, "events.delete", "Delete a scheduled event.", "", noContent, h.deleteEvent)
	remove.Reason = false // Discord takes a reason only for new and changed events
	return []api.Route{
		read(list, "list", "List the scheduled events of a guild that have not ended.", "ScheduledEvents", counted, h.listEvents),
		read(one, "get", "Read a scheduled event.", "ScheduledEvent", counted, h.getEvent),
		read(one+"/users", "users", "List the users who are interested in a scheduled event, ordered by id.", "ScheduledEventUsers", []api.Parameter{
			{Name: "limit", Kind: "integer", Doc: "Maximum number of users, 1 to 100; default 100."},
			{Name: "with_member", Kind: "boolean", Doc: "Add their members."},
			{Name: "before", Kind: "string", Doc: "Only users with smaller ids: the last of them. It takes precedence over after."},
			{Name: "after", Kind: "string", Doc: "Only users with larger ids."},
		}, h.listEventUsers),
		read(one+"/users/counts", "users.count", "Count the users who are interested in a scheduled event.", "ScheduledEventUserCount", nil, h.countEventUsers),
		inGuild(http.MethodPost, list, "events.create", "Create a scheduled event.", "NewScheduledEvent", event, h.createEvent),
		inGuild(http.MethodPatch, one, "events.edit", "Change, start, end or cancel a scheduled event.", "ScheduledEventEdit", event, h.editEvent),
		remove,
	}
}

// eventPath returns the guild and the scheduled event in the path of a request.
func eventPath(c *api.Call) (guild snowflake.Guild, event snowflake.Event, err error) {
	return api.PathIDs[snowflake.Guild, snowflake.Event](c, "guild_id", "guild_scheduled_event_id")
}

func (h *moderationHandlers) listEvents(c *api.Call) error {
	guild, err := api.PathID[snowflake.Guild](c, "guild_id")
	if err != nil {
		return err
	}
	q := c.Query()
	counted := q.Bool("with_user_count")
	if err := q.Err(); err != nil {
		return err
	}
	return c.OK(h.guilds.ScheduledEvents(c.Context(), viewerOf(c), guild, counted))
}

func (h *moderationHandlers) getEvent(c *api.Call) error {
	guild, id, err := eventPath(c)
	if err != nil {
		return err
	}
	q := c.Query()
	counted := q.Bool("with_user_count")
	if err := q.Err(); err != nil {
		return err
	}
	return c.OK(h.guilds.ScheduledEvent(c.Context(), viewerOf(c), guild, id, counted))
}

func (h *moderationHandlers) listEventUsers(c *api.Call) error {
	guild, id, err := eventPath(c)
	if err != nil {
		return err
	}
	q := c.Query()
	p := guilds.EventUserPage{
		Before: api.QueryID[snowflake.User](q, "before"), After: api.QueryID[snowflake.User](q, "after"),
		Limit: q.Limit(guilds.MaxEventUsers, guilds.MaxEventUsers), Members: q.Bool("with_member"),
	}
	if err := q.Err(); err != nil {
		return err
	}
	return c.OK(h.guilds.EventUsers(c.Context(), viewerOf(c), guild, id, p))
}

func (h *moderationHandlers) countEventUsers(c *api.Call) error {
	guild, id, err := eventPath(c)
	if err != nil {
		return err
	}
	return c.OK(h.guilds.CountEventUsers(c.Context(), viewerOf(c), guild, id))
}

func (h *moderationHandlers) createEvent(c *api.Call) error {
	guild, body, err := api.PathBody[snowflake.Guild](c, "guild_id", c.ReadObject)
	if err != nil {
		return err
	}
	return c.OK(h.guilds.CreateEvent(c.Context(), viewerOf(c), guild, body))
}

func (h *moderationHandlers) editEvent(c *api.Call) error {
	guild, id, err := eventPath(c)
	if err != nil {
		return err
	}
	body, err := c.ReadObject()
	if err != nil {
		return err
	}
	return c.OK(h.guilds.EditEvent(c.Context(), viewerOf(c), guild, id, body))
}

func (h *moderationHandlers) deleteEvent(c *api.Call) error {
	guild, id, err := eventPath(c)
	if err != nil {
		return err
	}
	return c.NoContent(h.guilds.DeleteEvent(c.Context(), viewerOf(c), guild, id))
}
