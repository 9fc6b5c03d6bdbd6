package server

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"
)

// shared has the connections with which a node shares its state with other nodes.
type shared struct {
	db       *postgres.DB
	redis    *redis.Client
	limiter  *redis.Limiter
	log      *postgres.EventLog
	hints    *redis.Hints
	sessions *redis.Sessions
	presence *redis.Presence
	clients  *gatewayClients

	joined atomic.Bool // join was called: other nodes can be asked

	stop context.CancelFunc
	done chan struct{} // closed when the background work has ended
	err  error         // of the background work; read after done is closed
}

// openStore opens the store and the cache, and takes a node number.
func (s *Server) openStore(ctx context.Context, cfg Config) error {
	name, log := rand.Text(), cfg.Log.With("part", "store")
	var err error
	if cfg.Postgres == "" {
		s.store, err = openSQLite(ctx, cfg, s.wall)
	} else {
		s.shared = &shared{}
		s.shared.db, err = postgres.Open(ctx, cfg.Postgres, s.wall, log)
		s.store = s.shared.db
	}
	if err != nil {
		s.store = nil
		return err
	}
	s.cache = cache.New(s.store, splitMemory(cfg.Memory).states)
	if s.shared == nil {
		s.store.Subscribe(s.publish)
	} else if err := s.shared.open(s, cfg, name); err != nil {
		return err
	}
	l := &lease{store: s.store, clock: s.clock, wall: s.wall, synced: s.synced, holder: holderOf(name, s.sealer.Names()), log: cfg.Log.With("part", "lease")}
	if db, ok := s.store.(*sqlite.DB); ok {
		l.restrict = db.Restrict
	}
	if err := s.atStart(ctx, func() error { return l.take(ctx) }); err != nil {
		return err
	}
	s.lease = l
	if s.shared != nil {
		s.shared.db.SetNode(l.number)
		s.shared.clients = newGatewayClients(s.cache, s.lease.number, s.synced, s.shared.db.Settled)
	}
	return nil
}

func openSQLite(ctx context.Context, cfg Config, wall clock.Clock) (store.Store, error) {
	open := sqlite.Open
	switch {
	case cfg.Volatile:
		open = sqlite.OpenVolatile
	case cfg.AcceptDataLoss:
		open = sqlite.OpenDamaged
	}
	db, err := open(ctx, filepath.Join(cfg.Data, DatabaseFile), wall, cfg.Log.With("part", "store"))
	if err != nil {
		return nil, err
	}
	return db, db.LimitCache(splitMemory(cfg.Memory).database)
}

// publish publishes the events of a change to the sessions of this process.
func (s *Server) publish(c *store.Change) {
	for i := range c.Events {
		s.events.Publish(c.Events[i].Event)
	}
}

// open builds the parts that nodes share, except the store.
func (h *shared) open(s *Server, cfg Config, name string) (err error) {
	h.redis, err = redis.Open(cfg.Redis, "bellhop:"+h.db.Identity(), s.synced, cfg.Log.With("part", "redis"))
	if err != nil {
		return err
	}
	h.log = postgres.NewEventLog(h.db, &s.events, cfg.Log.With("part", "events"))
	h.hints = redis.NewHints(h.redis, name)
	h.log.Hint, h.hints.Heard, h.hints.Joined = h.hints.Send, h.log.Heard, h.log.Repeat
	h.log.Interest = events.NewInterest()
	h.log.Interest.Wake = h.log.Wake
	h.sessions = &redis.Sessions{
		Client: h.redis, History: h.log, Node: name,
		HandOver: func(id string, seq uint64) (session.HandoverResult, []byte) { return s.gateway.HandOver(id, seq) },
	}
	h.presence = redis.NewPresence(h.redis, name, gateway.DefaultSettings().ResumeWindow)
	return nil
}

// join starts the work that connects this node with the others.
func (s *Server) join(ctx context.Context) error {
	if s.shared == nil {
		return nil
	}
	h := s.shared
	// The work outlives the call: release ends it.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.stop, h.done = stop, make(chan struct{})
	h.joined.Store(true)
	work, background := errgroup.WithContext(background)
	work.Go(func() error { return h.redis.Run(background) })
	work.Go(func() error { return h.log.Run(background) })
	work.Go(func() error { return h.hints.Run(background) })
	work.Go(func() error { return h.sessions.Run(background) })
	work.Go(func() error { return h.presence.Run(background) })
	work.Go(func() error { return s.lease.Run(background) })
	work.Go(func() error { h.clients.run(background, s.gateway.HasClients); return nil })
	go func() { // release waits for it
		h.err = work.Wait()
		close(h.done)
	}()
	waiting, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	select {
	case <-h.log.Begun():
	case <-waiting.Done(): // until the log is read, sessions have to identify again
	}
	return nil
}

// joinTime bounds how long a starting node waits until it reads the event log.
const joinTime = time.Second

// hasSession reports whether a gateway session exists on any node. It may be on another node only if Redis answers.
func (s *Server) hasSession(ctx context.Context, id string) bool {
	if s.shared == nil || s.gateway.HasSession(id) {
		return true // with one node, the gateway looks when it delivers an event
	}
	exists, err := s.shared.sessions.Exists(ctx, id)
	return err == nil && exists
}

// keepLease keeps the node number until ctx ends. It returns an error if the number is lost.
func (s *Server) keepLease(ctx context.Context) error {
	if s.shared == nil {
		return s.lease.Run(ctx)
	}
	select {
	case <-ctx.Done():
		return nil
	case <-s.shared.done:
		return s.shared.err
	}
}

// release ends what join has started, gives the node number back and closes the store, as far as they exist.
func (s *Server) release(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var errs []error
	if s.unregister != nil {
		s.unregister()
	}
	if s.shared != nil && s.shared.stop != nil {
		s.shared.stop()
		<-s.shared.done
	}
	if s.lease != nil {
		errs = append(errs, s.lease.release(ctx))
	}
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	return errors.Join(errs...)
}

// limiter returns the limiter that all nodes share. local is the one of this node.
func (s *Server) limiter(local *ratelimit.Memory) ratelimit.Limiter {
	if s.shared == nil {
		return local
	}
	s.shared.limiter = &redis.Limiter{Client: s.shared.redis, Local: local, Nodes: s.lease.nodes}
	return s.shared.limiter
}

// collectors returns the metrics of the shared parts.
func (h *shared) collectors() []prometheus.Collector {
	return slices.Concat(h.limiter.Collectors(), h.log.Collectors(), h.db.Collectors())
}
