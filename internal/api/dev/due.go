package dev

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/internal/api"
)

// maxDue bounds how many things of each kind the list of what falls due contains.
const maxDue = 50

// due is something that happens at a time without a request.
type due struct {
	Kind string    `json:"kind"` // lobby or interaction
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
}

// listDue answers with what falls due next, the earliest first.
func (a *API) listDue(c *api.Call) error {
	lobbies, err := a.Lobbies.Due(c.Context(), maxDue)
	if err != nil {
		return err
	}
	interactions, err := a.Interactions.Due(c.Context(), maxDue)
	if err != nil {
		return err
	}
	list := []due{}
	for _, l := range lobbies {
		list = append(list, due{"lobby", strconv.FormatUint(uint64(l.ID), 10), l.Due.UTC()})
	}
	for _, i := range interactions {
		list = append(list, due{"interaction", strconv.FormatUint(uint64(i.ID), 10), i.Due.UTC()})
	}
	slices.SortStableFunc(list, func(x, y due) int { return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.ID, y.ID)) })
	return c.Value(http.StatusOK, list)
}
