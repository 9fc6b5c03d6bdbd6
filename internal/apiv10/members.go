package apiv10

import (
	"net/http"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) listMembers(c *httpapi.Call) error {
	stay, err := a.enterGuild(c)
	if err != nil {
		return err
	}
	q := c.Query()
	limit, after := q.Limit(1, directory.MaxPage), httpapi.QueryID[snowflake.User](q, "after")
	if err := q.Err(); err != nil {
		return err
	}
	page, err := a.Directory.Residents(c.Context(), stay.Place.ID, after, limit)
	if err != nil {
		return err
	}
	return members(c, page)
}

func (a *API) searchMembers(c *httpapi.Call) error {
	stay, err := a.enterGuild(c)
	if err != nil {
		return err
	}
	q := c.Query()
	limit, text := q.Limit(1, directory.MaxPage), q.Values.Get("query")
	if text == "" {
		q.At("query").Required()
	}
	if err := q.Err(); err != nil {
		return err
	}
	found, err := a.Directory.Search(c.Context(), stay.Place.ID, text, limit)
	if err != nil {
		return err
	}
	return members(c, found)
}

func (a *API) getMember(c *httpapi.Call) error {
	user, err := httpapi.PathID[snowflake.User](c, "user_id")
	if err != nil {
		return err
	}
	stay, err := a.enterGuild(c)
	if err != nil {
		return err
	}
	m, err := a.Directory.Resident(c.Context(), stay.Place.ID, user)
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, wire.MemberOf(m.Member, m.Who))
}

// members answers with a list of members.
func members(c *httpapi.Call, residents []directory.Resident) error {
	list := make([]wire.Member, len(residents))
	for i, m := range residents {
		list[i] = wire.MemberOf(m.Member, m.Who)
	}
	return c.Value(http.StatusOK, list)
}
