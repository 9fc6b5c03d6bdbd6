package api

import (
	"errors"
	"net/http"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
)

// errOutdated says that a call has read an outdated state from memory. The call is served again.
var errOutdated = errors.New("served from an outdated state")

// maxViews is the number of attempts to serve a call from states that are confirmed together. After that each state is
// confirmed when it is read.
const maxViews = 4

// storeWaitBudget bounds how long a call waits for a shared store that does not answer, so that the client gets an answer
// within 3 seconds.
const storeWaitBudget = 2500 * time.Millisecond

// run serves a call on its route, unless a fault that a developer has set answers instead.
func (c *Call) run() error {
	if err := c.h.checkOrigin(c); err != nil {
		return err
	}
	if c.h.Dev != nil {
		if gate := c.h.Dev.Gate; gate.guards(c.route) && !gate.Passes(c, c.Request) {
			return errDevToken
		}
		if done, err := c.h.injectFault(c); done {
			return err
		}
	}
	return c.serve()
}

// serve makes the access checks of the route and calls its handler.
//
// When other nodes write to the store too, one query confirms all states that the call has read from memory: before the
// response is written for GET requests, in the commit for a route that decides, before the handler runs for others.
// When a state is outdated, the call is served again.
func (c *Call) serve() error {
	if c.route.Method != http.MethodGet || c.route.Allow == Browsers { // may write
		c.actor.Address = c.from
		c.Request = c.Request.WithContext(audit.WithActor(c.Request.Context(), &c.actor))
	}
	if c.route.Allow == Everyone {
		return c.route.Handle(c)
	}
	if !c.h.Store.Shared() {
		return c.attempt()
	}
	c.Request = c.Request.WithContext(store.WithWaitBudget(c.Request.Context(), storeWaitBudget))
	for range maxViews {
		c.beginView()
		if err := c.attempt(); !errors.Is(err, errOutdated) {
			return err
		}
	}
	c.endView()
	return c.attempt()
}

// attempt serves the call once.
func (c *Call) attempt() error {
	err := c.h.authenticate(c)
	if err == nil {
		setActor(&c.actor, &c.Principal)
		err = c.h.authorize(c)
	}
	if err == nil && c.route.Reason {
		c.actor.Reason, err = guild.ReadReason(c.RequestHeader("X-Audit-Log-Reason"))
	}
	if err != nil || c.route.Method != http.MethodGet && !c.route.Decides {
		if outdated := c.confirm(); outdated != nil {
			return outdated
		}
	}
	if err != nil {
		return err
	}
	err = c.route.Handle(c)
	switch {
	case err == nil || c.status != 0:
		return err
	case errors.Is(err, cache.ErrOutdated):
		return errOutdated
	}
	if outdated := c.confirm(); outdated != nil {
		return outdated
	}
	return err
}

// setActor tells the audit log who the caller is.
func setActor(a *audit.Actor, p *auth.Principal) {
	a.Operator, a.Application, a.User = p.Name, p.Application, p.User
	if p.Own { // the application acts for itself
		a.User = 0
	}
}

// beginView lets the call read states from memory that are not confirmed.
func (c *Call) beginView() {
	c.endView()
	ctx, view := c.h.Cache.Begin(c.Request.Context())
	c.plain, c.view = c.Request, view
	c.Request = c.Request.WithContext(ctx)
}

// endView makes the call confirm each state that it reads from now on.
func (c *Call) endView() {
	if c.view != nil {
		c.Request, c.plain, c.view = c.plain, nil, nil
	}
}

// confirm checks that the states that the call has read from memory are current, and ends the view.
func (c *Call) confirm() error {
	if c.view == nil {
		return nil
	}
	view := c.view
	c.endView()
	confirmed, err := view.Confirm(c.Request.Context())
	if err == nil && !confirmed {
		err = errOutdated
	}
	return err
}
