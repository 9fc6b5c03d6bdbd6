package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// sweepBatch is the number of due records that a sweep reads at once.
	sweepBatch = 256
	// skipTime is the time for which a sweep skips records that it could not handle.
	skipTime = time.Minute
	// maxSkipped bounds the memory of a sweep. A sweep that skips more records fails.
	maxSkipped = 10_000
)

// errStillDue says that a record is due after it was handled.
var errStillDue = errors.New("the record is still due after it was handled")

// DueRecord is a record to handle at the time Due.
type DueRecord[ID ~uint64] struct {
	ID  ID
	Due time.Time
}

// Sweep handles the records of one kind that are due. It skips records that it cannot handle, for example because their
// rows are damaged, so that they do not delay the records behind them. After a minute it tries them again. With several
// nodes it handles the records that it can claim. One goroutine uses a Sweep.
type Sweep[ID ~uint64] struct {
	Store Store
	Work  Work // of the records
	Now   func() time.Time
	Log   *slog.Logger
	// List returns up to limit records, ordered by Due.
	List func(r Reader, limit int) ([]DueRecord[ID], error)
	// Handle makes a record due later or never. Concurrent calls share commits.
	Handle      func(ctx context.Context, id ID) error
	Concurrency int

	mu      sync.Mutex
	skipped map[ID]bool
	retry   time.Time // when skipped records are tried again
}

// Run handles every record that is due, except those that another node has claimed. With several nodes the caller looks for
// those again, in case that node dies. Run returns when to call it again: when the next record is due, or when to try
// skipped records again; zero: never. Its error says that the store is unavailable or that ctx has ended.
func (s *Sweep[ID]) Run(ctx context.Context) (next time.Time, err error) {
	if !s.Now().Before(s.retry) {
		clear(s.skipped)
	}
	foreign := map[ID]bool{} // claimed by other nodes
	for before := []DueRecord[ID](nil); ; {
		due, next, err := s.due(ctx, foreign)
		if err != nil {
			return time.Time{}, err
		}
		if len(due) == 0 || len(foreign) > maxSkipped {
			if len(s.skipped) > 0 && (next.IsZero() || s.retry.Before(next)) {
				next = s.retry
			}
			return next, nil
		}
		if err := s.handleClaimed(ctx, due, before, foreign); err != nil {
			return time.Time{}, err
		}
		before = due
	}
}

// due returns records that are due, neither skipped nor foreign, and when the next record is due; zero: never.
func (s *Sweep[ID]) due(ctx context.Context, foreign map[ID]bool) (due []DueRecord[ID], next time.Time, err error) {
	err = s.Store.Read(ctx, func(r Reader) (err error) {
		due, err = s.List(r, sweepBatch+len(s.skipped)+len(foreign))
		return err
	})
	now := s.Now()
	if i := slices.IndexFunc(due, func(d DueRecord[ID]) bool { return d.Due.After(now) }); i >= 0 {
		due, next = due[:i], due[i].Due
	}
	return slices.DeleteFunc(due, func(d DueRecord[ID]) bool { return s.skipped[d.ID] || foreign[d.ID] }), next, err
}

// handleClaimed claims records and handles those that it gets. It adds the others to foreign. It leaves the claims to end by
// themselves: another node may have listed the records before they were handled.
func (s *Sweep[ID]) handleClaimed(ctx context.Context, due, before []DueRecord[ID], foreign map[ID]bool) error {
	c, shared := s.Store.(Claimer)
	if !shared {
		return s.handleAll(ctx, due, before)
	}
	ids := make([]uint64, len(due))
	for i, d := range due {
		ids[i] = uint64(d.ID)
	}
	granted, err := c.Claim(ctx, s.Work, ids)
	if err != nil {
		return err
	}
	slices.Sort(granted)
	own := make([]DueRecord[ID], 0, len(granted))
	for _, d := range due {
		if _, mine := slices.BinarySearch(granted, uint64(d.ID)); mine {
			own = append(own, d)
		} else {
			foreign[d.ID] = true
		}
	}
	if len(own) == 0 {
		return nil
	}
	return s.handleAll(ctx, own, before)
}

// handleAll handles records, several at once. It skips those that were due in the batch before.
func (s *Sweep[ID]) handleAll(ctx context.Context, due, before []DueRecord[ID]) error {
	known := len(s.skipped)
	var first error // of a record that is skipped
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(s.Concurrency)
	for _, d := range due {
		g.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			err := errStillDue
			if !slices.Contains(before, d) {
				err = s.Handle(ctx, d.ID)
			}
			if err == nil || errors.Is(err, ErrUnavailable) || ctx.Err() != nil {
				return err
			}
			return s.skip(d.ID, err, &first)
		})
	}
	err := g.Wait()
	if n := len(s.skipped) - known; n > 0 {
		s.Log.ErrorContext(ctx, "due records cannot be handled and are skipped for a minute", "count", n, "err", first)
	}
	return err
}

// skip leaves a record out for a while. It sets first to the first of several errors.
func (s *Sweep[ID]) skip(id ID, err error, first *error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *first == nil {
		*first = err
	}
	switch len(s.skipped) {
	case 0:
		s.skipped, s.retry = map[ID]bool{}, s.Now().Add(skipTime)
	case maxSkipped:
		return fmt.Errorf("%w: %d due records cannot be handled: %w", ErrUnavailable, maxSkipped, err)
	}
	s.skipped[id] = true
	return nil
}
