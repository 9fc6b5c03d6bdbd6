// Package cluster keeps what several nodes hold in memory exact. A node shows what it holds only while every other node
// has promised to have it forgotten before acknowledging a write: see docs/decisions/0007-many-nodes.md. The promises
// are short and renewed all the time; messages may be lost, delayed or doubled, and nodes and their channel may fail at
// any moment, without anybody ever seeing what is out of date. It costs speed alone: what cannot be shown is read from
// the store.
package cluster

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

const (
	// promise is how long a node keeps its promise to another, beat how often promises are renewed. pace is how much of a
	// promise is believed: clocks of different machines do not run equally fast.
	promise = 1500 * time.Millisecond
	pace    = 1350 * time.Millisecond
	beat    = 300 * time.Millisecond
	// Life is how long a node is taken for alive that does not renew its record in the store, and how long a node believes
	// that it knows who else is there.
	Life = 20 * time.Second
	// longGone is how far in the past the end of a record lies whose node is dead on the first look, clocks that differ
	// allowed for.
	longGone = time.Minute
)

// Channel carries messages between nodes. It may lose them, but does not change their order.
type Channel interface {
	// Publish sends a message to the node of that name, or with an empty name to all. It does not wait for long.
	Publish(ctx context.Context, to string, message []byte) error
	// Listen calls hear for every message to a node or to all, until the connection is lost or ctx ends.
	Listen(ctx context.Context, name string, hear func(message []byte)) error
}

// Config is what a node works with. What is not marked is required.
type Config struct {
	// Name is that of this process. It is never used twice.
	Name string
	// Replaces names a process that is known to have ended. It may be empty.
	Replaces string
	Channel  Channel
	Log      *slog.Logger
	// Forget drops what is held in memory of what others have changed.
	Forget func(*Changes)
}

// Node is this process among others. It is safe for concurrent use.
type Node struct {
	Config

	ended chan struct{} // closed when Run returns
	start time.Time     // times are told by their distance to it
	open  atomic.Int64  // until when what is held in memory can be shown

	mu     sync.Mutex
	peers  map[string]*peer
	gone   map[string]time.Time // the end in the records of nodes that are dead, by their names
	epoch  uint64               // rises when this node has to be known anew
	lease  time.Duration        // until when others take this node for alive, and it knows who they are
	doubt  time.Duration        // until when no promises are made
	joined chan struct{}        // closed when all others know this node; another one after each epoch
	seq    uint64               // of the newest changes that were sent
	batch  *batch               // of changes that are to be sent; nil: none
	sent   []*batch             // that others have not confirmed yet
	pings  map[uint64]time.Duration
	nonce  uint64
	acks   map[string]uint64 // to be sent
	pongs  map[string]pong   // to be sent
	due    time.Duration     // when to ask for promises again
	wake   chan struct{}     // holds one

	numbers
}

// peer is another node.
type peer struct {
	epoch   uint64        // of its ping
	until   time.Time     // the end in its record
	changed time.Duration // when that was first seen
	seen    uint64        // the epoch of this node in which it was
	welcome uint64        // the epoch of this node that it knows
	known   bool          // applied means something
	applied uint64        // the newest of its changes that are forgotten here
	pass    time.Duration // until when its promise is believed
	grant   time.Duration // until when it has a promise of this node
	acked   uint64        // the newest changes of this node that it has confirmed
}

// pong is an answer that is to be sent.
type pong struct{ nonce, epoch uint64 }

// New returns a node that knows nobody yet.
func New(c Config) *Node {
	return &Node{
		Config: c, start: clock.System{}.Now(), peers: map[string]*peer{}, gone: map[string]time.Time{}, epoch: 1,
		joined: make(chan struct{}), ended: make(chan struct{}), pings: map[uint64]time.Duration{}, acks: map[string]uint64{}, pongs: map[string]pong{},
		wake: make(chan struct{}, 1), numbers: newNumbers(),
	}
}

func (n *Node) now() time.Duration { return clock.System{}.Now().Sub(n.start) }

// Fresh reports whether what is held in memory can be shown.
func (n *Node) Fresh() bool { return int64(n.now()) < n.open.Load() }

// Peers returns how many other nodes there are.
func (n *Node) Peers() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.peers)
}

// judge works out until when what is held can be shown.
func (n *Node) judge() {
	open := n.lease
	if n.doubt != 0 {
		open = 0
	}
	for _, p := range n.peers {
		open = min(open, p.pass)
	}
	n.open.Store(int64(open))
}

// Renewed notes that the record of this node was renewed by a unit of work that began at a moment, and which records it has
// found beside it.
func (n *Node) Renewed(began time.Time, records []store.Node) {
	n.mu.Lock()
	defer n.mu.Unlock()
	at, now := began.Sub(n.start), n.now()
	if n.lease < now && n.lease != 0 { // the others have lost sight of this node
		n.rejoin()
	}
	n.lease = at + Life
	there := map[string]bool{}
	for _, r := range records {
		if r.Holder != n.Name && n.alive(r, began, now) {
			there[r.Holder] = true
		}
	}
	for name := range n.peers {
		if !there[name] {
			n.remove(name)
		}
	}
	n.settle()
	n.judge()
	n.rouse()
}

// alive reports whether the node of a record may be alive, and makes it a peer.
func (n *Node) alive(r store.Node, began time.Time, now time.Duration) bool {
	if end, dead := n.gone[r.Holder]; dead && end.Equal(r.Until) {
		return false
	}
	p, known := n.peers[r.Holder]
	if r.Holder == n.Replaces || !known && began.Sub(r.Until) > longGone {
		n.gone[r.Holder] = r.Until
		return false
	}
	if !known {
		p = &peer{}
		n.peers[r.Holder] = p
	}
	if !p.until.Equal(r.Until) {
		if p.seen == n.epoch { // renewed since, and who renews a record looks at all of them
			p.welcome = n.epoch
		}
		p.until, p.changed, p.seen = r.Until, now, n.epoch
	}
	if now-p.changed > Life {
		n.gone[r.Holder] = r.Until
		return false
	}
	return true
}

// remove notes that a node is dead or has left. Nobody knows what it has written at the end.
func (n *Node) remove(name string) {
	delete(n.peers, name)
	n.forget(&Changes{Everything: true})
}

func (n *Node) forget(c *Changes) {
	if c.Everything {
		n.swept.Inc()
	}
	n.Forget(c)
}

// rejoin makes this node unknown to all others.
func (n *Node) rejoin() {
	n.epoch++
	select {
	case <-n.joined:
		n.joined = make(chan struct{})
	default:
	}
}

// settle looks whether all others know this node.
func (n *Node) settle() {
	if n.now() >= n.lease {
		return
	}
	for _, p := range n.peers {
		if p.welcome != n.epoch {
			return
		}
	}
	select {
	case <-n.joined:
	default:
		close(n.joined)
	}
}

// Joined waits until all others know this node. Before that it acknowledges no write.
func (n *Node) Joined(ctx context.Context) error {
	for {
		n.mu.Lock()
		joined, valid := n.joined, n.now() < n.lease
		n.mu.Unlock()
		if !valid { // until the record is renewed
			clock.Wait(ctx, clock.System{}, beat)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue
		}
		select {
		case <-joined:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (n *Node) rouse() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}
