package redis_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/enginetest"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/redis/rueidis"
)

// listener is a node that receives events.
type listener struct {
	bus   events.Bus
	relay *redis.Relay
	heard *events.Subscription
}

// listen runs a relay with the stream of a test.
func listen(t testing.TB, url string) *listener {
	t.Helper()
	l := &listener{}
	l.relay = redis.NewRelay(open(t, url), &l.bus, &table{})
	run(t, l.relay.Run)
	<-l.relay.Begun()
	l.heard = l.bus.Subscribe(1 << 15)
	return l
}

// next returns the next n events that have a name.
func (l *listener) next(t testing.TB, n int) []events.Event {
	t.Helper()
	var list []events.Event
	for len(list) < n {
		select {
		case e, ok := <-l.heard.Events():
			if !ok {
				t.Fatalf("cut off after %d of %d events: %v", len(list), n, l.heard.Err())
			}
			if e.Name != "" {
				list = append(list, e)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("heard %d of %d events", len(list), n)
		}
	}
	return list
}

// cutOff reads the remaining events and fails unless the subscription ends because events were lost. Then it subscribes
// again.
func (l *listener) cutOff(t testing.TB) (before []string) {
	t.Helper()
	for {
		select {
		case e, ok := <-l.heard.Events():
			if ok {
				before = append(before, e.Name)
				continue
			}
			if !errors.Is(l.heard.Err(), events.ErrLagging) {
				t.Fatal(l.heard.Err())
			}
			l.heard = l.bus.Subscribe(1 << 15)
			return before
		case <-time.After(20 * time.Second):
			t.Fatal("the subscription does not end")
		}
	}
}

// connect returns a Redis connection for the test itself.
func connect(t testing.TB, url string) rueidis.Client {
	t.Helper()
	option, err := rueidis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	option.DisableCache = true
	c, err := rueidis.NewClient(option)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// stream returns the key of the test's stream.
func stream(t testing.TB) string {
	t.Helper()
	return "{" + t.Name() + "}:events:3"
}

// entries returns the test's stream.
func entries(t testing.TB, c rueidis.Client) []rueidis.XRangeEntry {
	t.Helper()
	list, err := c.Do(t.Context(), c.B().Xrange().Key(stream(t)).Start("-").End("+").Build()).AsXRange()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// sized returns an event with a name and at least size bytes.
func sized(name string, size int) events.Event {
	return events.Event{Name: name, Data: []byte(`"` + strings.Repeat("x", size) + `"`)}
}

// same reports whether two events have the same name and position.
func same(a, b events.Event) bool {
	return a.Name == b.Name && a.Position == b.Position && bytes.Equal(a.Data, b.Data)
}

// TestRelayConcurrent publishes small and large events, single and by hundreds. All nodes receive all events in the
// same order, which contains the order of each publisher, with ascending positions. Many events share an entry.
func TestRelayConcurrent(t *testing.T) {
	t.Parallel()
	for mode, url := range map[string]string{"alone": server.Get(t).URL(), "cluster": clusterURL(t)} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			nodes := []*listener{listen(t, url), listen(t, url), listen(t, url)}
			bursts := []int{1, 300, 2, 1, 57, 256, 257, 1}
			total := 0
			var wg sync.WaitGroup
			for i, l := range nodes {
				for _, n := range bursts {
					total += n
				}
				wg.Go(func() {
					seq := 0
					for b, n := range bursts {
						for range n {
							size := 10
							if seq%100 == 7 {
								size = 30_000 * (b + 1) // too large to share an entry
							}
							l.bus.Publish(sized(fmt.Sprintf("%d %d", i, seq), size))
							seq++
						}
						runtime.Gosched()
					}
				})
			}
			wg.Wait()
			first := nodes[0].next(t, total)
			checkOrder(t, first)
			for _, l := range nodes[1:] {
				if got := l.next(t, total); !slices.EqualFunc(got, first, same) {
					t.Error("nodes receive different events, or in another order")
				}
			}
			if n := len(entries(t, connect(t, url))); n > total/4 {
				t.Errorf("%d events stand in %d entries", total, n)
			}
		})
	}
}

