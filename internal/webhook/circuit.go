package webhook

import (
	"container/list"
	"sync"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// endpoint is the URL of an application.
type endpoint struct {
	application snowflake.Application
	url         string
}

// circuit is the state of an endpoint whose last deliveries failed. An endpoint that works has no circuit.
type circuit struct {
	endpoint endpoint
	failures int           // consecutive, until the circuit opened
	why      string        // of the last failure
	pause    time.Duration // 0: the circuit is closed and deliveries pass
	until    time.Time     // end of the pause
	trial    bool          // the delivery that follows a pause is under way
}

// admission says why a delivery was let through.
type admission uint8

const (
	regular admission = iota + 1 // the circuit is closed
	trial                        // the one delivery after a pause; it decides whether the circuit closes
)

// verdict is the result of a delivery for the state of its endpoint.
type verdict uint8

const (
	unclear verdict = iota // the delivery was canceled
	works
	fails
)

// circuits pauses the deliveries to endpoints that keep failing. It is limited in size: it drops the endpoint whose
// last failure is oldest.
type circuits struct {
	rule CircuitRule

	mu  sync.Mutex
	at  map[endpoint]*list.Element // of *circuit
	age list.List                  // the most recent failure first
}

// admit lets a delivery to e pass, or returns an *Error of kind CircuitOpen. The caller calls record for each delivery
// that passes.
func (c *circuits) admit(e endpoint, now time.Time) (admission, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, known := c.at[e]
	if !known {
		return regular, nil
	}
	s := el.Value.(*circuit)
	switch {
	case s.pause == 0:
		return regular, nil
	case s.trial || now.Before(s.until):
		return 0, &Error{Kind: CircuitOpen, Detail: "the endpoint kept failing and is paused"}
	}
	s.trial = true
	return trial, nil
}

// transition is the effect of a verdict on a circuit.
type transition struct {
	pause time.Duration // the circuit opened for this long; 0: it did not
	back  bool          // the circuit closed
}

// record counts the verdict of a delivery. why is the reason of a failure. It ignores deliveries that began before the
// circuit opened, because many fail together when an endpoint fails.
func (c *circuits) record(e endpoint, p admission, v verdict, why string, now time.Time) (done transition) {
	if c.rule.Failures == 0 {
		return done
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	el, known := c.at[e]
	if !known {
		if v == fails && p == regular {
			el = c.add(e)
		} else {
			return done
		}
	}
	s := el.Value.(*circuit)
	switch {
	case s.pause > 0 && p != trial:
		return done
	case v == unclear:
		s.trial = false
		return done
	case v == works:
		c.remove(el)
		return transition{back: s.pause > 0}
	}
	c.age.MoveToFront(el)
	s.why = why
	s.failures++
	s.trial = false
	if s.failures < c.rule.Failures {
		return done
	}
	s.pause = min(max(2*s.pause, c.rule.First), c.rule.Longest)
	s.until = now.Add(s.pause)
	return transition{pause: s.pause}
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

// forget removes the circuit of an endpoint.
func (c *circuits) forget(e endpoint) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, known := c.at[e]; known {
		c.remove(el)
	}
}

// EndpointState is the state of an endpoint, by its last deliveries. The zero value is an endpoint without a known
// failure.
type EndpointState struct {
	Failures int    // consecutive
	Why      string // the last failure, as [Error.Error] returns it
	Paused   bool   // deliveries fail at once
}

// state returns the state of an endpoint.
func (c *circuits) state(e endpoint, now time.Time) EndpointState {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, known := c.at[e]
	if !known {
		return EndpointState{}
	}
	s := el.Value.(*circuit)
	return EndpointState{Failures: s.failures, Why: s.why, Paused: s.trial || now.Before(s.until)}
}

// count returns the number of circuits, and how many of them are open.
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
