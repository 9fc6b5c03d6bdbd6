package redis

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"
)

// Outbox is the table of events that were recorded with changes. *postgres.DB implements it.
type Outbox interface {
	// PublishedEvents marks rows as published: their events are in the stream.
	PublishedEvents(ctx context.Context, list []store.RecordedEvents) error
	// UnpublishedEvents returns up to limit unpublished rows that are older than the given time, oldest first.
	UnpublishedEvents(ctx context.Context, older time.Duration, limit int) ([]store.RecordedEvents, error)
	// EventsBetween returns the rows of a subject with revisions above after and up to upTo, in order.
	EventsBetween(ctx context.Context, s store.Subject, after, upTo uint64) ([]store.RecordedEvents, error)
	// TrimEvents removes up to limit published rows that were created before a time, and returns how many it removed.
	TrimEvents(ctx context.Context, before time.Time, limit int) (int, error)
}

// Relay distributes events to all nodes through a Redis stream that every node reads. Each event is in the stream once.
// Events that were recorded with a change are in the order of their subject's revisions: a script compares each with the
// last revision in the stream, and missing ones are read from the outbox. While Redis is not available, events wait.
// When the stream is lost, sessions are invalidated.
type Relay struct {
	Client *Client
	// Bus gets every event of the stream, including those of this node. NewRelay sets its Outward to Publish.
	Bus    *events.Bus
	Outbox Outbox

	mu        sync.Mutex
	waiting   []item
	trimPoint trimPoint // position up to which the stream can be trimmed
	wake      chan struct{}
	begun     chan struct{} // closed when the stream is being read

	published chan store.RecordedEvents // to be marked in the outbox

	sender string // the name of this relay
	batch  int    // number of the batch that is being sent
	reader streamReader
	lost   prometheus.Counter
	swept  prometheus.Counter
}

// item is what enters the stream together: the recorded events of a subject at one revision, or one event that is not
// recorded.
type item struct {
	list       []events.Event
	recorded   bool
	subject    store.Subject
	revision   uint64
	after      uint64 // the revision of the subject before the change
	gapChecked bool   // no event is missing between since and after
	since      uint64
}

// NewRelay returns a relay for the events of a bus. The store that records events must call Committed.
func NewRelay(c *Client, bus *events.Bus, o Outbox) *Relay {
	r := &Relay{
		Client: c, Bus: bus, Outbox: o, trimPoint: trimPoint{keep: streamLength}, wake: make(chan struct{}, 1), begun: make(chan struct{}),
		published: make(chan store.RecordedEvents, maxWaitingItems), sender: rand.Text(),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_events_lost_total", Help: "Times that events between nodes were lost, so that gateway sessions had to identify again.",
		}),
		swept: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_events_swept_total", Help: "Recorded events that a sweep published because their node did not.",
		}),
	}
	bus.Outward = r.Publish
	return r
}

// Collectors returns the relay's metrics.
func (r *Relay) Collectors() []prometheus.Collector {
	return []prometheus.Collector{r.lost, r.swept, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "bellhop_events_waiting", Help: "Events that wait for Redis.",
	}, func() float64 {
		r.mu.Lock()
		defer r.mu.Unlock()
		return float64(len(r.waiting))
	})}
}

// Begun returns a channel that is closed once this node reads the events of others.
func (r *Relay) Begun() <-chan struct{} { return r.begun }

// Run distributes events until ctx ends.
func (r *Relay) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, work := range []func(context.Context){r.send, r.read, r.markRows, r.sweep} {
		g.Go(func() error {
			work(ctx)
			return nil
		})
	}
	return g.Wait()
}

// stream is the key of the stream. Its number is the version of the entry format. All keys of the relay share a hash
// tag, so that one script can use them in a cluster.
func (r *Relay) stream() string { return "{" + r.Client.prefix + "}:events:3" }

// revisionKey is the key of the last revision of a subject whose events are in the stream.
func (r *Relay) revisionKey(s store.Subject) string {
	return "{" + r.Client.prefix + "}:event:" + s.String()
}

// batchKey is the key of the last batch that this relay added to the stream.
func (r *Relay) batchKey() string { return "{" + r.Client.prefix + "}:batch:" + r.sender }
