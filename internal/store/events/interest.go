package events

import (
	"context"
	"slices"
	"sync"
)

// Interest says which partitions of the history a node reads: those of its sessions. Sessions add partitions, and the
// reader of the history takes them over before each read. A nil Interest means that a node reads everything. It is safe
// for concurrent use.
//
// No event is missed when partitions change:
//   - A new session adds its partitions, waits for the reader with Wait, and then reads the current state.
//   - The reader drops partitions only when the gateway has handled all that was read. An event that makes sessions follow
//     other partitions ends a read (Select), and the next one begins when the gateway has handled it.
type Interest struct {
	// Wake makes the reader read at once. It does not block. It is set before the first use, and may be nil.
	Wake func()

	mu      sync.Mutex
	wanted  map[Partition]int      // the number of sessions that need a partition
	reading map[Partition]Position // the partitions of the current read, and since which position they are read
	changed bool                   // wanted and reading may be different
	missing int                    // the number of wanted partitions that are not read
	filter  Filter
	adopted chan struct{} // closed and replaced before each read; nil if nobody waits
	handled Position      // of the last event that the gateway has handled
}

// NewInterest returns an interest in events for all nodes.
func NewInterest() *Interest {
	return &Interest{wanted: map[Partition]int{}, reading: map[Partition]Position{}, filter: NewFilter(nil)}
}

// Add adds partitions that a session needs. Each call needs one of Remove.
func (i *Interest) Add(list ...Partition) {
	if i == nil {
		return
	}
	i.mu.Lock()
	before := i.missing
	for _, p := range list {
		i.wanted[p]++
		if i.wanted[p] > 1 {
			continue
		}
		i.changed = true
		if _, read := i.reading[p]; !read {
			i.missing++
		}
	}
	wake := i.missing > before && i.Wake != nil
	i.mu.Unlock()
	if wake {
		i.Wake()
	}
}

// Remove removes partitions that a session no longer needs.
func (i *Interest) Remove(list ...Partition) {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, p := range list {
		if i.wanted[p]--; i.wanted[p] > 0 {
			continue
		}
		delete(i.wanted, p)
		i.changed = true
		if _, read := i.reading[p]; !read {
			i.missing--
		}
	}
}

// Wait waits until the reader has taken over the partitions that were added before. From then on every event that is
// recorded reaches this node.
func (i *Interest) Wait(ctx context.Context) error {
	if i == nil {
		return nil
	}
	i.mu.Lock()
	if i.missing == 0 {
		i.mu.Unlock()
		return nil
	}
	if i.adopted == nil {
		i.adopted = make(chan struct{})
	}
	adopted := i.adopted
	i.mu.Unlock()
	select {
	case <-adopted:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Since returns the position after which this node has read all of some partitions. It reports false if one of them is not
// read yet.
func (i *Interest) Since(list []Partition) (since Position, reading bool) {
	if i == nil {
		return since, true
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, p := range list {
		at, read := i.reading[p]
		if !read {
			return since, false
		}
		if since.Before(at) {
			since = at
		}
	}
	return since, true
}

// Handled records that the gateway has handled the events up to a position.
func (i *Interest) Handled(at Position) {
	if i == nil || at.IsZero() {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.handled = at
}

// HasHandled reports whether the gateway has handled the events up to a position, and none after it.
func (i *Interest) HasHandled(at Position) bool {
	if i == nil {
		return true
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.handled == at
}

// Next returns the filter for the next read, which begins at a position. Only the reader calls it, and the methods below.
func (i *Interest) Next(at Position) Filter {
	if i == nil {
		return AllPartitions
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.changed {
		i.change(at)
	}
	if i.adopted != nil {
		close(i.adopted)
		i.adopted = nil
	}
	return i.filter
}

// change takes over the wanted partitions. It drops others if the gateway has handled all that was read. The interest is
// locked.
func (i *Interest) change(at Position) {
	before, added := len(i.reading), false
	for p := range i.wanted {
		if _, read := i.reading[p]; !read {
			i.reading[p], added = at, true
		}
	}
	i.missing, i.changed = 0, false
	for p := range i.reading {
		switch {
		case i.wanted[p] > 0:
		case i.handled == at:
			delete(i.reading, p)
		default:
			i.changed = true // later
		}
	}
	if !added && len(i.reading) == before {
		return
	}
	list := make([]Partition, 0, len(i.reading))
	for p := range i.reading {
		list = append(list, p)
	}
	i.filter = NewFilter(list)
}

// Restart records that the reader continues at a position, and may have skipped events before it.
func (i *Interest) Restart(at Position) {
	if i == nil {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for p := range i.reading {
		i.reading[p] = at
	}
}

// Select returns the first of the events that were read, without those that only share a bit of the filter. It ends after
// an event that can make sessions follow partitions that are not read, and reports that in pause. Before it reads
// the rest, the reader waits until the gateway has handled that event.
func (i *Interest) Select(list []Event) (selected []Event, pause bool) {
	if i == nil {
		return list, false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	selected = list[:0]
	for k := range list {
		e := &list[k]
		if !slices.ContainsFunc(e.Partitions(), i.reads) {
			continue
		}
		selected = append(selected, *e)
		if i.follows(e.Change) {
			return selected, true
		}
	}
	return selected, false
}

// Concerns reports whether events of one of some partitions are for this node.
func (i *Interest) Concerns(list []Partition) bool {
	if i == nil || len(list) == 0 {
		return true
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.ContainsFunc(list, i.reads)
}

// reads reports whether this node reads a partition. The interest is locked.
func (i *Interest) reads(p Partition) bool {
	_, read := i.reading[p]
	return read || p == Everyone
}

// follows reports whether a change can make sessions follow a partition that is not read. The interest is locked.
func (i *Interest) follows(c *Change) bool {
	return c != nil && (c.Everything || c.Joined != 0 && !i.reads(GuildPartition(c.Guild)))
}
