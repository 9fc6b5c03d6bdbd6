package gateway

import (
	"context"
	"sync"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/snowflake"
)

// connections tells lobbies which users are connected, and other nodes which bots are. Changes that happen during a call
// are combined. The calls for a user and an application are in order, and changed never blocks.
type connections struct {
	gateway *Gateway
	wake    chan struct{}  // capacity 1
	bots    [64]sync.Mutex // by application: held while a bot is announced, so that its announcements are in order

	announcing sync.Mutex               // held while changes are announced
	announced  map[session.AppUser]bool // announced as connected

	mu      sync.Mutex
	pending map[session.AppUser]struct{} // may have changed
}

func newConnections(g *Gateway) *connections {
	return &connections{gateway: g, wake: make(chan struct{}, 1), pending: map[session.AppUser]struct{}{}, announced: map[session.AppUser]bool{}}
}

// changed records that a session has become ready or has ended.
func (p *connections) changed(s *session.Session) {
	switch {
	case s.Kind == session.Client && p.gateway.Lobbies != nil:
	case s.Kind == session.Bot && p.gateway.Bots != nil:
	default:
		return
	}
	p.mu.Lock()
	p.pending[s.AppUser()] = struct{}{}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// run announces changes until ctx ends.
func (p *connections) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		p.announcePending(ctx)
	}
}

// announcePending announces the changes that were recorded before the call. When it returns, they are announced.
func (p *connections) announcePending(ctx context.Context) {
	p.announcing.Lock()
	defer p.announcing.Unlock()
	for _, u := range p.takePending() {
		if u.IsBot() {
			p.announceBot(ctx, u.Application)
		} else {
			p.announce(ctx, u)
		}
	}
}

func (p *connections) takePending() []session.AppUser {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]session.AppUser, 0, len(p.pending))
	for u := range p.pending {
		list = append(list, u)
	}
	clear(p.pending)
	return list
}

// announce tells lobbies about a user if the user's presence has changed. The caller holds announcing.
func (p *connections) announce(ctx context.Context, u session.AppUser) {
	is, was := p.gateway.index.IsReady(u), p.announced[u]
	if is == was {
		return
	}
	call := p.gateway.Lobbies.ClientDisconnected
	if is {
		call = p.gateway.Lobbies.ClientConnected
		p.announced[u] = true
	} else {
		delete(p.announced, u)
	}
	if err := call(ctx, u.Application, u.User); err != nil && ctx.Err() == nil {
		p.gateway.Log.ErrorContext(ctx, "presence not announced", "err", err)
	}
}

// announceBot tells the other nodes whether a bot has a session on this node.
func (p *connections) announceBot(ctx context.Context, app snowflake.Application) {
	if p.gateway.Bots == nil {
		return
	}
	// Other bots do not wait meanwhile, except a few that share the lock.
	lock := &p.bots[uint64(app)*0x9e3779b97f4a7c15>>58]
	lock.Lock()
	defer lock.Unlock()
	if p.gateway.index.HasBot(app) {
		p.gateway.Bots.BotConnected(ctx, app)
	} else {
		p.gateway.Bots.BotDisconnected(ctx, app)
	}
}
