package session

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"sync"

	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// ErrNotResumable means that a session cannot be resumed: the client has to identify again.
var ErrNotResumable = errors.New("the session cannot be resumed")

// Session is the state of a client that outlives its connection: its owner, its intents and its last events. The
// exported fields do not change after the session is added to an Index.
type Session struct {
	Owner

	Token   store.TokenHash // the token that the client identified with
	Intents uint32
	Scopes  []string // OAuth2 scopes, of client sessions

	// guilds are the guilds that the session is in. The index guards it.
	guilds map[snowflake.Guild]struct{}
	// left are the guilds that the session has left while it starts; nil after that. The index guards it.
	left map[snowflake.Guild]struct{}
	// guildChanges counts the changes to guilds. The index guards it.
	guildChanges uint64

	mu      sync.Mutex
	state   state
	conn    *Conn // nil while the client is not connected
	expires int64 // when a detached session ends, in nanoseconds since 1970
	seq     uint64
	replay  replay
	pending []socket.Frame // events that arrived while the session starts
	lost    bool           // more events arrived than pending holds
	acked   uint64         // sequence number of the last event that the client has acknowledged
	private privateEvents
}

// New returns a starting session with an id that cannot be guessed.
func New() *Session {
	var random [16]byte
	_, _ = rand.Read(random[:]) // it never fails
	s := &Session{left: map[snowflake.Guild]struct{}{}}
	s.Session = hex.EncodeToString(random[:])
	return s
}

type state uint8

const (
	starting state = iota // events wait until the client has got READY
	live
	handedOver // another node has the session
	ended
)

// maxPending bounds the events that arrive while a session starts. With more, SetReady reports that events are lost.
const maxPending = 1000

// Dispatch sends an event to the session.
func (s *Session) Dispatch(f socket.Frame, bounds *Bounds) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.state {
	case starting:
		if len(s.pending) >= maxPending {
			s.pending, s.lost = nil, true
		}
		if !s.lost {
			s.pending = append(s.pending, f)
		}
	case live:
		s.push(f, bounds)
	case handedOver, ended:
	}
}

// DispatchInitial sends one of the events that a session starts with: READY and, for bots, GUILD_CREATE. They are large, so
// they are not kept for a resume: a client that missed one has to identify again.
func (s *Session) DispatchInitial(f socket.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == ended {
		return // the client has got an Invalid Session frame
	}
	s.seq++
	s.send(f)
}

// push assigns the next sequence number to an event and sends it. The session is locked.
func (s *Session) push(f socket.Frame, bounds *Bounds) {
	s.seq++
	s.replay.add(f, s.seq, bounds)
	s.send(f)
}

// send sends the event with the last sequence number to the client. The session is locked.
func (s *Session) send(f socket.Frame) {
	if s.conn != nil {
		s.conn.Send(f, s.seq)
	}
}

// SetReady sends the events that have arrived while the session started. From now on Dispatch sends events at once. It
// returns false if some of the events are lost. The caller invalidates the session then.
func (s *Session) SetReady(bounds *Bounds) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == ended {
		return true
	}
	if s.lost {
		return false
	}
	s.state = live
	for _, f := range s.pending {
		s.push(f, bounds)
	}
	s.pending = nil
	return true
}

// Acknowledge records the last event that the client has received. It returns false if no such event was sent.
func (s *Session) Acknowledge(seq uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq > s.seq {
		return false
	}
	s.acked = max(s.acked, seq)
	return true
}

// resumed is the event that ends a resume.
var resumed = socket.NewFrame("RESUMED", []byte(`{"_trace":["bellhop"]}`))

// Resume connects the session to a new connection and sends the events after seq. It returns the old connection, if
// any. It fails with socket.ErrSequence if seq was never sent, and with ErrNotResumable if some events after it were
// dropped.
func (s *Session) Resume(k *Conn, seq uint64, now int64, bounds *Bounds) (old *Conn, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frames, err := s.missed(seq, now)
	if err != nil {
		return nil, err
	}
	old, s.conn = s.conn, k
	k.session.Store(s)
	k.SendAgain(frames, seq+1)
	s.push(resumed, bounds)
	return old, nil
}

// missed returns the events after a sequence number. The session is locked.
func (s *Session) missed(seq uint64, now int64) ([]socket.Frame, error) {
	if s.state != live || s.conn == nil && s.expires <= now {
		return nil, ErrNotResumable
	}
	if seq > s.seq {
		return nil, socket.ErrSequence
	}
	frames, ok := s.replay.after(seq, s.seq)
	if !ok {
		return nil, ErrNotResumable
	}
	return frames, nil
}

// Shed frees memory: it drops the older half of the events that are kept for a resume, and disconnects a client that does
// not read its events.
func (s *Session) Shed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replay.dropHalf()
	if s.conn != nil {
		s.conn.CloseIfBehind()
	}
}

// Detach disconnects a connection from the session, which ends at the given time unless it is resumed. It reports false
// if the session uses another connection.
func (s *Session) Detach(k *Conn, until int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != k {
		return false
	}
	s.conn, s.expires = nil, until
	return true
}

// End ends the session. It returns the connection, or nil, and reports whether the session had not ended before.
func (s *Session) End() (*Conn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == ended {
		return nil, false
	}
	s.state, s.pending, s.replay = ended, nil, replay{}
	return s.conn, true
}

// HasLost reports whether more events have arrived while the session starts than it keeps.
func (s *Session) HasLost() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// IsStarting reports whether the client has not got READY yet.
func (s *Session) IsStarting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == starting
}

// IsDetachedUntil reports whether the session is detached and still ends at the given time.
func (s *Session) IsDetachedUntil(until int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn == nil && s.expires == until
}

// IsDetached reports whether the session has no connection.
func (s *Session) IsDetached() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn == nil
}
