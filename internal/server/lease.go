package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

const (
	// A lease lasts for leaseLife after the process has died. leaseBeat is the interval at which a process extends its
	// lease.
	leaseLife = 30 * time.Second
	leaseBeat = 5 * time.Second
	// leaseRetry is the interval after an attempt that failed. It is short because no id has a time after the ceiling: until the
	// lease is extended, ids get older and older.
	leaseRetry = 500 * time.Millisecond
	// leaseLead is the longest time by which the times in ids may be ahead of the clock. No id has a time after the
	// stored ceiling.
	leaseLead = 15 * time.Second
	// leaseGap separates the ids of a process from those of the next holder of its number.
	leaseGap = time.Second
	// clockStep is the smallest correction of the clock that is logged.
	clockStep = 500 * time.Millisecond
)

var (
	errNoNumber  = errors.New("all node numbers are in use")
	errLeaseLost = errors.New("another process holds the node number")
)

// lease is the node number of this process. Only the holder of a number makes ids with it.
type lease struct {
	store  store.Store
	clock  clock.Clock   // time of the ids
	wall   clock.Clock   // time of the lease, unless the store has a server with a clock
	synced *clock.Synced // follows the clock of that server; nil: none
	log    *slog.Logger
	holder string
	number uint16
	ids    *store.IDs
	peers  atomic.Int64 // other nodes with a lease
	lower  atomic.Int64 // those of them with a lower number
	// differs says that another node cannot share encrypted keys with this one, as take finds it.
	differs error

	// restrict, when set, makes the store refuse all writes but those of the lease. A process whose store accepts no writes
	// at its start is restricted until it could store its node number.
	restrict func(on bool)
	waiting  atomic.Bool // the number is chosen, but not stored yet

	probing   sync.Mutex    // guards the fields below
	probeNext time.Duration // elapsed time of wall when probe writes again
	probeFail error         // the last result

	mu      sync.Mutex // held while the ceiling is stored
	ceiling time.Time  // the stored ceiling
}

// take takes a free node number and sets number and ids. It never waits for the lease of a crashed process: it takes
// another number.
func (l *lease) take(ctx context.Context) error {
	var before time.Time
	chosen := false
	err := store.Decide(ctx, l.store, func(tx *store.Tx) error {
		nodes, now, err := l.read(ctx, tx, tx.Nodes.All) // a damaged number may belong to a living node: do not start
		if err != nil {
			return err
		}
		n, err := freeNumber(nodes, now)
		if err != nil {
			return err
		}
		l.number, before, chosen = n.Number, n.Ceiling, true
		n.Holder, n.Until = l.holder, now.Add(leaseLife)
		return tx.Put(n)
	})
	unwritable := chosen && l.restrict != nil && errors.Is(err, store.ErrUnavailable)
	if err != nil && !unwritable {
		return fmt.Errorf("lease a node number: %w", err)
	}
	floor := time.Time{}
	if !before.IsZero() {
		floor = before.Add(leaseGap)
	}
	l.ids = store.NewIDs(l.number, l.clock.Now, floor)
	if unwritable {
		l.restrict(true)
		l.waiting.Store(true)
		l.log.ErrorContext(ctx, "the database accepts no writes: the service is read-only until it does", "err", err)
		return nil
	}
	if err := l.extend(ctx, 0); err != nil {
		return err
	}
	if l.differs != nil {
		return errors.Join(l.differs, l.release(ctx))
	}
	return nil
}

// read returns the node numbers that list lists, and the time that their leases are compared with. With PostgreSQL that is
// the time of the server: a node whose clock is wrong must not take the number of another one. read also sets the clock of
// the service to that time, which all nodes share.
func (l *lease) read(ctx context.Context, tx *store.Tx, list func() ([]store.Node, error)) ([]store.Node, time.Time, error) {
	nodes, err := list()
	if err != nil {
		return nil, time.Time{}, err
	}
	if l.synced == nil {
		now, err := tx.Nodes.Now(l.wall.Now())
		return nodes, now, err
	}
	before := l.synced.Ahead()
	now, err := l.synced.Measure(func() (time.Time, error) { return tx.Nodes.Now(l.wall.Now()) })
	if ahead := l.synced.Ahead(); (ahead - before).Abs() >= clockStep {
		l.log.WarnContext(ctx, "the clock of PostgreSQL is not that of this machine: the service uses PostgreSQL's", "ahead", ahead)
	}
	return nodes, now, err
}

