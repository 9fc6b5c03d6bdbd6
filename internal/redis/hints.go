package redis

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/clock"
	"golang.org/x/sync/errgroup"
)

// hintTopic is the topic of hints.
const hintTopic = "events"

// Hints tells nodes that there are new events in the log of PostgreSQL, so that they read them at once. A hint that is
// lost delays events, because nodes read the log at intervals too.
type Hints struct {
	client *Client
	node   string // the name of this node
	due    chan struct{}

	// Heard is called for every hint of another node. Joined is called when this node begins to listen, at the start and
	// after the connection was lost. They do not block. They are set before Run.
	Heard, Joined func()
}

// NewHints returns the hints of a node.
func NewHints(c *Client, node string) *Hints {
	return &Hints{client: c, node: node, due: make(chan struct{}, 1)}
}

// Send tells the other nodes that there are new events. It does not block. Calls of one moment share a message.
func (h *Hints) Send() {
	select {
	case h.due <- struct{}{}:
	default:
	}
}

// Run sends and receives hints until ctx ends.
func (h *Hints) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		for {
			select {
			case <-h.due:
				_ = h.client.Publish(ctx, hintTopic, []byte(h.node)) // nodes read the log without a hint too
			case <-ctx.Done():
				return nil
			}
		}
	})
	g.Go(func() error {
		for ctx.Err() == nil {
			h.Joined()
			err := h.client.Listen(ctx, hintTopic, func(m []byte) {
				if string(m) != h.node {
					h.Heard()
				}
			})
			if ctx.Err() == nil && !errors.Is(err, errNotConnected) {
				h.client.log.WarnContext(ctx, "hints about events interrupted", "err", err)
			}
			clock.Wait(ctx, h.client.clock, connectPoll)
		}
		return nil
	})
	return g.Wait()
}
