package ratelimit

import "sync"

// hall is where all tables of a limiter lie that are at their largest, in one piece of memory. In one piece it can be made
// of large pages: with small ones, the processor looks for the place of a key longer than for the key.
type hall struct {
	rooms, size int // how many tables, and the slots of each
	once        sync.Once
	all         []slot
}

// enter returns the slots of a room, all of them free. Memory is taken when the first table comes.
func (h *hall) enter(room int) []slot {
	h.once.Do(func() {
		h.all = make([]slot, h.rooms*h.size)
		useLargePages(h.all)
	})
	slots := h.all[room*h.size : (room+1)*h.size : (room+1)*h.size]
	clear(slots) // of what was there before the limiter was cleared
	return slots
}