// checkOrder fails unless the events of each publisher are in order, with ascending positions.
func checkOrder(t *testing.T, list []events.Event) {
	t.Helper()
	next := map[int]int{}
	for i, e := range list {
		var from, seq int
		if _, err := fmt.Sscan(e.Name, &from, &seq); err != nil || seq != next[from] {
			t.Fatalf("heard %q, want number %d of it (%v)", e.Name, next[from], err)
		}
		next[from]++
		if i > 0 && !list[i-1].Position.Before(e.Position) {
			t.Fatalf("%v follows %v", e.Position, list[i-1].Position)
		}
	}
}

// TestRelayEventsAfter reads from the position of every event, and fails for other positions.
func TestRelayEventsAfter(t *testing.T) {
	t.Parallel()
	for mode, url := range map[string]string{"alone": server.Get(t).URL(), "cluster": clusterURL(t)} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			l := listen(t, url)
			const n = 150
			for i := range n {
				l.bus.Publish(sized(strconv.Itoa(i), 3000)) // about twenty in an entry
			}
			list := l.next(t, n)
			if list[n-1].Position.Index == 0 && list[n-2].Position.Index == 0 {
				t.Fatal("nothing stands together")
			}
			for i, e := range list {
				var got []events.Event
				for at := e.Position; ; at = got[len(got)-1].Position {
					more, err := l.relay.EventsAfter(t.Context(), at)
					if err != nil {
						t.Fatal(err)
					}
					if len(more) == 0 {
						break
					}
					got = append(got, more...)
				}
				if !slices.EqualFunc(got, list[i+1:], same) {
					t.Fatalf("behind event %d %d were read, want %d", i, len(got), n-1-i)
				}
			}
			beyond := list[n-1].Position
			beyond.Index++
			for _, at := range []events.Position{beyond, {}, {Time: 1}, {Time: list[0].Position.Time, Count: 1 << 40}} {
				if got, err := l.relay.EventsAfter(t.Context(), at); err == nil {
					t.Errorf("%d events were read from %v, which is nowhere", len(got), at)
				}
			}
		})
	}
}

// TestRelayUnreadable adds an unreadable entry to the stream: all subscriptions end because events were lost, and later
// events arrive.
func TestRelayUnreadable(t *testing.T) {
	t.Parallel()
	whole := events.AppendEntry(nil, []events.Event{{Name: "TORN"}, {Name: "TORN"}})
	for name, fields := range map[string][]string{
		"torn":              {"e", string(whole[:len(whole)-1])},
		"of another form":   {"e", "\x02" + string(whole[1:])},
		"empty":             {"e", ""},
		"as it was before":  {"h", `{"n":"OLD","t":{}}`, "d", "{}", "r", ""},
		"an unknown field":  {"x", "y"},
		"more than it says": {"e", string(whole), "f", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := listen(t, server.Get(t).URL()), listen(t, server.Get(t).URL())
			a.bus.Publish(sized("before", 1))
			before := a.next(t, 1)[0].Position
			b.next(t, 1)
			c := connect(t, server.Get(t).URL())
			add := c.B().Arbitrary("XADD").Keys(stream(t)).Args("*").Args(fields...).Build()
			if err := c.Do(t.Context(), add).Error(); err != nil {
				t.Fatal(err)
			}
			a.cutOff(t)
			b.cutOff(t)
			late := listen(t, server.Get(t).URL()) // the unreadable entry is the last one
			b.bus.Publish(sized("behind", 1))
			behind := a.next(t, 1)[0]
			if got := late.next(t, 1)[0]; !same(got, behind) || !same(b.next(t, 1)[0], behind) {
				t.Errorf("heard %v behind it, want %v", got, behind)
			}
			if got, err := a.relay.EventsAfter(t.Context(), before); err == nil {
				t.Errorf("%d events were read over it", len(got))
			}
			if got, err := a.relay.EventsAfter(t.Context(), behind.Position); err != nil || len(got) > 0 {
				t.Errorf("%d events were read behind it, %v", len(got), err)
			}
		})
	}
}

