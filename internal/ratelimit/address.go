package ratelimit

import (
	"net/netip"
	"strings"
)

// ClientAddr returns the address of the client. remote is the other end of the connection, forwarded the value of
// X-Forwarded-For, with several lines joined by commas.
//
// Every proxy appends the address that it was called from. The header is therefore read from its end, and only as far
// as the proxies are trusted, so entries that a client wrote itself do not count. An invalid entry ends the search at
// the proxy that sent it.
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

// parseForwarded parses an address with or without a port. An IPv6 address may be in brackets.
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

// plain returns a without a zone, and an IPv4-mapped IPv6 address as IPv4.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

func within(prefixes []netip.Prefix, a netip.Addr) bool {
	for _, p := range prefixes {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
