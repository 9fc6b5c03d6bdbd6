package eventhook

import (
	"sync"
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// shortestWait is the shortest time after which an event without a turn is due again.
const shortestWait = 50 * time.Millisecond

// turns bounds the events of one application that are sent at the same time, so that an application that answers slowly does not
// delay the events of others.
type turns struct {
	mu   sync.Mutex
	apps map[snowflake.Application]*turn
}

// turn describes the events of an application that is sent some now.
type turn struct {
	sending int
	waiting int           // events that were sent back since sending began, without those that may have had their turn
	took    time.Duration // for the last event
}

// begin takes a turn and returns 0, or returns the time after which there may be one.
func (t *turns) begin(app snowflake.Application) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.apps[app]
	if a == nil {
		if t.apps == nil {
			t.apps = map[snowflake.Application]*turn{}
		}
		a = &turn{}
		t.apps[app] = a
	}
	if a.sending < atOnceOfOne {
		a.sending++
		return 0
	}
	a.waiting++
	return max(a.took, shortestWait) * time.Duration(1+a.waiting/atOnceOfOne)
}

// end gives a turn back. took is the time for which the event was sent.
func (t *turns) end(app snowflake.Application, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.apps[app]
	a.took, a.waiting = took, max(a.waiting-1, 0)
	if a.sending--; a.sending == 0 {
		delete(t.apps, app)
	}
}
