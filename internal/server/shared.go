package server

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/gateway/resume"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"
)

// shared is what a node has that shares its state with others.
type shared struct {
	db        *postgres.DB
	redis     *redis.Client
	limiter   *redis.Limiter
	relay     *redis.Relay
	sessions  *redis.Sessions
	presence  *redis.Presence
	listeners *listeners

	background context.Context //nolint:containedctx // of the work that goes on until release
	stop       context.CancelFunc
	done       chan struct{} // closed when work has ended
	err        error         // why; read once done is closed
}

// openStore opens the store and the cache, and takes a node number.
func (s *Server) openStore(ctx context.Context, cfg Config, now clock.Clock) error {
	name, log := rand.Text(), cfg.Log.With("part", "store")
	var err error
	if cfg.Postgres == "" {
		s.store, err = openAlone(ctx, cfg)
	} else {
		s.shared = &shared{}
		s.shared.db, err = postgres.Open(ctx, cfg.Postgres, log)
		s.store = s.shared.db
	}
	if err != nil {
		s.store = nil
		return err
	}
	bytes := cfg.CacheBytes
	if bytes == 0 {
		bytes = DefaultCacheBytes
	}
	s.cache = cache.New(s.store, bytes)
	if s.shared == nil {
		s.store.Subscribe(s.publish)
	} else if err := s.shared.open(s, cfg, name); err != nil {
		return err
	}
	s.lease, err = takeLease(ctx, s.store, now, name, cfg.Log.With("part", "lease"))
	if err == nil && s.shared != nil {
		s.shared.listeners = newListeners(s.cache, s.lease.number)
	}
	return err
}

// DefaultCacheBytes is how much memory states in use take unless it is set otherwise.
const DefaultCacheBytes = 512 << 20

func openAlone(ctx context.Context, cfg Config) (store.Store, error) {
	open := sqlite.Open
	if cfg.Volatile {
		open = sqlite.OpenVolatile
	}
	return open(ctx, filepath.Join(cfg.Data, DatabaseFile), cfg.Log.With("part", "store"))
}

// publish hands the events of a change to the sessions of this process.
func (s *Server) publish(c *store.Change) {
	for i := range c.Events {
		s.events.Publish(c.Events[i].Event)
	}
}

// open readies what nodes share beside the store.
func (h *shared) open(s *Server, cfg Config, name string) (err error) {
	h.redis, err = redis.Open(cfg.Redis, "bellhop:"+h.db.Identity(), cfg.Log.With("part", "redis"))
	if err != nil {
		return err
	}
	h.relay = redis.NewRelay(h.redis, &s.events, h.db)
	h.db.Subscribe(h.relay.Committed)
	h.sessions = &redis.Sessions{
		Client: h.redis, Relay: h.relay, Node: name,
		Give: func(id string, seq uint64) (resume.Answer, []byte) { return s.gateway.Give(id, seq) },
	}
	h.presence = redis.NewPresence(h.redis, name, gateway.Shipped().Keep)
	return nil
}

// join begins to work with the other nodes.
func (s *Server) join(ctx context.Context) error {
	if s.shared == nil {
		return nil
	}
	h := s.shared
	// The work outlives the call: release ends it.
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.stop, h.done, h.background = stop, make(chan struct{}), background
	work, background := errgroup.WithContext(background)
	work.Go(func() error { return h.redis.Run(background) })
	work.Go(func() error { return h.relay.Run(background) })
	work.Go(func() error { return h.sessions.Run(background) })
	work.Go(func() error { return h.presence.Run(background) })
	work.Go(func() error { return s.lease.Run(background) })
	work.Go(func() error { h.listeners.run(background, s.gateway.HasClients); return nil })
	go func() { // ends with the work, which release waits for
		h.err = work.Wait()
		close(h.done)
	}()
	patience, cancel := context.WithTimeout(ctx, hearTime)
	defer cancel()
	select {
	case <-h.relay.Begun():
	case <-patience.Done(): // sessions identify again when the node hears events
	}
	return nil
}

// hearTime is how long a node that starts waits until it hears the events of others. Without Redis it starts too.
const hearTime = time.Second

// stay keeps the node number until ctx ends or it is lost.
func (s *Server) stay(ctx context.Context) error {
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

// release gives back what openStore and join took, as far as they came.
func (s *Server) release(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var errs []error
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

// limiter returns what counts requests; alone is what counts them on this node.
func (s *Server) limiter(alone *ratelimit.Memory) ratelimit.Limiter {
	if s.shared == nil {
		return alone
	}
	s.shared.limiter = &redis.Limiter{Client: s.shared.redis, Alone: alone, Nodes: s.lease.nodes}
	return s.shared.limiter
}

// collectors returns the metrics of what is shared.
func (h *shared) collectors() []prometheus.Collector {
	return slices.Concat(h.limiter.Collectors(), h.relay.Collectors(), h.db.Collectors())
}
