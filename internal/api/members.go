package api

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) listMembers(c *call) error {
	stay, err := c.enterGuild()
	if err != nil {
		return err
	}
	q := c.query()
	limit, after := q.limit(1, directory.MaxPage), queryID[snowflake.User](q, "after")
	if err := q.Err(); err != nil {
		return err
	}
	page, err := a.Directory.Residents(c.r.Context(), stay.Place.ID, after, limit)
	if err != nil {
		return err
	}
	return c.members(page)
}

func (a *API) searchMembers(c *call) error {
	stay, err := c.enterGuild()
	if err != nil {
		return err
	}
	q := c.query()
	limit, text := q.limit(1, directory.MaxPage), q.values.Get("query")
	if text == "" {
		q.At("query").Required()
	}
	if err := q.Err(); err != nil {
		return err
	}
	found, err := a.Directory.Search(c.r.Context(), stay.Place.ID, text, limit)
	if err != nil {
		return err
	}
	return c.members(found)
}

func (a *API) getMember(c *call) error {
	user, err := pathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	stay, err := c.enterGuild()
	if err != nil {
		return err
	}
	m, err := a.Directory.Resident(c.r.Context(), stay.Place.ID, user)
	if err != nil {
		return err
	}
	return c.value(http.StatusOK, wire.MemberOf(m.Member, m.Who))
}

// members answers with a list of members.
func (c *call) members(residents []directory.Resident) error {
	list := make([]wire.Member, len(residents))
	for i, m := range residents {
		list[i] = wire.MemberOf(m.Member, m.Who)
	}
	return c.value(http.StatusOK, list)
}
