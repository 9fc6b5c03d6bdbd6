package admin

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/store"
)

func (a *API) auditRoutes() []api.Route {
	list := route(auth.OperatorRead, http.MethodGet, "/audit", "audit",
		"Read the audit log, newest first. Accept: text/event-stream streams new entries.",
		"", map[int]string{200: "Audit"}, a.getAudit)
	list.Query = []api.Parameter{
		{Name: "actor", Kind: "string", Doc: "Only entries of this actor, such as operator:ci or user:200."},
		{Name: "action", Kind: "string", Doc: "Only entries with this action, such as user.update."},
		{Name: "target", Kind: "string", Doc: "Only entries about this target, such as guild/300/role/301."},
		{Name: "since", Kind: "string", Doc: "Only entries from this time on, such as 2026-05-01T12:00:00Z, or a duration before now such as 24h."},
		{Name: "before", Kind: "string", Doc: "Only entries with smaller ids: the next page."},
		{Name: "after", Kind: "string", Doc: "Only entries with larger ids."},
		{Name: "limit", Kind: "integer", Doc: "Maximum number of entries, 1 to 1000; default 100."},
	}
	head := route(auth.OperatorRead, http.MethodGet, "/audit/head", "audit.head",
		"Read the end of the chain of hashes of the audit log. Keep it elsewhere: bellhop doctor compares the log with it.",
		"", map[int]string{200: "AuditHead"}, a.getAuditHead)
	return []api.Route{list, head}
}

// getAuditHead answers with the end of the chain.
func (a *API) getAuditHead(c *api.Call) error {
	h, err := a.Audit.Head(c.Context())
	if err != nil {
		return err
	}
	return c.Value(http.StatusOK, struct {
		Head string `json:"head"`
	}{h.String()})
}

// getAudit answers with a page of the audit log, or with a stream of new entries.
func (a *API) getAudit(c *api.Call) error {
	q := c.Query()
	f := store.AuditFilter{
		Actor: q.Values.Get("actor"), Action: q.Values.Get("action"), Target: q.Values.Get("target"),
		Before: api.QueryID[uint64](q, "before"), After: api.QueryID[uint64](q, "after"),
	}
	if since := q.Since(a.Clock.Now()); !since.IsZero() {
		f.After = max(f.After, audit.IDAt(since))
	}
	limit := q.Limit(defaultPage, 1000)
	if err := q.Err(); err != nil {
		return err
	}
	if strings.Contains(c.RequestHeader("Accept"), api.EventStream) {
		return a.followAudit(c, f)
	}
	list, err := a.Audit.List(c.Context(), f, limit)
	if err != nil {
		return err
	}
	if list == nil {
		list = []store.AuditEntry{}
	}
	return c.Value(http.StatusOK, list)
}

// followAudit sends new entries until the client is gone or too slow, or the service stops.
func (a *API) followAudit(c *api.Call, f store.AuditFilter) error {
	if last, err := strconv.ParseUint(c.RequestHeader("Last-Event-Id"), 10, 63); err == nil {
		f.After = last
	}
	if f.After == 0 { // only new entries
		f.After = audit.IDAt(a.Clock.Now())
	}
	follower, err := a.Audit.Follow(f)
	if err != nil {
		return api.ErrBusy
	}
	defer follower.Close()
	return api.Stream(c, func(ctx context.Context) (events []api.Event, err error) {
		entries, err := follower.Next(ctx)
		for _, e := range entries {
			events = append(events, api.Event{ID: e.ID, Name: "audit", Value: e})
		}
		return events, err
	})
}
