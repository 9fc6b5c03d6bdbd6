package resume

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/gateway/session"
)

const (
	// keepEvery is how often it is told how sessions stand that have heard something.
	keepEvery = 5 * time.Second
	// keepAgain is how soon it is told again what could not be told.
	keepAgain = 500 * time.Millisecond
	// keepAtOnce is how many sessions are told of together.
	keepAtOnce = 256
	// keepWithin is how long a node that ends may take to tell of all its sessions.
	keepWithin = 5 * time.Second
)

// keeper tells other nodes how sessions stand: at once when one has begun, then every few seconds of those that have heard
// something. A nil keeper does nothing.
type keeper struct {
	node    *Node
	wake    chan struct{} // has room for one
	failing bool          // the last time; of run alone
	// told is what other nodes know of sessions; of run alone
	told map[*session.Session]kept

	mu    sync.Mutex
	fresh map[*session.Session]struct{} // to be told of at once
	gone  map[string]struct{}           // to be forgotten
	anew  bool                          // what was told may have been forgotten
}

// occasion is why it is told how sessions stand.
type occasion uint8

const (
	usual  occasion = iota
	again           // what was told may have been forgotten
	ending          // this node has them no longer
)

func newKeeper(n *Node) *keeper {
	return &keeper{
		node: n, wake: make(chan struct{}, 1), told: map[*session.Session]kept{},
		fresh: map[*session.Session]struct{}{}, gone: map[string]struct{}{},
	}
}

// soon has it told at once how a session stands.
func (k *keeper) soon(s *session.Session) {
	if k == nil {
		return
	}
	k.mu.Lock()
	k.fresh[s] = struct{}{}
	k.mu.Unlock()
	k.rouse()
}

// drop has a session forgotten that has ended.
func (k *keeper) drop(s *session.Session) {
	if k == nil {
		return
	}
	k.mu.Lock()
	delete(k.fresh, s)
	k.gone[s.Session] = struct{}{}
	k.mu.Unlock()
	k.rouse()
}

// again has everything told again: what was told last may have been forgotten.
func (k *keeper) again() {
	k.mu.Lock()
	k.anew = true
	k.mu.Unlock()
	k.rouse()
}

func (k *keeper) rouse() {
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// isDropping reports whether a session has ended that others still know.
func (k *keeper) isDropping(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, gone := k.gone[id]
	return gone
}

// run tells until ctx ends, and then a last time, for other nodes to go on from there.
func (k *keeper) run(ctx context.Context) {
	if k == nil {
		return
	}
	for due := machine.Now().Add(keepEvery); k.pause(ctx, due); {
		k.forget(ctx)
		if !k.node.knows() {
			due = machine.Now().Add(keepEvery)
			continue // it rouses when it does
		}
		fresh, why := k.take()
		if why == again || !machine.Now().Before(due) {
			fresh, due = k.all(), machine.Now().Add(keepEvery)
		}
		if !k.keep(ctx, fresh, why) {
			due = machine.Now().Add(keepAgain)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepWithin)
	defer cancel()
	k.forget(last)
	k.keep(last, k.all(), ending)
}

// all returns every session. What was told of others is not needed any more.
func (k *keeper) all() []*session.Session {
	list := k.node.Index.All()
	if len(k.told) <= len(list) {
		return list
	}
	here := make(map[*session.Session]struct{}, len(list))
	for _, s := range list {
		here[s] = struct{}{}
	}
	maps.DeleteFunc(k.told, func(s *session.Session, _ kept) bool {
		_, stays := here[s]
		return !stays
	})
	return list
}

// pause waits until there is something to tell, and reports false when ctx has ended.
func (k *keeper) pause(ctx context.Context, due time.Time) bool {
	passed := make(chan struct{})
	t := machine.AfterFunc(due.Sub(machine.Now()), func() { close(passed) })
	defer t.Stop()
	select {
	case <-k.wake:
	case <-passed:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// take returns the sessions that are to be told of at once, and why.
func (k *keeper) take() ([]*session.Session, occasion) {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := make([]*session.Session, 0, len(k.fresh))
	for s := range k.fresh {
		list = append(list, s)
	}
	clear(k.fresh)
	if k.anew {
		k.anew = false
		return nil, again
	}
	return list, usual
}

// forget has sessions forgotten that have ended. What does not get through ends by itself.
func (k *keeper) forget(ctx context.Context) {
	k.mu.Lock()
	ids := make([]string, 0, len(k.gone))
	for id := range k.gone {
		ids = append(ids, id)
	}
	k.mu.Unlock()
	if len(ids) == 0 {
		return
	}
	if err := k.node.Sessions.Drop(ctx, ids); err != nil {
		k.node.Log.DebugContext(ctx, "sessions not dropped", "err", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range ids {
		delete(k.gone, id)
	}
}

// keep tells how those of some sessions stand of which others do not know it, and reports whether that got through.
func (k *keeper) keep(ctx context.Context, list []*session.Session, why occasion) bool {
	for len(list) > 0 {
		n := min(len(list), keepAtOnce)
		if err := k.keepSome(ctx, list[:n], why); err != nil {
			if !k.failing {
				k.node.Log.WarnContext(ctx, "how sessions stand cannot be told to other nodes", "err", err)
			}
			k.failing = true
			k.mu.Lock()
			k.anew = true
			k.mu.Unlock()
			return false
		}
		list = list[n:]
		k.failing = false
	}
	return true
}

func (k *keeper) keepSome(ctx context.Context, list []*session.Session, why occasion) error {
	told, next, texts := k.snapshot(list, why)
	if len(texts) == 0 {
		return nil
	}
	fates, err := k.node.Sessions.Keep(ctx, texts)
	if err != nil {
		return err
	}
	for i, s := range told {
		switch fates[i] {
		case Remains:
			k.told[s] = next[i]
		case Taken:
			k.node.Lose(s)
		case Unknown:
			delete(k.told, s)
			if s.IsAlone() {
				k.node.Lose(s) // it may have been somebody else's since
			} else {
				k.soon(s)
			}
		}
	}
	return nil
}

// snapshot returns how sessions stand of which that has to be told, all at the same moment.
func (k *keeper) snapshot(list []*session.Session, why occasion) ([]*session.Session, []kept, []Kept) {
	n := k.node
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.position.IsZero() {
		return nil, nil, nil
	}
	var told []*session.Session
	var next []kept
	var texts []Kept
	for _, s := range list {
		will, t, due := k.stand(s, why)
		if due {
			told, next, texts = append(told, s), append(next, will), append(texts, t)
		}
	}
	return told, next, texts
}
