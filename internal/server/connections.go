package server

import (
	"net"
	"net/netip"
	"sync"
)

// Bounds on open connections, in total and per address. An idle connection takes a few kilobytes.
const (
	maxConnections = 32768
	maxFromAddress = 8192
	ipv6Network    = 64 // bits of an IPv6 address that identify the network of a client
)

// boundedListener bounds the open connections, in total and per address. It closes a connection above a bound at once,
// before it reads anything.
type boundedListener struct {
	net.Listener

	maxTotal, maxPerAddress int

	mu   sync.Mutex
	open int
	from map[netip.Prefix]int
}

func bounded(ln net.Listener, total, perAddress int) *boundedListener {
	return &boundedListener{Listener: ln, maxTotal: total, maxPerAddress: perAddress, from: map[netip.Prefix]int{}}
}

// Accept returns the next connection within the bounds.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := source(conn)
		if l.add(from) {
			return &boundedConn{Conn: conn, remove: sync.OnceFunc(func() { l.remove(from) })}, nil
		}
		_ = conn.Close() // it was not used
	}
}

func (l *boundedListener) add(from netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= l.maxTotal || l.from[from] >= l.maxPerAddress {
		return false
	}
	l.open++
	l.from[from]++
	return true
}

func (l *boundedListener) remove(from netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.from[from]--; l.from[from] == 0 {
		delete(l.from, from)
	}
}

// source returns the address that a connection is counted for: an IPv4 address, or the network of an IPv6 address.
func source(conn net.Conn) netip.Prefix {
	addr, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.Prefix{}
	}
	a := addr.Addr().Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = ipv6Network
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return p
}

// boundedConn is a connection that is counted until it is closed.
type boundedConn struct {
	net.Conn

	remove func()
}

// NetConn returns the underlying connection.
func (c *boundedConn) NetConn() net.Conn { return c.Conn }

// Close closes the connection.
func (c *boundedConn) Close() error {
	c.remove()
	return c.Conn.Close()
}
