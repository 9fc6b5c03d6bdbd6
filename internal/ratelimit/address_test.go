package ratelimit_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

func TestClientAddr(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("fd00::/8"),
	}
	for _, tt := range []struct {
		name      string
		remote    string
		forwarded string
		want      string
	}{
		{"no header", "10.0.0.1:443", "", "10.0.0.1"},
		{"client without a proxy", "203.0.113.9:5000", "", "203.0.113.9"},
		{"client that pretends to be forwarded", "203.0.113.9:5000", "192.0.2.1", "203.0.113.9"},
		{"client that pretends to be a proxy", "203.0.113.9:5000", "192.0.2.1, 10.0.0.1", "203.0.113.9"},
		{"one proxy", "10.0.0.1:443", "192.0.2.1", "192.0.2.1"},
		{"two proxies", "10.0.0.1:443", "192.0.2.1, 10.0.0.2", "192.0.2.1"},
		{"client that wrote the header first", "10.0.0.1:443", "198.51.100.1, 192.0.2.1", "192.0.2.1"},
		{"client that wrote a proxy first", "10.0.0.1:443", "10.9.9.9, 192.0.2.1, 10.0.0.2", "192.0.2.1"},
		{"client that wrote rubbish first", "10.0.0.1:443", "<script>, 192.0.2.1", "192.0.2.1"},
		{"proxy that passed rubbish on", "10.0.0.1:443", "192.0.2.1, unknown", "10.0.0.1"},
		{"second proxy that passed rubbish on", "10.0.0.1:443", "192.0.2.1, _hidden, 10.0.0.2", "10.0.0.2"},
		{"empty entry", "10.0.0.1:443", "192.0.2.1,", "10.0.0.1"},
		{"only proxies", "10.0.0.1:443", "10.0.0.3, 10.0.0.2", "10.0.0.3"},
		{"no blanks", "10.0.0.1:443", "198.51.100.1,192.0.2.1,10.0.0.2", "192.0.2.1"},
		{"many blanks", "10.0.0.1:443", " 192.0.2.1 \t,\t 10.0.0.2 ", "192.0.2.1"},
		{"with a port", "10.0.0.1:443", "192.0.2.1:60000", "192.0.2.1"},
		{"IPv6", "[fd00::1]:443", "2001:db8::1", "2001:db8::1"},
		{"IPv6 in brackets", "[fd00::1]:443", "[2001:db8::1]", "2001:db8::1"},
		{"IPv6 with a port", "[fd00::1]:443", "[2001:db8::1]:60000", "2001:db8::1"},
		{"IPv6 with one bracket", "[fd00::1]:443", "[2001:db8::1", "fd00::1"},
		{"IPv6 with a zone", "[fd00::1%eth0]:443", "fe80::1%eth1", "fe80::1"},
		{"IPv4 in IPv6 at both ends", "[::ffff:10.0.0.1]:443", "::ffff:192.0.2.1", "192.0.2.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ratelimit.ClientAddr(netip.MustParseAddrPort(tt.remote), tt.forwarded, trusted)
			if got != netip.MustParseAddr(tt.want) {
				t.Errorf("ClientAddr(%s, %q) = %v, want %s", tt.remote, tt.forwarded, got, tt.want)
			}
		})
	}

	t.Run("no proxy is trusted unless configured", func(t *testing.T) {
		t.Parallel()
		remote := netip.MustParseAddrPort("127.0.0.1:80")
		if got := ratelimit.ClientAddr(remote, "192.0.2.1", nil); got != remote.Addr() {
			t.Errorf("ClientAddr() = %v, want %v", got, remote.Addr())
		}
	})
}

func FuzzClientAddr(f *testing.F) {
	for _, s := range []string{"", "192.0.2.1", "10.0.0.1, 192.0.2.1", "[::1]:80", "[::1]", "fe80::1%a,b", ",,,", "::ffff:10.0.0.1"} {
		f.Add(s)
	}
	proxy := netip.MustParseAddrPort("10.0.0.1:443")
	stranger := netip.MustParseAddrPort("203.0.113.9:443")
	client := netip.MustParseAddr("192.0.2.1")
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, written string) {
		if got := ratelimit.ClientAddr(stranger, written, trusted); got != stranger.Addr() {
			t.Errorf("a stranger became %v by writing %q", got, written)
		}
		if got := ratelimit.ClientAddr(proxy, written+", "+client.String(), trusted); got != client {
			t.Errorf("a client behind a proxy became %v by writing %q", got, written)
		}
		got := ratelimit.ClientAddr(proxy, written, trusted)
		if !got.IsValid() || got.Is4In6() || got.Zone() != "" {
			t.Errorf("ClientAddr(%q) = %v, want a plain address", written, got)
		}
		if got != proxy.Addr() && !strings.ContainsAny(written, ".:") {
			t.Errorf("ClientAddr(%q) = %v, which is nowhere in it", written, got)
		}
	})
}
