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
