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

// ErrForgotten says that a session cannot be resumed.
var ErrForgotten = errors.New("no such session")

// Session is what a client keeps when its connection breaks: who it is, what it wants to hear, and what it was sent last. Its
// exported fields do not change once it is known to an Index.
type Session struct {
	Who

	Token   store.TokenHash // with which its client came
	Intents uint32
	Scopes  []string // of clients

	// guilds holds where the session is. It is guarded by the index.
	guilds map[snowflake.Guild]struct{}
	// left holds the guilds that were left while the session begins, nil after that. It is guarded by the index.
	left map[snowflake.Guild]struct{}
	// moves counts how often guilds has changed. It is guarded by the index.
	moves uint64

	mu      sync.Mutex
	state   state
	link    *Link // nil while the client is away
	expires int64 // when a client that is away is given up, in nanoseconds since 1970
	seq     uint64
	opening uint64 // number of the last event that every session begins with
	replay  replay
	pending []socket.Frame // what happened while the session began
	heard   uint64         // number of the last event that the client has said it heard
	asides  asides
}

// New returns a session that is about to begin, with a name that nobody can guess.
func New() *Session {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails: the process ends when the machine has no randomness
	s := &Session{left: map[snowflake.Guild]struct{}{}}
	s.Session = hex.EncodeToString(random[:])
	return s
}

type state uint8

const (
	starting state = iota // what happens waits until the client has heard how everything stands
	live
	given // to another node
	over
)

// maxPending is how many events may happen while a session begins.
const maxPending = 1000

// Dispatch lets the session hear an event.
func (s *Session) Dispatch(f socket.Frame, bounds *Bounds) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.state {
	case starting:
		if len(s.pending) >= maxPending {
			if s.link != nil {
				s.link.Close(socket.ErrSlow)
			}
			return
		}
		s.pending = append(s.pending, f)
	case live:
		s.push(f, bounds)
	case given, over:
	}
}

// Open lets the session hear one of the events that it begins with.
func (s *Session) Open(f socket.Frame, bounds *Bounds) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(f, bounds)
	s.opening = s.seq
}

// push numbers an event and sends it. The session is locked.
func (s *Session) push(f socket.Frame, bounds *Bounds) {
	s.seq++
	s.replay.add(f, s.seq, bounds)
	if s.link != nil {
		s.link.Send(f, s.seq)
	}
}

// Started lets the session hear what happened in the meantime, and from now on everything at once.
func (s *Session) Started(bounds *Bounds) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == over {
		return
	}
	s.state = live
	for _, f := range s.pending {
		s.push(f, bounds)
	}
	s.pending = nil
}

// HeardUpTo notes the last event that the client says it has heard, and reports whether there is such an event. What a
// session begins with is large and no use to somebody who has it.
func (s *Session) HeardUpTo(seq uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq > s.seq {
		return false
	}
	if seq >= s.opening && s.replay.first <= s.opening {
		s.replay.upTo(s.opening)
	}
	s.heard = max(s.heard, seq)
	return true
}

// resumed is the last event of a resume.
var resumed = socket.NewFrame("RESUMED", []byte(`{"_trace":["bellhop"]}`))

// Take gives the session another connection and sends it what it has not heard. It refuses with ErrSequence a number that was
// never sent, and with ErrForgotten one whose followers are gone. It returns the connection that it had.
func (s *Session) Take(k *Link, seq uint64, now int64, bounds *Bounds) (old *Link, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frames, err := s.unheard(seq, now)
	if err != nil {
		return nil, err
	}
	old, s.link = s.link, k
	k.session.Store(s)
	k.SendAgain(frames, seq+1)
	s.push(resumed, bounds)
	return old, nil
}

// unheard returns the events behind a number. The session is locked.
func (s *Session) unheard(seq uint64, now int64) ([]socket.Frame, error) {
	if s.state != live || s.link == nil && s.expires <= now {
		return nil, ErrForgotten
	}
	if seq > s.seq {
		return nil, socket.ErrSequence
	}
	frames, ok := s.replay.after(seq, s.seq)
	if !ok {
		return nil, ErrForgotten
	}
	return frames, nil
}

// Part takes the connection away until a client comes back, and reports whether it was the session's.
func (s *Session) Part(k *Link, until int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != k {
		return false
	}
	s.link, s.expires = nil, until
	return true
}

// Finish ends the session. It returns its connection, nil if there is none, and whether the session had not ended before.
func (s *Session) Finish() (*Link, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == over {
		return nil, false
	}
	s.state, s.pending, s.replay = over, nil, replay{}
	return s.link, true
}

// IsStarting reports whether the client has not heard yet how everything stands.
func (s *Session) IsStarting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == starting
}

// IsAway reports whether the client has been away since it was to come back by the given moment.
func (s *Session) IsAway(until int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link == nil && s.expires == until
}

// IsAlone reports whether the session has no client at the moment.
func (s *Session) IsAlone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link == nil
}
