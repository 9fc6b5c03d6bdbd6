package redis

import (
	"context"
	"sync"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"
)

// Relay carries events between nodes: what one of them publishes every one hears, all in the same order. While Redis is
// away events wait; when more wait than there is room for, or Redis comes back without its history, those who listen are
// told that they have missed some. What waits goes out together, as one entry of a stream.
type Relay struct {
	Client *Client
	// Bus hears every event, also those of this node. Its Outward is set to Publish.
	Bus *events.Bus

	mu      sync.Mutex
	waiting []events.Event
	trail   trail // of what was heard
	wake    chan struct{}
	begun   chan struct{} // closed when the first can be heard

	ear  ear
	lost prometheus.Counter
}

// NewRelay returns a relay that takes events of a bus from now on.
func NewRelay(c *Client, bus *events.Bus) *Relay {
	r := &Relay{
		Client: c, Bus: bus, trail: trail{keep: history}, wake: make(chan struct{}, 1), begun: make(chan struct{}),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bellhop_events_lost_total", Help: "How often events between nodes were lost, so that gateway sessions had to begin anew.",
		}),
	}
	bus.Outward = r.Publish
	return r
}

// Collectors returns the relay's numbers for the registry.
func (r *Relay) Collectors() []prometheus.Collector {
	return []prometheus.Collector{r.lost, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "bellhop_events_waiting", Help: "Events that wait for Redis.",
	}, func() float64 {
		r.mu.Lock()
		defer r.mu.Unlock()
		return float64(len(r.waiting))
	})}
}

// Begun returns what is closed once this node hears what others publish.
func (r *Relay) Begun() <-chan struct{} { return r.begun }

// Run carries events until ctx ends.
func (r *Relay) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		r.send(ctx)
		return nil
	})
	g.Go(func() error {
		r.hear(ctx)
		return nil
	})
	return g.Wait()
}

// stream is the name of the history. The number is that of the form of what is in it.
func (r *Relay) stream() string { return r.Client.prefix + ":events:2" }
