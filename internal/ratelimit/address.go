package ratelimit

import (
	"net/netip"
	"strings"
)

// ClientAddr returns the address that a request comes from. remote is the other end of the connection, and forwarded
// the value of X-Forwarded-For, several lines of it joined by commas.
//
// Every proxy appends whom it was called by, so the header is read from its end, and only as far as trusted proxies
// vouch for it: what a client wrote into it itself is never reached. An entry that is no address ends the walk at the
// proxy that passed it on.
func ClientAddr(remote netip.AddrPort, forwarded string, trusted []netip.Prefix) netip.Addr {
	addr := plain(remote.Addr())
	for forwarded != "" && within(trusted, addr) {
		entry := forwarded
		forwarded = ""
		if i := strings.LastIndexByte(entry, ','); i >= 0 {
			forwarded, entry = entry[:i], entry[i+1:]
		}
		next, ok := parseForwarded(strings.Trim(entry, " \t"))
		if !ok {
			break
		}
		addr = next
	}
	return addr
}

// parseForwarded reads an address with or without a port; one of IPv6 may stand in brackets.
func parseForwarded(s string) (netip.Addr, bool) {
	if addr, err := netip.ParseAddr(s); err == nil {
		return plain(addr), true
	}
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return plain(ap.Addr()), true
	}
	inner, opened := strings.CutPrefix(s, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	addr, err := netip.ParseAddr(inner)
	return plain(addr), opened && closed && err == nil
}

// plain returns a without a zone and out of its IPv6 wrapping, as prefixes are compared with.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

func within(prefixes []netip.Prefix, a netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
