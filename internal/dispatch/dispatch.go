// Package dispatch carries an invocation from a user to an app and the answer back. It checks the invocation, stores
// the interaction, delivers it after the commit, accepts the first answer within the deadline, and stores the messages
// of the interaction. Every step is a change of the interaction, and its events are committed with it.
//
// Dispatch is made of four parts that share a service: invocations create and deliver interactions, answers accept
// first answers, followUps handle the later requests with an interaction token, and expiry enforces deadlines.
package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/snowflake"
)

// Errors of this package. Other errors come from package interaction: ErrUnknownInteraction, ErrAcknowledged,
// ErrUnknownWebhook, ErrUnknownMessage, ErrTokenExpired and ErrTooManyFollowUps; from package message: ErrEmpty; and
// from package directory: ErrUnknownChannel, ErrUnknownApplication and ErrHidden. An invalid request is a
// *jsonbody.Tree.
var (
	ErrUnknownInstance    = errors.New("unknown activity instance")
	ErrUnknownGuild       = errors.New("unknown guild")       // 400, 10004
	ErrUnknownIntegration = errors.New("unknown integration") // the app is not installed here: 400, 10005
	ErrMissingPermissions = errors.New("missing permissions") // USER command where the user may not send: 403, 50013
	// ErrBusy means that too many interactions wait for an answer, for the application or in total.
	ErrBusy = errors.New("too many interactions wait for an answer")
	// ErrClosed means that the service is stopping.
	ErrClosed = errors.New("dispatch: closed")
)

// Deliverer posts interactions to apps. *webhook.Deliverer implements it.
type Deliverer interface {
	Deliver(ctx context.Context, v webhook.Delivery) (webhook.Answer, error)
}

// IDs generates increasing ids.
type IDs interface{ Next() uint64 }

// Limits bound how many interactions of this node may wait for their first answer at the same time.
type Limits struct{ All, PerApplication int }

// defaultLimits are used when Config.Limits is zero.
var defaultLimits = Limits{All: 16384, PerApplication: 4096}

// Config contains the dependencies of the service. All fields are required unless noted.
type Config struct {
	Cache     *cache.Cache // of the store
	Clock     clock.Clock
	Wall      clock.Clock // real time, for Webhooks and for measured durations
	IDs       IDs
	Directory *directory.Directory
	Picker    *permissions.Picker
	Webhooks  Deliverer
	Messages  *messages.Messages
	Metrics   *metrics.Metrics
	Log       *slog.Logger
	Hooks     *hooks.Hooks // may be nil
	Sealer    *auth.Sealer // decrypts the keys that sign deliveries; nil: they are not encrypted
	Limits    Limits       // zero: defaultLimits
	// Definitions is the number of bytes that parsed definitions may take. 0: defaultDefinitions.
	Definitions int
	// Online reports whether an app without an endpoint URL has a gateway session on any node. nil: every app has one.
	Online func(ctx context.Context, app snowflake.Application) bool
	// HasSession reports whether a gateway session exists. An invocation that names another session counts as one that
	// names none: all sessions of the user learn how it ends. nil: every session exists.
	HasSession func(ctx context.Context, id string) bool
	// Endpoint returns what the last deliveries to an endpoint tell about it. It may be nil.
	Endpoint func(app snowflake.Application, url string) webhook.EndpointState
	// Explain adds the reason of a failure, for the developer of the app, to the event that the invoking user gets.
	Explain bool
	// ActivityURL returns the URL of an activity instance for the client. nil: instances have no URL.
	ActivityURL func(app snowflake.Application, instance string) string
	// Entitlements returns the valid entitlements of a user and a guild, 0 for none, to what an application sells. nil: there
	// are none.
	Entitlements func(ctx context.Context, app *store.Application, user snowflake.User, guild snowflake.Guild) ([]wire.Entitlement, error)
	// Ended is called after the commit of the first answer or the failure of an interaction. It does not block. It may be
	// nil.
	Ended func(Ended)
}

// Dispatch carries invocations. It is safe for concurrent use.
type Dispatch struct {
	*service
	*invocations
	*answers
	*followUps

	expiry *expiry
}

// New returns the service over the store of a cache. Deadlines are enforced while Run runs.
func New(c Config) *Dispatch {
	if c.Limits == (Limits{}) {
		c.Limits = defaultLimits
	}
	s := &service{Config: c, store: c.Cache.Store(), interactions: newInteractions(c.Cache)}
	s.pending.limits = c.Limits
	s.metrics = newMetrics(s.pending.len)
	c.Metrics.Register(s.metrics.collectors()...)
	check := &checker{
		interactions: s.interactions, clock: c.Clock, directory: c.Directory, picker: c.Picker, messages: c.Messages,
		definitions: definitions{budget: c.Definitions}, entitlements: c.Entitlements,
	}
	a := &answers{s}
	return &Dispatch{
		service: s, answers: a, followUps: &followUps{s}, expiry: newExpiry(s),
		invocations: &invocations{service: s, answers: a, checker: check, nonces: newNonces(c.Cache)},
	}
}

// Run enforces the deadlines of interactions until ctx ends, including those of interactions that an earlier process
// left open. After that, invocations are refused. When Run returns, no delivery is running.
func (d *Dispatch) Run(ctx context.Context) error {
	d.alarm.Start(func() { d.expiry.sweep(ctx) })
	d.alarm.Set(d.Clock, d.now())
	<-ctx.Done()
	d.pending.close()
	d.alarm.Stop()
	return nil
}

// CheckDeadlines looks for interactions that are due, including those of nodes that have stopped.
func (d *Dispatch) CheckDeadlines() { d.alarm.Set(d.Clock, d.now()) }

// Reset drops the pending interactions in memory, after a reset of the store. Deliveries are canceled.
func (d *Dispatch) Reset() { d.pending.cancelAll() }

// service contains the state and the methods that the parts of Dispatch share.
type service struct {
	Config

	store        store.Store
	interactions *interactions
	pending      pendingSet
	watches      watches
	alarm        clock.Alarm // rings when the next interaction is due
	metrics      *interactionMetrics
}

// newIDs are the ids of what a request may create. They are taken before the decision, so that the decision has the
// same result when it runs again.
type newIDs struct {
	message snowflake.Message
	launch  snowflake.Interaction // of an activity instance
}

func (s *service) newIDs() newIDs {
	return newIDs{snowflake.Message(s.IDs.Next()), snowflake.Interaction(s.IDs.Next())}
}

// put adds the next state of an interaction to a change.
func (s *service) put(c *store.Change, next store.Interaction) {
	c.Put = append(c.Put, next)
	s.interactions.Next(c, next.ID, &next)
}

// now returns the time with the precision of the store.
func (s *service) now() time.Time { return s.Clock.Now().UTC().Truncate(time.Microsecond) }
