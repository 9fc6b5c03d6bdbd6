package ratelimit

// slot holds a key with the window that is open for it.
type slot struct {
	key   digest // zero in a free slot
	ends  int64
	count uint32
	limit uint32 // by the latest claim
}

func (s *slot) free() bool { return s.key.place == 0 }

// less reports whether s has used a smaller share of its window than o. Of equals the one that ends first is less.
func (s *slot) less(o *slot) bool {
	a, b := uint64(s.count)*uint64(o.limit), uint64(o.count)*uint64(s.limit)
	return a < b || (a == b && s.ends < o.ends)
}

// table finds slots by key: open addressing with linear probing. It grows with the keys that are live up to a bound,
// and clears what has expired on the way of what comes in, so that nothing has to sweep it. It is not safe for
// concurrent use.
type table struct {
	slots []slot // none, or a power of two
	used  int    // slots that are not free, expired ones included
	most  int    // slots at most, a power of two
	lost  uint64 // live keys that were dropped for want of room
}

const (
	minSlots = 16
	// sample is how many keys a look for room takes in.
	sample = 16
)

// room is how many slots may be used: beyond three quarters, probing becomes slow.
func (t *table) room() int { return len(t.slots) / 4 * 3 }

func (t *table) mask() uint64 { return uint64(len(t.slots) - 1) }

// lookup returns where the slot of a key is. It stays there until the next add or remove.
func (t *table) lookup(k digest) (i uint64, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	mask := t.mask()
	for i = k.place & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.key == k {
			return i, true
		}
		if s.free() {
			return i, false
		}
	}
}

// find returns the slot of a key, or nil. It stays the key's until the next add or remove.
func (t *table) find(k digest) *slot {
	if i, ok := t.lookup(k); ok {
		return &t.slots[i]
	}
	return nil
}

// add returns a new slot for a key that find does not know.
func (t *table) add(k digest, now int64) *slot {
	switch {
	case t.used < t.room():
	case len(t.slots) < t.most:
		t.rebuild(now)
	default:
		t.evict(k, now)
	}
	mask := t.mask()
	i := k.place & mask
	for !t.slots[i].free() && t.slots[i].ends > now {
		i = (i + 1) & mask
	}
	s := &t.slots[i]
	if s.free() { // or else it takes over from a key that has expired
		t.used++
	}
	*s = slot{key: k}
	return s
}

// rebuild moves what is live to slots of its own, so many that they are half of what may be used.
func (t *table) rebuild(now int64) {
	live := 0
	for i := range t.slots {
		if s := &t.slots[i]; !s.free() && s.ends > now {
			live++
		}
	}
	size := min(minSlots, t.most)
	for size < t.most && live > size/8*3 {
		size *= 2
	}
	old := t.slots
	t.slots, t.used = make([]slot, size), live
	for i := range old {
		if s := &old[i]; !s.free() && s.ends > now {
			t.place(s)
		}
	}
}

// place copies a live slot to the first free place for its key.
func (t *table) place(s *slot) {
	mask := t.mask()
	i := s.key.place & mask
	for !t.slots[i].free() {
		i = (i + 1) & mask
	}
	t.slots[i] = *s
}

// evict removes a key that has expired among those next to where k will go or, when none has, the live one that has
// used the least of its window. So a flood of fresh keys pushes out itself, and does not free a key that has used up its limit.
// Looking there and not elsewhere keeps the table as even as chance made it.
func (t *table) evict(k digest, now int64) {
	mask := t.mask()
	var victim uint64
	seen := 0
	for i := k.place & mask; seen < sample && seen < t.used; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.free() {
			continue
		}
		if s.ends <= now {
			t.remove(i)
			return
		}
		if seen == 0 || s.less(&t.slots[victim]) {
			victim = i
		}
		seen++
	}
	t.remove(victim)
	t.lost++
}

// remove frees slot i and closes the gap, so that every key is still found from its first place on.
func (t *table) remove(i uint64) {
	mask := t.mask()
	for j := (i + 1) & mask; !t.slots[j].free(); j = (j + 1) & mask {
		first := t.slots[j].key.place & mask
		if (j-first)&mask >= (j-i)&mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = slot{}
	t.used--
}
