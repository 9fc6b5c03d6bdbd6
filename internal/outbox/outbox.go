// Package outbox sends deliveries to other programs at least once, also across restarts. A delivery is a row of the change that it
// reports, so it exists exactly if the change does. Each queue sends its deliveries with growing pauses until they succeed, are
// dropped or are too old.
//
// Deliveries about one subject are sent one at a time, in the order of the changes. A delivery that was sent, but whose end could
// not be stored, is sent again, with the same id.
package outbox

import (
	"context"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"
)

// Bounds on the deliveries that wait.
const (
	// Keep is the time after which a delivery is dropped.
	Keep = 24 * time.Hour
	// MaxWaiting is the number of deliveries of all queues that may wait. The oldest ones are dropped.
	MaxWaiting = 200_000
)

// Config contains the dependencies of an Outbox. All fields are required unless noted.
type Config struct {
	Store   store.Store
	Clock   clock.Clock // of the service
	IDs     interface{ Next() uint64 }
	Log     *slog.Logger
	Metrics *metrics.Metrics
	// MaxWaiting replaces the constant; 0: the constant.
	MaxWaiting int
}

// Outbox contains the queues of a service. It is safe for concurrent use, except Queue.
type Outbox struct {
	Config

	queues  []*Queue
	cleaner *clock.Sweeper
	sent    *prometheus.CounterVec
}

// New returns an Outbox without queues, and registers its metrics.
func New(c Config) *Outbox {
	if c.MaxWaiting == 0 {
		c.MaxWaiting = MaxWaiting
	}
	o := &Outbox{Config: c, sent: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "bellhop_outbox_deliveries_total", Help: "Attempts to send a stored delivery, by queue and outcome: sent, failed, dropped.",
	}, []string{"queue", "outcome"})}
	c.Metrics.Register(o.sent)
	o.cleaner = clock.NewSweeper(c.Clock, c.Log, "old deliveries", o.clean)
	c.Store.Subscribe(o.committed)
	return o
}

// Run sends deliveries until ctx ends. It is called once.
func (o *Outbox) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return o.cleaner.Run(ctx) })
	for _, q := range o.queues {
		g.Go(func() error { return q.sweeper.Run(ctx) })
	}
	return g.Wait()
}

// CheckDue looks for due deliveries at once, including those of a node that died.
func (o *Outbox) CheckDue() {
	for _, q := range o.queues {
		q.sweeper.CheckDue()
	}
}

// WaitUntilRunning waits until Run has begun, or ctx ends. Before that, moving the clock sends nothing.
func (o *Outbox) WaitUntilRunning(ctx context.Context) error {
	for _, q := range o.queues {
		if err := q.sweeper.WaitUntilRunning(ctx); err != nil {
			return err
		}
	}
	return o.cleaner.WaitUntilRunning(ctx)
}

// committed tells the sweepers of the deliveries that a change stores.
func (o *Outbox) committed(c *store.Change) {
	for _, r := range c.Put {
		row, ok := r.(store.Outgoing)
		if !ok || row.Waiting {
			continue
		}
		for _, q := range o.queues {
			if q.Name == row.Queue {
				q.sweeper.Due(row.Due)
			}
		}
	}
}

// Settings configures a queue.
type Settings struct {
	Name string // stored with each delivery, so it stays the same
	// Send sends a delivery. With ErrDrop it is dropped, with a *Later it is due again without counting an attempt, with any other
	// error it is sent again after a pause. ctx ends after Timeout.
	Send    func(ctx context.Context, d Delivery) error
	Timeout time.Duration
	// Pause returns the time until the next attempt after a number of failed ones. It returns false to drop the delivery.
	Pause func(attempts int) (time.Duration, bool)
	// Concurrency is the number of deliveries that are sent at the same time.
	Concurrency int
}

// Queue is a stream of deliveries with one receiver or one kind of receivers.
type Queue struct {
	Settings

	outbox  *Outbox
	sweeper *clock.Sweeper
}

// Delivery is a stored delivery that Settings.Send sends.
type Delivery struct {
	ID      store.OutgoingID // the same at every attempt
	Attempt int              // 1 for the first
	Payload []byte
}

// Time returns when the delivery was made.
func (d Delivery) Time() time.Time { return snowflake.Message(d.ID).Time() }

// Queue adds a queue. It is called before the first commit and before Run.
func (o *Outbox) Queue(s Settings) *Queue {
	q := &Queue{Settings: s, outbox: o}
	due := &store.Sweep[store.OutgoingID]{
		Store: o.Store, Work: store.OutboxWork, Now: o.Clock.Now, Log: o.Log.With("queue", s.Name), Handle: q.handle, Concurrency: s.Concurrency,
		List: func(r store.Reader, limit int) ([]store.DueRecord[store.OutgoingID], error) {
			return r.Outbox.Due(s.Name, limit)
		},
	}
	q.sweeper = clock.NewSweeper(o.Clock, o.Log, "deliveries of "+s.Name, due.Run)
	o.queues = append(o.queues, q)
	return q
}

// Row returns a delivery about a subject, for a change that writes to that subject. Deliveries about the zero subject have no
// order. The payload is not changed later.
func (q *Queue) Row(about store.Subject, payload []byte) store.Outgoing {
	return store.Outgoing{
		ID: store.OutgoingID(q.outbox.IDs.Next()), Queue: q.Name, Lane: lane(q.Name, about), Due: q.outbox.Clock.Now(), Payload: payload,
	}
}
