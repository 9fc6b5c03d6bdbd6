// Package hooks calls functions of the program that embeds the service: before something happens, and after it is durable.
//
// A hook before runs while the request is prepared, outside of decisions, so a hook that hangs holds no decision and no lock. A
// hook after is a delivery of package outbox: it is stored with the change, and called at least once, in the order of its
// subject.
package hooks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/outbox"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The events.
const (
	Invocation  = "invocation"
	Message     = "message"
	LobbyCreate = "lobby.create"
	LobbyJoin   = "lobby.join"
	LobbyLeave  = "lobby.leave"
	LobbyEnd    = "lobby.end"
)

// Events lists all events.
var Events = []string{Invocation, Message, LobbyCreate, LobbyJoin, LobbyLeave, LobbyEnd}

// Defaults and bounds of a hook.
const (
	DefaultTimeout = time.Second
	MaxTimeout     = 10 * time.Second
	maxBefore      = 256 // calls before of one hook at the same time
	afterAtOnce    = 16  // calls after of one hook at the same time
	firstPause     = time.Second
	longestPause   = 5 * time.Minute
)

// Call describes an event to a hook.
type Call struct {
	ID    uint64         `json:"id,string"` // of a call after: the same if it is repeated; 0 before
	Event string         `json:"event"`
	Data  jsontext.Value `json:"data"`
}

// Hook is a function of the program that embeds the service.
type Hook struct {
	Name    string   // names the stored calls
	Events  []string // empty: all
	Timeout time.Duration
	// FailOpen lets a request pass if Before fails or takes too long.
	FailOpen bool
	Before   func(ctx context.Context, c Call) error // may be nil
	After    func(ctx context.Context, c Call) error // may be nil
}

// Refusal is an error of Hook.Before with a reason that the caller sees.
type Refusal struct{ Reason string }

// Error returns the reason.
func (r *Refusal) Error() string { return r.Reason }

// Unavailable is the answer to requests whose hook fails or takes too long.
var Unavailable = &apierror.Error{Status: http.StatusServiceUnavailable, Message: "503: A hook did not answer"}

// Hooks calls hooks. A nil *Hooks has none. It is safe for concurrent use.
type Hooks struct {
	list []*installed
	log  *slog.Logger
}

// installed is a hook with its queue.
type installed struct {
	Hook

	slots chan struct{} // one for each call before
	queue *outbox.Queue // nil: there is no After
}

// New returns the hooks, and adds their queues to an outbox. Its error names a wrong hook.
func New(list []Hook, out *outbox.Outbox, log *slog.Logger) (*Hooks, error) {
	if err := Check(list); err != nil || len(list) == 0 {
		return nil, err
	}
	h := &Hooks{log: log}
	for _, hook := range list {
		if hook.Timeout == 0 {
			hook.Timeout = DefaultTimeout
		}
		in := &installed{Hook: hook, slots: make(chan struct{}, maxBefore)}
		if hook.After != nil {
			in.queue = out.Queue(outbox.Settings{
				Name: "hook " + hook.Name, Send: in.send, Timeout: hook.Timeout, Concurrency: afterAtOnce, Pause: outbox.Growing(firstPause, longestPause),
			})
		}
		h.list = append(h.list, in)
	}
	return h, nil
}

// Check returns an error that names the first wrong hook.
func Check(list []Hook) error {
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
		for _, e := range h.Events {
			if !slices.Contains(Events, e) {
				return fmt.Errorf("hook %q: unknown event %q: want one of %v", h.Name, e, Events)
			}
		}
		names[h.Name] = true
	}
	return nil
}

// wants reports whether a hook is for an event.
func (h *Hook) wants(event string) bool {
	return len(h.Events) == 0 || slices.Contains(h.Events, event)
}

// Before calls the hooks before an event, one after another. data becomes JSON. It returns an *apierror.Error if one of them
// refuses, or fails and is not FailOpen. The caller is not in a decision.
func (h *Hooks) Before(ctx context.Context, event string, data any) error {
	if h == nil {
		return nil
	}
	var text []byte
	for _, hook := range h.list {
		if hook.Before == nil || !hook.wants(event) {
			continue
		}
		if text == nil {
			var err error
			if text, err = json.Marshal(data); err != nil {
				return err
			}
		}
		err := hook.call(ctx, Call{Event: event, Data: text})
		if refusal, ok := errors.AsType[*Refusal](err); ok {
			return &apierror.Error{Status: http.StatusForbidden, Message: refusal.Reason}
		}
		if err == nil {
			continue
		}
		h.log.WarnContext(ctx, "hook failed", "hook", hook.Name, "event", event, "fail_open", hook.FailOpen, "err", err)
		if !hook.FailOpen {
			return Unavailable
		}
	}
	return nil
}

var (
	errTimeout = errors.New("the hook took too long")
	errFull    = errors.New("too many calls of the hook are in progress")
)

// call calls Before on a goroutine of its own, so that a hook that ignores its context does not hold the request.
func (i *installed) call(ctx context.Context, c Call) error {
	select {
	case i.slots <- struct{}{}:
	default:
		return errFull
	}
	ctx, cancel := context.WithTimeout(ctx, i.Timeout)
	defer cancel()
	done := make(chan error, 1)
	go func() { // it ends with Before; slots bounds how many there are
		defer func() { <-i.slots }()
		done <- i.Before(ctx, c)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errTimeout
	}
}

// After adds the calls after an event to the change that it reports. The change writes to the subject.
func (h *Hooks) After(c *store.Change, event string, about store.Subject, data any) error {
	if h == nil {
		return nil
	}
	var text []byte
	for _, hook := range h.list {
		if hook.queue == nil || !hook.wants(event) {
			continue
		}
		if text == nil {
			body, err := json.Marshal(data)
			if err != nil {
				return err
			}
			if text, err = json.Marshal(Call{Event: event, Data: body}); err != nil {
				return err
			}
		}
		c.Put = append(c.Put, hook.queue.Row(about, text))
	}
	return nil
}

// send calls After for a stored delivery.
func (i *installed) send(ctx context.Context, d outbox.Delivery) error {
	var c Call
	if err := json.Unmarshal(d.Payload, &c); err != nil {
		return fmt.Errorf("%w: %w", outbox.ErrDrop, err)
	}
	c.ID = uint64(d.ID)
	done := make(chan error, 1)
	go func() { done <- i.After(ctx, c) }() // it ends with After
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errTimeout
	}
}
