package gateway_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// link carries connections to a gateway as a bad network does. What happens follows from a seed, but for how the machine
// cuts what is sent into pieces.
type link struct {
	ln  net.Listener
	to  string          // host and port of the gateway
	ctx context.Context //nolint:containedctx // of its workers, which end with the test

	workers sync.WaitGroup

	mu     sync.Mutex
	random *rand.Rand
	conns  []net.Conn
	faults map[fault]int // how often each has happened
}

// fault is what a link does to a piece of what it carries.
type fault int

const (
	pass    fault = iota
	late          // carried after a while
	halved        // carried in two parts, the second after a while
	swallow       // it and everything behind it vanishes in this direction, while the connection stays
	freeze        // nothing is taken off the sender any more, while the connection stays
	cut           // the connection ends in the middle of it
	reset         // the same, without a goodbye of the transport
)

// likely says how often each fault happens among a thousand pieces. The rest pass.
var likely = []struct {
	fault fault
	per   int
}{{late, 50}, {halved, 100}, {swallow, 15}, {freeze, 15}, {cut, 30}, {reset, 30}}

// maxPiece is how much a link takes off a sender at once.
const maxPiece = 1024

// newLink carries connections to a stage until the test ends.
func newLink(t *testing.T, s *stage, seed uint64) *link {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	to, _, _ := strings.Cut(strings.TrimPrefix(s.url, "ws://"), "/")
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	l := &link{ln: ln, to: to, ctx: ctx, random: rand.New(rand.NewPCG(seed, 0)), faults: map[fault]int{}}
	l.workers.Go(l.accept)
	t.Cleanup(func() {
		cancel()
		_ = ln.Close()
		l.close()
		l.workers.Wait()
	})
	return l
}

func (l *link) accept() {
	for {
		in, err := l.ln.Accept()
		if err != nil {
			return
		}
		out, err := new(net.Dialer).DialContext(l.ctx, "tcp", l.to)
		if err != nil {
			_ = in.Close()
			continue
		}
		l.mu.Lock()
		l.conns = append(l.conns, in, out)
		l.mu.Unlock()
		l.workers.Go(func() { l.carry(in, out) })
		l.workers.Go(func() { l.carry(out, in) })
	}
}

// carry carries one direction of a connection.
func (l *link) carry(from, to net.Conn) {
	for {
		room, f, share := l.decide()
		piece := make([]byte, room)
		n, err := from.Read(piece)
		if err != nil {
			_ = to.Close()
			return
		}
		piece = piece[:n]
		part := int(share * float64(n))
		switch f {
		case pass:
			_, err = to.Write(piece)
		case late:
			l.rest()
			_, err = to.Write(piece)
		case halved:
			_, _ = to.Write(piece[:part])
			l.rest()
			_, err = to.Write(piece[part:])
		case swallow:
			_, _ = io.Copy(io.Discard, from) // until somebody gives up
			return
		case freeze:
			<-l.ctx.Done()
			return
		case cut, reset:
			_, _ = to.Write(piece[:part])
			for _, c := range []net.Conn{from, to} {
				if f == reset {
					_ = c.(*net.TCPConn).SetLinger(0)
				}
				_ = c.Close()
			}
			return
		}
		if err != nil {
			_ = from.Close()
			return
		}
	}
}

// decide returns how much is taken off the sender at once, what happens to it, and at which share of it.
func (l *link) decide() (room int, f fault, share float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	dice := l.random.IntN(1000)
	for _, f := range likely {
		if dice -= f.per; dice < 0 {
			l.faults[f.fault]++
			return 1 + l.random.IntN(maxPiece), f.fault, l.random.Float64()
		}
	}
	return 1 + l.random.IntN(maxPiece), pass, 0
}

// tally says how often each fault has happened so far.
func (l *link) tally() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprint(l.faults)
}

// rest waits as long as a retransmission takes here.
func (l *link) rest() { clock.Wait(l.ctx, clock.System{}, 5*time.Millisecond) }

func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		_ = c.Close()
	}
}
