package redis

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store/events"
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

	mu    sync.Mutex
	parts []events.Partition // of the events since the last message
	many  bool               // parts is not complete

	// Heard is called for every hint of another node, with the partitions of the events; none: any. Joined is called when this node begins to listen, at the start and
	// after the connection was lost. They do not block. They are set before Run.
	Heard  func([]events.Partition)
	Joined func()
}

// maxHinted is the number of partitions in a hint. With more, all nodes read.
const maxHinted = 64

// NewHints returns the hints of a node.
func NewHints(c *Client, node string) *Hints {
	return &Hints{client: c, node: node, due: make(chan struct{}, 1)}
}

// Send tells the other nodes that there are new events of some partitions. It does not block. Calls of one moment share a
// message.
func (h *Hints) Send(list []events.Partition) {
	h.mu.Lock()
	for _, p := range list {
		switch {
		case p == events.Everyone || len(h.parts) >= maxHinted:
			h.many = true
		case !slices.Contains(h.parts, p):
			h.parts = append(h.parts, p)
		}
	}
	h.many = h.many || len(list) == 0
	h.mu.Unlock()
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
				_ = h.client.Publish(ctx, hintTopic, h.message()) // nodes read the log without a hint too
			case <-ctx.Done():
				return nil
			}
		}
	})
	g.Go(func() error {
		for ctx.Err() == nil {
			h.Joined()
			err := h.client.Listen(ctx, hintTopic, func(m []byte) {
				if node, parts := readHint(m); node != h.node {
					h.Heard(parts)
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

// message returns the next hint: the name of the node, then the partitions.
func (h *Hints) message() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := []byte(h.node)
	if !h.many {
		for _, p := range h.parts {
			m = strconv.AppendUint(append(m, ' '), uint64(p), 36)
		}
	}
	h.parts, h.many = h.parts[:0], false
	return m
}

// readHint returns the node and the partitions of a hint. A hint without partitions, also one that cannot be read, is about all
// events.
func readHint(m []byte) (node string, list []events.Partition) {
	node, rest, _ := strings.Cut(string(m), " ")
	for text := range strings.FieldsSeq(rest) {
		p, err := strconv.ParseUint(text, 36, 32)
		if err != nil {
			return node, nil
		}
		list = append(list, events.Partition(p))
	}
	return node, list
}
