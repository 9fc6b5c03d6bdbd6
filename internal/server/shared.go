package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/cluster"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/gateway/roaming"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/redis"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"
)

// shared is what a node has that shares its state with others.
type shared struct {
	node     *cluster.Node
	redis    *redis.Client
	limiter  *redis.Limiter
	relay    *redis.Relay
	sessions *redis.Sessions
	presence *redis.Presence
	place    *place
	db       *postgres.DB

	background context.Context //nolint:containedctx // of the work that goes on until release
	stop       context.CancelFunc
	done       chan struct{} // closed when work has ended
	err        error         // why; read once done is closed
}

// openStore opens the store, alone or with others, and takes a node number.
func (s *Server) openStore(ctx context.Context, cfg Config, now clock.Clock) (err error) {
	name, log := rand.Text(), cfg.Log.With("part", "store")
	if cfg.Postgres == "" {
		open := sqlite.Open
		if cfg.Volatile {
			open = sqlite.OpenVolatile
		}
		db, err := open(ctx, filepath.Join(cfg.Data, DatabaseFile), log)
		if err != nil {
			return err
		}
		s.store = db
		s.lease, err = takeLease(ctx, db, now, name, nil, cfg.Log.With("part", "lease"))
		return err
	}
	p, err := takePlace(cfg.Data, name)
	if err != nil {
		return err
	}
	s.shared = &shared{place: p}
	db, err := postgres.Open(ctx, cfg.Postgres, log)
	if err != nil {
		return err
	}
	s.store, s.shared.db = db, db
	s.shared.redis, err = redis.Open(cfg.Redis, "bellhop:"+db.Identity(), cfg.Log.With("part", "redis"))
	if err != nil {
		return err
	}
	s.shared.relay = redis.NewRelay(s.shared.redis, &s.events)
	s.shared.sessions = &redis.Sessions{
		Client: s.shared.redis, Relay: s.shared.relay, Node: name,
		Give: func(id string, seq uint64) (roaming.Answer, []byte) { return s.gateway.Give(id, seq) },
	}
	s.shared.node = cluster.New(cluster.Config{
		Name: name, Replaces: p.before, Channel: s.shared.redis, Log: cfg.Log.With("part", "cluster"), Forget: s.forget,
	})
	s.shared.presence = redis.NewPresence(s.shared.redis, name, gateway.Shipped().Keep, s.shared.node.Fresh)
	s.shared.presence.Changed = func(ctx context.Context, app snowflake.Application, user snowflake.User) error {
		return s.shared.node.Tell(ctx, &cluster.Changes{Visits: []cluster.Pair{{uint64(app), uint64(user)}}})
	}
	s.shared.presence.HasClients = func(app snowflake.Application) bool { return s.gateway.HasClients(app) }
	s.store = s.shared.node.Share(db)
	s.lease, err = takeLease(ctx, db, now, name, s.shared.node, cfg.Log.With("part", "lease"))
	return err
}

// fresh returns what tells whether memory can be shown; nil: always.
func (s *Server) fresh() func() bool {
	if s.shared == nil {
		return nil
	}
	return s.shared.node.Fresh
}

// joinTime is how long the other nodes may take to know this one. It exceeds the time after which a dead one counts as dead.
const joinTime = cluster.Life + 20*time.Second

// join begins to work with the other nodes and waits until they know this one.
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
	work.Go(func() error { return h.node.Run(background) })
	work.Go(func() error { return h.relay.Run(background) })
	work.Go(func() error { return h.sessions.Run(background) })
	work.Go(func() error { return h.presence.Run(background) })
	work.Go(func() error { return s.lease.Run(background) })
	go func() { // ends with the work, which release waits for
		h.err = work.Wait()
		close(h.done)
	}()
	wait, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	if err := h.node.Joined(wait); err != nil {
		return fmt.Errorf("wait for the other nodes: %w", err)
	}
	patience, cancel := context.WithTimeout(ctx, hearTime)
	defer cancel()
	select {
	case <-h.relay.Begun():
	case <-patience.Done(): // gateway sessions begin anew when it hears them
	}
	return nil
}

// hearTime is how long a node that starts waits until it hears the events of others. Without Redis it starts too.
const hearTime = 3 * time.Second

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
		s.shared.node.Leave(ctx)
		s.shared.stop()
		<-s.shared.done
	}
	if s.lease != nil {
		errs = append(errs, s.lease.release(ctx))
	}
	if s.store != nil {
		errs = append(errs, s.store.Close())
	}
	if s.shared != nil {
		errs = append(errs, s.shared.place.leave())
	}
	return errors.Join(errs...)
}

// limiter returns what counts requests; alone is what counts them on this node.
func (s *Server) limiter(alone *ratelimit.Memory) ratelimit.Limiter {
	if s.shared == nil {
		return alone
	}
	s.shared.limiter = &redis.Limiter{
		Client: s.shared.redis, Alone: alone, Nodes: func() int { return s.shared.node.Peers() + 1 },
	}
	return s.shared.limiter
}

// forget drops what is held in memory of what another node has changed.
func (s *Server) forget(c *cluster.Changes) {
	if c.Everything {
		s.commands.ForgetAll()
		s.lobbies.Forget()
		s.directory.Forget()
		s.shared.presence.ForgetAll()
		return
	}
	for _, scope := range c.Scopes {
		s.commands.Forget(scope)
	}
	for _, set := range c.Sets {
		s.commands.ForgetOverwrites(set.Application, set.Guild)
	}
	for _, j := range c.Joins {
		s.lobbies.Joined(j.Lobby, j.Member, j.From, j.To, j.IdleSince, j.Due)
	}
	s.lobbies.ForgetLobbies(c.Unsaid()...)
	changed := directory.Changed{
		Users: c.Users, Applications: c.Applications, Guilds: c.Guilds, Channels: c.Channels, Tokens: c.Tokens,
	}
	for _, m := range c.Members {
		changed.Members = append(changed.Members, store.Member{Guild: snowflake.Guild(m[0]), User: snowflake.User(m[1])})
	}
	for _, i := range c.GuildInstall {
		changed.Installs = append(changed.Installs, store.Install{Guild: snowflake.Guild(i[0]), Application: snowflake.Application(i[1])})
	}
	s.directory.ForgetChanged(changed)
	for _, v := range c.Visits {
		s.shared.presence.Forget(snowflake.Application(v[0]), snowflake.User(v[1]))
	}
}

// collectors returns the numbers of what is shared.
func (h *shared) collectors() []prometheus.Collector {
	return slices.Concat(h.node.Collectors(), h.limiter.Collectors(), h.relay.Collectors(), h.db.Collectors())
}
