package resume

import (
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/snowflake"
)

// maxGiven is how many bytes of events are handed to another node with a session.
const maxGiven = 4 << 20

// parcel is a session on its way to another node: what its client has not heard, and how it stands after that.
type parcel struct {
	Frames   [][]byte          `json:"f,omitzero"`
	Seq      uint64            `json:"s"`
	Position events.Position   `json:"p"`
	Guilds   []snowflake.Guild `json:"g,omitzero"`
}

// Give gives a session up to another node, where its client has come that has heard its events up to a number. The text
// says how it stands.
func (n *Node) Give(id string, seq uint64) (Answer, []byte) {
	s := n.Index.Find(id)
	switch {
	case s == nil && n.keeper.isDropping(id):
		return Over, nil
	case s == nil && n.queues.isComing(id):
		return Coming, nil
	case s == nil:
		return Absent, nil
	}
	p, err := n.pack(s, seq)
	switch {
	case errors.Is(err, socket.ErrSequence):
		return Ahead, nil
	case err != nil:
		return Over, nil
	}
	n.Lose(s)
	return Given, text(p)
}

// pack returns what another node needs to go on with a session. From then on the session hears nothing here.
func (n *Node) pack(s *session.Session, seq uint64) (parcel, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.position.IsZero() {
		return parcel{}, session.ErrForgotten
	}
	d, err := n.Index.Give(s, seq, n.now().UnixNano(), maxGiven)
	if err != nil {
		return parcel{}, err
	}
	p := parcel{Seq: d.Seq, Position: n.position, Guilds: d.Guilds}
	for _, f := range d.Frames {
		p.Frames = append(p.Frames, f)
	}
	return p, nil
}

// doubt is a session that was taken from a node that had died, and guilds in which other people's eyes decided how many
// events it had heard: who sees what there must not turn out to have been different then.
type doubt struct {
	session *session.Session
	guilds  map[snowflake.Guild]struct{}
	until   int64
}

// doubtFor is how long after its write a change may become known.
const doubtFor = 5 * time.Second

// Resolve returns the sessions of which a change makes it doubtful how many events they have heard: they cannot go on. The node
// is locked.
func (n *Node) Resolve(c *events.Change) (doubtful []*session.Session) {
	if len(n.doubts) == 0 {
		return nil
	}
	now, kept := n.now().UnixNano(), n.doubts[:0]
	for _, d := range n.doubts {
		switch {
		case d.until < now:
		case c.Everything || casts(c, d.guilds, d.session.User):
			doubtful = append(doubtful, d.session)
		default:
			kept = append(kept, d)
		}
	}
	clear(n.doubts[len(kept):])
	n.doubts = kept
	return doubtful
}

// casts reports whether a change casts doubt on what a user saw in one of the guilds.
func casts(c *events.Change, guilds map[snowflake.Guild]struct{}, user snowflake.User) bool {
	_, there := guilds[c.Guild]
	return there && (c.Joined == 0 && c.Left == 0 || c.Joined == user || c.Left == user)
}
