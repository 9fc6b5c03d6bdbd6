package session

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/store/events"
)

// Shared gives access to the sessions of all nodes, so that a client can resume at another node: see
// docs/decisions, number 9. Every call has a short deadline and fails while the other nodes cannot be
// reached.
type Shared interface {
	// Put stores the states of sessions of this node and returns a result for each.
	Put(ctx context.Context, list []SharedState) ([]PutResult, error)
	// CountPrivate stores the number of private sends that a session of this node has begun.
	CountPrivate(ctx context.Context, id string, begun uint64) error
	// Delete deletes sessions of this node.
	Delete(ctx context.Context, ids []string) error
	// Find returns a stored session, or nil.
	Find(ctx context.Context, id string) (*StoredSession, error)
	// Claim makes this node the owner of a session if it belongs to the node from. It counts a private send and returns
	// the number of private sends, or 0 if the session belongs to another node.
	Claim(ctx context.Context, id, from string, ttl time.Duration) (private uint64, err error)
	// RequestHandover asks a node to hand over a session whose client has received its events up to seq. Node.HandOver
	// answers there.
	RequestHandover(ctx context.Context, node, id string, seq uint64) (HandoverResult, []byte, error)
	// EventsAfter returns some of the events of partitions after a position, in order. The last event may only contain the
	// position up to which there are no others. It fails if an event after the position was dropped.
	EventsAfter(ctx context.Context, p events.Position, list []events.Partition) ([]events.Event, error)
}

// SharedState is the state of a session that Put stores. Owner, Guilds and Progress are JSON.
type SharedState struct {
	ID       string
	Owner    []byte // nil: unchanged
	Guilds   []byte // nil: unchanged
	Progress []byte
	Private  uint64        // private sends that have begun
	TTL      time.Duration // how long the session can be resumed
	Released bool          // the session no longer belongs to this node
}

// StoredSession is a session as Find returns it. Node is empty if it belongs to no node.
type StoredSession struct {
	Node                    string
	Owner, Guilds, Progress []byte
	Private                 uint64
}

// PutResult is the result of Put for one session.
type PutResult uint8

// The results of Put.
const (
	Stored    PutResult = iota + 1
	TakenOver           // the session belongs to another node now
	NotStored           // nothing is stored about the session: the whole state is needed
)

// HandoverResult is the answer of a node that was asked for a session.
type HandoverResult uint8

// The answers.
const (
	HandedOver      HandoverResult = iota + 1
	NotHere                        // the node does not have the session
	Ended                          // the session cannot be resumed
	InvalidSequence                // the sequence number was never sent
	Moving                         // the node is restoring the session, or has just handed it over
)
