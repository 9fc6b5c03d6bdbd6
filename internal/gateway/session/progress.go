package session

import (
	"time"

	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/go-json-experiment/json"
)

const (
	// republishAfter is the number of events in the history after which the state of a session is published again even
	// if the session got none of them. It bounds how much history another node has to read.
	republishAfter = 1 << 15
	// maxCheckpoints bounds the checkpoints of a session.
	maxCheckpoints = 32
)

// checkpoint records that a session had received Seq events when the events up to At had been delivered.
type checkpoint struct {
	Seq uint64          `json:"s"`
	At  events.Position `json:"p"`
}

// progress is the position of a session in the event history.
type progress struct {
	Private     uint64       `json:"a,omitzero"` // completed private sends
	Checkpoints []checkpoint `json:"m"`          // in order; between them the session got only events of the history
}

// ownerRecord is the owner of a session and its options.
type ownerRecord struct {
	Owner

	Intents uint32   `json:"intents,omitzero"`
	Scopes  []string `json:"scopes,omitzero"`
}

// publishedState is the state of a session that other nodes can read.
type publishedState struct {
	progress     progress
	guildChanges uint64 // of the session when its guilds were published
	at           time.Time
	count        uint64 // events that this node had delivered
}

// next returns the state of a session to publish. It returns false if the published state is still good enough. The
// node is locked.
func (p *publisher) next(s *Session, why reason) (publishedState, SharedState, bool) {
	n := p.node
	was, known := p.published[s]
	is, here := n.Index.Snapshot(s, known, was.guildChanges)
	if !here {
		return publishedState{}, SharedState{}, false
	}
	now := n.now()
	guildsChanged := !known || was.guildChanges != is.GuildChanges
	if guildsChanged || was.progress.Private != is.PrivateDone {
		was.progress = progress{} // older checkpoints cannot be used any more
	}
	same := was.progress.endsAt(is.Seq)
	if same && why == periodic && now.Sub(was.at) < n.ResumeWindow/3 && n.count-was.count < republishAfter {
		return publishedState{}, SharedState{}, false
	}
	next := publishedState{progress: was.progress.advance(&is, n.position), guildChanges: is.GuildChanges, at: now, count: n.count}
	state := SharedState{
		ID: s.Session, Progress: marshal(next.progress), Private: is.PrivateBegun, TTL: n.ResumeWindow * 4 / 3,
		Released: why == shutdown,
	}
	switch {
	case is.Detached:
		state.TTL = max(time.Duration(is.Expires-now.UnixNano()), time.Millisecond)
	case why == shutdown:
		state.TTL = n.ResumeWindow
	}
	if !known {
		state.Owner = marshal(ownerRecord{s.Owner, s.Intents, s.Scopes})
	}
	if guildsChanged {
		state.Guilds = marshal(is.Guilds)
	}
	return next, state, true
}

// endsAt reports whether the last checkpoint has the given sequence number.
func (p *progress) endsAt(seq uint64) bool {
	return len(p.Checkpoints) > 0 && p.Checkpoints[len(p.Checkpoints)-1].Seq == seq
}

// advance returns the progress with a checkpoint for the snapshot, taken when the events up to the position had been
// delivered. It drops checkpoints that are older than what the client has acknowledged.
func (p *progress) advance(is *Snapshot, at events.Position) progress {
	list := p.Checkpoints
	for len(list) > 1 && (list[1].Seq <= is.Acked || len(list) >= maxCheckpoints) {
		list = list[1:]
	}
	if p.endsAt(is.Seq) {
		list = list[:len(list)-1]
	}
	return progress{is.PrivateDone, append(append(make([]checkpoint, 0, len(list)+1), list...), checkpoint{is.Seq, at})}
}

// marshal returns a value of this package as JSON for another node.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types are this package's own
	}
	return b
}
