package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/go-json-experiment/json"
)

// kind says what a message is about.
type kind uint8

const (
	ping    kind = iota + 1 // "promise me something; this is how far I am with yours"
	pongs                   // "I promise, as long as you are this far with mine"
	changed                 // "forget this"
	ack                     // "forgotten"
	bye                     // "I am gone"
)

// message is what nodes tell each other.
type message struct {
	Kind kind   `json:"k"`
	From string `json:"f"`

	// Nonce of a ping comes back in its pong. Epoch is the sender's in a ping; in a pong it is the receiver's, as the sender
	// knows it.
	Nonce uint64 `json:"n,omitzero"`
	Epoch uint64 `json:"e,omitzero"`
	// Applied is how far the sender of a ping is with the changes of each other node, Replaces a node that has ended.
	Applied  map[string]uint64 `json:"p,omitzero"`
	Replaces string            `json:"r,omitzero"`
	// Grant says that a pong is a promise, for whoever is as far as Seq.
	Grant bool `json:"g,omitzero"`
	// Seq numbers changes, After those that came before.
	Seq     uint64   `json:"s,omitzero"`
	After   uint64   `json:"a,omitzero"`
	Changes *Changes `json:"c,omitzero"`
}

// hear takes a message in.
func (n *Node) hear(text []byte) {
	var m message
	if err := json.Unmarshal(text, &m); err != nil || m.From == n.Name || m.From == "" {
		return // of a version that speaks differently, or this node's own
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch m.Kind {
	case ping:
		n.hearPing(&m)
	case pongs:
		n.hearPong(&m)
	case changed:
		n.hearChanges(&m)
	case ack:
		n.confirm(m.From, m.Seq)
	case bye:
		if p, known := n.peers[m.From]; known {
			n.gone[m.From] = p.until
			n.remove(m.From)
			n.settle()
			n.judge()
		}
	}
}

func (n *Node) hearPing(m *message) {
	if p, known := n.peers[m.Replaces]; known {
		n.gone[m.Replaces] = p.until
		n.remove(m.Replaces)
	}
	p, known := n.peers[m.From]
	if !known {
		delete(n.gone, m.From)
		p = &peer{changed: n.now()}
		n.peers[m.From] = p
		n.due = 0 // ask it for a promise at once
	}
	p.epoch = m.Epoch
	n.confirm(m.From, m.Applied[n.Name])
	n.pongs[m.From] = pong{m.Nonce, m.Epoch}
	n.settle()
	n.judge()
	n.rouse()
}

func (n *Node) hearPong(m *message) {
	p, known := n.peers[m.From]
	asked, ours := n.pings[m.Nonce]
	if !known || !ours {
		return
	}
	p.welcome = m.Epoch
	if m.Grant {
		if !p.known || p.applied < m.Seq { // some of its changes were lost on the way
			n.forget(&Changes{Everything: true})
			p.known, p.applied = true, m.Seq
		}
		p.pass = max(p.pass, asked+pace)
	}
	n.settle()
	n.judge()
}

func (n *Node) hearChanges(m *message) {
	if m.Changes != nil {
		n.forget(m.Changes)
	}
	p, known := n.peers[m.From]
	if !known {
		return // it has no promise of that node
	}
	if p.known && p.applied < m.After {
		n.forget(&Changes{Everything: true})
	}
	p.applied = max(p.applied, m.Seq)
	n.acks[m.From] = p.applied
	n.rouse()
}

// confirm notes how far another node is with the changes of this one.
func (n *Node) confirm(name string, seq uint64) {
	if p, known := n.peers[name]; known && seq > p.acked {
		p.acked = seq
		n.sweep()
	}
}

// batch is changes that are told together.
type batch struct {
	changes Changes
	seq     uint64
	need    map[string]time.Duration // until when the promises to those last who have not confirmed it
	done    chan struct{}            // closed when nobody can show what was before
}

// Tell sees to it that no other node shows what was before changes.
func (n *Node) Tell(ctx context.Context, c *Changes) error {
	n.mu.Lock()
	var done chan struct{}
	if len(n.peers) == 0 {
		n.seq++ // whoever comes later learns of it
	} else {
		if n.batch == nil {
			n.batch = &batch{done: make(chan struct{})}
		}
		n.batch.changes.add(c)
		done = n.batch.done
		n.rouse()
	}
	n.mu.Unlock()
	if done != nil {
		began := n.now()
		select {
		case <-done: // not longer than a promise lasts
		case <-n.ended:
			return fmt.Errorf("%w: this node has left the others", store.ErrUnavailable)
		}
		n.waited.Observe((n.now() - began).Seconds())
	}
	if err := n.Joined(ctx); err != nil {
		return fmt.Errorf("wait until the other nodes know this one: %w", err)
	}
	return nil
}

// sweep ends the wait for batches that nobody has to confirm any more.
func (n *Node) sweep() {
	now, kept := n.now(), n.sent[:0]
	for _, b := range n.sent {
		for name, grant := range b.need {
			if p, known := n.peers[name]; grant <= now || known && p.acked >= b.seq {
				delete(b.need, name)
			}
		}
		if len(b.need) > 0 {
			kept = append(kept, b)
			continue
		}
		close(b.done)
	}
	clear(n.sent[len(kept):])
	n.sent = kept
}

// distrust stops this node's promises for as long as a unit of work may yet come to its end of which nobody knows whether it
// was kept.
func (n *Node) distrust() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.doubt = n.now() + Life
	n.forgetEverywhere()
}

// forgetEverywhere has everything forgotten, without waiting for it.
func (n *Node) forgetEverywhere() {
	everything := &Changes{Everything: true}
	n.forget(everything)
	if n.batch == nil {
		n.batch = &batch{done: make(chan struct{})}
	}
	n.batch.changes.add(everything)
	n.judge()
	n.rouse()
}