// TestRelayOverflow publishes more events than fit in memory while Redis is not available: all nodes receive those that
// fit, and learn that events were lost.
func TestRelayOverflow(t *testing.T) {
	t.Parallel()
	ear := listen(t, server.Get(t).URL())
	var bus events.Bus
	r := redis.NewRelay(open(t, server.Get(t).URL()), &bus, &table{})
	for i := range redis.OutboxSize + 100 {
		bus.Publish(sized(strconv.Itoa(i), 1))
	}
	run(t, r.Run)
	names := slices.DeleteFunc(ear.cutOff(t), func(name string) bool { return name == "" })
	if len(names) != redis.OutboxSize || names[0] != "0" || names[len(names)-1] != strconv.Itoa(redis.OutboxSize-1) {
		t.Errorf("heard %d events before, want the first %d", len(names), redis.OutboxSize)
	}
	bus.Publish(sized("behind", 1))
	if e := ear.next(t, 1)[0]; e.Name != "behind" {
		t.Errorf("heard %q", e.Name)
	}
}

// TestRelaySlow reads a long stream for a slow subscriber with a small queue: no event is lost.
func TestRelaySlow(t *testing.T) {
	t.Parallel()
	ear := listen(t, server.Get(t).URL())
	slow := ear.bus.Subscribe(100)
	const n = 3000
	for i := range n {
		ear.bus.Publish(sized(strconv.Itoa(i), 1))
	}
	for i := 0; i < n; {
		e, ok := <-slow.Events()
		if !ok {
			t.Fatalf("cut off after %d events: %v", i, slow.Err())
		}
		if e.Name == "" {
			continue
		}
		if e.Name != strconv.Itoa(i) {
			t.Fatalf("heard %q, want %d", e.Name, i)
		}
		i++
	}
}

// TestRelayLateAnswers publishes while the server answers so late that the relay repeats what it sent: every event
// arrives once.
func TestRelayLateAnswers(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "redis-server")
	own, err := enginetest.StartRedis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Stop(); err != nil {
			t.Error(err)
		}
	})
	l := &listener{}
	l.relay = redis.NewRelay(openWith(t, own.URL(), 100*time.Millisecond, clock.System{}), &l.bus, &table{})
	run(t, l.relay.Run)
	<-l.relay.Begun()
	l.heard = l.bus.Subscribe(1000)
	l.bus.Publish(sized("0", 1))
	l.next(t, 1)
	const n = 5
	for i := 1; i <= n; i++ {
		if err := own.Freeze(); err != nil {
			t.Fatal(err)
		}
		l.bus.Publish(sized(strconv.Itoa(i), 1))
		time.Sleep(500 * time.Millisecond) // the relay repeats it meanwhile
		if err := own.Thaw(); err != nil {
			t.Fatal(err)
		}
		if got := l.next(t, 1)[0].Name; got != strconv.Itoa(i) {
			t.Fatalf("heard %q, want %d", got, i)
		}
	}
	if kept := count(t, connect(t, own.URL())); kept != n+2 { // the first entry of a stream is empty
		t.Errorf("the stream has %d events, want %d", kept, n+2)
	}
}

// TestRelayHistory checks that the stream keeps about the configured number of events, in any number of entries.
func TestRelayHistory(t *testing.T) {
	t.Parallel()
	const keep = 2000
	for name, burst := range map[string]int{"one by one": 1, "together": 200} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &listener{}
			l.relay = redis.NewRelay(open(t, server.Get(t).URL()), &l.bus, &table{})
			l.relay.KeepHistory(keep)
			run(t, l.relay.Run)
			<-l.relay.Begun()
			l.heard = l.bus.Subscribe(1 << 15)
			c := connect(t, server.Get(t).URL())
			for sent := 0; sent < 3*keep; sent += burst {
				for range burst {
					l.bus.Publish(sized("N", 1000))
				}
				l.next(t, burst)
				if sent%(keep/4) > 0 {
					continue
				}
				if kept := count(t, c); kept < min(sent+burst, keep) {
					t.Fatalf("%d of %d events are kept", kept, sent+burst)
				}
			}
			if kept := count(t, c); kept < keep || kept > keep*5/4 {
				t.Errorf("%d events are kept, want about %d", kept, keep)
			}
		})
	}
}

// count returns the number of events in the test's stream.
func count(t testing.TB, c rueidis.Client) int {
	t.Helper()
	n := 0
	var reader events.EntryReader
	for _, entry := range entries(t, c) {
		list, err := reader.Read(nil, []byte(entry.FieldValues["e"]), events.Position{})
		if err != nil {
			t.Fatal(err)
		}
		n += len(list)
	}
	return n
}
