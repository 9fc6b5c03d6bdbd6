package engines

import (
	"bytes"
	"context"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy forwards TCP connections to a server. It can delay, discard or cut what it forwards.
type Proxy struct {
	ln     net.Listener
	dial   func() (net.Conn, error)
	target atomic.Pointer[string]
	cancel context.CancelFunc
	done   <-chan struct{} // closed when the proxy is closed
	work   sync.WaitGroup

	delay     atomic.Int64
	swallow   atomic.Bool
	next      atomic.Pointer[plannedFault]
	happened  chan struct{}
	forwarded atomic.Int64

	mu    sync.Mutex
	links map[*link]struct{}
}

// Fault is the moment at which a connection is cut.
type Fault int32

// The faults. A client sends a batch of statements in one write.
const (
	NoFault   Fault = iota
	CutBefore       // the server gets nothing
	CutWithin       // the server gets the first half
	CutAfter        // the server gets everything and answers, and the client gets nothing
)

// plannedFault happens when a client sends data that contains a marker.
type plannedFault struct {
	fault  Fault
	marker []byte
}

// link is a connection through the proxy.
type link struct {
	client, server net.Conn
	dead           atomic.Bool // bytes were discarded, so later ones are discarded too
	cut            atomic.Bool // the next bytes from the server cut the connection
}

// StartProxy listens on a free port and forwards to an address. The caller closes it.
func StartProxy(ctx context.Context, target string) (*Proxy, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{ln: ln, links: map[*link]struct{}{}, happened: make(chan struct{}, 1)}
	ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	p.dial = func() (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", *p.target.Load())
	}
	p.Retarget(target)
	p.done = ctx.Done()
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

// Delay delays everything in both directions, so that a round trip takes 2d longer.
func (p *Proxy) Delay(d time.Duration) { p.delay.Store(int64(d)) }

// Swallow makes the proxy accept bytes and connections and discard everything, as a network that loses all packets.
// Connections that have lost bytes remain unusable when it is turned off.
func (p *Proxy) Swallow(on bool) { p.swallow.Store(on) }

// Retarget makes new connections go to another address.
func (p *Proxy) Retarget(target string) { p.target.Store(&target) }

// Fail cuts the connection on which a client sends data next. The returned channel gets a value when that has happened.
func (p *Proxy) Fail(f Fault) <-chan struct{} { return p.FailOn(f, "") }

// FailOn is Fail for the next data that contains a text. NoFault takes a planned fault back.
func (p *Proxy) FailOn(f Fault, text string) <-chan struct{} {
	p.next.Store(&plannedFault{f, []byte(text)})
	return p.happened
}

// Writes returns how many times clients have sent data.
func (p *Proxy) Writes() int64 { return p.forwarded.Load() }

// Cut closes all connections. New ones work.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.close()
	}
}

// Kill makes all connections discard bytes from now on. New ones work.
func (p *Proxy) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.dead.Store(true)
	}
}

// Close closes the proxy and its connections.
func (p *Proxy) Close() error {
	err := p.ln.Close()
	p.cancel()
	p.Cut()
	p.work.Wait()
	return err
}

func (l *link) close() {
	_ = l.client.Close() // the connection is given up
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
	server, err := p.dial()
	if err != nil {
		_ = client.Close() // the client sees that the server does not answer
		return
	}
	l := &link{client: client, server: server}
	p.mu.Lock()
	p.links[l] = struct{}{}
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.forward(l, client, server, p.fault) })
	both.Go(func() { p.forward(l, server, client, answered) })
	select {
	case <-p.done: // the proxy was closed meanwhile
		l.close()
	default:
	}
	both.Wait()
	p.mu.Lock()
	delete(p.links, l)
	p.mu.Unlock()
}

// chunk is some bytes and when to forward them.
type chunk struct {
	data []byte
	at   time.Time
}

// forward copies from one side to the other. before gets the data and returns what to forward; nil closes the
// connection.
func (p *Proxy) forward(l *link, from, to net.Conn, before func(*link, []byte) []byte) {
	defer l.close()
	chunks := make(chan chunk, 1024)
	var writer sync.WaitGroup
	defer writer.Wait()
	defer close(chunks)
	writer.Go(func() {
		for next := range chunks {
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
		chunks <- chunk{data, time.Now().Add(time.Duration(p.delay.Load()))}
	}
}

// fault applies the fault that Fail has set.
func (p *Proxy) fault(l *link, data []byte) []byte {
	p.forwarded.Add(1)
	f := p.next.Load()
	if f == nil || f.fault == NoFault || !bytes.Contains(data, f.marker) || !p.next.CompareAndSwap(f, nil) {
		return data
	}
	p.happened <- struct{}{}
	switch f.fault {
	case CutBefore:
		return nil
	case CutWithin:
		_, _ = l.server.Write(data[:len(data)/2]) // the connection is closed anyway
		return nil
	default:
		l.cut.Store(true)
		return data
	}
}

// answered discards the server's answer on a connection that is to be cut.
func answered(l *link, data []byte) []byte {
	if l.cut.Load() {
		return nil
	}
	return data
}
