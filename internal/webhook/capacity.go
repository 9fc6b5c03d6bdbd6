package webhook

import (
	"sync"

	"github.com/bellhop/bellhop/snowflake"
)

// room bounds how many deliveries are under way and how much memory their large answers take, of one application and of
// all together. It never waits.
type room struct {
	all, each bounds

	mu     sync.Mutex
	inside bounds
	of     map[snowflake.Application]*bounds // those with deliveries under way
}

type bounds struct{ deliveries, bytes int }

// newRoom returns a room of the size that p says.
func newRoom(p *Policy) *room {
	return &room{
		all: bounds{p.All, p.AnswerMemory},
		// A few answers of one application do not take the memory of all, but one always fits.
		each: bounds{p.PerApplication, max(p.AnswerMemory/4, p.MaxAnswer+1)},
		of:   map[snowflake.Application]*bounds{},
	}
}

// place is what a delivery takes of a room.
type place struct {
	room        *room
	application snowflake.Application
	bytes       int
}

// enter gives a delivery its place, or says what is full. Whoever has a place leaves it.
func (r *room) enter(app snowflake.Application) (*place, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	own, known := r.of[app]
	if !known {
		own = &bounds{}
	}
	switch {
	case own.deliveries >= r.each.deliveries:
		return nil, &Error{Kind: Overloaded, Detail: "the application has too many deliveries under way"}
	case r.inside.deliveries >= r.all.deliveries:
		return nil, &Error{Kind: Overloaded, Detail: "the service has too many deliveries under way"}
	}
	own.deliveries++
	r.of[app] = own
	r.inside.deliveries++
	return &place{room: r, application: app}, nil
}

// claim takes n bytes more of memory, or says that there are fewer.
func (p *place) claim(n int) error {
	r := p.room
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.of[p.application]
	switch {
	case own.bytes+n > r.each.bytes:
		return &Error{Kind: Overloaded, Detail: "large answers of the application take all the memory they may"}
	case r.inside.bytes+n > r.all.bytes:
		return &Error{Kind: Overloaded, Detail: "large answers take all the memory they may"}
	}
	own.bytes += n
	r.inside.bytes += n
	p.bytes += n
	return nil
}

// leave gives back what the delivery took.
func (p *place) leave() {
	r := p.room
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.of[p.application]
	own.deliveries--
	own.bytes -= p.bytes
	r.inside.deliveries--
	r.inside.bytes -= p.bytes
	if own.deliveries == 0 {
		delete(r.of, p.application)
	}
}

// taken returns how many deliveries are under way, and how many bytes their large answers take.
func (r *room) taken() bounds {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inside
}
