package gateway

import (
	"context"
	"sync"

	"github.com/bellhop/bellhop/internal/gateway/session"
)

// presence tells lobbies who is there. What changes while it tells is told once, as it stands then: for each person and
// application the words come in order, and nobody who gives them waits.
type presence struct {
	gateway *Gateway
	wake    chan struct{} // has room for one

	mu    sync.Mutex
	stale map[session.Seat]struct{} // may have become different
	there map[session.Seat]bool     // who was told to be there; of run alone
}

func newPresence(g *Gateway) *presence {
	return &presence{gateway: g, wake: make(chan struct{}, 1), stale: map[session.Seat]struct{}{}, there: map[session.Seat]bool{}}
}

// changed notes that a session has become ready or has ended.
func (p *presence) changed(s *session.Session) {
	if s.Kind != session.Client || p.gateway.Lobbies == nil {
		return
	}
	p.mu.Lock()
	p.stale[s.Seat()] = struct{}{}
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

func (p *presence) take() []session.Seat {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]session.Seat, 0, len(p.stale))
	for c := range p.stale {
		list = append(list, c)
	}
	clear(p.stale)
	return list
}

func (p *presence) tell(ctx context.Context, c session.Seat) {
	is, was := p.gateway.index.Attends(c), p.there[c]
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
	if err := word(ctx, c.Application, c.User); err != nil && ctx.Err() == nil {
		p.gateway.Log.ErrorContext(ctx, "presence not told", "err", err)
	}
}
