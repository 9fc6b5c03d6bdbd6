package httpapi

import (
	"errors"
	"net/http"
)

// errOutdated says that the call is based on a state that is out of date. The call is served again.
var errOutdated = errors.New("served from a state that is out of date")

// maxViews is how often a call is served from states that are confirmed together. After that each is confirmed by itself.
const maxViews = 4

// serve makes the checks of a route in their order and then serves it.
//
// When other nodes write to the store, the states that a call reads from memory are confirmed by one query: of a call that
// only reads before the answer is written, of other calls before the handler runs. Then the call is served again when one
// of them was out of date.
func (c *Call) serve(r *Route) error {
	if r.Allow == Everyone {
		return r.Handle(c)
	}
	if !c.frame.Store.Shared() {
		return c.attempt(r)
	}
	for range maxViews {
		c.begin()
		if err := c.attempt(r); !errors.Is(err, errOutdated) {
			return err
		}
	}
	c.ctx, c.view = nil, nil
	return c.attempt(r)
}

// begin lets the call read states from memory that are not confirmed.
func (c *Call) begin() { c.ctx, c.view = c.frame.Cache.Begin(c.Request.Context()) }

// attempt serves the call once.
func (c *Call) attempt(r *Route) error {
	err := c.authenticate(r)
	if err == nil {
		err = c.admit(r.Allow)
	}
	if err != nil || r.Method != http.MethodGet {
		if outdated := c.confirm(); outdated != nil {
			return outdated
		}
	}
	if err != nil {
		return err
	}
	if err = r.Handle(c); err != nil && c.status == 0 {
		if outdated := c.confirm(); outdated != nil {
			return outdated
		}
	}
	return err
}

// confirm makes sure that what the call has read from memory is current, and lets go of it: what is read from then on is
// confirmed by itself.
func (c *Call) confirm() error {
	if c.view == nil {
		return nil
	}
	view := c.view
	c.ctx, c.view = nil, nil
	confirmed, err := view.Confirm(c.Request.Context())
	if err == nil && !confirmed {
		err = errOutdated
	}
	return err
}
