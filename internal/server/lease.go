package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// leaseLife is how long a node number stays taken when its process dies, leaseBeat how often a living one prolongs it.
	leaseLife = 30 * time.Second
	leaseBeat = 5 * time.Second
	// sharedBeat is leaseBeat where other nodes watch the lease.
	sharedBeat = 2 * time.Second
	// reach is how far ahead of the clock ids may run: no id after the ceiling that is written down is ever made.
	reach = 15 * time.Second
	// gap stands between what a node may have made and what the next holder of its number makes.
	gap = time.Second
)

// lease holds the node number of this process, and with it the right to make ids.
type lease struct {
	store  store.Store
	clock  clock.Clock
	log    *slog.Logger
	holder string
	number uint16
	ids    *snowflake.Generator
	// shared is told of every renewal when other nodes share the store; nil: none do. It keeps such a process alive while the
	// store is away, for it can go on when the store is back.
	shared renewals

	mu      sync.Mutex // held while the ceiling is written down
	ceiling time.Time  // that was written down last
}

// renewals hears when a unit of work that renewed the lease began, and which leases it has found.
type renewals interface {
	Renewed(began time.Time, nodes []store.Node)
}

// takeLease gets a node number and makes the generator of ids that goes with it.
func takeLease(
	ctx context.Context, s store.Store, c clock.Clock, holder string, shared renewals, log *slog.Logger,
) (*lease, error) {
	l := &lease{store: s, clock: c, holder: holder, log: log, shared: shared}
	var ceiling time.Time
	err := s.Update(ctx, func(tx store.Tx) error {
		now := clock.System{}.Now()
		var err error
		l.number, ceiling, err = tx.LeaseNode(holder, now, now.Add(leaseLife))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("lease a node number: %w", err)
	}
	floor := time.Time{}
	if !ceiling.IsZero() {
		floor = ceiling.Add(gap)
	}
	l.ids = snowflake.NewGenerator(l.number, c.Now, floor)
	return l, l.extend(ctx, 0)
}

// extend prolongs the lease and lets ids run up to the service's time in the given distance.
func (l *lease) extend(ctx context.Context, ahead time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ceiling := l.clock.Now().Add(ahead + reach)
	if used := l.ids.Used(); used.After(ceiling) {
		ceiling = used.Add(reach)
	}
	if l.ceiling.After(ceiling) {
		ceiling = l.ceiling // the clock is on its way to what was asked for before
	}
	if err := l.write(ctx, ceiling, clock.System{}.Now().Add(leaseLife)); err != nil {
		return err
	}
	l.ceiling = ceiling
	l.ids.Limit(ceiling)
	return nil
}

func (l *lease) write(ctx context.Context, ceiling, until time.Time) error {
	began := clock.System{}.Now()
	var nodes []store.Node
	err := l.store.Update(ctx, func(tx store.Tx) error {
		err := tx.ExtendNode(l.number, l.holder, until, ceiling)
		if err == nil && l.shared != nil {
			nodes, err = tx.Nodes()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("extend the lease of node %d: %w", l.number, err)
	}
	if l.shared != nil {
		l.shared.Renewed(began, nodes)
	}
	return nil
}

// Run prolongs the lease until ctx ends. A store that cannot be reached is tried again; a lease that is lost ends the
// process, since another one makes ids under its number.
func (l *lease) Run(ctx context.Context) error {
	failing, beat := time.Duration(0), leaseBeat
	if l.shared != nil {
		beat = sharedBeat
	}
	for {
		clock.Wait(ctx, clock.System{}, beat)
		select {
		case <-ctx.Done():
			return nil
		default:
		}
		if err := l.extend(ctx, 0); err != nil {
			failing += beat
			if isLost(err) || failing >= leaseLife && l.shared == nil {
				return err
			}
			l.log.ErrorContext(ctx, "lease not extended", "err", err)
			continue
		}
		failing = 0
	}
}

// release gives the number back and writes down how far its ids really went.
func (l *lease) release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write(ctx, l.ids.Used(), released)
}

// released is the end of a lease that was given back.
var released = time.Unix(0, 0)

// isLost reports whether another process holds the number.
func isLost(err error) bool { return errors.Is(err, store.ErrNotFound) }
