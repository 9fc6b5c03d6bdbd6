package latest

import "slices"

// write is one write to a key: the states of its unit of work's last run, and who is told of them.
type write[T any] struct {
	before, after *T // before is nil for an insert
	tell          Tell[T]
}

// changed reports whether the write made a new state.
func (w *write[T]) changed() bool { return w.after != w.before }

// retry readies w for another run of its unit of work.
func (e *entry[K, T]) retry(w *write[T]) {
	if w.after != nil {
		e.drop(w)
		w.after = nil
	}
}

// setTip makes the state after w the one that the next unit of work builds on.
func (e *entry[K, T]) setTip(w *write[T]) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tip = w.after
	if w.tell != nil && w.changed() {
		e.untold = append(e.untold, w)
	}
}

// unsettle notes that w has failed, or was refused. Unless the state that was found is known to be on disk, nobody knows
// here whether it is: it is read again, so that whoever was refused because of it finds the reason.
func (e *entry[K, T]) unsettle(w *write[T]) {
	e.drop(w)
	if w.after == nil || w.after != e.durable.Load() {
		e.forget()
	}
}

// wrote makes the state after w, which has just become durable, the state that reads see, and tells of it. When the era
// has passed in the meantime, others may be reading what was before w: what they find does not count.
func (e *entry[K, T]) wrote(w *write[T], during era) {
	e.advance(w.after, during)
	if e.era() != during {
		e.forget()
	}
	if w.tell == nil {
		return
	}
	if !w.changed() {
		w.tell(w.before, w.after)
		return
	}
	e.telling.Lock() // whoever took w's turn is done once it is free
	defer e.telling.Unlock()
	for _, turn := range e.turns(w) {
		turn.tell(turn.before, turn.after)
	}
}

// turns takes out of the untold writes those that w builds on, and w, in their order. What a durable write builds on is
// durable, whether or not its own writer has noticed yet; what has failed is built on by nobody.
func (e *entry[K, T]) turns(w *write[T]) []*write[T] {
	e.mu.Lock()
	defer e.mu.Unlock()
	var turns []*write[T]
	for i := slices.Index(e.untold, w); i >= 0; i = slices.IndexFunc(e.untold, e.leadsTo(w)) {
		w = e.untold[i]
		e.untold = slices.Delete(e.untold, i, i+1)
		turns = append(turns, w)
	}
	slices.Reverse(turns)
	return turns
}

// leadsTo returns whether a write made the state that w builds on.
func (e *entry[K, T]) leadsTo(w *write[T]) func(*write[T]) bool {
	if w.before == nil {
		return func(*write[T]) bool { return false }
	}
	revision := e.cache.config.Revision
	return func(earlier *write[T]) bool { return revision(earlier.after) == revision(w.before) }
}

func (e *entry[K, T]) drop(w *write[T]) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if i := slices.Index(e.untold, w); i >= 0 {
		e.untold = slices.Delete(e.untold, i, i+1)
	}
}
