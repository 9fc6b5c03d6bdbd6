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

// Resolver returns the addresses of a host name. *net.Resolver implements it.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// maxTried is the number of addresses of a name that are tried.
const maxTried = 4

// dialer connects only to addresses that the policy permits.
type dialer struct {
	policy   *Policy
	resolver Resolver
	connect  func(ctx context.Context, network, address string) (net.Conn, error)
	tasks    *taskGroup
	open     atomic.Int64 // connections
}

// checked returns a net.Dialer that checks the address again when the socket exists but is not yet connected.
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

// dial resolves the name in address once, checks every address that it has and connects to the first that answers. It
// may run longer than the delivery that started it, because another delivery can use the connection.
func (d *dialer) dial(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.policy.Connect)
	defer cancel()
	t, alive := d.tasks.start(cancel)
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

// resolve returns the addresses of a host and port. One forbidden address refuses them all: a legitimate name does not
// have both public and internal addresses.
func (d *dialer) resolve(ctx context.Context, address string) ([]netip.AddrPort, error) {
	host, service, _ := net.SplitHostPort(address)  // net/http made it
	port, err := strconv.ParseUint(service, 10, 16) // from the URL, or the default of the scheme
	if err != nil {
		return nil, badURL("port is not allowed")
	}
	found, err := d.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, &Error{Kind: Connection, Detail: "the host name has no address"}
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

// try connects to the first target that answers. The targets share the time equally.
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

// keep adds an open connection to the tasks and the count.
func (d *dialer) keep(c net.Conn) (net.Conn, error) {
	k := &trackedConn{Conn: c, dialer: d}
	t, alive := d.tasks.start(func() { _ = k.Conn.Close() }) // net/http notices and calls Close
	if !alive {
		_ = c.Close() // nothing was sent
		return nil, ErrClosed
	}
	k.task = t
	d.open.Add(1)
	return k, nil
}

// trackedConn is a connection that is counted until it is closed.
type trackedConn struct {
	net.Conn

	dialer *dialer
	task   *task
	closed atomic.Bool
}

// Close closes the connection.
func (k *trackedConn) Close() error {
	if k.closed.CompareAndSwap(false, true) {
		k.dialer.open.Add(-1)
		defer k.task.end()
	}
	return k.Conn.Close()
}
