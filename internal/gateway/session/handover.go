package session

import (
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// maxHandoverBytes bounds the events that are handed over with a session.
const maxHandoverBytes = 4 << 20

// Handover has the data with which another node continues a session: the events that the client has missed, and the
// state after them.
type Handover struct {
	Frames   []socket.Frame    `json:"f,omitzero"`
	Seq      uint64            `json:"s"`
	Position events.Position   `json:"p"`
	Guilds   []snowflake.Guild `json:"g,omitzero"`
}

// HandOver hands a session over to another node, whose client has received its events up to seq. On success the body is
// the Handover as JSON.
func (n *Node) HandOver(id string, seq uint64) (result HandoverResult, body []byte) {
	s := n.Index.Find(id)
	switch {
	case s == nil && n.publisher.isForgetting(id):
		return Ended, nil
	case s == nil && n.queues.isMoving(id, n.Wall.Now()):
		return Moving, nil
	case s == nil:
		return NotHere, nil
	}
	h, err := n.newHandover(s, seq)
	switch {
	case errors.Is(err, socket.ErrSequence):
		return InvalidSequence, nil
	case err != nil:
		return Ended, nil
	}
	n.queues.addLeaving(id, n.Wall.Now())
	n.Release(s)
	return HandedOver, marshal(h)
}

// newHandover returns the handover of a session. The session gets no events here any more.
func (n *Node) newHandover(s *Session, seq uint64) (Handover, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.position.IsZero() {
		return Handover{}, ErrNotResumable
	}
	h, err := n.Index.HandOver(s, seq, n.now().UnixNano(), maxHandoverBytes)
	h.Position = n.position
	return h, err
}

// HandOver marks a session as handed over and returns its handover without a position. It fails as Session.Resume does,
// and with ErrNotResumable if the missed events have more than maxBytes.
func (x *Index) HandOver(s *Session, seq uint64, now int64, maxBytes int) (Handover, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	frames, err := s.missed(seq, now)
	if err != nil {
		return Handover{}, err
	}
	size := 0
	for _, f := range frames {
		size += len(f)
	}
	if size > maxBytes {
		return Handover{}, ErrNotResumable
	}
	s.state = handedOver
	return Handover{Frames: slices.Clone(frames), Seq: s.seq, Guilds: s.listGuilds()}, nil
}
