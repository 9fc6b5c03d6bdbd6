package webhook_test

import (
	"net"
	"net/netip"
	"testing"

	"github.com/bellhop/bellhop/internal/webhook"
)

func TestReserved(t *testing.T) {
	t.Parallel()
	tests := []struct {
		addr string
		why  string // empty: public
	}{
		{"0.0.0.0", "this network"},
		{"0.255.255.255", "this network"},
		{"1.0.0.0", ""},
		{"1.1.1.1", ""},
		{"8.8.8.8", ""},
		{"9.255.255.255", ""},
		{"10.0.0.0", "private"},
		{"10.255.255.255", "private"},
		{"11.0.0.0", ""},
		{"100.63.255.255", ""},
		{"100.64.0.0", "carrier-grade NAT"},
		{"100.100.100.200", "carrier-grade NAT"}, // metadata service of a cloud
		{"100.127.255.255", "carrier-grade NAT"},
		{"100.128.0.0", ""},
		{"126.255.255.255", ""},
		{"127.0.0.1", "loopback"},
		{"127.255.255.254", "loopback"},
		{"128.0.0.0", ""},
		{"168.63.129.15", ""},
		{"168.63.129.16", "cloud internal"},
		{"168.63.129.17", ""},
		{"169.253.255.255", ""},
		{"169.254.0.1", "link-local"},
		{"169.254.169.254", "link-local"}, // metadata service of most clouds
		{"169.254.170.2", "link-local"},
		{"169.255.0.0", ""},
		{"172.15.255.255", ""},
		{"172.16.0.0", "private"},
		{"172.31.255.255", "private"},
		{"172.32.0.0", ""},
		{"191.255.255.255", ""},
		{"192.0.0.192", "protocol assignments"}, // metadata service of a cloud
		{"192.0.1.0", ""},
		{"192.0.2.1", "documentation"},
		{"192.0.3.0", ""},
		{"192.31.196.1", "name service sink"},
		{"192.52.193.1", "multicast relay"},
		{"192.88.99.1", "transition relay"},
		{"192.167.255.255", ""},
		{"192.168.0.0", "private"},
		{"192.168.255.255", "private"},
		{"192.169.0.0", ""},
		{"192.175.48.1", "name service sink"},
		{"198.17.255.255", ""},
		{"198.18.0.0", "benchmarking"},
		{"198.19.255.255", "benchmarking"},
		{"198.20.0.0", ""},
		{"198.51.100.7", "documentation"},
		{"203.0.113.7", "documentation"},
		{"203.0.114.0", ""},
		{"223.255.255.255", ""},
		{"224.0.0.1", "multicast"},
		{"239.255.255.255", "multicast"},
		{"240.0.0.1", "reserved"},
		{"255.255.255.255", "reserved"},

		{"::", "unspecified"},
		{"::1", "loopback"},
		{"::2", "not assigned"},
		{"::127.0.0.1", "not assigned"}, // IPv4-compatible, deprecated
		{"::8.8.8.8", "not assigned"},
		{"::ffff:127.0.0.1", "loopback"},
		{"::ffff:10.1.2.3", "private"},
		{"::ffff:169.254.169.254", "link-local"},
		{"::ffff:0.0.0.0", "this network"},
		{"::ffff:8.8.8.8", ""},
		{"::ffff:0:127.0.0.1", "not assigned"}, // IPv4-translated
		{"64:ff9b::127.0.0.1", "loopback"},
		{"64:ff9b::10.0.0.1", "private"},
		{"64:ff9b::a9fe:a9fe", "link-local"},
		{"64:ff9b::8.8.8.8", ""},
		{"64:ff9b:0:0:0:1:808:808", "not assigned"},
		{"64:ff9b:1::8.8.8.8", "translated locally"},
		{"64:ff9b:1:ffff::1", "translated locally"},
		{"100::1", "not assigned"}, // discard only
		{"1fff:ffff::1", "not assigned"},
		{"2000::1", ""},
		{"2001::1", "protocol assignments"}, // Teredo
		{"2001:2::1", "protocol assignments"},
		{"2001:20::1", "protocol assignments"},
		{"2001:1ff:ffff::1", "protocol assignments"},
		{"2001:200::1", ""},
		{"2001:4860:4860::8888", ""},
		{"2001:db7:ffff::1", ""},
		{"2001:db8::1", "documentation"},
		{"2001:db9::1", ""},
		{"2002:7f00:1::", "transition relay"}, // 6to4 of 127.0.0.1
		{"2002:808:808::1", "transition relay"},
		{"2003::1", ""},
		{"2606:4700:4700::1111", ""},
		{"2620:4f:8000::1", "name service sink"},
		{"3fff::1", "documentation"},
		{"3fff:fff:ffff::1", "documentation"},
		{"3fff:1000::1", ""},
		{"4000::1", "not assigned"},
		{"5f00::1", "not assigned"}, // segment routing
		{"fc00::1", "private"},
		{"fd00:ec2::254", "private"}, // metadata service of a cloud
		{"fd20:ce::254", "private"},  // metadata service of another cloud
		{"fdff:ffff::1", "private"},
		{"fe00::1", "not assigned"},
		{"fe80::1", "link-local"},
		{"fe80::1%eth0", "has a zone"},
		{"2606:4700::1%eth0", "has a zone"},
		{"64:ff9b::8.8.8.8%eth0", "has a zone"},
		{"fec0::1", "not assigned"}, // site-local, deprecated
		{"ff02::1", "multicast"},
		{"ff0e::1", "multicast"},
	}
	for _, tt := range tests {
		why, yes := webhook.Reserved(netip.MustParseAddr(tt.addr))
		if why != tt.why || yes != (tt.why != "") {
			t.Errorf("Reserved(%s) = %q, %v, want %q", tt.addr, why, yes, tt.why)
		}
	}
	if _, yes := webhook.Reserved(netip.Addr{}); !yes {
		t.Error("the zero address is public")
	}
}

// FuzzReserved compares Reserved with package net, and each IPv4 address with its IPv6 forms.
func FuzzReserved(f *testing.F) {
	for _, s := range []string{"127.0.0.1", "8.8.8.8", "::1", "64:ff9b::1", "fe80::1", "2001:db8::1", "::ffff:10.0.0.1"} {
		f.Add(netip.MustParseAddr(s).AsSlice())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, ok := netip.AddrFromSlice(b)
		_, yes := webhook.Reserved(a)
		if !ok {
			if !yes {
				t.Errorf("Reserved(%v) = false", a)
			}
			return
		}
		ip := net.IP(b)
		special := ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified()
		if special && !yes {
			t.Errorf("%v is public", a)
		}
		if !a.Is4() {
			return
		}
		mapped := netip.AddrFrom16(a.As16())
		translated := netip.MustParseAddr("64:ff9b::").As16()
		copy(translated[12:], b)
		for _, form := range []netip.Addr{mapped, netip.AddrFrom16(translated)} {
			if _, other := webhook.Reserved(form); other != yes {
				t.Errorf("Reserved(%v) = %v, and %v of the same address as %v", a, yes, other, form)
			}
		}
	})
}
