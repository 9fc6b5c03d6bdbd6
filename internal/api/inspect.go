package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/devtools"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

func (a *API) inspectRoutes() []route {
	return []route{{
		method: http.MethodGet, path: "/_dev/requests", root: true, name: "dev.requests",
		doc:    "Read what apps and people sent and received lately, the newest first; with Accept: text/event-stream as it comes.",
		answer: map[int]string{200: "DevRequests"}, handle: a.devRequests,
		query: []parameter{
			{"application", "string", "Of this application alone."},
			{"kind", "string", "request, delivery or frame."},
			{"route", "string", "A part of the route."},
			{"status", "string", "A status such as 404, or a class of them such as 4xx."},
			{"since", "string", "A time, or how long ago: 2026-05-01T12:00:00Z, 30s."},
			{"limit", "integer", "How many, 100 unless told, at most 1000."},
		},
	}}
}

// devRequests answers with the last entries, or with a stream of those to come.
func (a *API) devRequests(c *call) error {
	q := c.query()
	f := devtools.Filter{
		Application: queryID[snowflake.Application](q, "application"), Route: q.values.Get("route"),
		Kind: devtools.Kind(q.values.Get("kind")), Status: q.status(), Since: q.since(a.Clock.Now()),
	}
	limit := q.limit(100, 1000)
	if err := q.Err(); err != nil {
		return err
	}
	if strings.Contains(c.header("Accept"), eventStream) {
		return c.stream(f)
	}
	return c.value(http.StatusOK, a.Dev.Requests.Last(f, limit))
}

// status reads 404 as it is, and 4xx as its first digit.
func (q *query) status() int {
	text := q.values.Get("status")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSuffix(strings.ToLower(text), "xx"))
	if err != nil || n < 1 || n > 999 {
		q.At("status").Add(problem.Choices, "Expected a status such as 404, or a class such as 4xx.")
	}
	return n
}

func (q *query) since(now time.Time) time.Time {
	text := q.values.Get("since")
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
func (c *call) stream(f devtools.Filter) error {
	after, _ := strconv.ParseUint(c.header("Last-Event-Id"), 10, 64) // none: what comes from now on
	follower, err := c.api.Dev.Requests.Follow(f, after)
	if err != nil {
		return errBusy
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
		_ = control.SetWriteDeadline(wall.Now().Add(writeTime)) // likewise
		if _, err := c.ResponseWriter.Write(text); err != nil {
			return nil // the reader is gone or too slow
		}
		if err := control.Flush(); err != nil {
			return nil // likewise
		}
		if text, err = c.events(follower); err != nil || c.r.Context().Err() != nil {
			return nil // likewise; what was missed can be asked for again
		}
	}
}

// events waits for what is to be written next: entries, or a comment when there are none for a while.
func (c *call) events(follower *devtools.Follower) ([]byte, error) {
	ctx, cancel := context.WithTimeout(c.r.Context(), streamPulse)
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

// sight is what the inspector sees of a request.
type sight struct {
	io.ReadCloser // the request's body

	sent, received       []byte // their beginnings
	sentSize, answerSize int64
}

// watch lets the inspector see what is read and written.
func (c *call) watch() {
	c.sight = &sight{ReadCloser: c.r.Body}
	r := *c.r
	r.Body = c.sight
	c.r = &r
}

// Read notes what is read of the request's body.
func (s *sight) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.sentSize += int64(n)
	s.sent = keep(s.sent, p[:n])
	return n, err
}

func (s *sight) wrote(p []byte) {
	s.answerSize += int64(len(p))
	s.received = keep(s.received, p)
}

// keep appends as much as is shown.
func keep(seen, p []byte) []byte {
	return append(seen, p[:min(len(p), devtools.MaxBody-len(seen))]...)
}

// record tells the inspector of a request to the API, or of one that went astray; the service's own pages and the dev
// controls are not what a developer looks for.
func (c *call) record(took time.Duration) {
	if c.own {
		return
	}
	app := c.principal.Application
	if id, err := form.ParseID[snowflake.Application](&problem.Tree{}, c.r.PathValue("application_id")); app == 0 && err {
		app = id
	}
	c.api.Dev.Requests.Record(devtools.Entry{
		Time: c.api.Clock.Now().UTC(), Kind: devtools.Request, Application: app, User: c.principal.User,
		Method: c.r.Method, Route: c.pattern, Path: devtools.Path(c.pattern, c.r.URL.Path, c.r.URL.RawQuery),
		Status: c.status, TookMS: milliseconds(took),
		Sent:     devtools.NewContent(c.r.Header, c.sight.sent, c.sight.sentSize),
		Received: devtools.NewContent(c.Header(), c.sight.received, c.sight.answerSize),
	})
}

// milliseconds returns a time with microseconds.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
