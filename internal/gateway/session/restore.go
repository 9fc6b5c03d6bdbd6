package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

const (
	// restoreTimeout bounds how long a restore takes.
	restoreTimeout = 5 * time.Second
	// restorePoll is the pause between two attempts of a restore to continue.
	restorePoll = 5 * time.Millisecond
	// A session gets catchUpBatch events of the history at a time, and finalBatch events while the
	// node is locked.
	catchUpBatch = 256
	finalBatch   = 32
)

// ResumeRequest is the request of a client to resume: the session, its token and the sequence number of the last event
// that it received.
type ResumeRequest struct {
	Session   string
	Principal auth.Principal
	Token     store.TokenHash
	Seq       uint64
}

// Restore continues a session of another node here. It returns ErrNotResumable if the client would miss or repeat an
// event. handedOver reports whether the other node handed the session over; otherwise it was restored from its last
// published state.
func (n *Node) Restore(ctx context.Context, k *Conn, req ResumeRequest) (s *Session, handedOver bool, err error) {
	if n.Shared == nil {
		return nil, false, ErrNotResumable
	}
	ctx, cancel := context.WithTimeout(ctx, restoreTimeout)
	defer cancel()
	defer n.queues.removeArriving(req.Session)
	for ctx.Err() == nil {
		r, at, err := n.claim(ctx, &req)
		if err == nil && r == nil {
			clock.Wait(ctx, n.Wall, restorePoll) // another node was faster
			continue
		}
		if err == nil {
			r.session.Token = req.Token
			err = n.follow(ctx, k, r, at)
		}
		if err != nil {
			if r != nil {
				n.publisher.forget(r.session)
			}
			return nil, false, n.invalidSession(ctx, err)
		}
		n.publisher.publishSoon(r.session)
		return r.session, r.handedOver, nil
	}
	return nil, false, ErrNotResumable
}

// invalidSession converts the error of a failed restore into what the client gets: a close code, or ErrNotResumable,
// which becomes an Invalid Session frame (op 9).
func (n *Node) invalidSession(ctx context.Context, err error) error {
	if c, ok := errors.AsType[*socket.CloseError](err); ok {
		return c
	}
	if !errors.Is(err, ErrNotResumable) {
		n.Log.WarnContext(ctx, "session not restored", "err", err)
	}
	return ErrNotResumable
}

// claim makes this node the owner of a session. It returns the restoration and the position in the history to continue
// from, or nil if another node was faster.
func (n *Node) claim(ctx context.Context, req *ResumeRequest) (*restoration, events.Position, error) {
	var at events.Position
	found, err := n.Shared.Find(ctx, req.Session)
	if err != nil {
		return nil, at, fmt.Errorf("find session: %w", err)
	}
	if found == nil {
		return nil, at, ErrNotResumable
	}
	r, err := newRestoration(found)
	if err != nil {
		return nil, at, err
	}
	if !r.session.BelongsTo(req.Principal) {
		return nil, at, ErrNotResumable
	}
	var given *Handover
	if found.Node != "" {
		var moving bool
		if given, moving, err = n.requestHandover(ctx, found.Node, req.Session, req.Seq); err != nil || moving {
			return nil, at, err
		}
	}
	n.queues.addArriving(req.Session)
	private, err := n.Shared.Claim(ctx, req.Session, found.Node, n.ResumeWindow)
	if err != nil {
		return nil, at, fmt.Errorf("claim session: %w", err)
	}
	if private == 0 {
		return nil, at, nil
	}
	r.node, r.Acked, r.Private = n, req.Seq, private
	if given != nil {
		return r, r.startFromHandover(given), nil
	}
	at, err = r.startFromCheckpoint(found)
	return r, at, err
}

// newRestoration returns the restoration of a stored session.
func newRestoration(found *StoredSession) (*restoration, error) {
	var o ownerRecord
	if err := json.Unmarshal(found.Owner, &o); err != nil {
		return nil, fmt.Errorf("read the owner of a session: %w", err)
	}
	var guilds []snowflake.Guild
	if err := json.Unmarshal(found.Guilds, &guilds); err != nil {
		return nil, fmt.Errorf("read the guilds of a session: %w", err)
	}
	r := &restoration{session: &Session{Owner: o.Owner, Intents: o.Intents, Scopes: o.Scopes}}
	r.setGuilds(guilds)
	return r, nil
}

func (r *restoration) setGuilds(guilds []snowflake.Guild) {
	r.Guilds = make(map[snowflake.Guild]struct{}, len(guilds))
	for _, guild := range guilds {
		r.Guilds[guild] = struct{}{}
	}
}

