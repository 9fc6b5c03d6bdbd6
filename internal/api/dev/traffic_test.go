package dev_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	"github.com/bellhop/bellhop/internal/api/dev"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

func entry(route string, status int) dev.Entry {
	return dev.Entry{Kind: dev.Request, Route: route, Status: status, Time: time.Unix(int64(status), 0)}
}

func TestTrafficFilters(t *testing.T) {
	t.Parallel()
	var traffic dev.Traffic
	traffic.Record(entry("/webhooks/{application_id}", 200))
	traffic.Record(entry("/interactions", 404))
	traffic.Record(dev.Entry{Kind: dev.Delivery, Application: 7, Status: 403, Time: time.Unix(900, 0)})
	for _, tt := range []struct {
		name   string
		filter dev.Filter
		want   string // ids, newest first
	}{
		{"all", dev.Filter{}, "321"},
		{"by application", dev.Filter{Application: 7}, "3"},
		{"by kind", dev.Filter{Kind: dev.Request}, "21"},
		{"by part of the route", dev.Filter{Route: "Webhooks"}, "1"},
		{"by status", dev.Filter{Status: 404}, "2"},
		{"by a class of status", dev.Filter{Status: 4}, "32"},
		{"by time", dev.Filter{Since: time.Unix(404, 0)}, "32"},
	} {
		var ids strings.Builder
		for _, e := range traffic.Last(tt.filter, 100) {
			fmt.Fprint(&ids, e.ID)
		}
		if got := ids.String(); got != tt.want {
			t.Errorf("%s: entries %s, want %s", tt.name, got, tt.want)
		}
	}
	if got := traffic.Last(dev.Filter{}, 1); len(got) != 1 || got[0].ID != 3 {
		t.Errorf("Last(1) = %v, want entry 3", got)
	}
	traffic.Clear()
	if got := traffic.Last(dev.Filter{}, 100); len(got) > 0 {
		t.Errorf("%d entries after Clear", len(got))
	}
}

func TestTrafficIsBounded(t *testing.T) {
	t.Parallel()
	var traffic dev.Traffic
	for range 15_000 {
		traffic.Record(entry("/", 200))
	}
	if n := len(traffic.Last(dev.Filter{}, 1e6)); n != 10_000 {
		t.Errorf("%d entries of 15000, want 10000", n)
	}
	large := api.Exchange{Request: api.Content{Start: make([]byte, 1<<20)}}
	for range 100 {
		traffic.RecordRequest(large)
	}
	if n := len(traffic.Last(dev.Filter{}, 1e6)); n != 15 {
		t.Errorf("%d entries of a megabyte each, want 15", n)
	}
}

// TestTrafficIsMasked checks that every way to read an entry removes its secrets.
func TestTrafficIsMasked(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	traffic := dev.Traffic{Log: &log}
	follower, err := traffic.Follow(dev.Filter{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer follower.Close()
	traffic.RecordRequest(api.Exchange{
		Request:  api.Content{Header: http.Header{"Authorization": {"Bot hush"}, "Content-Type": {"application/json"}}, Start: []byte(`{"token":"hush"}`)},
		Response: api.Content{Header: http.Header{"Content-Type": {"application/json"}}, Start: []byte(`{"client_secret":"hush"}`)},
	})
	followed, err := follower.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one, _ := traffic.Entry(1)
	shown := map[string]any{"Last": traffic.Last(dev.Filter{}, 1), "Entry": one, "Follower.Next": followed, "Log": jsontext.Value(log.Bytes())}
	for name, v := range shown {
		text, err := json.Marshal(v)
		if err != nil || strings.Contains(string(text), "hush") || strings.Count(string(text), "***") != 3 {
			t.Errorf("%s: %s, %v; want three masks and no secrets", name, text, err)
		}
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	var traffic dev.Traffic
	for range 5 {
		traffic.Record(entry("/", 200))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	follow := func(after uint64) (ids []uint64) {
		t.Helper()
		f, err := traffic.Follow(dev.Filter{}, after)
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
			t.Errorf("Follow(%d) returns %v, want %d entries", after, ids, want)
		}
	}
	slow, err := traffic.Follow(dev.Filter{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	for range 10_001 {
		traffic.Record(entry("/", 200))
	}
	if _, err := slow.Next(t.Context()); !errors.Is(err, dev.ErrBehind) {
		t.Errorf("a slow follower gets %v, want ErrBehind", err)
	}
	if ids := follow(3); len(ids) != 10_000 || ids[0] != 7 {
		t.Errorf("Follow of a removed entry returns %d entries from %d, want 10000 from 7", len(ids), ids[0])
	}
}

func TestFollowersGetEveryEntry(t *testing.T) {
	t.Parallel()
	var traffic dev.Traffic
	var readers sync.WaitGroup
	for range 4 {
		f, err := traffic.Follow(dev.Filter{}, 0)
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
		traffic.Record(entry("/", 200))
	}
	readers.Wait()
	f, err := traffic.Follow(dev.Filter{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	traffic.Close()
	if _, err := f.Next(t.Context()); !errors.Is(err, dev.ErrFollowers) {
		t.Errorf("Next() after Close = %v, want ErrFollowers", err)
	}
	if _, err := traffic.Follow(dev.Filter{}, 0); !errors.Is(err, dev.ErrFollowers) {
		t.Errorf("Follow() after Close = %v, want ErrFollowers", err)
	}
}

// TestTrafficLog checks that every entry is written as a line of JSON, also those that are no longer kept.
func TestTrafficLog(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	traffic := dev.Traffic{Log: &lines}
	traffic.Record(entry("/gateway", 200))
	traffic.Clear()
	traffic.Record(entry("/interactions", 404))
	const want = `{"id":"1","time":"1970-01-01T00:03:20Z","kind":"request","route":"/gateway","status":200}
{"id":"2","time":"1970-01-01T00:06:44Z","kind":"request","route":"/interactions","status":404}
`
	if got := strings.ReplaceAll(lines.String(), time.Unix(0, 0).Format("Z07:00"), "Z"); got != want {
		t.Errorf("log is %s, want %s", got, want)
	}
}

// TestTrafficAwaitsRunning checks that a list has the requests that began before it was asked for, and that a request that does
// not end delays it for a second at most.
func TestTrafficAwaitsRunning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var traffic dev.Traffic
		end := traffic.BeginRequest()
		go func() {
			time.Sleep(100 * time.Millisecond)
			traffic.Record(entry("/interactions/{interaction_id}/{token}/callback", 204))
			end()
		}()
		began := time.Now()
		traffic.AwaitRunning(t.Context())
		if n, took := len(traffic.Last(dev.Filter{}, 10)), time.Since(began); n != 1 || took != 100*time.Millisecond {
			t.Errorf("%d entries after %v, want the request that ran", n, took)
		}
		defer traffic.BeginRequest()()
		began = time.Now()
		traffic.AwaitRunning(t.Context())
		if took := time.Since(began); took != time.Second {
			t.Errorf("waited %v for a request that does not end, want a second", took)
		}
	})
}
