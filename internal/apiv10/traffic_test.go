package apiv10_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/devapi"
	"github.com/go-json-experiment/json"
)

func TestTrafficEntries(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ask(t, "bot", http.MethodPost, commandsPath, `{"name":"roll","description":"Roll dice","token":"hush"}`)
	d.ask(t, "anonymous", http.MethodGet, "/api/v10/nowhere?code=hush", "")
	d.ask(t, "anonymous", http.MethodGet, "/healthz", "")
	got := d.ask(t, "anonymous", http.MethodGet, "/_dev/requests", "")
	var list []devapi.Entry
	if err := json.Unmarshal([]byte(got.body), &list); err != nil || len(list) != 2 {
		t.Fatalf("%s, %v, want two entries", got.body, err)
	}
	if unknown := list[0]; unknown.Status != 404 || unknown.Path != "/api/v10/nowhere?code=***" || unknown.Application != 0 {
		t.Errorf("the request without a route is recorded as %+v", unknown)
	}
	made := list[1]
	if made.Application != 1300000000000000001 || made.Route != "/applications/{application_id}/commands" || made.Status != 201 ||
		made.Sent.Body != `{"name":"roll","description":"Roll dice","token":"***"}` || made.Sent.Headers["Authorization"] != "Bot ***" ||
		!strings.Contains(made.Received.Body, `"name":"roll"`) || made.Received.Size != int64(len(made.Received.Body)) {
		t.Errorf("the request is recorded as %s", got.body)
	}
	if strings.Contains(got.body, "hush") || strings.Contains(got.body, "bot-echo") {
		t.Errorf("secrets are shown: %s", got.body)
	}
	for query, want := range map[string]int{
		"?status=4xx": 1, "?status=201": 1, "?application=1300000000000000001": 1, "?route=commands": 1, "?kind=delivery": 0, "?limit=1": 1, "?since=1s": 2,
		"?since=2030-01-01T00:00:00Z": 0,
	} {
		got := d.ask(t, "anonymous", http.MethodGet, "/_dev/requests"+query, "")
		if err := json.Unmarshal([]byte(got.body), &list); err != nil || len(list) != want {
			t.Errorf("%s: %s, %v, want %d", query, got.body, err, want)
		}
	}
	for _, query := range []string{"?status=x", "?since=x", "?limit=0", "?application=x"} {
		if got := d.ask(t, "anonymous", http.MethodGet, "/_dev/requests"+query, ""); got.status != http.StatusBadRequest {
			t.Errorf("%s: %d", query, got.status)
		}
	}
}

// TestTrafficStream opens a stream, and continues it with another one.
func TestTrafficStream(t *testing.T) {
	t.Parallel()
	d := open(t)
	srv := httptest.NewServer(d)
	t.Cleanup(srv.Close)
	next := follow(t, srv.URL+"/_dev/requests?status=4xx", "")
	d.ask(t, "bot", http.MethodGet, commandsPath, "") // the filter leaves it out
	d.ask(t, "anonymous", http.MethodGet, commandsPath, "")
	id, data := next()
	if id != "2" || !strings.Contains(data, `"status":401`) {
		t.Errorf("event %q: %s", id, data)
	}
	d.ask(t, "wrong", http.MethodGet, commandsPath, "")
	again := follow(t, srv.URL+"/_dev/requests", "2")
	if id, data := again(); id != "3" || !strings.Contains(data, `"kind":"request"`) {
		t.Errorf("the event after 2 is %q: %s", id, data)
	}
	d.dev.Traffic.Close()
	if got := d.ask(t, "anonymous", http.MethodGet, "/_dev/requests", "", "Accept", "text/event-stream"); got.status != http.StatusServiceUnavailable {
		t.Errorf("a stream after Close is answered %d, want 503", got.status)
	}
}

// follow opens a stream. next returns the next event.
func follow(t *testing.T, url, after string) (next func() (id, data string)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	if after != "" {
		r.Header.Set("Last-Event-Id", after)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	return func() (id, data string) {
		t.Helper()
		for lines.Scan() {
			if v, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				id = v
			}
			if v, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return id, v
			}
		}
		t.Fatalf("the stream ended: %v", lines.Err())
		return "", ""
	}
}
