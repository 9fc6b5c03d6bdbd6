package gateway

import (
	"context"
	"sync"
)

// presence tells lobbies who is there. What changes while it tells is told once, as it stands then: for each person and
// application the words come in order, and nobody who gives them waits.
type presence struct {
	gateway *Gateway
	wake    chan struct{} // has room for one

	mu    sync.Mutex
	stale map[client]struct{} // may have become different
	there map[client]bool     // who was told to be there; of run alone
}

func newPresence(g *Gateway) *presence {
	return &presence{gateway: g, wake: make(chan struct{}, 1), stale: map[client]struct{}{}, there: map[client]bool{}}
}

// changed notes that a session has become ready or has ended.
func (p *presence) changed(s *session) {
	if s.Kind != Client || p.gateway.Lobbies == nil {
		return
	}
	p.mu.Lock()
	p.stale[client{s.Application, s.User}] = struct{}{}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// run tells until ctx ends.
func (p *presence) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		for _, c := range p.take() {
			p.tell(ctx, c)
		}
	}
}

func (p *presence) take() []client {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]client, 0, len(p.stale))
	for c := range p.stale {
		list = append(list, c)
	}
	clear(p.stale)
	return list
}

func (p *presence) tell(ctx context.Context, c client) {
	is, was := p.gateway.isReady(c), p.there[c]
	if is == was {
		return
	}
	word := p.gateway.Lobbies.Left
	if is {
		word = p.gateway.Lobbies.Arrived
		p.there[c] = true
	} else {
		delete(p.there, c)
	}
	if err := word(ctx, c.app, c.user); err != nil && ctx.Err() == nil {
		p.gateway.Log.ErrorContext(ctx, "presence not told", "err", err)
	}
}

// isReady reports whether a person has a session for an application that has been ready.
func (g *Gateway) isReady(c client) bool {
	g.index.mu.Lock()
	defer g.index.mu.Unlock()
	for s := range g.index.clients.of(c) {
		if !s.isStarting() {
			return true
		}
	}
	return false
}
