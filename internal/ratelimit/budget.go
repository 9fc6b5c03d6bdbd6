package ratelimit

import "sync"

// Budget bounds the bytes that request bodies hold in memory, of one caller and in total. It never blocks. It is safe for
// concurrent use. A nil Budget has no bound.
type Budget struct {
	rule BudgetRule

	mu      sync.Mutex
	all     int64
	callers map[Key]int64
}

// BudgetRule bounds the bytes of request bodies. Zero means no bound.
type BudgetRule struct {
	All    int64 // in total
	Caller int64 // of one caller
}

// NewBudget returns a budget.
func NewBudget(rule BudgetRule) *Budget { return &Budget{rule: rule, callers: map[Key]int64{}} }

// Take takes n bytes for a request of k, or returns what is full and takes nothing. The zero Key has no share of its own and
// may take all bytes. Every request that took bytes must call Free once, with the same key and the sum.
func (b *Budget) Take(k Key, n int64) Admission {
	if b == nil {
		return Entered
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	bounded := b.rule.Caller != 0 && k != Key{}
	own := int64(0)
	if bounded {
		own = b.callers[k]
	}
	switch {
	case bounded && own+n > b.rule.Caller, b.rule.All != 0 && n > b.rule.All:
		return CallerFull
	case b.rule.All != 0 && b.all+n > b.rule.All:
		return AllFull
	}
	b.all += n
	if bounded {
		b.callers[k] = own + n
	}
	return Entered
}

// Free gives n bytes of k back.
func (b *Budget) Free(k Key, n int64) {
	if b == nil || n == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all -= n
	if b.rule.Caller == 0 || k == (Key{}) {
		return
	}
	left := b.callers[k] - n
	switch {
	case left < 0:
		panic("ratelimit: a request frees bytes that it has not taken")
	case left == 0:
		delete(b.callers, k)
	default:
		b.callers[k] = left
	}
}
