package dispatch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/snowflake"
)

// pendingInteraction is an interaction that this node creates or has created and that has no first answer yet.
type pendingInteraction struct {
	id     snowflake.Interaction
	app    snowflake.Application
	cancel context.CancelCauseFunc // ends the delivery

	done     chan struct{}          // closed after the first answer or the failure
	arriving atomic.Int32           // answers that are being read
	waiting  atomic.Int32           // follow-ups that wait for done
	refused  atomic.Pointer[string] // why the last callback was refused; nil: none was
	// delivering says that a delivery to the endpoint of the app is under way on this node, or may begin.
	delivering atomic.Bool
}

// pendingSet is the set of pending interactions. Its size is limited.
type pendingSet struct {
	limits Limits

	mu     sync.Mutex
	byID   map[snowflake.Interaction]*pendingInteraction
	count  map[snowflake.Application]int
	closed bool
	// running counts creations and deliveries. It does not grow after closed is set.
	running sync.WaitGroup
}

// add adds an interaction. The caller calls running.Done after its creation and its delivery have ended.
func (s *pendingSet) add(
	id snowflake.Interaction, app snowflake.Application, cancel context.CancelCauseFunc,
) (*pendingInteraction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if len(s.byID) >= s.limits.All || s.count[app] >= s.limits.PerApplication {
		return nil, ErrBusy
	}
	if s.byID == nil {
		s.byID, s.count = map[snowflake.Interaction]*pendingInteraction{}, map[snowflake.Application]int{}
	}
	p := &pendingInteraction{id: id, app: app, cancel: cancel, done: make(chan struct{})}
	p.delivering.Store(true)
	s.byID[id] = p
	s.count[app]++
	s.running.Add(1)
	return p, nil
}

// get returns a pending interaction, or nil.
func (s *pendingSet) get(id snowflake.Interaction) *pendingInteraction {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id]
}

func (s *pendingSet) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byID)
}

// remove removes an interaction and releases the follow-ups that wait for its answer. It returns nil when the
// interaction is not pending.
func (s *pendingSet) remove(id snowflake.Interaction) *pendingInteraction {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.byID[id]
	if !ok {
		return nil
	}
	s.drop(p)
	return p
}

func (s *pendingSet) drop(p *pendingInteraction) {
	delete(s.byID, p.id)
	if s.count[p.app]--; s.count[p.app] == 0 {
		delete(s.count, p.app)
	}
	close(p.done)
}

// removeBefore removes the interactions that were created before a time. The caller knows that their deadline has
// passed and that none of them is due in the store, so another node took their answers.
func (s *pendingSet) removeBefore(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.byID {
		if p.id.Time().Before(t) {
			s.drop(p)
		}
	}
}

// cancelAll removes all interactions and cancels their deliveries.
func (s *pendingSet) cancelAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.byID {
		s.drop(p)
		p.cancel(nil)
	}
}

// close refuses new interactions and waits for running creations and deliveries, which end by their deadlines.
func (s *pendingSet) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.running.Wait()
}

// Arriving notes that a callback for an interaction has begun to arrive, so that the deadline leaves time to read it.
// The caller calls done after Callback has returned or the request was given up.
func (s *service) Arriving(id snowflake.Interaction) (done func()) {
	p := s.pending.get(id)
	if p == nil {
		return func() {}
	}
	p.arriving.Add(1)
	return sync.OnceFunc(func() { p.arriving.Add(-1) })
}

// maxWaiting is the highest number of follow-ups of one interaction that wait for its first answer.
const maxWaiting = 16

// awaitInlineAnswer waits while the first answer of an interaction may still arrive as the response to its delivery: a
// follow-up can arrive before the service has read that response. The wait ends by the deadline of the interaction.
func (s *service) awaitInlineAnswer(ctx context.Context, id snowflake.Interaction) error {
	p := s.pending.get(id)
	if p == nil {
		return nil
	}
	i, err := s.interactions.find(ctx, id)
	if err != nil || !i.Origin.Posted || i.State.Status != interaction.Pending {
		return err
	}
	defer p.waiting.Add(-1)
	if p.waiting.Add(1) > maxWaiting {
		return nil
	}
	select {
	case <-p.done:
	case <-ctx.Done():
	}
	return nil
}