// claim stores the node number that take has chosen. No other process uses the store.
func (l *lease) claim(ctx context.Context) error {
	err := store.Decide(ctx, l.store, func(tx *store.Tx) error {
		nodes, now, err := l.read(ctx, tx, tx.Nodes.All)
		if err != nil {
			return err
		}
		n := store.Node{Number: l.number}
		for _, known := range nodes {
			if known.Number == l.number {
				n = known
			}
		}
		n.Holder, n.Until = l.holder, now.Add(leaseLife)
		return tx.Put(n)
	})
	if err != nil {
		return fmt.Errorf("lease a node number: %w", err)
	}
	return nil
}

// probeAge is for how long the result of a probe is used again.
const probeAge = time.Second

// probe reports whether the store accepts writes: it extends the lease, at most once in probeAge.
func (l *lease) probe(ctx context.Context) error {
	l.probing.Lock()
	defer l.probing.Unlock()
	if now := clock.Elapsed(l.wall); now >= l.probeNext {
		l.probeFail = l.extend(ctx, 0)
		l.probeNext = now + probeAge
	}
	return l.probeFail
}

// freeNumber returns the number whose lease ended first, or the first unused number.
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
	case len(nodes) > store.MaxNode:
		return store.Node{}, errNoNumber
	}
	return store.Node{Number: uint16(len(nodes))}, nil
}

// extend extends the lease and raises the ceiling. ahead is the time by which the clock of the service is about to move.
func (l *lease) extend(ctx context.Context, ahead time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	waiting := l.waiting.Load()
	if waiting {
		if err := l.claim(ctx); err != nil {
			return err
		}
	}
	var ceiling time.Time
	err := l.write(ctx, leaseLife, func() time.Time {
		ceiling = l.clock.Now().Add(ahead + leaseLead)
		if used := l.ids.Used(); used.After(ceiling) {
			ceiling = used.Add(leaseLead)
		}
		if l.ceiling.After(ceiling) {
			ceiling = l.ceiling // an earlier call has announced a move of the clock
		}
		return ceiling
	})
	if err != nil {
		return err
	}
	l.ceiling = ceiling
	l.ids.Limit(ceiling)
	if waiting {
		l.waiting.Store(false)
		l.restrict(false)
		l.log.InfoContext(ctx, "the database accepts writes again")
	}
	return nil
}

// write makes the lease last for a time from now, 0 to end it, stores the ceiling, and counts the other nodes. It calls
// ceiling after the clock was set to that of the server.
func (l *lease) write(ctx context.Context, life time.Duration, ceiling func() time.Time) error {
	peers, lower := 0, 0
	var differs error
	err := store.Decide(ctx, l.store, func(tx *store.Tx) error {
		nodes, now, err := l.read(ctx, tx, tx.Nodes.Intact) // a damaged row of another node does not end this one
		if err != nil {
			return err
		}
		own := store.Node{}
		peers, lower, differs = 0, 0, nil
		for _, n := range nodes {
			switch {
			case n.Number == l.number:
				own = n
			case n.Until.After(now):
				peers++
				differs = cmp.Or(differs, checkPeer(l.holder, n))
				if n.Number < l.number {
					lower++
				}
			}
		}
		if own.Holder != l.holder {
			return errLeaseLost
		}
		own.Until, own.Ceiling = now.Add(life), ceiling()
		if life == 0 {
			own.Until = time.Unix(0, 0) // free at once, also when a clock steps back
		}
		return tx.Put(own)
	})
	if err != nil {
		return fmt.Errorf("extend the lease of node %d: %w", l.number, err)
	}
	l.peers.Store(int64(peers))
	l.lower.Store(int64(lower))
	l.differs = differs
	return nil
}

// nodes returns the number of nodes with a lease, including this one, and the position of this node among them, from 0.
func (l *lease) nodes() (position, count int) { return int(l.lower.Load()), int(l.peers.Load()) + 1 }

// Run extends the lease until ctx ends. It tries again when the store does not answer. It returns errLeaseLost when
// another process has taken the number.
func (l *lease) Run(ctx context.Context) error {
	wait := leaseBeat
	for {
		clock.Wait(ctx, l.wall, wait)
		select {
		case <-ctx.Done():
			return nil
		default:
		}
		err := l.extend(ctx, 0)
		if errors.Is(err, errLeaseLost) {
			return err
		}
		wait = leaseBeat
		if err != nil && ctx.Err() == nil {
			l.log.ErrorContext(ctx, "lease not extended", "err", err)
			wait = leaseRetry
		}
	}
}

// release gives the number back and stores the time of the last id.
func (l *lease) release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting.Load() {
		return nil // the number was never stored
	}
	return l.write(ctx, 0, l.ids.Used)
}
