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

	hall *hall // where the table moves when it is at its largest
	room int   // its place there
}

const (
	minSlots = 16
	// sample is how many keys a look for room takes in.
	sample = 16
)

// usable is how many slots may be used: beyond three quarters, probing becomes slow.
func (t *table) usable() int { return len(t.slots) / 4 * 3 }

func (t *table) mask() uint64 { return uint64(len(t.slots) - 1) }

// home returns the place from which on a key is looked for. It is the first of two slots that share a cache line, so that
// the two counts of one request mostly cost one look into far memory.
func (t *table) home(k digest) uint64 { return k.place & t.mask() &^ 1 }

// lookup returns where the slot of a key is. It stays there until the next add or remove.
func (t *table) lookup(k digest) (i uint64, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	mask := t.mask()
	for i = t.home(k); ; i = (i + 1) & mask {
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
	case t.used < t.usable():
	case len(t.slots) < t.most:
		t.rebuild(now)
	default:
		t.evict(k, now)
	}
	mask := t.mask()
	i := t.home(k)
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
	if size == t.most {
		t.slots = t.hall.enter(t.room)
	} else {
		t.slots = make([]slot, size)
	}
	t.used = live
	for i := range old {
		if s := &old[i]; !s.free() && s.ends > now {
			t.place(s)
		}
	}
}

// place copies a live slot to the first free place for its key.
func (t *table) place(s *slot) {
	mask := t.mask()
	i := t.home(s.key)
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
	for i := t.home(k); seen < sample && seen < t.used; i = (i + 1) & mask {
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
		first := t.home(t.slots[j].key)
		if (j-first)&mask >= (j-i)&mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = slot{}
	t.used--
}