// requestHandover asks the node of a session to hand it over. It returns nil if the node is dead or no longer has the
// session, and reports whether the session is on its way to that node or from it.
func (n *Node) requestHandover(ctx context.Context, node, id string, seq uint64) (given *Handover, moving bool, err error) {
	result, body, err := n.Shared.RequestHandover(ctx, node, id, seq)
	if err != nil {
		n.Log.InfoContext(ctx, "the node of a session does not answer", "err", err)
		return nil, false, nil
	}
	switch result {
	case HandedOver:
		given = &Handover{}
		if err := json.Unmarshal(body, given); err != nil {
			return nil, false, fmt.Errorf("read the handover of a session: %w", err)
		}
		return given, false, nil
	case InvalidSequence:
		return nil, false, socket.ErrSequence
	case Ended:
		return nil, false, ErrNotResumable
	case NotHere, Moving:
	}
	return nil, result == Moving, nil
}

// startFromHandover takes over the state of a handover and returns the position to continue from.
func (r *restoration) startFromHandover(h *Handover) events.Position {
	r.Frames = h.Frames
	for _, f := range h.Frames {
		r.bytes += len(f)
	}
	r.handedOver, r.Seq = true, h.Seq
	r.setGuilds(h.Guilds)
	return h.Position
}

// startFromCheckpoint takes over the last checkpoint that the client has passed and returns its position.
func (r *restoration) startFromCheckpoint(found *StoredSession) (events.Position, error) {
	var p progress
	if err := json.Unmarshal(found.Progress, &p); err != nil {
		return events.Position{}, fmt.Errorf("read the progress of a session: %w", err)
	}
	if p.Private != found.Private {
		return events.Position{}, ErrNotResumable // the number of private events is unknown
	}
	for _, c := range slices.Backward(p.Checkpoints) {
		if c.Seq <= r.Acked {
			r.Seq = c.Seq
			return c.At, nil
		}
	}
	return events.Position{}, ErrNotResumable
}

// follow makes this node get the events of a session while the session catches up.
func (n *Node) follow(ctx context.Context, k *Conn, r *restoration, at events.Position) error {
	defer r.release()
	r.follow(r.session.partitions()...)
	for guild := range r.Guilds {
		r.follow(events.GuildPartition(guild))
	}
	return n.catchUp(ctx, k, r, at)
}

// catchUp gives a session the events after a position until it has all that this node has delivered. Then it adds the
// session to the index.
func (n *Node) catchUp(ctx context.Context, k *Conn, r *restoration, at events.Position) error {
	if at.IsZero() {
		return ErrNotResumable // a node of an earlier version wrote the position
	}
	for ctx.Err() == nil {
		list, finished, err := n.catchUpStep(ctx, k, r, at)
		if err != nil || finished {
			return err
		}
		if len(list) == 0 {
			clock.Wait(ctx, n.Wall, restorePoll) // this node is behind the other one
		}
		followed := len(r.followed)
		for i := range list {
			if err := r.apply(ctx, &list[i]); err != nil {
				return err
			}
			at = list[i].Position
			if len(r.followed) > followed {
				break // the list does not have the events of the new partition
			}
		}
	}
	return ctx.Err()
}

// catchUpStep returns the next events for a session. If few are left, and the store is not needed for them, it applies
// them and finishes the restore while the node is locked, so that no other event comes in between.
func (n *Node) catchUpStep(ctx context.Context, k *Conn, r *restoration, at events.Position) ([]events.Event, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.position.IsZero() {
		return nil, false, nil
	}
	if n.position.History != at.History {
		return nil, false, ErrNotResumable // the store has lost events, or is another one
	}
	if n.position.Before(at) {
		return nil, false, nil
	}
	since, reading := n.Index.Interest.Since(r.followed)
	if !reading {
		return nil, false, nil
	}
	list, held := n.recent.after(at, catchUpBatch)
	if !held || at.Before(since) {
		list, err := n.readHistory(ctx, at, r.followed)
		return list, false, err
	}
	if len(list) > finalBatch || slices.ContainsFunc(list, r.needsStore) {
		return list, false, nil
	}
	for i := range list {
		if err := r.apply(ctx, &list[i]); err != nil {
			return nil, false, err
		}
		at = list[i].Position
	}
	if r.Seq >= r.Acked {
		n.finish(k, r)
		return nil, true, nil
	}
	// The client has received events that this node has not delivered yet, if they exist.
	list, err := n.readHistory(ctx, at, r.followed)
	if err == nil && len(list) == 0 {
		err = ErrNotResumable
	}
	return list, false, err
}

// readHistory reads the events of partitions after a position from the shared history. It unlocks the node meanwhile.
func (n *Node) readHistory(ctx context.Context, at events.Position, partitions []events.Partition) ([]events.Event, error) {
	n.mu.Unlock()
	defer n.mu.Lock()
	list, err := n.Shared.EventsAfter(ctx, at, partitions)
	if err != nil {
		return nil, fmt.Errorf("read the history of events: %w", err)
	}
	return list, nil
}

// finish adds a session that has caught up to the index. The node is locked.
func (n *Node) finish(k *Conn, r *restoration) {
	if len(r.assumed) > 0 {
		n.assumptions = append(n.assumptions, assumption{r.session, r.assumed, n.Wall.Now().Add(assumptionWindow).UnixNano()})
	}
	n.Index.restore(r.session, k, &r.restoredState, n.Bounds)
}
