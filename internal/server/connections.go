package server

import (
	"net"
	"net/netip"
	"sync"
)

// Bounds on open connections: in all, and from one address. An idle one costs a few kilobytes and is closed in time.
const (
	maxConnections   = 32768
	maxFromAddress   = 8192
	ipv6Conversation = 64 // bits of an IPv6 address that its owner does not choose
)

// boundedListener accepts no more connections than it was told, in all and from one address. One too many is closed at
// once, before anything is read from it.
type boundedListener struct {
	net.Listener

	all, each int

	mu   sync.Mutex
	open int
	from map[netip.Prefix]int
}

func bounded(ln net.Listener, all, each int) *boundedListener {
	return &boundedListener{Listener: ln, all: all, each: each, from: map[netip.Prefix]int{}}
}

// Accept returns the next connection that there is room for.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := source(conn)
		if l.enter(from) {
			return &boundedConn{Conn: conn, leave: sync.OnceFunc(func() { l.leave(from) })}, nil
		}
		_ = conn.Close() // it was never used
	}
}

func (l *boundedListener) enter(from netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= l.all || l.from[from] >= l.each {
		return false
	}
	l.open++
	l.from[from]++
	return true
}

func (l *boundedListener) leave(from netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.from[from]--; l.from[from] == 0 {
		delete(l.from, from)
	}
}

// source returns who a connection is counted for: an IPv4 address, or the network of an IPv6 one.
func source(conn net.Conn) netip.Prefix {
	addr, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.Prefix{}
	}
	a := addr.Addr().Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = ipv6Conversation
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}

// boundedConn gives its place back when it is closed.
type boundedConn struct {
	net.Conn

	leave func()
}

// NetConn returns the connection itself.
func (c *boundedConn) NetConn() net.Conn { return c.Conn }

// Close closes the connection.
func (c *boundedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
