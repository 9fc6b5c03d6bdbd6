package ratelimit

import (
	"encoding/binary"
	"net/netip"

	"github.com/bellhop/bellhop/snowflake"
)

// Caller is who sent a request, as far as a valid credential shows it. Ids that are not known are zero. A path names
// the guild; everything else comes from a credential, never from what the caller merely claims.
type Caller struct {
	Application snowflake.Application // whose bot, client-credentials or bearer token it is
	User        snowflake.User        // whom the token acts for
	Guild       snowflake.Guild       // where the request points, 0 for an application's own scope
	Interaction snowflake.Interaction // whose token is in the path; Application is the one it was sent to
	Address     netip.Addr            // as ClientAddr returns it

	// PerSecond is what the application was raised to, 0 when it was not.
	PerSecond int
}

// known reports whether a credential says who it is.
func (c *Caller) known() bool { return c.Application != 0 || c.User != 0 }

// Identity returns the key of the caller itself, apart from every limit. It is what Gate counts by.
func (c *Caller) Identity() Key { return c.key(bucketOf(global, false), PerCaller) }

// key returns the key of the one that who finds in c.
func (c *Caller) key(b bucket, who Who) Key {
	app, user := uint64(c.Application), uint64(c.User)
	switch {
	case who == PerAddress || !c.known():
		hi, lo := network(c.Address)
		return makeKey(b, PerAddress, hi, lo, 0)
	case who == PerInteraction && c.Interaction != 0:
		return makeKey(b, PerInteraction, app, uint64(c.Interaction), 0)
	case who == PerApplication && app != 0:
		return makeKey(b, PerApplication, app, 0, 0)
	case who == PerUser && user != 0:
		return makeKey(b, PerUser, user, 0, 0)
	case who == PerCallerAndGuild:
		return makeKey(b, PerCallerAndGuild, app, user, uint64(c.Guild))
	default:
		return makeKey(b, PerCaller, app, user, 0)
	}
}

// network returns what an address is counted as: an IPv4 address as itself, an IPv6 address as its /64, since whoever
// has one of those has all of it.
func network(a netip.Addr) (hi, lo uint64) {
	if !a.IsValid() {
		return 0, 0
	}
	b := a.As16()
	hi = binary.BigEndian.Uint64(b[:8])
	if a.Is4() || a.Is4In6() {
		lo = binary.BigEndian.Uint64(b[8:])
	}
	return hi, lo
}
