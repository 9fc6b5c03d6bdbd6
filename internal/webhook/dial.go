package webhook

import (
	"context"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// Resolver finds the addresses of a name. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// maxTried is how many addresses of a name are tried.
const maxTried = 4

// dialer connects to addresses that the policy permits, and to no others.
type dialer struct {
	policy   *Policy
	resolver Resolver
	connect  func(ctx context.Context, network, address string) (net.Conn, error)
	life     *life
	open     atomic.Int64 // connections
}

// checked returns a net.Dialer that looks at the address once more when the socket exists and is not yet connected.
func checked(p *Policy) *net.Dialer {
	return &net.Dialer{
		KeepAlive: 15 * time.Second,
		Control: func(_, address string, _ syscall.RawConn) error {
			ap, err := netip.ParseAddrPort(address)
			if err != nil || !p.permits(ap.Addr()) {
				return &Error{Kind: Blocked}
			}
			return nil
		},
	}
}

// dial resolves the name in address once, judges every address that it has and connects to the first that answers. It
// may run longer than the delivery that asked for it: another one can use the connection.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.policy.Connect)
	defer cancel()
	t, alive := d.life.begin(cancel)
	if !alive {
		return nil, ErrClosed
	}
	defer t.end()
	targets, err := d.resolve(ctx, address)
	if err != nil {
		return nil, err
	}
	c, err := d.try(ctx, network, targets)
	if err != nil {
		return nil, err
	}
	return d.keep(c)
}

// resolve returns the addresses behind a host and port. One that may not be called condemns all: no honest name has
// both kinds.
func (d *dialer) resolve(ctx context.Context, address string) ([]netip.AddrPort, error) {
	host, service, _ := net.SplitHostPort(address)  // made by package net/http
	port, err := strconv.ParseUint(service, 10, 16) // as the URL has it, or the scheme's own
	if err != nil {
		return nil, badURL("port is not allowed")
	}
	found, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, &Error{Kind: Connection, Detail: "the name has no address"}
	}
	targets := make([]netip.AddrPort, 0, len(found))
	for _, a := range found {
		if !d.policy.permits(a) {
			return nil, &Error{Kind: Blocked}
		}
		targets = append(targets, netip.AddrPortFrom(a.Unmap(), uint16(port)))
	}
	return targets[:min(len(targets), maxTried)], nil
}

// try connects to one of targets, each having its share of the time.
func (d *dialer) try(ctx context.Context, network string, targets []netip.AddrPort) (c net.Conn, err error) {
	share := d.policy.Connect / time.Duration(len(targets))
	for _, target := range targets {
		if c, err = d.tryOne(ctx, network, target, share); err == nil {
			return c, nil
		}
	}
	return nil, err
}

func (d *dialer) tryOne(ctx context.Context, network string, target netip.AddrPort, share time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, share)
	defer cancel()
	return d.connect(ctx, network, target.String())
}

// keep notes an open connection.
func (d *dialer) keep(c net.Conn) (net.Conn, error) {
	k := &kept{Conn: c, dialer: d}
	t, alive := d.life.begin(func() { _ = k.Conn.Close() }) // whoever uses it sees that it is closed, and closes it too
	if !alive {
		_ = c.Close() // nothing was sent
		return nil, ErrClosed
	}
	k.task = t
	d.open.Add(1)
	return k, nil
}

// kept is a connection that is known to be open.
type kept struct {
	net.Conn

	dialer *dialer
	task   *task
	gone   atomic.Bool
}

// Close closes the connection.
func (k *kept) Close() error {
	if k.gone.CompareAndSwap(false, true) {
		k.dialer.open.Add(-1)
		defer k.task.end()
	}
	return k.Conn.Close()
}
