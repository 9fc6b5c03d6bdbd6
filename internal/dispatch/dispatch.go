// Package dispatch carries an invocation from a person to an app and the answer back: it checks who invokes what where,
// delivers the interaction, takes the first answer within its deadline, keeps the messages that come of it, and tells
// everybody concerned. It knows nothing of HTTP but what package webhook carries.
package dispatch

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/picker"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/bellhop/bellhop/locale"
	"github.com/bellhop/bellhop/snowflake"
)

// What the service refuses, besides what package interaction names: ErrUnknownInteraction, ErrAcknowledged,
// ErrUnknownWebhook, ErrUnknownMessage, ErrTokenExpired, ErrTooManyFollowUps and ErrEmptyMessage. Findings on a request
// are a *problem.Tree; a channel or an application that is not there is directory.ErrUnknownChannel or
// directory.ErrUnknownApplication, a channel that is hidden directory.ErrHidden.
var (
	ErrUnknownGuild       = errors.New("unknown guild")       // of an invocation: 400, 10004
	ErrUnknownIntegration = errors.New("unknown integration") // the app is not installed here: 400, 10005
	ErrMissingPermissions = errors.New("missing permissions") // a USER command where its caller may not send: 403, 50013
	ErrFileTooLarge       = errors.New("file too large")      // 40005
	ErrUnknownInstance    = errors.New("unknown activity instance")
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
	// URL returns where a file can be had.
	URL(id snowflake.Attachment, name string) string
}

// Announcer hears of what happened, after it is durable and before it is acknowledged. It does not wait.
type Announcer interface{ Publish(e events.Event) }

// Deliverer posts interactions to apps. *webhook.Deliverer is one.
type Deliverer interface {
	Deliver(ctx context.Context, v webhook.Delivery) (webhook.Answer, error)
}

// IDs makes ids that only grow.
type IDs interface{ Next() uint64 }

// Limits say how many invocations may be under way at once: created and not yet answered.
type Limits struct{ All, PerApplication int }

// Config is what the service works with. Everything is required but what says otherwise.
type Config struct {
	Store     store.Store
	Clock     clock.Clock
	Wall      clock.Clock // of Webhooks, which reckons with the time outside
	IDs       IDs
	Directory *directory.Directory
	Picker    *picker.Picker
	Webhooks  Deliverer
	Files     Files
	Events    Announcer
	Metrics   *metrics.Metrics
	Log       *slog.Logger
	Limits    Limits // zero: DefaultLimits
	// ActivityURL returns where the client finds an activity instance. It may be nil: nowhere.
	ActivityURL func(app snowflake.Application, instance string) string
}

// DefaultLimits are the shipped ones.
var DefaultLimits = Limits{All: 16384, PerApplication: 4096}

// Dispatch carries invocations. It is safe for concurrent use.
type Dispatch struct{ Config }

// New returns the service over a store. Run has to be called for its clocks to run.
func New(c Config) *Dispatch { return &Dispatch{Config: c} }

// Run watches the deadlines of invocations until ctx ends, and resolves those that an earlier run left open. From then
// on invocations are refused; when Run returns none of its deliveries is under way.
func (d *Dispatch) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Upload is a file that came with a request.
type Upload struct {
	Index       int // the n of files[n]
	Name        string
	ContentType string
	Size        int64
	// Open returns the bytes. It is called once at the most.
	Open func() (io.ReadCloser, error)
}

// Call is a person's wish to use a command, a component or a modal: the body of POST /interactions and who sends it.
type Call struct {
	User   snowflake.User
	Locale locale.Code // of the person's client; empty: the person's own
	Body   form.Value
	Files  []Upload
	// Watch follows the invocation. It may be nil.
	Watch *Watch
}

// Invocation is an invocation that was accepted.
type Invocation struct {
	ID snowflake.Interaction
	// Duplicate says that the same nonce had been used before: nothing was created, and ID is the one of then.
	Duplicate bool
}

// Invoke checks an invocation and, when everything is well, creates the interaction. It returns when the interaction is
// on disk; the delivery goes on.
func (d *Dispatch) Invoke(ctx context.Context, c Call) (Invocation, error) {
	return Invocation{}, errors.ErrUnsupported
}

// Response is what an app sends: the body of a callback, a follow-up or an edit.
type Response struct {
	Body    form.Value
	Files   []Upload
	Arrived time.Time // when the request's headers were there, on the service's clock; zero: now
}

// Arriving notes that an answer to an interaction has begun to arrive, so that the deadline leaves time to read it.
// The caller calls the function that it returns when the answer has been given to Callback, or was given up.
func (d *Dispatch) Arriving(id snowflake.Interaction) (done func()) { return func() {} }

// Callback takes an app's answer to an interaction. The receipt holds the message only when it is wanted.
func (d *Dispatch) Callback(
	ctx context.Context, id snowflake.Interaction, token string, r Response, withMessage bool,
) (interaction.Receipt, error) {
	return interaction.Receipt{}, errors.ErrUnsupported
}

// Original stands for the first answer where a message is named.
const Original snowflake.Message = 0

// FollowUp makes another message of an interaction, or fills the one that is loading, and returns it as it goes on the
// wire.
func (d *Dispatch) FollowUp(ctx context.Context, app snowflake.Application, token string, r Response) ([]byte, error) {
	return nil, errors.ErrUnsupported
}

// Message returns a message of an interaction.
func (d *Dispatch) Message(
	ctx context.Context, app snowflake.Application, token string, id snowflake.Message,
) ([]byte, error) {
	return nil, errors.ErrUnsupported
}

// EditMessage changes a message of an interaction and returns it.
func (d *Dispatch) EditMessage(
	ctx context.Context, app snowflake.Application, token string, id snowflake.Message, r Response,
) ([]byte, error) {
	return nil, errors.ErrUnsupported
}

// DeleteMessage removes a message of an interaction.
func (d *Dispatch) DeleteMessage(ctx context.Context, app snowflake.Application, token string, id snowflake.Message) error {
	return errors.ErrUnsupported
}

// Page says which messages of a channel are wanted: at most one of Before, After and Around is set.
type Page struct {
	Before, After, Around snowflake.Message
	Limit                 int // 1 to MaxPage; 0: DefaultPage
}

// How many messages a page holds.
const (
	DefaultPage = 50
	MaxPage     = 100
)

// ChannelMessage returns a message of a channel as a visitor sees it.
func (d *Dispatch) ChannelMessage(
	ctx context.Context, who directory.Visitor, channel snowflake.Channel, id snowflake.Message,
) ([]byte, error) {
	return nil, errors.ErrUnsupported
}

// ChannelMessages returns messages of a channel as a visitor sees them: a JSON list, the newest first.
func (d *Dispatch) ChannelMessages(
	ctx context.Context, who directory.Visitor, channel snowflake.Channel, p Page,
) ([]byte, error) {
	return nil, errors.ErrUnsupported
}

// Instance returns an activity instance of an application as it goes on the wire.
func (d *Dispatch) Instance(ctx context.Context, app snowflake.Application, id string) ([]byte, error) {
	return nil, errors.ErrUnsupported
}
