package server

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// listenerLife is how long a node counts as having clients of an application after it last said so, listenerBeat how often
	// it says so. A session whose node died can be resumed for a shorter time than that.
	listenerLife = 10 * time.Minute
	listenerBeat = 2 * time.Minute
)

// listeners knows which applications have gateway clients on any node, so that events that no client hears are not
// recorded. A write depends on it like on every other state: its commit is refused when another node has got clients since.
type listeners struct {
	node uint16
	kind cache.Kind[snowflake.Application, []store.Listener]

	mu    sync.Mutex
	stood map[snowflake.Application]time.Time // when this node last said so
}

func newListeners(c *cache.Cache, node uint16) *listeners {
	return &listeners{
		node: node, stood: map[snowflake.Application]time.Time{},
		kind: cache.Kind[snowflake.Application, []store.Listener]{
			Cache: c, Subject: store.ListenersSubject,
			Read: func(r store.Reader, app snowflake.Application) (*[]store.Listener, error) {
				list, err := r.Nodes.Listeners(app)
				return &list, err
			},
			Size: func(list *[]store.Listener) int { return 48 * len(*list) },
		},
	}
}

// attend notes that this node has clients of an application. When it returns, later writes on all nodes know it.
func (l *listeners) attend(ctx context.Context, app snowflake.Application) error {
	now := clock.System{}.Now()
	l.mu.Lock()
	said := now.Sub(l.stood[app]) < listenerBeat
	l.mu.Unlock()
	if said {
		return nil
	}
	err := store.Decide(ctx, l.kind.Cache.Store(), func(tx *store.Tx) error {
		list, err := tx.Nodes.Listeners(app)
		if err != nil {
			return err
		}
		for _, x := range list {
			if x.Until.Before(now) { // its node is gone, or has no clients of the application any more
				tx.Delete(store.ListenerKey(app, x.Node))
			}
		}
		return tx.Put(store.Listener{Application: app, Node: l.node, Until: now.Add(listenerLife).Truncate(time.Microsecond)})
	})
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.stood[app] = now
	}
	return err
}

// attended reports whether a node has clients of an application. It reports true when the store does not answer.
func (l *listeners) attended(ctx context.Context, app snowflake.Application) bool {
	list, err := l.kind.Load(ctx, app)
	if err != nil {
		return true
	}
	now := clock.System{}.Now()
	return slices.ContainsFunc(*list, func(x store.Listener) bool { return x.Until.After(now) })
}

// run says again which applications have clients here until ctx ends.
func (l *listeners) run(ctx context.Context, hasClients func(snowflake.Application) bool) {
	for ctx.Err() == nil {
		clock.Wait(ctx, clock.System{}, listenerBeat)
		l.mu.Lock()
		var apps []snowflake.Application
		for app := range l.stood {
			if !hasClients(app) {
				delete(l.stood, app) // the next client says so again
				continue
			}
			apps = append(apps, app)
		}
		l.mu.Unlock()
		for _, app := range apps {
			_ = l.attend(ctx, app) // tried again at the next beat, long before the record ends
		}
	}
}

// sharedLobbies tells lobbies which users come and go when clients are connected to several nodes.
type sharedLobbies struct {
	*lobbies.Lobbies

	presence  *redis.Presence
	listeners *listeners
}

// LobbiesOf is called for a client that listens from now on: events from then on have to be recorded.
func (c sharedLobbies) LobbiesOf(ctx context.Context, app snowflake.Application, user snowflake.User) ([][]byte, error) {
	if err := c.listeners.attend(ctx, app); err != nil {
		return nil, err
	}
	return c.Lobbies.LobbiesOf(ctx, app, user)
}

// Arrived is called when the first client of a user is connected to this node, with a new session or one from another node.
func (c sharedLobbies) Arrived(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	if err := c.listeners.attend(ctx, app); err != nil {
		return err
	}
	if !c.presence.Arrived(ctx, app, user) {
		return nil // connected to another node before
	}
	return c.Lobbies.Arrived(ctx, app, user)
}

// Left is called when the last client of a user on this node is gone.
func (c sharedLobbies) Left(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	if !c.presence.Left(ctx, app, user) {
		return nil // still connected to another node
	}
	return c.Lobbies.Left(ctx, app, user)
}

// gatewayLobbies returns the lobbies as the gateway knows them.
func (s *Server) gatewayLobbies() gateway.Lobbies {
	if s.shared == nil {
		return s.lobbies
	}
	return sharedLobbies{s.lobbies, s.shared.presence, s.shared.listeners}
}

// connected reports whether a client of a user is connected for an application, on any node.
func (s *Server) connected(app snowflake.Application, user snowflake.User) bool {
	if s.gateway != nil && s.gateway.Connected(app, user) {
		return true
	}
	// The caller has no context to give. Redis answers quickly or counts as away.
	return s.shared != nil && s.shared.presence.Elsewhere(s.shared.background, app, user)
}

// listening returns those users who may hear events for an application. When several nodes share the store it is all of
// them or none.
func (s *Server) listening(ctx context.Context, app snowflake.Application, users iter.Seq[snowflake.User]) []snowflake.User {
	switch {
	case s.gateway == nil:
		return nil
	case s.shared == nil:
		return s.gateway.Among(app, users)
	case s.shared.listeners.attended(ctx, app):
		return slices.Collect(users)
	}
	return nil
}

// takeOver is how often a node looks for work that a dead node left.
const takeOver = time.Second

// watch looks for work whose node has died until ctx ends. The commit decides when two nodes do the same work.
func (s *Server) watch(ctx context.Context) error {
	if s.shared == nil {
		return nil
	}
	for ctx.Err() == nil {
		clock.Wait(ctx, clock.System{}, takeOver)
		s.lobbies.Look()
		s.dispatch.Look()
	}
	return nil
}
