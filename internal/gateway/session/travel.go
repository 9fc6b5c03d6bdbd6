package session

import (
	"slices"

	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/snowflake"
)

// Standing is how a session stands at a moment.
type Standing struct {
	Seq     uint64            // number of the last event
	Heard   uint64            // number of the last event that the client has said it heard
	Begun   uint64            // how often it has begun to hear what stands in no history
	Done    uint64            // the same when none was under way
	Moves   uint64            // how often it has come into a guild or left one
	Guilds  []snowflake.Guild // where it is
	Away    bool              // it has no client at the moment
	Expires int64             // when a client that is away is given up, in nanoseconds since 1970
}

// Stand returns how a session stands, and false for one that has not begun yet or is no longer here. Its guilds are left out
// when they are known as they were after so many moves.
func (x *Index) Stand(s *Session, known bool, moves uint64) (Standing, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != live {
		return Standing{}, false
	}
	now := Standing{
		Seq: s.seq, Heard: s.heard, Begun: s.asides.begun, Done: s.asides.done, Moves: s.moves, Away: s.link == nil, Expires: s.expires,
	}
	if !known || moves != s.moves {
		now.Guilds = s.listGuilds()
	}
	return now, true
}

// listGuilds returns where the session is. The index is locked.
func (s *Session) listGuilds() []snowflake.Guild {
	if len(s.guilds) == 0 {
		return nil
	}
	list := make([]snowflake.Guild, 0, len(s.guilds))
	for guild := range s.guilds {
		list = append(list, guild)
	}
	return list
}

// Departure is what another node needs to go on with a session: the events that its client has not heard, and how it stands
// after those.
type Departure struct {
	Frames []socket.Frame
	Seq    uint64
	Guilds []snowflake.Guild
}

// Give gives a session up whose client has heard its events up to a number. From then on it hears nothing here. It refuses as
// Take does, and with ErrForgotten when there are more than so many bytes of events to hand over.
func (x *Index) Give(s *Session, seq uint64, now int64, most int) (Departure, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	frames, err := s.unheard(seq, now)
	if err != nil {
		return Departure{}, err
	}
	size := 0
	for _, f := range frames {
		size += len(f)
	}
	if size > most {
		return Departure{}, ErrForgotten
	}
	s.state = given
	return Departure{Frames: slices.Clone(frames), Seq: s.seq, Guilds: s.listGuilds()}, nil
}

// Arrival is how a session stands that comes from another node.
type Arrival struct {
	Seq    uint64                       // number of the last event
	Heard  uint64                       // number of the last event that the client has heard
	Asides uint64                       // how often it has heard what stands in no history, its resume included
	Frames []socket.Frame               // behind Heard
	Guilds map[snowflake.Guild]struct{} // the index's from now on
}

// Arrive makes a session known that comes from another node, and lets its client hear what it has missed.
func (x *Index) Arrive(s *Session, k *Link, a *Arrival, bounds *Bounds) {
	s.seq, s.guilds, s.asides = a.Seq, a.Guilds, asidesOf(a.Asides)
	s.state, s.link, s.heard = live, k, a.Heard
	for i, f := range a.Frames {
		s.replay.add(f, a.Heard+1+uint64(i), bounds)
	}
	k.session.Store(s)
	x.settleAt(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	k.SendAgain(a.Frames, a.Heard+1)
	s.push(resumed, bounds)
	s.asides.done, s.asides.under = s.asides.begun, 0
}

// settleAt makes a session known together with the guilds that it is in.
func (x *Index) settleAt(s *Session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.enter(s)
	for guild := range s.guilds {
		x.guilds.add(guild, s)
	}
}
