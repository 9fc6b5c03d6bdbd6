package webhook

import "net/netip"

// network is a range of addresses that is not part of the public internet.
type network struct {
	netip.Prefix

	why string
}

// reserved lists the special-purpose ranges of the IANA registries, and the internal addresses of cloud providers.
var reserved = []network{
	{netip.MustParsePrefix("0.0.0.0/8"), "this network"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), "carrier-grade NAT"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("168.63.129.16/32"), "cloud internal"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.0.0.0/24"), "protocol assignments"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},
	{netip.MustParsePrefix("192.31.196.0/24"), "name service sink"},
	{netip.MustParsePrefix("192.52.193.0/24"), "multicast relay"},
	{netip.MustParsePrefix("192.88.99.0/24"), "transition relay"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("192.175.48.0/24"), "name service sink"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},
	{netip.MustParsePrefix("::/128"), "unspecified"},
	{netip.MustParsePrefix("::1/128"), "loopback"},
	{netip.MustParsePrefix("2001::/23"), "protocol assignments"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},
	{netip.MustParsePrefix("2002::/16"), "transition relay"},
	{netip.MustParsePrefix("2620:4f:8000::/48"), "name service sink"},
	{netip.MustParsePrefix("3fff::/20"), "documentation"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "translated locally"},
	{netip.MustParsePrefix("fc00::/7"), "private"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
}

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	translated    = netip.MustParsePrefix("64:ff9b::/96") // NAT64: the last four bytes are an IPv4 address
)

// Reserved reports whether an address is not part of the public internet, and why. An IPv4 address that is embedded in
// an IPv6 address, mapped or translated, is checked as an IPv4 address.
func Reserved(a netip.Addr) (why string, yes bool) {
	if !a.IsValid() {
		return "invalid", true
	}
	if a.Zone() != "" {
		return "has a zone", true
	}
	a = embeddedIPv4(a)
	for i := range reserved {
		if reserved[i].Contains(a) {
			return reserved[i].why, true
		}
	}
	if a.Is6() && !globalUnicast.Contains(a) {
		return "not assigned", true
	}
	return "", false
}

// embeddedIPv4 returns the IPv4 address that is embedded in a, or a itself. It keeps a zone.
func embeddedIPv4(a netip.Addr) netip.Addr {
	if a = a.Unmap(); a.Zone() == "" && translated.Contains(a) {
		b := a.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return a
}

// localNetworks returns loopback and the private networks: the addresses of a developer's machine and network.
func localNetworks() []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"),
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"),
		netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("fc00::/7"),
	}
}
