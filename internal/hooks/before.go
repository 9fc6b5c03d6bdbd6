package hooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxChange bounds what a hook changes, in bytes.
const maxChange = 256 << 10

// Reasons why a call fails.
var (
	errTimeout = errors.New("the hook took too long")
	errFull    = errors.New("too many calls of the hook are in progress")
)

// Before calls the hooks before an event, one after another, and returns what they changed. data becomes JSON. It returns an
// *apierror.Error if one of them refuses, or fails and is not FailOpen. The caller is not in a decision.
func (h *Hooks) Before(ctx context.Context, event string, data any) (changed Change, err error) {
	if h == nil {
		return changed, nil
	}
	var text jsontext.Value
	for _, hook := range h.list {
		if hook.Before == nil || !wants(hook.BeforeEvents, event) {
			continue
		}
		if text == nil {
			if text, err = json.Marshal(data); err != nil {
				return changed, err
			}
		}
		c := Call{Event: event, Data: text}
		change, err := h.ask(ctx, hook, &c)
		if err != nil {
			return Change{}, err
		}
		if change.Kind() != jsonbody.Object {
			continue
		}
		changed.members = changed.members.With(change)
		if text, err = merge(text, c.Change); err != nil {
			return Change{}, err
		}
	}
	return changed, nil
}

// Asks reports whether a hook is called before an event, so that the caller can leave out work for the data.
func (h *Hooks) Asks(event string) bool {
	return h != nil && slices.ContainsFunc(h.list, func(i *installed) bool { return i.Before != nil && wants(i.BeforeEvents, event) })
}

// ask calls a hook before an event and returns what it changes. The error is for the caller of the API.
func (h *Hooks) ask(ctx context.Context, hook *installed, c *Call) (change jsonbody.Value, err error) {
	began := h.clock.Now()
	err = h.call(ctx, hook, c)
	took := h.clock.Now().Sub(began)
	refusal, refused := errors.AsType[*Refusal](err)
	if err == nil {
		change, err = readChange(c)
	}
	switch {
	case refused:
		h.figures.before(hook.Name, refusedOutcome, took)
		return change, &apierror.Error{Status: http.StatusForbidden, Message: cut(refusal.Reason)}
	case err == nil:
		hook.state.succeeded(began)
		h.figures.before(hook.Name, outcomeOf(change), took)
		return change, nil
	case ctx.Err() != nil: // the caller has gone
		h.figures.before(hook.Name, abandoned, took)
		return jsonbody.Value{}, Unavailable
	}
	hook.state.failed(began, err)
	h.figures.before(hook.Name, failed, took)
	h.log.WarnContext(ctx, "hook failed", "hook", hook.Name, "phase", "before", "event", c.Event, "fail_open", hook.FailOpen, "took", took.Round(time.Millisecond), "err", err)
	if hook.FailOpen {
		return jsonbody.Value{}, nil
	}
	return jsonbody.Value{}, Unavailable
}

// maxReason bounds the reason of a refusal, in characters.
const maxReason = 500

// cut returns a reason as the caller sees it.
func cut(reason string) string {
	if reason == "" {
		return "403: A hook refused the request"
	}
	for i, n := 0, 0; i < len(reason); n++ {
		if n == maxReason {
			return reason[:i]
		}
		i++
		for i < len(reason) && reason[i]&0xC0 == 0x80 { // the rest of a character
			i++
		}
	}
	return reason
}

// call calls Before. c is changed only if the call succeeds in time.
func (h *Hooks) call(ctx context.Context, i *installed, c *Call) error {
	ctx, cancel := context.WithTimeout(ctx, i.Timeout)
	defer cancel()
	own := *c // a hook that takes too long may still write to it
	done, err := h.start(ctx, i, i.slots, func() error { return i.Before(ctx, &own) })
	if err != nil {
		return err
	}
	select {
	case err := <-done:
		c.Change = own.Change
		return err
	case <-ctx.Done():
		return errTimeout
	}
}

// readChange returns what a hook changes: an object with members that can be changed, or an absent value. An object that has a name twice
// is an error: the next hook could not read it.
func readChange(c *Call) (jsonbody.Value, error) {
	if len(c.Change) == 0 {
		return jsonbody.Value{}, nil
	}
	if len(c.Change) > maxChange {
		return jsonbody.Value{}, fmt.Errorf("the change has more than %d bytes", maxChange)
	}
	v, err := jsonbody.Parse(c.Change)
	switch {
	case err != nil || v.Kind() != jsonbody.Object || !c.Change.IsValid():
		return jsonbody.Value{}, errors.New("the change is not a JSON object, or has a name twice")
	case len(v.Members()) == 0:
		return jsonbody.Value{}, nil
	}
	for _, m := range v.Members() {
		if !Changeable(c.Event, m.Name) {
			return jsonbody.Value{}, fmt.Errorf("a hook before %s cannot change %q", c.Event, m.Name)
		}
	}
	return v, nil
}

// merge returns an object with the members of another one replacing its own.
func merge(data, change jsontext.Value) (jsontext.Value, error) {
	all := map[string]jsontext.Value{}
	for _, text := range []jsontext.Value{data, change} {
		if err := json.Unmarshal(text, &all); err != nil {
			return nil, err
		}
	}
	return json.Marshal(all, json.Deterministic(true))
}
