package session

import (
	"context"
	"maps"
	"sync"
	"time"
)

const (
	// publishInterval is the interval at which changed states are published.
	publishInterval = 5 * time.Second
	// publishRetry is the pause after a failed attempt.
	publishRetry = 500 * time.Millisecond
	// publishBatchSize is the number of sessions in one call.
	publishBatchSize = 256
	// shutdownTimeout bounds how long a node that stops publishes its sessions.
	shutdownTimeout = 5 * time.Second
)

// publisher publishes the states of sessions to other nodes: at once for a new session, then at intervals for sessions
// that got events. A nil publisher does nothing.
type publisher struct {
	node      *Node
	wake      chan struct{}               // capacity 1
	failing   bool                        // the last call failed; used by run only
	published map[*Session]publishedState // used by run only

	mu        sync.Mutex
	pending   map[*Session]struct{} // to publish at once
	forgotten map[string]struct{}   // to delete
	all       bool                  // the published states may be lost
}

// reason names the cause of publishing states.
type reason uint8

const (
	periodic   reason = iota
	everything        // the published states may be lost
	shutdown          // the sessions no longer belong to this node
)

func newPublisher(n *Node) *publisher {
	return &publisher{
		node: n, wake: make(chan struct{}, 1), published: map[*Session]publishedState{},
		pending: map[*Session]struct{}{}, forgotten: map[string]struct{}{},
	}
}

// publishSoon publishes the state of a session at once.
func (p *publisher) publishSoon(s *Session) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.pending[s] = struct{}{}
	p.mu.Unlock()
	p.signal()
}

// forget deletes the state of a session that has ended.
func (p *publisher) forget(s *Session) {
	if p == nil {
		return
	}
	p.mu.Lock()
	delete(p.pending, s)
	p.forgotten[s.Session] = struct{}{}
	p.mu.Unlock()
	p.signal()
}

// publishAll publishes all states again, because the published ones may be lost.
func (p *publisher) publishAll() {
	p.mu.Lock()
	p.all = true
	p.mu.Unlock()
	p.signal()
}

func (p *publisher) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// isForgetting reports whether a session has ended and its state is not deleted yet.
func (p *publisher) isForgetting(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, forgotten := p.forgotten[id]
	return forgotten
}

// run publishes until ctx ends. Then it publishes all states a last time, so that other nodes can continue from there.
func (p *publisher) run(ctx context.Context) {
	if p == nil {
		return
	}
	wall := p.node.Wall
	for due := wall.Now().Add(publishInterval); p.wait(ctx, due); {
		p.flushForgotten(ctx)
		if !p.node.isKnown() {
			due = wall.Now().Add(publishInterval)
			continue // Advance signals when the position becomes known
		}
		pending, why := p.takePending()
		if why == everything || !wall.Now().Before(due) {
			pending, due = p.allSessions(), wall.Now().Add(publishInterval)
		}
		if !p.publish(ctx, pending, why) {
			due = wall.Now().Add(publishRetry)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	p.flushForgotten(last)
	p.publish(last, p.allSessions(), shutdown)
}

// allSessions returns every session of the node. It drops the published states of other sessions.
func (p *publisher) allSessions() []*Session {
	list := p.node.Index.All()
	if len(p.published) <= len(list) {
		return list
	}
	here := make(map[*Session]struct{}, len(list))
	for _, s := range list {
		here[s] = struct{}{}
	}
	maps.DeleteFunc(p.published, func(s *Session, _ publishedState) bool {
		_, isHere := here[s]
		return !isHere
	})
	return list
}

// wait waits for a signal or the due time. It reports false when ctx has ended.
func (p *publisher) wait(ctx context.Context, due time.Time) bool {
	passed := make(chan struct{})
	t := p.node.Wall.AfterFunc(due.Sub(p.node.Wall.Now()), func() { close(passed) })
	defer t.Stop()
	select {
	case <-p.wake:
	case <-passed:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// takePending returns the sessions to publish at once, and why.
func (p *publisher) takePending() ([]*Session, reason) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]*Session, 0, len(p.pending))
	for s := range p.pending {
		list = append(list, s)
	}
	clear(p.pending)
	if p.all {
		p.all = false
		return nil, everything
	}
	return list, periodic
}

// flushForgotten deletes the states of sessions that have ended. A state that is not deleted expires.
func (p *publisher) flushForgotten(ctx context.Context) {
	p.mu.Lock()
	ids := make([]string, 0, len(p.forgotten))
	for id := range p.forgotten {
		ids = append(ids, id)
	}
	p.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	if err := p.node.Shared.Delete(ctx, ids); err != nil {
		p.node.Log.DebugContext(ctx, "ended sessions not deleted at other nodes", "err", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range ids {
		delete(p.forgotten, id)
	}
}

// publish publishes the states of the sessions that need it, and reports whether that succeeded.
func (p *publisher) publish(ctx context.Context, list []*Session, why reason) bool {
	for len(list) > 0 {
		n := min(len(list), publishBatchSize)
		if err := p.publishBatch(ctx, list[:n], why); err != nil {
			if !p.failing {
				p.node.Log.WarnContext(ctx, "session states not published to other nodes", "err", err)
			}
			p.failing = true
			p.mu.Lock()
			p.all = true
			p.mu.Unlock()
			return false
		}
		list = list[n:]
		p.failing = false
	}
	return true
}

func (p *publisher) publishBatch(ctx context.Context, list []*Session, why reason) error {
	sessions, next, states := p.snapshot(list, why)
	if len(states) == 0 {
		return nil
	}
	results, err := p.node.Shared.Put(ctx, states)
	if err != nil {
		return err
	}
	for i, s := range sessions {
		switch results[i] {
		case Stored:
			p.published[s] = next[i]
		case TakenOver:
			p.node.Release(s)
		case NotStored:
			delete(p.published, s)
			if s.IsDetached() {
				p.node.Release(s) // another node may have had it since
			} else {
				p.publishSoon(s)
			}
		}
	}
	return nil
}

// snapshot returns the states that have to be published, all of the same moment.
func (p *publisher) snapshot(list []*Session, why reason) (sessions []*Session, next []publishedState, states []SharedState) {
	n := p.node
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.position.IsZero() {
		return nil, nil, nil
	}
	for _, s := range list {
		will, state, due := p.next(s, why)
		if due {
			sessions, next, states = append(sessions, s), append(next, will), append(states, state)
		}
	}
	return sessions, next, states
}
