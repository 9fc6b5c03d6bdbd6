package ratelimit

import (
	"cmp"
	"encoding/binary"
	"net/netip"

	"github.com/bellhop/bellhop/snowflake"
)

// Caller is the sender of a request. Unknown ids are zero. The guild and the channel are those that the request is about, everything
// else comes from a valid credential.
type Caller struct {
	Application snowflake.Application // application of the bot, client-credentials or bearer token
	User        snowflake.User        // user of the token
	Guild       snowflake.Guild       // guild in the path or of the channel, 0 for the application's global scope
	Channel     snowflake.Channel     // channel in the path or of the webhook
	Interaction snowflake.Interaction // interaction of the token in the path; Application is the one it was sent to
	Webhook     snowflake.Webhook     // webhook of the token in the path
	Address     netip.Addr            // result of ClientAddr

	// PerSecond is the raised limit of the application, 0 if it was not raised.
	PerSecond int
}

// known reports whether the request has a valid credential.
func (c *Caller) known() bool { return c.Application != 0 || c.User != 0 || c.Webhook != 0 }

// Identity returns the key of the caller itself, for Gate.
func (c *Caller) Identity() Key { return c.key(bucketOf(global, false), PerCaller) }

// key returns the key of what a limit counts by.
func (c *Caller) key(b bucket, per Per) Key {
	app, user := cmp.Or(uint64(c.Application), uint64(c.Webhook)), uint64(c.User)
	switch {
	case per == PerAddress || !c.known():
		hi, lo := network(c.Address)
		return makeKey(b, PerAddress, hi, lo, 0)
	case per == PerAddressAndUser:
		hi, lo := network(c.Address)
		return makeKey(b, PerAddressAndUser, hi, lo, user)
	case per == PerInteraction && c.Interaction != 0:
		return makeKey(b, PerInteraction, app, uint64(c.Interaction), 0)
	case per == PerApplication && app != 0:
		return makeKey(b, PerApplication, app, 0, 0)
	case per == PerUser && user != 0:
		return makeKey(b, PerUser, user, 0, 0)
	case per == PerCallerAndGuild:
		return makeKey(b, PerCallerAndGuild, app, user, uint64(c.Guild))
	case per == PerChannel && c.Channel != 0:
		return makeKey(b, PerChannel, uint64(c.Channel), 0, 0)
	case per == PerCallerAndChannel:
		return makeKey(b, PerCallerAndChannel, app, user, uint64(c.Channel))
	default:
		return makeKey(b, PerCaller, app, user, 0)
	}
}

// Network returns an IPv4 address itself, and the first address of the /64 of an IPv6 address.
func Network(a netip.Addr) netip.Addr {
	hi, lo := network(plain(a))
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], hi)
	binary.BigEndian.PutUint64(b[8:], lo)
	return netip.AddrFrom16(b).Unmap()
}

// network returns what an address is counted as: an IPv4 address itself, or the /64 of an IPv6 address, because one
// customer usually has a whole /64.
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
