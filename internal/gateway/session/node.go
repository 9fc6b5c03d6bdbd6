package session

import (
	"context"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// NodeConfig has the dependencies and settings of a Node. All fields are required except Shared.
type NodeConfig struct {
	// Shared gives access to the sessions of all nodes. It is nil if there are no other nodes.
	Shared       Shared
	Index        *Index // the sessions of this node
	View         *View
	Bounds       *Bounds
	ResumeWindow time.Duration // how long a session can be resumed after its connection broke
	Clock        clock.Clock   // by which sessions expire
	Wall         clock.Clock   // by which nodes wait for each other
	Log          *slog.Logger
	// Release ends a session of this node that another node has now.
	Release func(*Session)
}

// Node restores sessions of other nodes and hands over its own. It is safe for concurrent use.
type Node struct {
	NodeConfig
	history

	publisher *publisher // nil: there are no other nodes
	queues    resumeQueues
}

// NewNode returns a node. It publishes the states of its sessions while it runs.
func NewNode(c NodeConfig) *Node {
	n := &Node{NodeConfig: c}
	if c.Shared != nil {
		n.publisher = newPublisher(n)
	}
	return n
}

// Run publishes the states of sessions until ctx ends, and a last time after that.
func (n *Node) Run(ctx context.Context) { n.publisher.run(ctx) }

// PublishSoon publishes the state of a session without waiting for the next interval.
func (n *Node) PublishSoon(s *Session) { n.publisher.publishSoon(s) }

// Forget deletes the shared state of a session that has ended.
func (n *Node) Forget(s *Session) { n.publisher.forget(s) }

// SendPrivate runs send, which sends events that are not in the history. Other nodes cannot count those events, so they
// learn of the send before it begins and get the new state after it.
func (n *Node) SendPrivate(ctx context.Context, s *Session, send func() error) error {
	if n.Shared == nil {
		return send()
	}
	begun := s.BeginPrivate()
	if err := n.Shared.CountPrivate(ctx, s.Session, begun); err != nil {
		n.Log.DebugContext(ctx, "private send not counted at other nodes", "err", err) // the next state contains it
	}
	err := send()
	s.EndPrivate()
	n.publisher.publishSoon(s)
	return err
}

// Queue runs fn after all earlier calls for the same session have returned.
func (n *Node) Queue(ctx context.Context, id string, fn func() error) error {
	return n.queues.do(ctx, id, fn)
}

func (n *Node) now() time.Time { return n.Clock.Now() }
