package load

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// maxEarly bounds the messages that the watcher has seen and that were not written by the run.
const maxEarly = 100_000

// Watcher measures how long the messages of people take to reach apps: until the gateway sends the event to the first bot that
// sees the channel. It reads the recorded traffic of the service. It is safe for concurrent use.
type Watcher struct {
	clock clock.Clock
	end   context.CancelFunc
	done  sync.WaitGroup

	mu     sync.Mutex
	unseen map[string]time.Time // when a message was written that no app has seen
	early  map[string]time.Time // when an app saw a message that is not known yet
	times  *hdrhistogram.Histogram
}

// Seen says how long messages took to reach apps.
type Seen struct {
	Messages int64   `json:"messages"`
	Latency  Latency `json:"latency"`
}

// Watch follows the traffic of the service of a target until Close.
func Watch(ctx context.Context, t *Target) (*Watcher, error) {
	ctx, cancel := context.WithCancel(ctx)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL+"/_dev/requests?kind=frame&route=MESSAGE_CREATE", http.NoBody)
	if err != nil {
		cancel()
		return nil, err
	}
	r.Header.Set("Accept", "text/event-stream")
	resp, err := t.HTTP.Do(r)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("follow the traffic of the service: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		cancel()
		_ = resp.Body.Close() // there is nothing to read
		return nil, fmt.Errorf("follow the traffic of the service: status %d", resp.StatusCode)
	}
	w := &Watcher{clock: t.Clock, end: cancel, unseen: map[string]time.Time{}, early: map[string]time.Time{}, times: newHistogram()}
	w.done.Go(func() {
		defer resp.Body.Close()
		lines := bufio.NewReader(resp.Body)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return // the run has ended, or the service is gone
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				w.read(data)
			}
		}
	})
	return w, nil
}

// read takes an entry of the traffic.
func (w *Watcher) read(entry string) {
	now := w.clock.Now()
	v, err := jsonbody.Parse([]byte(entry))
	if err != nil || v.Get("method").Text() != "sent" || v.Get("application_id").Text() == "" {
		return
	}
	frame, err := jsonbody.Parse([]byte(v.Get("request").Get("body").Text()))
	id := frame.Get("d").Get("id").Text()
	if err != nil || id == "" || frame.Get("d").Get("author").Get("bot").String() == "true" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if began, ok := w.unseen[id]; ok {
		delete(w.unseen, id)
		put(w.times, now.Sub(began))
		return
	}
	if len(w.early) >= maxEarly {
		clear(w.early)
	}
	if _, known := w.early[id]; !known {
		w.early[id] = now
	}
}

// wrote notes a message that was written with a request that began at a time.
func (w *Watcher) wrote(id string, began time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if seen, ok := w.early[id]; ok {
		delete(w.early, id)
		put(w.times, seen.Sub(began))
		return
	}
	w.unseen[id] = began
}

// waiting returns the number of messages that no app has seen.
func (w *Watcher) waiting() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.unseen)
}

// Close waits until apps have seen all messages, at most for a time, and returns how long they took.
func (w *Watcher) Close(ctx context.Context, longest time.Duration) Seen {
	const step = 20 * time.Millisecond
	for left := longest; left > 0 && w.waiting() > 0 && ctx.Err() == nil; left -= step {
		clock.Wait(ctx, w.clock, step)
	}
	w.end()
	w.done.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	return Seen{w.times.TotalCount(), latencyOf(w.times)}
}
