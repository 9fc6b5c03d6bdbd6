package remote_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/go-json-experiment/json/jsontext"
)

// TestAuditLog reads a log of 1,500 entries in two pages, and follows it over two connections.
func TestAuditLog(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.Header.Get("Authorization") != "Bearer secret" || q.Get("actor") != "operator:ci" || q.Has("action") {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		if r.Header.Get("Accept") == "text/event-stream" {
			fmt.Fprintf(w, "id: 1501\ndata: {\"id\":\"%s1\",\"actor\":\"operator:ci\"}\n\n", r.Header.Get("Last-Event-Id"))
			return
		}
		first, limit := 1500, 0
		_, _ = fmt.Sscan(q.Get("limit"), &limit) // 0 fails the test
		if before := q.Get("before"); before != "" {
			_, _ = fmt.Sscan(before, &first) // as above
			first--
		}
		var page []string
		for id := first; id > 0 && len(page) < limit; id-- {
			page = append(page, `{"id":"`+strconv.Itoa(id)+`","time":"2026-01-02T15:04:05Z","actor":"operator:ci","action":"a","target":"t"}`)
		}
		fmt.Fprintf(w, "[%s]", strings.Join(page, ","))
	}))
	t.Cleanup(srv.Close)
	log := remote.AuditLog{BaseURL: srv.URL + "/api/v10", Token: "secret", Actor: "operator:ci"}
	for most, want := range map[int]int{0: 0, 3: 3, 1200: 1200, 5000: 1500} {
		list, err := log.Newest(t.Context(), most)
		if err != nil || len(list) != want {
			t.Fatalf("Newest(%d) = %d entries, %v, want %d", most, len(list), err, want)
		}
		if want > 0 && (list[want-1].ID != 1500 || list[0].ID != uint64(1501-want)) {
			t.Errorf("Newest(%d) has the ids %d to %d", most, list[0].ID, list[want-1].ID)
		}
	}
	var seen []uint64
	full := errors.New("two entries")
	err := log.Watch(t.Context(), 150, func(e remote.AuditEntry) error { // the server closes the connection after each entry
		if seen = append(seen, e.ID); len(seen) == 2 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || !slices.Equal(seen, []uint64{1501, 15011}) {
		t.Errorf("Watch() = %v after %v", err, seen)
	}
}

// TestAuditChanges checks the text of a change. Long values are cut.
func TestAuditChanges(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ before, after, want string }{
		{"", `{"name":"a"}`, ""},
		{`{"name":"a"}`, "", ""},
		{`{"name":"a","same":1}`, `{"name":"b","same":1}`, `name: "a" → "b"`},
		{`{"gone":1}`, `{"added":true}`, "added: none → true, gone: 1 → none"},
		{`{"text":"a"}`, `{"text":"` + strings.Repeat("ä", 50) + `"}`, `text: "a" → "` + strings.Repeat("ä", 38) + "…"},
		{`[]`, `{}`, ""},
	} {
		e := remote.AuditEntry{Before: jsontext.Value(tt.before), After: jsontext.Value(tt.after)}
		if got := e.Changes(); got != tt.want {
			t.Errorf("Changes() from %s to %s = %q, want %q", tt.before, tt.after, got, tt.want)
		}
	}
}

// TestAuditPrinter prints entries in each format, in two parts. A table has one head.
func TestAuditPrinter(t *testing.T) {
	t.Parallel()
	e := remote.AuditEntry{ID: 7, Time: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC), Actor: "user:200", Via: "operator:ci", Action: "a", Target: "t"}
	for format, want := range map[string]string{
		"json": `{"id":"7","time":"2026-01-02T15:04:05Z","actor":"user:200","via":"operator:ci","action":"a","target":"t"}` + "\n",
		"yaml": "- id: \"7\"\n  time: \"2026-01-02T15:04:05Z\"\n  actor: user:200\n  via: operator:ci\n  action: a\n  target: t\n",
	} {
		var out strings.Builder
		p := remote.AuditPrinter{Out: &out, Format: format}
		if err := errors.Join(p.Print(e), p.Print(e)); err != nil || out.String() != want+want {
			t.Errorf("%s: %v\n%s\nwant twice:\n%s", format, err, out.String(), want)
		}
	}
	var out strings.Builder
	p := remote.AuditPrinter{Out: &out, Format: "table"}
	if err := errors.Join(p.Print(e), p.Print(e)); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Count(text, "TIME") != 1 || strings.Count(text, "user:200 via operator:ci") != 2 {
		t.Errorf("the table is\n%s", text)
	}
}
