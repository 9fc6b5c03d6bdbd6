package authorization

import (
	"context"
	"crypto/subtle"
	"net/url"
	"sync"
)

// flow is a running sign-in. It accepts one callback: the first with the right state.
type flow struct {
	state  string
	link   string             // the deep link to wait for; empty when there is a listener
	cancel context.CancelFunc // aborts the flow

	answered chan outcome // capacity 1; over allows one send

	mu         sync.Mutex
	over       bool // the flow has its outcome
	mismatched bool // a callback with a wrong state arrived
}

// outcome is the result of a flow.
type outcome struct {
	code Secret
	err  *ResultError
}

func newFlow(r request, cancel context.CancelFunc) *flow {
	return &flow{state: r.state, link: r.link, cancel: cancel, answered: make(chan outcome, 1)}
}

// callbackResult says whether and how a flow handled a callback.
type callbackResult int

const (
	wrongState callbackResult = iota // ignored; the flow continues
	late                             // ignored; the flow is over
	granted                          // accepted, with a code
	refused                          // accepted, without a code
)

// handleCallback takes the parameters of a callback. A callback with another state or none may be forged, or may belong
// to an earlier sign-in, so it does not end the flow.
func (f *flow) handleCallback(params url.Values) callbackResult {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return late
	}
	state := params["state"]
	if len(state) != 1 || subtle.ConstantTimeCompare([]byte(state[0]), []byte(f.state)) != 1 {
		f.mismatched = true
		return wrongState
	}
	end := f.read(params)
	f.finish(end)
	if end.err != nil {
		return refused
	}
	return granted
}

// read returns the outcome that a callback with the right state contains.
func (f *flow) read(params url.Values) outcome {
	if params.Has("error") {
		known := []Secret{Secret(f.state)}
		err := failed(opAuthorize, foreignText(params.Get("error"), known))
		err.Description = foreignText(params.Get("error_description"), known)
		return outcome{err: err}
	}
	code := params["code"]
	if len(code) != 1 || code[0] == "" {
		return outcome{err: failed(opAuthorize, "the redirect has no code")}
	}
	return outcome{code: Secret(code[0])}
}

// finish ends the flow with o. The caller holds mu and has checked that the flow is not over.
func (f *flow) finish(o outcome) {
	f.over = true
	f.answered <- o
}

// fail ends the flow with err, unless it is over.
func (f *flow) fail(err *ResultError) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.finish(outcome{err: err})
	}
}

// giveUp ends the flow with err and returns its outcome. If the flow accepted a callback just before, that outcome
// counts, because the browser already shows it to the user.
func (f *flow) giveUp(err *ResultError) outcome {
	f.fail(err)
	return <-f.answered
}

// sawMismatch reports whether a callback with a wrong state arrived.
func (f *flow) sawMismatch() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.mismatched
}
