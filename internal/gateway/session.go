package gateway

import (
	"errors"
	"sync"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Kind says whose session it is.
type Kind uint8

// The kinds of sessions.
const (
	Bot    Kind = iota + 1 // of an application
	Person                 // of a person's own client
	Client                 // of an application's client that acts for a person
)

// Who says whose a session is. The zero Who has not identified yet.
type Who struct {
	Session     string
	Kind        Kind
	Application snowflake.Application // of bots and clients
	User        snowflake.User        // of a bot: its application's id
	Shard       Shard                 // of bots
}

// visitor returns who it is in guilds.
func (w *Who) visitor() directory.Visitor { return directory.Visitor{User: w.User, Bot: w.Kind == Bot} }

// Shard is a part of an application's guilds.
type Shard struct{ ID, Count uint32 }

// Owns reports whether events of a guild belong to the shard. What has no guild is 0 and belongs to the first.
func (s Shard) Owns(guild snowflake.Guild) bool {
	return uint32(uint64(guild>>22)%uint64(s.Count)) == s.ID
}

// errForgotten says that a session cannot be resumed.
var errForgotten = errors.New("no such session")

// session is what a client keeps when its socket breaks: who it is, what it wants to hear, and what it was sent last.
type session struct {
	Who

	token   store.TokenHash
	intents uint32
	scopes  []string // of clients
	// guilds holds where the session is. It is guarded by the index.
	guilds map[snowflake.Guild]struct{}
	// left holds the guilds that were left while the session begins, nil after that. It is guarded by the index.
	left map[snowflake.Guild]struct{}
	// moves counts how often guilds has changed. It is guarded by the index.
	moves uint64
	// kept is what other nodes know. It belongs to the keeper.
	kept kept

	mu      sync.Mutex
	state   state
	socket  *conn // nil while the client is away
	expires int64 // when a client that is away is given up, in nanoseconds of the gateway's time
	seq     uint64
	opening uint64 // number of the last event that every session begins with
	replay  replay
	pending []socket.Frame // what happened while the session began
	heard   uint64         // number of the last event that the client has said it heard
	asides  asides
}

// asides counts when a session hears what stands in no history: begun those that have begun, done the same when none was
// under way.
type asides struct {
	begun, done uint64
	under       int // way
}

// beginAside notes that the session is about to hear something that stands in no history, and returns how often it has.
func (s *session) beginAside() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asides.begun++
	s.asides.under++
	return s.asides.begun
}

// endAside notes that the session has heard it.
func (s *session) endAside() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asides.under--; s.asides.under == 0 {
		s.asides.done = s.asides.begun
	}
}

// aside notes that the session has heard what others cannot count.
func (s *session) aside() {
	s.beginAside()
	s.endAside()
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

// dispatch lets the session hear an event.
func (s *session) dispatch(f socket.Frame, bounds *Settings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.state {
	case starting:
		if len(s.pending) >= maxPending {
			if s.socket != nil {
				s.socket.Close(socket.ErrSlow)
			}
			return
		}
		s.pending = append(s.pending, f)
	case live:
		s.push(f, bounds)
	case given, over:
	}
}

// open lets the session hear one of the events that it begins with.
func (s *session) open(f socket.Frame, bounds *Settings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(f, bounds)
	s.opening = s.seq
}

// push numbers an event and sends it. The session is locked.
func (s *session) push(f socket.Frame, bounds *Settings) {
	s.seq++
	s.replay.add(f, s.seq, bounds.ReplayEvents, bounds.ReplayBytes)
	if s.socket != nil {
		s.socket.Send(f, s.seq)
	}
}

// started lets the session hear what happened in the meantime, and from now on everything at once.
func (s *session) started(bounds *Settings) {
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

// heardUpTo notes the last event that the client says it has heard, and reports whether there is such an event. What a
// session begins with is large and no use to somebody who has it.
func (s *session) heardUpTo(seq uint64) bool {
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

// take gives the session another socket and sends it what it has not heard. It refuses with socket.ErrSequence a number that was
// never sent, and with errForgotten one whose followers are gone.
func (s *session) take(k *conn, seq uint64, resumed socket.Frame) (old *conn, err error) {
	bounds := &k.gateway.Settings
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != live || s.socket == nil && s.expires <= k.gateway.now().UnixNano() {
		return nil, errForgotten
	}
	if seq > s.seq {
		return nil, socket.ErrSequence
	}
	frames, ok := s.replay.after(seq, s.seq)
	if !ok {
		return nil, errForgotten
	}
	old, s.socket = s.socket, k
	k.session.Store(s)
	k.SendAgain(frames, seq+1)
	s.push(resumed, bounds)
	return old, nil
}

// part takes the socket away until a client comes back, and reports whether it was the session's.
func (s *session) part(k *conn, until int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.socket != k {
		return false
	}
	s.socket, s.expires = nil, until
	return true
}

// finish ends the session. It returns its socket, nil if there is none, and whether the session had not ended before.
func (s *session) finish() (*conn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == over {
		return nil, false
	}
	s.state, s.pending, s.replay = over, nil, replay{}
	return s.socket, true
}
