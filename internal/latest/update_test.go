package latest_test

import (
	"errors"
	"strings"
	"sync"
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
		before, after, err := b.Update(t.Context(), first, b.add(first, 3))
		if err != nil || before.QuotaUsed != 2 || after.QuotaUsed != 5 {
			t.Errorf("Update() = %+v, %+v, %v, want 2 before and 5 after", before, after, err)
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
		_, _, err := b.Update(t.Context(), first, func(_ store.Tx, base *store.Scope) (*store.Scope, error) { return base, errRefused })
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
		_, _, err := b.Update(t.Context(), first, func(tx store.Tx, base *store.Scope) (*store.Scope, error) {
			next, err := b.add(first, 100)(tx, base)
			return next, errors.Join(err, errRefused)
		})
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
		_, _, err := b.Update(t.Context(), first, func(tx store.Tx, base *store.Scope) (*store.Scope, error) {
			b.ForgetAll()
			return add(tx, base)
		})
		if err != nil || b.Held(first) != nil {
			t.Errorf("Update() = %v, and what it wrote is held", err)
		}
		b.want(first, 1)
	})

	t.Run("one that no state suits fails", func(t *testing.T) {
		t.Parallel()
		b := newBoard(t, plenty)
		_, _, err := b.Update(t.Context(), first, func(store.Tx, *store.Scope) (*store.Scope, error) { return nil, nil })
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
	})
	if !errors.Is(err, errRefused) || b.Held(first) != nil {
		t.Errorf("Insert() = %v, and what failed is held", err)
	}
	if made, err := b.Insert(t.Context(), first, put); err != nil || made.QuotaUsed != 4 {
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
	refuse := func(_ store.Tx, base *store.Scope) (*store.Scope, error) { return base, errRefused }
	var fail latest.Try[store.Scope] = func(tx store.Tx, base *store.Scope) (*store.Scope, error) {
		next, err := b.add(first, 1000)(tx, base)
		return next, errors.Join(err, errRefused)
	}
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
					if _, _, err := b.Update(t.Context(), first, fail); !errors.Is(err, errRefused) {
						t.Errorf("Update() = %v, want the failure", err)
					}
					b.mustAdd(first, 1)
				case 2:
					if _, _, err := b.Update(t.Context(), first, refuse); err == nil {
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
