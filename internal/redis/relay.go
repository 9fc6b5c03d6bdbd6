package redis

import (
	"context"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"
)

// Outbox is the table of events that were recorded with changes. *postgres.DB is one.
type Outbox interface {
	// PublishedEvents notes that events are in the stream.
	PublishedEvents(ctx context.Context, list []store.RecordedEvents) error
	// UnpublishedEvents returns up to limit rows that are older than the given time and not in the stream, the oldest first.
	UnpublishedEvents(ctx context.Context, older time.Duration, limit int) ([]store.RecordedEvents, error)
	// EventsBetween returns the rows of a subject with revisions above after, up to the other one, in their order.
	EventsBetween(ctx context.Context, s store.Subject, after, upTo uint64) ([]store.RecordedEvents, error)
	// TrimEvents removes up to limit published rows that were created before a time, and returns how many it removed.
	TrimEvents(ctx context.Context, before time.Time, limit int) (int, error)
}

// Relay carries events between nodes by a stream in Redis that every node reads. Events that were recorded with a change
// are in the stream once, and in the order of the revisions of their subject: a script compares each with what the stream
// has, and missing ones are read from the outbox. While Redis is away events wait. When the stream is lost, sessions are told
// to identify again.
type Relay struct {
	Client *Client
	// Bus hears every event in the stream, also those of this node. Its Outward is set to Publish.
	Bus    *events.Bus
	Outbox Outbox

	mu      sync.Mutex
	waiting []item
	trail   trail // of what was heard
	wake    chan struct{}
	begun   chan struct{} // closed when the first event can be heard

	published chan store.RecordedEvents // that have to be marked as such

	ear   ear
	lost  prometheus.Counter
	swept prometheus.Counter
}

// item is what goes into the stream together: the events of a subject at one revision, or one event that is not recorded.
type item struct {
	list     []events.Event
	recorded bool
	subject  store.Subject
	revision uint64
	after    uint64 // the revision before
	checked  bool   // nothing is missing between since and after
	since    uint64
}

// NewRelay returns a relay that takes the events of a bus from now on. The store that records events calls Committed.
func NewRelay(c *Client, bus *events.Bus, o Outbox) *Relay {
	r := &Relay{
		Client: c, Bus: bus, Outbox: o, trail: trail{keep: history}, wake: make(chan struct{}, 1), begun: make(chan struct{}),
		published: make(chan store.RecordedEvents, outbox),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_events_lost_total", Help: "How often events between nodes were lost, so that gateway sessions had to identify again.",
		}),
		swept: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_events_swept_total", Help: "Recorded events that were published by a sweep, because their node did not.",
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

// Begun returns a channel that is closed once this node hears the events of others.
func (r *Relay) Begun() <-chan struct{} { return r.begun }

// Run carries events until ctx ends.
func (r *Relay) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, work := range []func(context.Context){r.send, r.hear, r.mark, r.sweep} {
		g.Go(func() error {
			work(ctx)
			return nil
		})
	}
	return g.Wait()
}

// stream is the key of the stream. The number is that of the form of its entries. All keys of the relay share a hash tag,
// so that one script can use them in a cluster.
func (r *Relay) stream() string { return "{" + r.Client.prefix + "}:events:3" }

// revisionKey is the key of the last revision of a subject whose events are in the stream.
func (r *Relay) revisionKey(s store.Subject) string {
	return "{" + r.Client.prefix + "}:event:" + s.String()
}
