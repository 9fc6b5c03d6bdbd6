package server

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// clientsLife is the time for which the record that a node has clients of an application is valid. It is longer
	// than a session of a dead node can be resumed. A node renews the record every clientsBeat.
	clientsLife = 10 * time.Minute
	clientsBeat = 2 * time.Minute
)

// gatewayClients records which applications have gateway clients on any node, so that events without a recipient are
// not stored. The commit of a change fails as stale when another node has recorded clients since the change was
// decided.
type gatewayClients struct {
	node  uint16
	clock clock.Clock // shared by all nodes
	kind  cache.Kind[snowflake.Application, []store.Listener]
	// settled waits until the changes that were being committed have ended: they may not have seen the record.
	settled func(context.Context) error

	mu       sync.Mutex
	recorded map[snowflake.Application]time.Time // when this node last wrote its record
}

func newGatewayClients(c *cache.Cache, node uint16, shared clock.Clock, settled func(context.Context) error) *gatewayClients {
	return &gatewayClients{
		node: node, clock: shared, settled: settled, recorded: map[snowflake.Application]time.Time{},
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

// record records that this node has clients of an application. When it returns, every change on any node has stored its
// events, or can be read.
func (g *gatewayClients) record(ctx context.Context, app snowflake.Application) error {
	now := g.clock.Now()
	g.mu.Lock()
	recent := now.Sub(g.recorded[app]) < clientsBeat
	g.mu.Unlock()
	if recent {
		return nil
	}
	err := store.Decide(ctx, g.kind.Cache.Store(), func(tx *store.Tx) error {
		list, err := tx.Nodes.Listeners(app)
		if err != nil {
			return err
		}
		for _, l := range list {
			if l.Until.Before(now) { // its node is dead, or has no clients of the application any more
				tx.Delete(store.ListenerKey(app, l.Node))
			}
		}
		return tx.Put(store.Listener{Application: app, Node: g.node, Until: now.Add(clientsLife).Truncate(time.Microsecond)})
	})
	if err == nil {
		err = g.settled(ctx)
	}
	if err == nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.recorded[app] = now
	}
	return err
}

// any reports whether any node has clients of an application. It reports true if the store does not answer.
func (g *gatewayClients) any(ctx context.Context, app snowflake.Application) bool {
	list, err := g.kind.Load(ctx, app)
	if err != nil {
		return true
	}
	now := g.clock.Now()
	return slices.ContainsFunc(*list, func(l store.Listener) bool { return l.Until.After(now) })
}

// run renews the records of this node until ctx ends.
func (g *gatewayClients) run(ctx context.Context, hasClients func(snowflake.Application) bool) {
	for ctx.Err() == nil {
		clock.Wait(ctx, g.clock, clientsBeat)
		g.mu.Lock()
		var apps []snowflake.Application
		for app := range g.recorded {
			if !hasClients(app) {
				delete(g.recorded, app) // the next client records it again
				continue
			}
			apps = append(apps, app)
		}
		g.mu.Unlock()
		for _, app := range apps {
			_ = g.record(ctx, app) // the next beat tries again, long before the record expires
		}
	}
}

// sharedLobbies tells the lobbies which users connect and disconnect when there are several nodes.
type sharedLobbies struct {
	gateway.Lobbies

	presence *redis.Presence
	clients  *gatewayClients
}

// LobbiesOf is called for a new session. Events for it must be stored from now on.
func (l sharedLobbies) LobbiesOf(ctx context.Context, app snowflake.Application, user snowflake.User) ([][]byte, error) {
	if err := l.clients.record(ctx, app); err != nil {
		return nil, err
	}
	return l.Lobbies.LobbiesOf(ctx, app, user)
}

// ClientConnected is called when the first session of a user on this node is ready, new or resumed from another node.
func (l sharedLobbies) ClientConnected(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	if err := l.clients.record(ctx, app); err != nil {
		return err
	}
	if !l.presence.Connect(ctx, app, user) {
		return nil // the user is connected to another node too
	}
	return l.Lobbies.ClientConnected(ctx, app, user)
}

// ClientDisconnected is called when the last session of a user on this node has ended.
func (l sharedLobbies) ClientDisconnected(ctx context.Context, app snowflake.Application, user snowflake.User) error {
	if !l.presence.Disconnect(ctx, app, user) {
		return nil // the user is connected to another node
	}
	return l.Lobbies.ClientDisconnected(ctx, app, user)
}

// gatewayLobbies returns the lobbies for the gateway.
func (s *Server) gatewayLobbies() gateway.Lobbies {
	if s.shared == nil {
		return s.lobbies.Presence
	}
	return sharedLobbies{s.lobbies.Presence, s.shared.presence, s.shared.clients}
}

// sharedBots tells other nodes which bots are connected to this node. A bot has the id of its application.
type sharedBots struct{ presence *redis.Presence }

// BotConnected is called before a new session of a bot gets READY.
func (b sharedBots) BotConnected(ctx context.Context, app snowflake.Application) {
	b.presence.Connect(ctx, app, snowflake.User(app))
}

// BotDisconnected is called when the last session of a bot on this node has ended.
func (b sharedBots) BotDisconnected(ctx context.Context, app snowflake.Application) {
	b.presence.Disconnect(ctx, app, snowflake.User(app))
}

// online reports whether the bot of an application has a gateway session on any node. It reports true if Redis does not
// answer.
func (s *Server) online(ctx context.Context, app snowflake.Application) bool {
	if s.gateway.HasBot(app) {
		return true
	}
	return s.shared != nil && s.shared.presence.ConnectedElsewhere(ctx, app, snowflake.User(app))
}

// connected reports whether a user has a session for an application on any node.
func (s *Server) connected(ctx context.Context, app snowflake.Application, user snowflake.User) bool {
	if s.gateway != nil && s.gateway.Connected(app, user) {
		return true
	}
	return s.shared != nil && s.shared.joined.Load() && s.shared.presence.ConnectedElsewhere(ctx, app, user)
}

// listening returns the users who may receive events for an application. With several nodes it returns all users or
// none.
func (s *Server) listening(ctx context.Context, app snowflake.Application, users iter.Seq[snowflake.User]) []snowflake.User {
	switch {
	case s.gateway == nil:
		return nil
	case s.shared == nil:
		return s.gateway.ConnectedUsers(app, users)
	case s.shared.clients.any(ctx, app):
		return slices.Collect(users)
	}
	return nil
}

// takeOverInterval is the interval at which a node looks for work of dead nodes.
const takeOverInterval = time.Second

// takeOverWork looks for due work of dead nodes until ctx ends. Nodes claim the work (store.Claimer).
func (s *Server) takeOverWork(ctx context.Context) error {
	if s.shared == nil {
		return nil
	}
	for ctx.Err() == nil {
		clock.Wait(ctx, s.wall, takeOverInterval)
		s.lobbies.CheckIdle()
		s.dispatch.CheckDeadlines()
		s.threads.CheckDue()
		s.polls.CheckDue()
		s.hooks.CheckDue()
		s.invites.CheckDue()
		s.outbox.CheckDue()
		s.schedule.CheckDue()
		s.premium.CheckDue()
	}
	return nil
}
