package resume

import (
	"time"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/session"
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
	session.Who

	Intents uint32   `json:"intents,omitzero"`
	Scopes  []string `json:"scopes,omitzero"`
}

// kept is what is known to other nodes about a session.
type kept struct {
	state keptState
	moves uint64 // the session's, after which others know its guilds
	at    time.Time
	count uint64 // of events that this node had heard
}

// stand returns what others will know of a session and the text of it, and whether it has to be told. The node is locked.
func (k *keeper) stand(s *session.Session, why occasion) (kept, Kept, bool) {
	n := k.node
	was, known := k.told[s]
	is, here := n.Index.Stand(s, known, was.moves)
	if !here {
		return kept{}, Kept{}, false
	}
	now := n.now()
	moved := !known || was.moves != is.Moves
	if moved || was.state.Asides != is.Done {
		was.state = keptState{} // it begins anew
	}
	same := was.state.ends(is.Seq)
	if same && why == usual && now.Sub(was.at) < n.Keep/3 && n.count-was.count < keepAfter {
		return kept{}, Kept{}, false
	}
	next := kept{state: was.state.goOn(&is, n.position), moves: is.Moves, at: now, count: n.count}
	t := Kept{ID: s.Session, State: text(next.state), Asides: is.Begun, Life: n.Keep * 4 / 3, Free: why == ending}
	switch {
	case is.Away:
		t.Life = max(time.Duration(is.Expires-now.UnixNano()), time.Millisecond)
	case why == ending:
		t.Life = n.Keep
	}
	if !known {
		t.Who = text(keptWho{s.Who, s.Intents, s.Scopes})
	}
	if moved {
		t.Guilds = text(is.Guilds)
	}
	return next, t, true
}

// ends reports whether the last mark is of the event with a number.
func (k *keptState) ends(seq uint64) bool {
	return len(k.Marks) > 0 && k.Marks[len(k.Marks)-1].Seq == seq
}

// goOn returns the state of a session that has heard nothing since but what the history has, when the events up to a position
// have been handed out. Of the zero state it is how a session stands of which nothing is known.
func (k *keptState) goOn(is *session.Standing, at events.Position) keptState {
	marks := k.Marks
	for len(marks) > 1 && (marks[1].Seq <= is.Heard || len(marks) >= maxMarks) {
		marks = marks[1:]
	}
	if k.ends(is.Seq) {
		marks = marks[:len(marks)-1]
	}
	return keptState{is.Done, append(append(make([]mark, 0, len(marks)+1), marks...), mark{is.Seq, at})}
}

// text writes what another node of this version or a later one reads.
func text(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types are this package's own
	}
	return b
}
