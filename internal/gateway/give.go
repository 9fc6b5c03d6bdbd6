package gateway

import (
	"time"

	"github.com/bellhop/bellhop/internal/events"
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
func (g *Gateway) Give(id string, seq uint64) (Answer, []byte) {
	s := g.index.find(id)
	switch {
	case s == nil && g.keeper.isDropping(id):
		return Over, nil
	case s == nil && g.queues.isComing(id):
		return Coming, nil
	case s == nil:
		return Absent, nil
	}
	p, answer := g.pack(s, seq)
	if answer != Given {
		return answer, nil
	}
	g.lose(s)
	return Given, text(p)
}

// pack returns what another node needs to go on with a session. From then on the session hears nothing here.
func (g *Gateway) pack(s *session, seq uint64) (parcel, Answer) {
	g.hub.mu.Lock()
	defer g.hub.mu.Unlock()
	g.index.mu.Lock()
	defer g.index.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.hub.position.IsZero() || s.state != live || s.socket == nil && s.expires <= g.now().UnixNano() {
		return parcel{}, Over
	}
	if seq > s.seq {
		return parcel{}, Ahead
	}
	frames, ok := s.replay.after(seq, s.seq)
	if !ok {
		return parcel{}, Over
	}
	p := parcel{Seq: s.seq, Position: g.hub.position}
	size := 0
	for _, f := range frames {
		p.Frames = append(p.Frames, f)
		size += len(f)
	}
	if size > maxGiven {
		return parcel{}, Over
	}
	for guild := range s.guilds {
		p.Guilds = append(p.Guilds, guild)
	}
	s.state = given
	return p, Given
}

// doubt is a session that was taken from a node that had died, and guilds in which other people's eyes decided how many
// events it had heard: who sees what there must not turn out to have been different then.
type doubt struct {
	session *session
	guilds  map[snowflake.Guild]struct{}
	until   int64
}

// doubtFor is how long after its write a change may become known.
const doubtFor = 5 * time.Second

// resolve ends sessions of which a change makes it doubtful how many events they have heard. The hub is locked.
func (h *hub) resolve(c *events.Change) {
	if len(h.doubts) == 0 {
		return
	}
	now, kept := h.now().UnixNano(), h.doubts[:0]
	for _, d := range h.doubts {
		switch {
		case d.until < now:
		case c.Everything || casts(c, d.guilds, d.session.User):
			h.invalidate(d.session)
		default:
			kept = append(kept, d)
		}
	}
	clear(h.doubts[len(kept):])
	h.doubts = kept
}

// casts reports whether a change casts doubt on what a user saw in one of the guilds.
func casts(c *events.Change, guilds map[snowflake.Guild]struct{}, user snowflake.User) bool {
	_, there := guilds[c.Guild]
	return there && (c.Joined == 0 && c.Left == 0 || c.Joined == user || c.Left == user)
}
