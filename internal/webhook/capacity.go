package webhook

import (
	"sync"

	"github.com/bellhop/bellhop/snowflake"
)

// capacity limits the deliveries under way and the memory of their large answers, per application and in total. A
// delivery that exceeds a limit is refused at once; nothing waits.
type capacity struct {
	total, perApplication usage // limits

	mu    sync.Mutex
	inUse usage
	apps  map[snowflake.Application]*usage // of applications with deliveries under way
}

// usage is a number of deliveries and the bytes of their large answers.
type usage struct{ deliveries, bytes int }

func newCapacity(p *Policy) *capacity {
	return &capacity{
		total: usage{p.All, p.AnswerMemory},
		// One application can use a quarter of the memory, but always enough for one answer.
		perApplication: usage{p.PerApplication, max(p.AnswerMemory/4, p.MaxAnswer+1)},
		apps:           map[snowflake.Application]*usage{},
	}
}

// slot is the share of the capacity that one delivery uses.
type slot struct {
	capacity    *capacity
	application snowflake.Application
	bytes       int
}

// acquire returns a slot for a delivery, or an *Error of kind Overloaded. The caller releases the slot.
func (c *capacity) acquire(app snowflake.Application) (*slot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	own, known := c.apps[app]
	if !known {
		own = &usage{}
	}
	switch {
	case own.deliveries >= c.perApplication.deliveries:
		return nil, &Error{Kind: Overloaded, Detail: "the application has too many deliveries under way"}
	case c.inUse.deliveries >= c.total.deliveries:
		return nil, &Error{Kind: Overloaded, Detail: "the service has too many deliveries under way"}
	}
	own.deliveries++
	c.apps[app] = own
	c.inUse.deliveries++
	return &slot{capacity: c, application: app}, nil
}

// claim reserves n more bytes of memory. It returns an *Error of kind Overloaded if they exceed a limit.
func (s *slot) claim(n int) error {
	c := s.capacity
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.apps[s.application]
	switch {
	case own.bytes+n > c.perApplication.bytes:
		return &Error{Kind: Overloaded, Detail: "large answers of the application exceed its memory limit"}
	case c.inUse.bytes+n > c.total.bytes:
		return &Error{Kind: Overloaded, Detail: "large answers exceed the memory limit"}
	}
	own.bytes += n
	c.inUse.bytes += n
	s.bytes += n
	return nil
}

// release returns the slot and its memory.
func (s *slot) release() {
	c := s.capacity
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.apps[s.application]
	own.deliveries--
	own.bytes -= s.bytes
	c.inUse.deliveries--
	c.inUse.bytes -= s.bytes
	if own.deliveries == 0 {
		delete(c.apps, s.application)
	}
}

// used returns how much of the capacity is in use.
func (c *capacity) used() usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inUse
}
