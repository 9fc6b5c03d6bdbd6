package v10

import (
	"errors"
	"net/http"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

func (h *guildHandlers) listMembers(c *api.Call) error {
	view, err := h.view(c)
	if err != nil {
		return err
	}
	q := c.Query()
	limit, after := q.Limit(1, directory.MaxPage), api.QueryID[snowflake.User](q, "after")
	if err := q.Err(); err != nil {
		return err
	}
	switch allowed, err := h.directory.Applications.HasIntent(c.Context(), viewerOf(c), world.GuildMembers); {
	case err != nil:
		return err
	case !allowed:
		return directory.ErrHidden
	}
	return c.OK(h.directory.Guilds.MembersWithUsers(c.Context(), view.Guild.ID, after, limit))
}

func (h *guildHandlers) searchMembers(c *api.Call) error {
	view, err := h.view(c)
	if err != nil {
		return err
	}
	q := c.Query()
	limit, text := q.Limit(1, directory.MaxPage), q.Values.Get("query")
	guild.CheckQuery(q.At("query"), text)
	if err := q.Err(); err != nil {
		return err
	}
	return c.OK(h.directory.Guilds.SearchMembers(c.Context(), view.Guild.ID, text, limit))
}

func (h *guildHandlers) getMember(c *api.Call) error {
	user, err := api.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	view, err := h.view(c)
	if err != nil {
		return err
	}
	m, err := h.directory.Guilds.MemberWithUser(c.Context(), view.Guild.ID, user)
	if errors.Is(err, directory.ErrUnknownMember) {
		if _, unknown := h.directory.Users.User(c.Context(), user); unknown != nil {
			return unknown
		}
	}
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, m)
}
