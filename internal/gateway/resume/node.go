package resume

import (
	"context"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/gateway/session"
)

// machine is the machine's clock, by which nodes wait for each other.
var machine clock.System

// Config is what a node works with. What is not marked is required.
type Config struct {
	// Sessions is what nodes share of their sessions. It may be nil: there are no other nodes.
	Sessions Sessions
	Index    *session.Index // of the sessions that are here
	View     *session.View
	Bounds   *session.Bounds
	Keep     time.Duration // how long a session waits for its client to come back
	Time     clock.Clock   // by which sessions run out
	Log      *slog.Logger
	// Lose ends a session here that goes on at another node.
	Lose func(*session.Session)
}

// Node is this node among those that sessions move between. It is safe for concurrent use.
type Node struct {
	Config
	history

	keeper *keeper // nil: there are no other nodes
	queues queues
}

// New returns a node that tells others of its sessions once it runs.
func New(c Config) *Node {
	n := &Node{Config: c}
	if c.Sessions != nil {
		n.keeper = newKeeper(n)
	}
	return n
}

// Run tells other nodes how sessions stand until ctx ends, and then a last time, for them to go on from there.
func (n *Node) Run(ctx context.Context) { n.keeper.run(ctx) }

// Soon has it told at once how a session stands.
func (n *Node) Soon(s *session.Session) { n.keeper.soon(s) }

// Drop has a session forgotten that has ended.
func (n *Node) Drop(s *session.Session) { n.keeper.drop(s) }

// Aside lets a session hear what stands in no history. Nobody else could tell how many events that was, so that it is told
// before, and how the session stands after it.
func (n *Node) Aside(ctx context.Context, s *session.Session, do func() error) error {
	if n.Sessions == nil {
		return do()
	}
	begun := s.BeginAside()
	if err := n.Sessions.Aside(ctx, s.Session, begun); err != nil {
		n.Log.DebugContext(ctx, "other nodes were not told of events aside", "err", err) // they are with the next state
	}
	err := do()
	s.EndAside()
	n.keeper.soon(s)
	return err
}

// Queue does something about a session after all who came before have done the same.
func (n *Node) Queue(ctx context.Context, id string, do func() error) error {
	return n.queues.wait(ctx, id, do)
}

func (n *Node) now() time.Time { return n.Time.Now() }
