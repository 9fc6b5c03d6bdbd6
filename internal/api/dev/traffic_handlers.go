package dev

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

func (a *API) trafficRoutes() []api.Route {
	list := route(http.MethodGet, "/requests", "requests",
		"Read what apps and users sent and received, newest first. Accept: text/event-stream streams new entries.",
		"", map[int]string{200: "DevRequests"}, a.getTraffic)
	list.Query = []api.Parameter{
		{Name: "application", Kind: "string", Doc: "Only entries of this application."},
		{Name: "kind", Kind: "string", Doc: "request, delivery, event, frame or outcome."},
		{Name: "route", Kind: "string", Doc: "Part of the route."},
		{Name: "status", Kind: "string", Doc: "A status such as 404, or a class such as 4xx."},
		{Name: "since", Kind: "string", Doc: "A time such as 2026-05-01T12:00:00Z, or a duration before now such as 30s."},
		{Name: "limit", Kind: "integer", Doc: "Maximum number of entries, 1 to 10000; default 100."},
	}
	return []api.Route{
		list,
		route(http.MethodPost, "/requests/{request_id}/resend", "requests.resend",
			"Deliver a recorded interaction again to the endpoint of its app, with a new signature.",
			"DevResend", map[int]string{200: "DevRequest"}, a.resend),
	}
}

// getTraffic answers with the last entries, or with a stream of new ones.
func (a *API) getTraffic(c *api.Call) error {
	q := c.Query()
	f := Filter{
		Application: api.QueryID[snowflake.Application](q, "application"), Route: q.Values.Get("route"),
		Kind: Kind(q.Values.Get("kind")), Status: readStatus(q), Since: q.Since(a.Clock.Now()),
	}
	limit := q.Limit(100, maxEntries)
	if err := q.Err(); err != nil {
		return err
	}
	if strings.Contains(c.RequestHeader("Accept"), api.EventStream) {
		return a.stream(c, f)
	}
	a.Traffic.AwaitRunning(c.Context())
	return c.Value(http.StatusOK, a.Traffic.Last(f, limit))
}

// readStatus returns 404 for "404" and 4 for "4xx".
func readStatus(q *api.Query) int {
	text := q.Values.Get("status")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSuffix(strings.ToLower(text), "xx"))
	if err != nil || n < 1 || n > 999 {
		q.At("status").Add(jsonbody.Choices, "Expected a status such as 404, or a class such as 4xx.")
	}
	return n
}

// stream sends new entries until the client is gone or too slow, or the service stops.
func (a *API) stream(c *api.Call, f Filter) error {
	after, _ := strconv.ParseUint(c.RequestHeader("Last-Event-Id"), 10, 64) // without the header: only new entries
	follower, err := a.Traffic.Follow(f, after)
	if err != nil {
		return api.ErrBusy
	}
	defer follower.Close()
	return api.Stream(c, func(ctx context.Context) (events []api.Event, err error) {
		entries, err := follower.Next(ctx)
		for _, e := range entries {
			events = append(events, api.Event{ID: e.ID, Name: string(e.Kind), Value: e})
		}
		return events, err
	})
}
