// Package hooks calls functions of the program that embeds the service: before something happens, and after it is durable.
// Package remote makes such functions of URLs.
//
// A hook before runs while the request is prepared, outside of decisions, so a hook that hangs holds no decision and no lock. A
// hook after is a delivery of package outbox: it is stored with the change, and called at least once, in the order of its
// subject.
package hooks

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/outbox"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json/jsontext"
)

// Defaults and bounds of a hook.
const (
	DefaultTimeout = time.Second
	MaxTimeout     = 10 * time.Second
	MaxHooks       = 64              // of a service
	maxBefore      = 256             // calls before of one hook at the same time
	afterAtOnce    = 16              // calls after of one hook at the same time
	closeTime      = 5 * time.Second // for the calls in progress when the service closes
	firstPause     = time.Second
	longestPause   = 5 * time.Minute
)

// Call describes an event to a hook.
type Call struct {
	ID    uint64         `json:"id,string,omitzero"` // of a call after: the same if it is repeated; 0 before
	Event string         `json:"event"`
	Data  jsontext.Value `json:"data"`
	// Change is an object with the members of the data that Before replaces. nil: none.
	Change jsontext.Value `json:"-"`
}

// Hook is a function of the program that embeds the service.
type Hook struct {
	Name         string   // names the stored calls
	BeforeEvents []string // of Before; empty: all
	AfterEvents  []string // of After; empty: all
	Timeout      time.Duration
	// FailOpen lets a request pass if Before fails or takes too long.
	FailOpen bool
	Before   func(ctx context.Context, c *Call) error // may be nil
	After    func(ctx context.Context, c Call) error  // may be nil
	URL      string                                   // for operators; empty: the hook is part of the program
}

// Refusal is an error of Hook.Before with a reason that the caller sees.
type Refusal struct{ Reason string }

// Error returns the reason.
func (r *Refusal) Error() string { return r.Reason }

// Unavailable is the answer to requests whose hook fails or takes too long.
var Unavailable = &apierror.Error{Status: http.StatusServiceUnavailable, Message: "503: A hook did not answer"}

// Config contains the dependencies of Hooks. All fields are required unless noted.
type Config struct {
	Outbox  *outbox.Outbox
	Clock   clock.Clock // of the machine
	Log     *slog.Logger
	Metrics *metrics.Metrics
	// VerifyKey returns the key that verifies the calls of hooks over HTTP, in hexadecimal; nil: there are none.
	VerifyKey func(ctx context.Context) (string, error)
}

// Hooks calls hooks. A nil *Hooks has none. It is safe for concurrent use.
type Hooks struct {
	list    []*installed
	clock   clock.Clock
	log     *slog.Logger
	figures *figures
	key     func(ctx context.Context) (string, error)
}

// installed is a hook with its queue and its state.
type installed struct {
	Hook

	slots, afterSlots chan struct{} // one for each call before, and after
	queue             *outbox.Queue // nil: there is no After
	state             state
}

// New returns the hooks, and adds their queues to an outbox. Its error names a wrong hook.
func New(list []Hook, c Config) (*Hooks, error) {
	h := &Hooks{clock: c.Clock, log: c.Log, figures: newFigures(c.Metrics), key: c.VerifyKey}
	if err := Check(list); err != nil || len(list) == 0 {
		return nil, err
	}
	for _, hook := range list {
		if hook.Timeout == 0 {
			hook.Timeout = DefaultTimeout
		}
		in := &installed{Hook: hook, slots: make(chan struct{}, maxBefore), afterSlots: make(chan struct{}, afterAtOnce)}
		if hook.After != nil {
			in.queue = c.Outbox.Queue(outbox.Settings{
				Name: "hook " + hook.Name, Timeout: hook.Timeout, Concurrency: afterAtOnce, Pause: outbox.Growing(firstPause, longestPause),
				Send: func(ctx context.Context, d outbox.Delivery) error { return h.send(ctx, in, d) },
			})
		}
		h.list = append(h.list, in)
	}
	return h, nil
}

// Close waits for the calls in progress, for up to closeTime. Their contexts have ended. Later calls fail.
func (h *Hooks) Close(ctx context.Context) {
	if h == nil {
		return
	}
	late := make(chan struct{})
	defer h.clock.AfterFunc(closeTime, func() { close(late) }).Stop()
	for _, i := range h.list {
		for _, slots := range []chan struct{}{i.slots, i.afterSlots} {
			for range cap(slots) {
				select {
				case slots <- struct{}{}:
				case <-late:
					h.log.WarnContext(ctx, "a hook goes on although its context has ended", "hook", i.Name)
					return
				}
			}
		}
	}
}

// start calls a function of a hook on a goroutine of its own, so that a hook that ignores its context delays no request. slots bounds
// the number of these goroutines.
func (h *Hooks) start(ctx context.Context, i *installed, slots chan struct{}, call func() error) (done chan error, err error) {
	select {
	case slots <- struct{}{}:
	default:
		return nil, errFull
	}
	done = make(chan error, 1)
	go func() { // it ends with the hook; Close waits for it
		defer func() { <-slots }()
		defer func() {
			if p := recover(); p != nil {
				h.log.ErrorContext(ctx, "hook panicked", "hook", i.Name, "panic", p, "stack", string(debug.Stack()))
				done <- fmt.Errorf("the hook panicked: %v", p)
			}
		}()
		done <- call()
	}()
	return done, nil
}

// Check returns an error that names the first wrong hook.
func Check(list []Hook) error {
	if len(list) > MaxHooks {
		return fmt.Errorf("there are %d hooks, the most are %d", len(list), MaxHooks)
	}
	names := map[string]bool{}
	for _, h := range list {
		switch {
		case h.Name == "" || names[h.Name]:
			return fmt.Errorf("hook %q: each hook needs a name of its own", h.Name)
		case h.Before == nil && h.After == nil:
			return fmt.Errorf("hook %q: neither Before nor After is set", h.Name)
		case h.Timeout < 0 || h.Timeout > MaxTimeout:
			return fmt.Errorf("hook %q: the timeout must be at most %v", h.Name, MaxTimeout)
		}
		for _, e := range slices.Concat(h.BeforeEvents, h.AfterEvents) {
			if err := CheckEvent(e); err != nil {
				return fmt.Errorf("hook %q: %w", h.Name, err)
			}
		}
		names[h.Name] = true
	}
	return nil
}

// CheckEvent returns an error if there is no event with a name.
func CheckEvent(name string) error {
	if slices.Contains(Events, name) {
		return nil
	}
	if near := jsonbody.Suggest(name, Events); near != "" {
		return fmt.Errorf("unknown event %q: did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown event %q: want one of %v", name, Events)
}

// wants reports whether a list of events, which may be empty for all, has an event.
func wants(events []string, event string) bool {
	return len(events) == 0 || slices.Contains(events, event)
}
