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
)

// link forwards connections to a gateway like a bad network. A seed decides what happens, except how the system splits
// data into reads.
type link struct {
	ln      net.Listener
	dial    func() (net.Conn, error) // connects to the gateway
	done    <-chan struct{}          // closed when the test ends
	workers sync.WaitGroup

	mu     sync.Mutex
	random *rand.Rand
	conns  []net.Conn
	faults map[fault]int // how often each fault has happened
}

// fault is a way in which a link treats a piece of data.
type fault int

const (
	pass    fault = iota
	late          // forwarded after a delay
	halved        // forwarded in two parts, the second after a delay
	swallow       // this and all later data of this direction is lost, the connection stays open
	freeze        // nothing more is read from the sender, the connection stays open
	cut           // the connection is closed in the middle of it
	reset         // the same, with a TCP reset
)

// likely is the number of times that each fault happens among a thousand pieces.
var likely = []struct {
	fault fault
	per   int
}{{late, 50}, {halved, 100}, {swallow, 15}, {freeze, 15}, {cut, 30}, {reset, 30}}

// maxPiece bounds how much a link reads at once.
const maxPiece = 1024

// newLink forwards connections to a gateway until the test ends.
func newLink(t *testing.T, s *harness, seed uint64) *link {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	to, _, _ := strings.Cut(strings.TrimPrefix(s.url, "ws://"), "/")
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	dial := func() (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", to) }
	l := &link{ln: ln, dial: dial, done: ctx.Done(), random: rand.New(rand.NewPCG(seed, 0)), faults: map[fault]int{}}
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
		out, err := l.dial()
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

// carry forwards one direction of a connection.
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
			l.wait()
			_, err = to.Write(piece)
		case halved:
			_, _ = to.Write(piece[:part])
			l.wait()
			_, err = to.Write(piece[part:])
		case swallow:
			_, _ = io.Copy(io.Discard, from) // until one side closes the connection
			return
		case freeze:
			<-l.done
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

// decide returns how much is read at once, what happens to it, and at which share of it.
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

// faultCounts returns how often each fault has happened.
func (l *link) faultCounts() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprint(l.faults)
}

// wait waits as long as a retransmission takes.
func (l *link) wait() {
	select {
	case <-l.done:
	case <-time.After(5 * time.Millisecond):
	}
}

func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		_ = c.Close()
	}
}
