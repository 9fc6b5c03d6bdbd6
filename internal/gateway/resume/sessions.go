package resume

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/events"
)

// Sessions is what nodes share of their sessions, so that a client can go on with one at another node: see
// docs/decisions/0009-resume-anywhere.md. No call waits for long; while the others cannot be reached it fails.
type Sessions interface {
	// Keep notes how sessions of this node stand and says of each what has become of it.
	Keep(ctx context.Context, list []Kept) ([]Fate, error)
	// Aside notes how often a session of this node has begun to hear what stands in no history.
	Aside(ctx context.Context, id string, begun uint64) error
	// Drop forgets sessions of this node.
	Drop(ctx context.Context, ids []string) error
	// Find returns what is kept of a session; nil: nothing.
	Find(ctx context.Context, id string) (*Found, error)
	// Take makes a session this node's if it still is the given one's, and returns how often it has heard what stands in no
	// history, this time included; 0: it is not.
	Take(ctx context.Context, id, from string, life time.Duration) (asides uint64, err error)
	// Ask has another node give up a session to a client that has heard its events up to a number. It is answered by Give
	// there.
	Ask(ctx context.Context, node, id string, seq uint64) (Answer, []byte, error)
	// After returns some of the events behind a position, in order, and fails when any of those that were there is gone.
	After(ctx context.Context, p events.Position) ([]events.Event, error)
}

// Kept is how a session stands. Its texts are the gateway's own.
type Kept struct {
	ID     string
	Who    []byte // whose it is; nil: as before
	Guilds []byte // where it is; nil: as before
	State  []byte
	Asides uint64        // how often it has begun to hear what stands in no history
	Life   time.Duration // how long its client has to come back
	Free   bool          // this node has it no longer
}

// Found is what is kept of a session, and the node that has it, empty for none.
type Found struct {
	Node               string
	Who, Guilds, State []byte
	Asides             uint64
}

// Fate is what has become of a session that was kept.
type Fate uint8

// The fates.
const (
	Remains Fate = iota + 1
	Taken        // another node has it
	Unknown      // nothing is kept of it: everything has to be told
)

// Answer is what a node says that is asked for a session.
type Answer uint8

// The answers.
const (
	Given  Answer = iota + 1
	Absent        // it does not have it
	Over          // it cannot be resumed
	Ahead         // the client has heard of no such event
	Coming        // it is on its way to that node
)
