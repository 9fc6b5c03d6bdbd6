package latest_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/latest"
	"github.com/bellhop/bellhop/internal/store"
)

func TestUpdate(t *testing.T) {
	t.Parallel()

	t.Run("a write is seen without reading", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		b.mustAdd(first, 2)
		b.wantReads(1)
		after, err := b.Update(t.Context(), first, b.add(first, 3), nil)
		if err != nil || after.QuotaUsed != 5 {
			t.Errorf("Update() = %+v, %v, want 5", after, err)
		}
		b.want(first, 5)
		b.wantReads(1)
	})

	t.Run("a wrong guess is read again within the unit", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		b.mustAdd(first, 2)
		b.addElsewhere(first, 10)
		b.mustAdd(first, 3)
		b.want(first, 15)
		b.wantReads(2)
	})

	t.Run("who refuses changes nothing", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		b.mustAdd(first, 2)
		_, err := b.Update(t.Context(), first, b.refuse, nil)
		if !errors.Is(err, errRefused) {
			t.Errorf("Update() = %v, want the refusal", err)
		}
		b.want(first, 2)
		b.wantReads(1)
	})

	t.Run("what a failed unit wrote is not seen", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		b.mustAdd(first, 2)
		_, err := b.Update(t.Context(), first, b.fail, nil)
		if !errors.Is(err, errRefused) {
			t.Errorf("Update() = %v, want the failure", err)
		}
		b.want(first, 2)
		b.mustAdd(first, 1)
		b.want(first, 3)
	})

	t.Run("what is forgotten meanwhile is read after the write", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		add := b.add(first, 1)
		_, err := b.Update(t.Context(), first, func(tx store.Tx, base *store.Scope) (*store.Scope, error) {
			b.ForgetAll()
			return add(tx, base)
		}, nil)
		if err != nil || b.Held(first) != nil {
			t.Errorf("Update() = %v, and what it wrote is held", err)
		}
		b.want(first, 1)
	})

	t.Run("one that no state suits fails", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		_, err := b.Update(t.Context(), first, func(store.Tx, *store.Scope) (*store.Scope, error) { return nil, nil }, nil)
		if err == nil || !strings.Contains(err.Error(), "moved within a unit of work") {
			t.Errorf("Update() = %v", err)
		}
	})
}

func TestInsert(t *testing.T) {
	t.Parallel()
	b := newBoard(t, plenty)
	put := func(tx store.Tx) (*store.Scope, error) { return b.add(first, 4)(tx, &store.Scope{}) }
	_, err := b.Insert(t.Context(), first, func(tx store.Tx) (*store.Scope, error) {
		made, err := put(tx)
		return made, errors.Join(err, errRefused)
	}, nil)
	if !errors.Is(err, errRefused) || b.Held(first) != nil {
		t.Errorf("Insert() = %v, and what failed is held", err)
	}
	if made, err := b.Insert(t.Context(), first, put, nil); err != nil || made.QuotaUsed != 4 {
		t.Errorf("Insert() = %+v, %v, want 4", made, err)
	}
	b.want(first, 4)
	b.mustAdd(first, 1)
	b.want(first, 5)
	b.wantReads(0)
}

// TestUpdateConcurrently adds from many sides, through the cache and without it, while others refuse, fail and forget. No
// addition is lost, and nobody who looks sees the number fall.
func TestUpdateConcurrently(t *testing.T) {
	t.Parallel()
	const workers, each = 8, 100
	b := newBoard(t, plenty)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			last := 0
			for n := range each {
				switch (w + n) % 5 {
				case 0:
					b.addElsewhere(first, 1)
					b.Forget(first)
				case 1:
					if _, err := b.Update(t.Context(), first, b.fail, nil); !errors.Is(err, errRefused) {
						t.Errorf("Update() = %v, want the failure", err)
					}
					b.mustAdd(first, 1)
				case 2:
					if _, err := b.Update(t.Context(), first, b.refuse, nil); err == nil {
						t.Error("a refused write succeeded")
					}
					b.mustAdd(first, 1)
				default:
					b.mustAdd(first, 1)
				}
				s, err := b.Get(t.Context(), first)
				if err != nil || s.QuotaUsed <= last {
					t.Errorf("Get() = %+v, %v after %d and one more", s, err, last)
					return
				}
				last = s.QuotaUsed
			}
		})
	}
	wg.Wait()
	b.want(first, workers*each)
	b.ForgetAll()
	b.want(first, workers*each)
}

func TestTell(t *testing.T) {
	t.Parallel()

	t.Run("what is durable", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		var told []int
		tell := func(before, after *store.Scope) {
			if before != nil {
				told = append(told, before.QuotaUsed)
			}
			told = append(told, after.QuotaUsed)
		}
		if _, err := b.Insert(t.Context(), first, func(tx store.Tx) (*store.Scope, error) { return b.add(first, 4)(tx, &store.Scope{}) }, tell); err != nil {
			t.Fatal(err)
		}
		for _, try := range []latest.Try[store.Scope]{b.add(first, 1), b.nothing, b.refuse, b.fail} {
			_, err := b.Update(t.Context(), first, try, tell)
			if err != nil && !errors.Is(err, errRefused) {
				t.Fatal(err)
			}
		}
		if want := []int{4, 4, 5, 5, 5}; !slices.Equal(told, want) {
			t.Errorf("told of %v, want %v", told, want)
		}
	})

	t.Run("in the order of the writes, before they return", func(t *testing.T) {
		t.Parallel()
		const workers, each = 8, 100
		b := newBoard(t, plenty)
		var told atomic.Int64
		tell := func(before, after *store.Scope) {
			if told.Load() != int64(before.QuotaUsed) || after.QuotaUsed != before.QuotaUsed+1 {
				t.Errorf("told of %d and %d after %d", before.QuotaUsed, after.QuotaUsed, told.Load())
			}
			told.Store(int64(after.QuotaUsed))
		}
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for n := range each {
					after, err := b.Update(t.Context(), first, b.add(first, 1), tell)
					if err != nil || told.Load() < int64(after.QuotaUsed) {
						t.Errorf("Update() = %+v, %v, told until %d", after, err, told.Load())
						return
					}
					try := b.refuse
					if (w+n)%3 == 0 {
						try = b.fail
					}
					if _, err := b.Update(t.Context(), first, try, tell); !errors.Is(err, errRefused) {
						t.Errorf("Update() = %v, want what was refused", err)
					}
					if n%10 == 0 {
						b.ForgetAll()
					}
				}
			})
		}
		wg.Wait()
		if told.Load() != workers*each {
			t.Errorf("told until %d, want %d", told.Load(), workers*each)
		}
	})
}
