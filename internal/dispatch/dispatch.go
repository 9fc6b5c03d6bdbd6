// Package dispatch carries an invocation from a person to an app and the answer back: it stores the interaction that
// package scene has checked, delivers it after the commit, takes the first answer within its deadline, and keeps the
// messages that come of it. Whatever happens is a change of the interaction and has its events with it. The package knows
// nothing of HTTP but what package webhook carries.
package dispatch

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/permissions"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

// What the service refuses, besides what packages scene and interaction name: ErrUnknownInteraction, ErrAcknowledged,
// ErrUnknownWebhook, ErrUnknownMessage, ErrTokenExpired, ErrTooManyFollowUps and ErrEmptyMessage. Findings on a request
// are a *problem.Tree.
var (
	ErrFileTooLarge    = errors.New("file too large") // 40005
	ErrUnknownInstance = errors.New("unknown activity instance")
	// ErrBusy says that too many invocations are under way, of the application or in all.
	ErrBusy = errors.New("too many invocations under way")
	// ErrClosed says that the service ends.
	ErrClosed = errors.New("dispatch: closed")
)

// Files keeps the files that come with requests. What it keeps is durable when Put returns.
type Files interface {
	Put(ctx context.Context, id snowflake.Attachment, name string, r io.Reader) (size int64, err error)
	// Delete removes files. Those that are not there are no error.
	Delete(ctx context.Context, ids ...snowflake.Attachment) error
	// URL returns where a file of a channel can be had.
	URL(channel snowflake.Channel, id snowflake.Attachment, name string) string
}

// Deliverer posts interactions to apps. *webhook.Deliverer is one.
type Deliverer interface {
	Deliver(ctx context.Context, v webhook.Delivery) (webhook.Answer, error)
}

// IDs makes ids that only grow.
type IDs interface{ Next() uint64 }

// Limits say how many invocations may be under way at once: created and not yet answered.
type Limits struct{ All, PerApplication int }

// Announcer publishes what happened, after it is durable. It does not wait.
type Announcer interface{ Publish(e events.Event) }

// Config is what the service works with. Everything is required but what says otherwise.
type Config struct {
	Cache     *cache.Cache // of the store
	Clock     clock.Clock
	Wall      clock.Clock // of Webhooks, which reckons with the time outside
	IDs       IDs
	Directory *directory.Directory
	Picker    *permissions.Picker
	Webhooks  Deliverer
	Files     Files
	Events    Announcer // for messages that people write in lobbies; all other events are recorded with their changes
	Metrics   *metrics.Metrics
	Log       *slog.Logger
	Limits    Limits // zero: DefaultLimits
	// ActivityURL returns where the client finds an activity instance. It may be nil: nowhere.
	ActivityURL func(app snowflake.Application, instance string) string
	// Linked is told of messages that everybody in a channel of a guild sees, after the commit. It may be nil.
	Linked func(ctx context.Context, name string, m *store.Message)
}

// DefaultLimits are the shipped ones.
var DefaultLimits = Limits{All: 16384, PerApplication: 4096}

// Dispatch carries invocations. It is safe for concurrent use.
type Dispatch struct {
	Config

	store        store.Store
	interactions *Interactions
	messages     *messages.Messages
	checker      *Checker
	flights      flights
	nonces       nonces
	watches      watches
	alarm        clock.Alarm // rings when the first interaction is due
	nextClean    time.Time   // when to clean up; only the sweep looks at it
	numbers      *numbers
}

// New returns the service over a store. Run has to be called for its clocks to run.
func New(c Config) *Dispatch {
	if c.Limits == (Limits{}) {
		c.Limits = DefaultLimits
	}
	d := &Dispatch{Config: c, store: c.Cache.Store(), interactions: NewInteractions(c.Cache)}
	d.messages = &messages.Messages{
		Store: d.store, Clock: c.Clock, Directory: c.Directory, Files: c.Files, Linked: c.Linked,
	}
	d.checker = NewChecker(d.interactions, c.Clock, c.Directory, c.Picker, d.messages)
	d.flights.limits = c.Limits
	d.numbers = newNumbers(d)
	c.Metrics.Register(d.numbers.collectors()...)
	return d
}

// decide commits what decide says. A decision that has begun is finished: its sender may have gone, but others wait for
// the result.
func (d *Dispatch) decide(ctx context.Context, decide func(context.Context) (store.Change, error)) error {
	return d.Cache.Decide(context.WithoutCancel(ctx), decide)
}

// put adds the next state of an interaction to a change.
func (d *Dispatch) put(c *store.Change, next store.Interaction) {
	c.Put = append(c.Put, next)
	d.interactions.Next(c, next.ID, &next)
}

// now returns the time in the form in which it is kept.
func (d *Dispatch) now() time.Time { return d.Clock.Now().UTC().Truncate(time.Microsecond) }

// Run watches the deadlines of invocations until ctx ends, and resolves those that an earlier run left open. From then
// on invocations are refused; when Run returns none of its deliveries is under way.
func (d *Dispatch) Run(ctx context.Context) error {
	d.alarm.Start(func() { d.sweep(ctx) })
	d.alarm.Set(d.Clock, d.now())
	<-ctx.Done()
	d.flights.close()
	d.alarm.Stop()
	return nil
}

// Look looks for invocations that are due, also those of nodes that have died.
func (d *Dispatch) Look() { d.alarm.Set(d.Clock, d.now()) }

// Forget drops what is held in memory of invocations, as after a reset of the store: those under way end as failed.
func (d *Dispatch) Forget() {
	d.nonces.clear()
	d.flights.abandon()
}

// Messages returns what shows the messages of interactions.
func (d *Dispatch) Messages() *messages.Messages { return d.messages }
