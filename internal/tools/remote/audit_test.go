package remote_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/go-json-experiment/json/jsontext"
)

// TestAuditLog reads a log of 1,500 entries in two pages, and follows it.
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
	last, err := log.Follow(t.Context(), 150, func(e remote.AuditEntry) error { seen = append(seen, e.ID); return nil })
	if err != nil || last != 1501 || len(seen) != 1 {
		t.Errorf("Follow() = %d, %v after %v", last, err, seen)
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
