package webhook

import (
	"net"
	"time"
)

// CheckedDialer exposes the second check of an address. Forbidden addresses never reach it, because the first check
// refuses them.
func CheckedDialer(p Policy) *net.Dialer { return checked(&p) }

// Remembered returns the number of failing endpoints that are tracked.
func (d *Deliverer) Remembered() int {
	n, _ := d.circuits.count(time.Time{})
	return n
}

// CheckURL checks an endpoint URL without resolving its name. The error is an *[Error] of kind [BadURL].
func (p *Policy) CheckURL(raw string) error {
	_, err := p.parse(raw)
	return err
}
