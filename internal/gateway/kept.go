package gateway

import (
	"time"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

const (
	// keepAfter is how many events may happen anywhere until it is told again how a session stands that has heard none of
	// them: the history is bounded, and nobody wants to read all of it.
	keepAfter = 1 << 15
	// maxMarks is how many moments of a session are kept.
	maxMarks = 32
)

// mark is a moment of a session: how many events it had heard when those up to a position had been handed out.
type mark struct {
	Seq uint64          `json:"s"`
	At  events.Position `json:"p"`
}

// keptState is how a session stands.
type keptState struct {
	Asides uint64 `json:"a,omitzero"` // that are done
	Marks  []mark `json:"m"`          // in order; between them stands nothing but what the history has
}

// keptWho is whose a session is and what it wants to hear.
type keptWho struct {
	Who

	Intents uint32   `json:"intents,omitzero"`
	Scopes  []string `json:"scopes,omitzero"`
}

// kept is what is known to other nodes about a session.
type kept struct {
	known  bool
	state  keptState
	guilds uint64 // the session's moves
	at     time.Time
	count  uint64 // of the hub's events
}

// stand returns what others will know of a session and the text of it, and whether it has to be told. The hub is locked.
func (k *keeper) stand(s *session, at events.Position, why occasion) (kept, Kept, bool) {
	g := k.gateway
	g.index.mu.Lock()
	defer g.index.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != live {
		return kept{}, Kept{}, false
	}
	now := g.now()
	was := s.kept.state
	same := s.kept.known && s.kept.guilds == s.moves && was.Asides == s.asides.done && was.Marks[len(was.Marks)-1].Seq == s.seq
	if same && why == usual && now.Sub(s.kept.at) < g.Settings.Keep/3 && g.hub.count-s.kept.count < keepAfter {
		return kept{}, Kept{}, false
	}
	next := kept{known: true, state: s.stateAt(at), guilds: s.moves, at: now, count: g.hub.count}
	t := Kept{ID: s.Session, State: text(next.state), Asides: s.asides.begun, Life: g.Settings.Keep * 4 / 3, Free: why == ending}
	switch {
	case s.socket == nil:
		t.Life = max(time.Duration(s.expires-now.UnixNano()), time.Millisecond)
	case why == ending:
		t.Life = g.Settings.Keep
	}
	if !s.kept.known {
		t.Who = text(keptWho{s.Who, s.intents, s.scopes})
	}
	if !s.kept.known || s.kept.guilds != s.moves {
		guilds := make([]snowflake.Guild, 0, len(s.guilds))
		for guild := range s.guilds {
			guilds = append(guilds, guild)
		}
		t.Guilds = text(guilds)
	}
	return next, t, true
}

// stateAt returns how the session stands when the events up to a position have been handed out. It and the index are locked.
func (s *session) stateAt(at events.Position) keptState {
	now := mark{s.seq, at}
	was := s.kept.state
	if !s.kept.known || s.kept.guilds != s.moves || was.Asides != s.asides.done {
		return keptState{s.asides.done, []mark{now}}
	}
	marks := was.Marks
	for len(marks) > 1 && (marks[1].Seq <= s.heard || len(marks) >= maxMarks) {
		marks = marks[1:]
	}
	if last := marks[len(marks)-1]; last.Seq == s.seq {
		marks = marks[:len(marks)-1]
	}
	return keptState{was.Asides, append(append(make([]mark, 0, len(marks)+1), marks...), now)}
}

// text writes what another node of this version or a later one reads.
func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types are this package's own
	}
	return b
}
