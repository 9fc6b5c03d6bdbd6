package devtools_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/devtools"
)

func entry(route string, status int) devtools.Entry {
	return devtools.Entry{Kind: devtools.Request, Route: route, Status: status, Time: time.Unix(int64(status), 0)}
}

func TestInspectorFilters(t *testing.T) {
	t.Parallel()
	var i devtools.Inspector
	i.Record(entry("/webhooks/{application_id}", 200))
	i.Record(entry("/interactions", 404))
	i.Record(devtools.Entry{Kind: devtools.Delivery, Application: 7, Status: 403, Time: time.Unix(900, 0)})
	for _, tt := range []struct {
		name   string
		filter devtools.Filter
		want   string // ids, the newest first
	}{
		{"all", devtools.Filter{}, "321"},
		{"by application", devtools.Filter{Application: 7}, "3"},
		{"by kind", devtools.Filter{Kind: devtools.Request}, "21"},
		{"by a part of the route", devtools.Filter{Route: "Webhooks"}, "1"},
		{"by status", devtools.Filter{Status: 404}, "2"},
		{"by a class of status", devtools.Filter{Status: 4}, "32"},
		{"by time", devtools.Filter{Since: time.Unix(404, 0)}, "32"},
	} {
		var ids strings.Builder
		for _, e := range i.Last(tt.filter, 100) {
			fmt.Fprint(&ids, e.ID)
		}
		if got := ids.String(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	if got := i.Last(devtools.Filter{}, 1); len(got) != 1 || got[0].ID != 3 {
		t.Errorf("the last one is %v", got)
	}
	i.Clear()
	if got := i.Last(devtools.Filter{}, 100); len(got) > 0 {
		t.Errorf("%d entries after Clear", len(got))
	}
}

func TestInspectorIsBounded(t *testing.T) {
	t.Parallel()
	var i devtools.Inspector
	for range 5000 {
		i.Record(entry("/", 200))
	}
	if n := len(i.Last(devtools.Filter{}, 1e6)); n != 1000 {
		t.Errorf("%d entries of 5000, want 1000", n)
	}
	large := devtools.Entry{Sent: &devtools.Content{Body: strings.Repeat("x", 1<<20)}}
	for range 100 {
		i.Record(large)
	}
	if n := len(i.Last(devtools.Filter{}, 1e6)); n != 15 {
		t.Errorf("%d entries of a megabyte each, want 15", n)
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	var i devtools.Inspector
	for range 5 {
		i.Record(entry("/", 200))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	follow := func(after uint64) (ids []uint64) {
		t.Helper()
		f, err := i.Follow(devtools.Filter{}, after)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		list, err := f.Next(ended)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			ids = append(ids, e.ID)
		}
		return ids
	}
	for after, want := range map[uint64]int{0: 0, 3: 2, 5: 0, 99: 0} {
		if ids := follow(after); len(ids) != want || want > 0 && ids[0] != after+1 {
			t.Errorf("after %d come %v, want %d", after, ids, want)
		}
	}
	slow, err := i.Follow(devtools.Filter{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	for range 1001 {
		i.Record(entry("/", 200))
	}
	if _, err := slow.Next(t.Context()); !errors.Is(err, devtools.ErrBehind) {
		t.Errorf("who is too slow gets %v", err)
	}
	if ids := follow(3); len(ids) != 1000 || ids[0] != 7 {
		t.Errorf("after one that is gone come %d, from %d", len(ids), ids[0])
	}
}

func TestFollowersHearEverything(t *testing.T) {
	t.Parallel()
	var i devtools.Inspector
	var readers sync.WaitGroup
	for range 4 {
		f, err := i.Follow(devtools.Filter{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		readers.Go(func() {
			defer f.Close()
			for next := uint64(1); next <= 500; {
				list, err := f.Next(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				for _, e := range list {
					if e.ID != next {
						t.Errorf("entry %d, want %d", e.ID, next)
						return
					}
					next++
				}
			}
		})
	}
	for range 500 {
		i.Record(entry("/", 200))
	}
	readers.Wait()
	f, err := i.Follow(devtools.Filter{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	i.Close()
	if _, err := f.Next(t.Context()); !errors.Is(err, devtools.ErrFollowers) {
		t.Errorf("after the end comes %v", err)
	}
	if _, err := i.Follow(devtools.Filter{}, 0); !errors.Is(err, devtools.ErrFollowers) {
		t.Errorf("a follower begins after the end: %v", err)
	}
}

func TestMasks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pattern, path, query, want string }{
		{"/interactions/{interaction_id}/{interaction_token}/callback", "/api/v10/interactions/1/abc/callback", "with_response=true", "/api/v10/interactions/1/***/callback?with_response=true"},
		{"/webhooks/{application_id}/{interaction_token}/messages/{message_id}", "/api/webhooks/1/abc/messages/@original", "", "/api/webhooks/1/***/messages/@original"},
		{"/oauth2/token", "/api/v10/oauth2/token", "code=abc&x=1&client_secret=def", "/api/v10/oauth2/token?code=***&x=1&client_secret=***"},
	} {
		if got := devtools.Path(tt.pattern, tt.path, tt.query); got != tt.want {
			t.Errorf("Path() = %q, want %q", got, tt.want)
		}
	}
	json := http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bot abc"}, "Cookie": {"s=1"}}
	c := devtools.NewContent(json, []byte(`{"token":"a\"bc","name": "x","client_secret" : "d"}`), 50)
	if c.Body != `{"token":"***","name": "x","client_secret" : "***"}` || c.Headers["Authorization"] != "Bot ***" || c.Headers["Cookie"] != "***" {
		t.Errorf("shown as %+v", c)
	}
	cut := devtools.NewContent(json, []byte(`{"token":"`+strings.Repeat("a", devtools.MaxBody)), 1<<20)
	if cut.Body != `{"token":"***"` || !cut.Cut {
		t.Errorf("a token that is cut is shown as %+v", cut)
	}
	fields := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	if c := devtools.NewContent(fields, []byte("grant_type=x&refresh_token=abc"), 30); c.Body != "grant_type=x&refresh_token=***" {
		t.Errorf("shown as %+v", c)
	}
	if c := devtools.NewContent(http.Header{"Content-Type": {"multipart/form-data; boundary=x"}}, []byte("\xff"), 1); c.Body != "" || c.Size != 1 {
		t.Errorf("a form is shown as %+v", c)
	}
}
