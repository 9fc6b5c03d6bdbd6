package cluster

import (
	"context"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"
)

// look is how often promises that have ended are looked for.
const look = 50 * time.Millisecond

// Run talks to the other nodes until ctx ends. It is called once.
func (n *Node) Run(ctx context.Context) error {
	defer close(n.ended)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		n.listen(ctx)
		return nil
	})
	g.Go(func() error {
		for ctx.Err() == nil {
			n.flush(ctx)
			n.idle(ctx)
		}
		return nil
	})
	g.Go(func() error {
		for ctx.Err() == nil {
			clock.Wait(ctx, clock.System{}, look)
			n.mu.Lock()
			n.sweep()
			n.mu.Unlock()
		}
		return nil
	})
	return g.Wait()
}

// Leave tells the others that this node is gone. It writes nothing any more.
func (n *Node) Leave(ctx context.Context) {
	n.publish(ctx, "", &message{Kind: bye})
}

// listen hears what others say, also after the connection was lost.
func (n *Node) listen(ctx context.Context) {
	for ctx.Err() == nil {
		err := n.Channel.Listen(ctx, n.Name, n.hear)
		if ctx.Err() != nil {
			return
		}
		n.lost.Inc()
		n.Log.WarnContext(ctx, "channel between nodes lost", "err", err)
		clock.Wait(ctx, clock.System{}, beat)
	}
}

// idle waits until there is something to say.
func (n *Node) idle(ctx context.Context) {
	n.mu.Lock()
	wait := n.due - n.now()
	n.mu.Unlock()
	if wait <= 0 {
		return
	}
	passed := make(chan struct{})
	t := clock.System{}.AfterFunc(wait, func() { close(passed) })
	defer t.Stop()
	select {
	case <-n.wake:
	case <-passed:
	case <-ctx.Done():
	}
}

// outgoing is a message and who it is for.
type outgoing struct {
	to string
	message
}

// flush says everything that is to be said. Changes go before promises, which speak of them.
func (n *Node) flush(ctx context.Context) {
	n.mu.Lock()
	now := n.now()
	if n.doubt != 0 && now >= n.doubt {
		n.doubt = 0
		n.forgetEverywhere() // what was read in the meantime may be from before the end
	}
	var out []outgoing
	if b := n.batch; b != nil {
		n.batch = nil
		n.seq++
		b.seq, b.need = n.seq, map[string]time.Duration{}
		for name, p := range n.peers {
			if p.grant > now {
				b.need[name] = p.grant
			}
		}
		n.sent = append(n.sent, b)
		n.sweep()
		out = append(out, outgoing{message: message{Kind: changed, Seq: b.seq, After: b.seq - 1, Changes: &b.changes}})
	}
	for name, seq := range n.acks {
		out = append(out, outgoing{name, message{Kind: ack, Seq: seq}})
	}
	clear(n.acks)
	for name, a := range n.pongs {
		m := message{Kind: pongs, Nonce: a.nonce, Epoch: a.epoch}
		if p, known := n.peers[name]; known && n.doubt == 0 {
			p.grant = now + promise
			m.Grant, m.Seq = true, n.seq
		}
		out = append(out, outgoing{name, m})
	}
	clear(n.pongs)
	if now >= n.due {
		n.due = now + beat
		out = append(out, outgoing{message: n.ping(now)})
	}
	n.mu.Unlock()
	for i := range out {
		n.publish(ctx, out[i].to, &out[i].message)
	}
}

// ping returns a request for promises.
func (n *Node) ping(now time.Duration) message {
	n.nonce++
	for nonce, asked := range n.pings {
		if now-asked > promise {
			delete(n.pings, nonce)
		}
	}
	n.pings[n.nonce] = now
	m := message{Kind: ping, Nonce: n.nonce, Epoch: n.epoch, Replaces: n.Replaces, Applied: make(map[string]uint64, len(n.peers))}
	for name, p := range n.peers {
		m.Applied[name] = p.applied
	}
	return m
}

func (n *Node) publish(ctx context.Context, to string, m *message) {
	m.From = n.Name
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // the types are this package's own
	}
	if err := n.Channel.Publish(ctx, to, text); err != nil && ctx.Err() == nil {
		n.unsent.Inc()
	}
}
