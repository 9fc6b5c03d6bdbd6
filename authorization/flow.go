package authorization

import (
	"context"
	"crypto/subtle"
	"net/url"
	"sync"
)

// flow is one sign-in under way. It takes one answer: the first that carries its state.
type flow struct {
	state  string
	link   string             // the deep link it waits for; empty when it has a listener
	cancel context.CancelFunc // aborts it

	answered chan outcome // capacity 1; over guards it

	mu         sync.Mutex
	over       bool // an answer was taken, or nobody waits any more
	mismatched bool // an answer came that was not for this flow
}

// outcome is how a flow ends.
type outcome struct {
	code Secret
	err  *ResultError
}

func newFlow(r request, cancel context.CancelFunc) *flow {
	return &flow{state: r.state, link: r.link, cancel: cancel, answered: make(chan outcome, 1)}
}

// verdict is what became of an answer.
type verdict int

const (
	foreign verdict = iota // the state is not this flow's; the flow goes on
	late                   // the flow is over
	granted                // taken: it carries a code
	refused                // taken: it carries none
)

// offer gives the flow the parameters of a callback. An answer with another state, or none, is not for this flow: it
// may be forged, or left over from a sign-in before, so it must not end this one.
func (f *flow) offer(params url.Values) verdict {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return late
	}
	state := params["state"]
	if len(state) != 1 || subtle.ConstantTimeCompare([]byte(state[0]), []byte(f.state)) != 1 {
		f.mismatched = true
		return foreign
	}
	end := f.read(params)
	f.finish(end)
	if end.err != nil {
		return refused
	}
	return granted
}

// read takes the outcome from an answer whose state is right.
func (f *flow) read(params url.Values) outcome {
	if params.Has("error") {
		known := []Secret{Secret(f.state)}
		err := failed(opAuthorize, foreignText(params.Get("error"), known))
		err.Description = foreignText(params.Get("error_description"), known)
		return outcome{err: err}
	}
	code := params["code"]
	if len(code) != 1 || code[0] == "" {
		return outcome{err: failed(opAuthorize, "the answer carries no code")}
	}
	return outcome{code: Secret(code[0])}
}

// finish ends the flow with o. The caller holds mu and has seen that it is not over.
func (f *flow) finish(o outcome) {
	f.over = true
	f.answered <- o
}

// fail ends the flow, unless it is over.
func (f *flow) fail(err *ResultError) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.finish(outcome{err: err})
	}
}

// giveUp ends the flow with err and returns how it ended: an answer that was taken before counts, for the person has
// been told so.
func (f *flow) giveUp(err *ResultError) outcome {
	f.fail(err)
	return <-f.answered
}

// sawMismatch reports whether an answer came that was not for this flow.
func (f *flow) sawMismatch() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mismatched
}
