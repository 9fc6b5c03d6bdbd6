package webhook

import (
	"container/list"
	"sync"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// endpoint is where an application is called.
type endpoint struct {
	application snowflake.Application
	url         string
}

// circuit is an endpoint whose last deliveries failed. One that works has none.
type circuit struct {
	endpoint endpoint
	failures int           // in a row, until it opened
	pause    time.Duration // 0: it is closed, deliveries pass
	until    time.Time     // the end of the pause
	trial    bool          // after a pause one delivery tries
}

// pass is how a delivery came through.
type pass uint8

const (
	passed  pass = iota + 1 // as usual
	onTrial                 // alone, to see whether the endpoint is back
)

// verdict is what a delivery shows of its endpoint.
type verdict uint8

const (
	unclear verdict = iota // it was called off
	works
	fails
)

// circuits remembers failing endpoints and keeps deliveries from them for a while. When too many fail, the one that
// failed the longest ago is forgotten.
type circuits struct {
	rule CircuitRule

	mu  sync.Mutex
	at  map[endpoint]*list.Element // of *circuit
	age list.List                  // the latest failure first
}

// enter lets a delivery to e pass or not. Every one that passes leaves with a verdict.
func (c *circuits) enter(e endpoint, now time.Time) (pass, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, known := c.at[e]
	if !known {
		return passed, nil
	}
	s := el.Value.(*circuit)
	switch {
	case s.pause == 0:
		return passed, nil
	case s.trial || now.Before(s.until):
		return 0, &Error{Kind: CircuitOpen, Detail: "the endpoint kept failing and is given a pause"}
	}
	s.trial = true
	return onTrial, nil
}

// change is what a verdict did to an endpoint.
type change struct {
	pause time.Duration // it is taken off so long
	back  bool          // it is called again as usual
}

// leave notes what a delivery has shown. What one that began before the circuit opened shows has no say in it: many fail
// together when their endpoint does.
func (c *circuits) leave(e endpoint, p pass, v verdict, now time.Time) (done change) {
	if c.rule.Failures == 0 {
		return done
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	el, known := c.at[e]
	if !known {
		if v == fails && p == passed {
			el = c.add(e)
		} else {
			return done
		}
	}
	s := el.Value.(*circuit)
	switch {
	case s.pause > 0 && p != onTrial:
		return done
	case v == unclear:
		s.trial = false
		return done
	case v == works:
		c.remove(el)
		return change{back: s.pause > 0}
	}
	c.age.MoveToFront(el)
	s.failures++
	s.trial = false
	if s.failures < c.rule.Failures {
		return done
	}
	s.pause = min(max(2*s.pause, c.rule.First), c.rule.Longest)
	s.until = now.Add(s.pause)
	return change{pause: s.pause}
}

func (c *circuits) add(e endpoint) *list.Element {
	if c.at == nil {
		c.at = map[endpoint]*list.Element{}
	}
	if len(c.at) >= max(c.rule.Most, 1) {
		c.remove(c.age.Back())
	}
	el := c.age.PushFront(&circuit{endpoint: e})
	c.at[e] = el
	return el
}

func (c *circuits) remove(el *list.Element) {
	delete(c.at, c.age.Remove(el).(*circuit).endpoint)
}

// forget puts an endpoint back as if it had never failed.
func (c *circuits) forget(e endpoint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, known := c.at[e]; known {
		c.remove(el)
	}
}

// count returns how many endpoints are remembered, and how many are not called as usual now.
func (c *circuits) count(now time.Time) (all, open int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, el := range c.at {
		if s := el.Value.(*circuit); s.trial || now.Before(s.until) {
			open++
		}
	}
	return len(c.at), open
}
