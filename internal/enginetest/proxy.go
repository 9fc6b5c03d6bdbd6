package enginetest

import (
	"context"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy forwards TCP connections to a server. It can delay, swallow or cut what it forwards.
type Proxy struct {
	target string
	ln     net.Listener
	ctx    context.Context //nolint:containedctx // ends with the proxy
	cancel context.CancelFunc
	work   sync.WaitGroup

	delay     atomic.Int64
	swallow   atomic.Bool
	next      atomic.Int32 // Fault
	happened  chan struct{}
	forwarded atomic.Int64

	mu    sync.Mutex
	links map[*link]struct{}
}

// Fault is where a connection is cut that a client sends data on.
type Fault int32

// The faults. A client sends a batch of statements in one piece.
const (
	NoFault   Fault = iota
	CutBefore       // the server gets nothing
	CutWithin       // the server gets the first half
	CutAfter        // the server gets everything and answers, and the client gets nothing
)

// link is a connection through the proxy.
type link struct {
	client, server net.Conn
	dead           atomic.Bool // bytes were swallowed, so no later ones make sense
	cut            atomic.Bool // the next bytes from the server cut the connection
}

// StartProxy listens on a port of its own and forwards to an address. The caller closes it.
func StartProxy(ctx context.Context, target string) (*Proxy, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{target: target, ln: ln, links: map[*link]struct{}{}, happened: make(chan struct{}, 1)}
	p.ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	p.work.Go(p.accept)
	return p, nil
}

// Addr returns the address that the proxy listens on.
func (p *Proxy) Addr() string { return p.ln.Addr().String() }

// URL returns a URL with the host of the proxy in place of its own.
func (p *Proxy) URL(of string) (string, error) {
	u, err := url.Parse(of)
	if err != nil {
		return "", err
	}
	u.Host = p.Addr()
	return u.String(), nil
}

// Delay holds back everything in both directions: a round trip takes twice as long.
func (p *Proxy) Delay(d time.Duration) { p.delay.Store(int64(d)) }

// Swallow makes the proxy accept bytes and connections and forward nothing, as a network does that loses all packets.
// Connections that have lost bytes stay so when it is turned off.
func (p *Proxy) Swallow(on bool) { p.swallow.Store(on) }

// Fail cuts the connection that a client sends data on next. The returned channel gets a value when that has happened.
func (p *Proxy) Fail(f Fault) <-chan struct{} {
	p.next.Store(int32(f))
	return p.happened
}

// Pieces returns how many times clients have sent data.
func (p *Proxy) Pieces() int64 { return p.forwarded.Load() }

// Cut ends all connections. New ones work.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.close()
	}
}

// Kill makes all connections swallow bytes from now on. New ones work.
func (p *Proxy) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.dead.Store(true)
	}
}

// Close ends the proxy with its connections.
func (p *Proxy) Close() error {
	err := p.ln.Close()
	p.cancel()
	p.Cut()
	p.work.Wait()
	return err
}

func (l *link) close() {
	_ = l.client.Close() // there is nothing left to lose
	_ = l.server.Close()
}

func (p *Proxy) accept() {
	for {
		client, err := p.ln.Accept()
		if err != nil {
			return
		}
		p.work.Go(func() { p.serve(client) })
	}
}

func (p *Proxy) serve(client net.Conn) {
	var d net.Dialer
	server, err := d.DialContext(p.ctx, "tcp", p.target)
	if err != nil {
		_ = client.Close() // the client sees that the server is away
		return
	}
	l := &link{client: client, server: server}
	p.mu.Lock()
	p.links[l] = struct{}{}
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.forward(l, client, server, p.fault) })
	both.Go(func() { p.forward(l, server, client, answered) })
	if p.ctx.Err() != nil { // it was closed in the meantime
		l.close()
	}
	both.Wait()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// piece is some bytes and when to forward them.
type piece struct {
	data []byte
	at   time.Time
}

// forward copies from one side to the other. before sees each piece and returns what to forward of it.
func (p *Proxy) forward(l *link, from, to net.Conn, before func(*link, []byte) []byte) {
	defer l.close()
	pieces := make(chan piece, 1024)
	var writer sync.WaitGroup
	defer writer.Wait()
	defer close(pieces)
	writer.Go(func() {
		for next := range pieces {
			time.Sleep(time.Until(next.at))
			if _, err := to.Write(next.data); err != nil {
				l.close()
			}
		}
	})
	buf := make([]byte, 256<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		if p.swallow.Load() {
			l.dead.Store(true)
		}
		if l.dead.Load() {
			continue
		}
		data := before(l, append([]byte{}, buf[:n]...))
		if data == nil {
			return
		}
		pieces <- piece{data, time.Now().Add(time.Duration(p.delay.Load()))}
	}
}

// fault makes the fault happen that Fail has asked for.
func (p *Proxy) fault(l *link, data []byte) []byte {
	p.forwarded.Add(1)
	f := Fault(p.next.Swap(int32(NoFault)))
	if f == NoFault {
		return data
	}
	p.happened <- struct{}{}
	switch f {
	case CutBefore:
		return nil
	case CutWithin:
		_, _ = l.server.Write(data[:len(data)/2]) // the connection ends now anyway
		return nil
	default:
		l.cut.Store(true)
		return data
	}
}

// answered drops the answer of a server on a connection that is to be cut.
func answered(l *link, data []byte) []byte {
	if l.cut.Load() {
		return nil
	}
	return data
}
