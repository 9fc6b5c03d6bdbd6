package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// leaseLife is how long a node number stays taken when its process dies, leaseBeat how often a living one extends it.
	leaseLife = 30 * time.Second
	leaseBeat = 5 * time.Second
	// leaseLead is how far ahead of the clock ids may run: no id after the ceiling that is stored is ever made.
	leaseLead = 15 * time.Second
	// leaseGap separates the ids of a node from those of the next holder of its number.
	leaseGap = time.Second
)

var (
	errNoNumber  = errors.New("all node numbers are in use")
	errLeaseLost = errors.New("another process holds the node number")
)

// lease holds the node number of this process, and with it the right to make ids.
type lease struct {
	store  store.Store
	clock  clock.Clock
	log    *slog.Logger
	holder string
	number uint16
	ids    *snowflake.Generator
	peers  atomic.Int64 // other nodes with a lease

	mu      sync.Mutex // held while the ceiling is stored
	ceiling time.Time  // that was stored last
}

// takeLease gets a node number and makes the generator of ids that goes with it. A number that is still leased is left
// alone, so a process that crashed does not delay the next one.
func takeLease(ctx context.Context, s store.Store, c clock.Clock, holder string, log *slog.Logger) (*lease, error) {
	l := &lease{store: s, clock: c, holder: holder, log: log}
	var before time.Time
	err := store.Decide(ctx, s, func(tx *store.Tx) error {
		nodes, err := tx.Nodes.All()
		if err != nil {
			return err
		}
		now := clock.System{}.Now()
		n, err := freeNumber(nodes, now)
		if err != nil {
			return err
		}
		l.number, before = n.Number, n.Ceiling
		n.Holder, n.Until = holder, now.Add(leaseLife)
		return tx.Put(n)
	})
	if err != nil {
		return nil, fmt.Errorf("lease a node number: %w", err)
	}
	floor := time.Time{}
	if !before.IsZero() {
		floor = before.Add(leaseGap)
	}
	l.ids = snowflake.NewGenerator(l.number, c.Now, floor)
	return l, l.extend(ctx, 0)
}

// freeNumber returns the number whose lease ended first, or the first that was never used.
func freeNumber(nodes []store.Node, now time.Time) (store.Node, error) {
	var free *store.Node
	for i := range nodes {
		if n := &nodes[i]; !n.Until.After(now) && (free == nil || n.Until.Before(free.Until)) {
			free = n
		}
	}
	switch {
	case free != nil:
		return *free, nil
	case len(nodes) > snowflake.MaxNode:
		return store.Node{}, errNoNumber
	}
	return store.Node{Number: uint16(len(nodes))}, nil
}

// extend extends the lease and lets ids run up to the service's time in the given distance.
func (l *lease) extend(ctx context.Context, ahead time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ceiling := l.clock.Now().Add(ahead + leaseLead)
	if used := l.ids.Used(); used.After(ceiling) {
		ceiling = used.Add(leaseLead)
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

// write stores the end of the lease and the ceiling, and counts the other nodes.
func (l *lease) write(ctx context.Context, ceiling, until time.Time) error {
	peers := 0
	err := store.Decide(ctx, l.store, func(tx *store.Tx) error {
		nodes, err := tx.Nodes.All()
		if err != nil {
			return err
		}
		own, now := store.Node{}, clock.System{}.Now()
		peers = 0
		for _, n := range nodes {
			switch {
			case n.Number == l.number:
				own = n
			case n.Until.After(now):
				peers++
			}
		}
		if own.Holder != l.holder {
			return errLeaseLost
		}
		own.Until, own.Ceiling = until, ceiling
		return tx.Put(own)
	})
	if err != nil {
		return fmt.Errorf("extend the lease of node %d: %w", l.number, err)
	}
	l.peers.Store(int64(peers))
	return nil
}

// nodes returns how many nodes have a lease, this one included.
func (l *lease) nodes() int { return int(l.peers.Load()) + 1 }

// Run extends the lease until ctx ends. A store that does not answer is tried again; a lease that is lost ends the process,
// since another one makes ids under its number.
func (l *lease) Run(ctx context.Context) error {
	for {
		clock.Wait(ctx, clock.System{}, leaseBeat)
		select {
		case <-ctx.Done():
			return nil
		default:
		}
		err := l.extend(ctx, 0)
		if errors.Is(err, errLeaseLost) {
			return err
		}
		if err != nil && ctx.Err() == nil {
			l.log.ErrorContext(ctx, "lease not extended", "err", err)
		}
	}
}

// release gives the number back and stores how far its ids really went.
func (l *lease) release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write(ctx, l.ids.Used(), time.Unix(0, 0))
}
