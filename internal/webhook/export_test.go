package webhook

import (
	"net"
	"time"
)

// CheckedDialer is the second look at an address, which nothing passes the first one to reach.
func CheckedDialer(p Policy) *net.Dialer { return checked(&p) }

// Remembered returns how many failing endpoints are remembered.
func (d *Deliverer) Remembered() int {
	n, _ := d.circuits.count(time.Time{})
	return n
}
