package adminapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/internal/httpapi"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

func (a *API) inspectRoutes() []httpapi.Route {
	return []httpapi.Route{{
		Method: http.MethodGet, Path: "/_dev/requests", Root: true, Name: "dev.requests",
		Doc:    "Read what apps and people sent and received lately, the newest first; with Accept: text/event-stream as it comes.",
		Answer: map[int]string{200: "DevRequests"}, Handle: a.devRequests,
		Query: []httpapi.Parameter{
			{Name: "application", Kind: "string", Doc: "Of this application alone."},
			{Name: "kind", Kind: "string", Doc: "request, delivery or frame."},
			{Name: "route", Kind: "string", Doc: "A part of the route."},
			{Name: "status", Kind: "string", Doc: "A status such as 404, or a class of them such as 4xx."},
			{Name: "since", Kind: "string", Doc: "A time, or how long ago: 2026-05-01T12:00:00Z, 30s."},
			{Name: "limit", Kind: "integer", Doc: "How many, 100 unless told, at most 1000."},
		},
	}}
}

// devRequests answers with the last entries, or with a stream of those to come.
func (a *API) devRequests(c *httpapi.Call) error {
	q := c.Query()
	f := devtools.Filter{
		Application: httpapi.QueryID[snowflake.Application](q, "application"), Route: q.Values.Get("route"),
		Kind: devtools.Kind(q.Values.Get("kind")), Status: readStatus(q), Since: readSince(q, a.Clock.Now()),
	}
	limit := q.Limit(100, 1000)
	if err := q.Err(); err != nil {
		return err
	}
	if strings.Contains(c.RequestHeader("Accept"), eventStream) {
		return a.stream(c, f)
	}
	return c.Value(http.StatusOK, a.Dev.Requests.Last(f, limit))
}

// readStatus reads 404 as it is, and 4xx as its first digit.
func readStatus(q *httpapi.Query) int {
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

func readSince(q *httpapi.Query, now time.Time) time.Time {
	text := q.Values.Get("since")
	if text == "" {
		return time.Time{}
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago)
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		q.At("since").Add("DATE_TIME_TYPE_PARSE", "Expected a time such as 2026-05-01T12:00:00Z, or how long ago such as 30s.")
	}
	return at
}

// The stream of events.
const (
	eventStream = "text/event-stream"
	// writeTime is how long a reader may take for what is written to it; streamPulse how long the stream is silent at the
	// most, so that both sides notice when the other is gone.
	writeTime   = 10 * time.Second
	streamPulse = 15 * time.Second
)

// stream sends entries as they come until the reader goes, reads too slowly, or the service ends.
func (a *API) stream(c *httpapi.Call, f devtools.Filter) error {
	after, _ := strconv.ParseUint(c.RequestHeader("Last-Event-Id"), 10, 64) // none: what comes from now on
	follower, err := a.Dev.Requests.Follow(f, after)
	if err != nil {
		return httpapi.ErrBusy
	}
	defer follower.Close()
	control := http.NewResponseController(c.ResponseWriter)
	_ = control.SetReadDeadline(time.Time{}) // it is for reading the request, which is done; a recorder has none
	h := c.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	c.WriteHeader(http.StatusOK)
	text := []byte("retry: 1000\n\n")
	for {
		_ = control.SetWriteDeadline(clock.System{}.Now().Add(writeTime)) // likewise
		if _, err := c.ResponseWriter.Write(text); err != nil {
			return nil // the reader is gone or too slow
		}
		if err := control.Flush(); err != nil {
			return nil // likewise
		}
		if text, err = events(c, follower); err != nil || c.Context().Err() != nil {
			return nil // likewise; what was missed can be asked for again
		}
	}
}

// events waits for what is to be written next: entries, or a comment when there are none for a while.
func events(c *httpapi.Call, follower *devtools.Follower) ([]byte, error) {
	ctx, cancel := context.WithTimeout(c.Context(), streamPulse)
	defer cancel()
	entries, err := follower.Next(ctx)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return []byte(":\n\n"), nil
	}
	var text []byte
	for i := range entries {
		data, err := json.Marshal(entries[i], json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		text = fmt.Appendf(text, "id: %d\nevent: %s\ndata: %s\n\n", entries[i].ID, entries[i].Kind, data)
	}
	return text, nil
}
