package webhook_test

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/bellhop/bellhop/internal/webhook"
)

func TestCheckURL(t *testing.T) {
	t.Parallel()
	production, development := webhook.Production(), webhook.Development()
	tests := []struct {
		url  string
		want string // empty: allowed
		dev  string
	}{
		{url: "https://app.example/interactions"},
		{url: "https://app.example:8443/a?b=c"},
		{url: "HTTPS://app.example"},
		{url: "https://[2606:4700::1]:443/"},
		{url: "https://app.example:80"},
		{url: "http://app.example/", want: "scheme is not allowed"},
		{url: "http://127.0.0.1:9000/", want: "scheme is not allowed"},
		{url: "ftp://app.example/", want: "scheme is not allowed", dev: "scheme is not allowed"},
		{url: "file:///etc/passwd", want: "scheme is not allowed", dev: "scheme is not allowed"},
		{url: "gopher://app.example:70/x", want: "scheme is not allowed", dev: "scheme is not allowed"},
		{url: "//app.example/", want: "scheme is not allowed", dev: "scheme is not allowed"},
		{url: "", want: "scheme is not allowed", dev: "scheme is not allowed"},
		{url: "https:///path", want: "no host", dev: "no host"},
		{url: "https:app.example", want: "no host", dev: "no host"},
		{url: "https://:443/", want: "no host", dev: "no host"},
		{url: "https://ada:pw@app.example/", want: "has a user or a password", dev: "has a user or a password"},
		{url: "https://ada@app.example/", want: "has a user or a password", dev: "has a user or a password"},
		{url: "https://app.example/#top", want: "has a fragment", dev: "has a fragment"},
		{url: "https://app.example:22/", want: "port is not allowed", dev: "port is not allowed"},
		{url: "https://app.example:25/", want: "port is not allowed", dev: "port is not allowed"},
		{url: "https://app.example:0/", want: "port is not allowed", dev: "port is not allowed"},
		{url: "https://app.example:1023/", want: "port is not allowed", dev: "port is not allowed"},
		{url: "https://app.example:1024/"},
		{url: "https://app.example:65536/", want: "port is not allowed", dev: "port is not allowed"},
		{url: "https://app.example:http/", want: "not a URL", dev: "not a URL"},
		{url: "https://app.example/\n", want: "not a URL", dev: "not a URL"},
		{url: "https://app example/", want: "not a URL", dev: "not a URL"},
		{url: "https://app.example/" + string(make([]byte, webhook.MaxURL)), want: "too long", dev: "too long"},
	}
	for _, tt := range tests {
		check := func(name string, p webhook.Policy, want string) {
			err := p.CheckURL(tt.url)
			if want == "" {
				if err != nil {
					t.Errorf("%s: CheckURL(%q) = %v", name, tt.url, err)
				}
				return
			}
			if e := wantKind(t, err, webhook.BadURL); e.Detail != want {
				t.Errorf("%s: CheckURL(%q) = %q, want %q", name, tt.url, e.Detail, want)
			}
		}
		check("production", production, tt.want)
		check("development", development, tt.dev)
	}
}

func TestBlockedAddresses(t *testing.T) {
	t.Parallel()
	for _, list := range [][]string{
		{"127.0.0.1"},
		{"10.0.0.1"},
		{"169.254.169.254"},
		{"::1"},
		{"::ffff:192.168.0.1"},
		{"64:ff9b::127.0.0.1"},
		{"fd00:ec2::254"},
		{"0.0.0.0"},
		{"fe80::1%eth0"},
		{"8.8.8.8", "10.0.0.1"}, // one forbidden address refuses both
		{"8.8.8.8", "1.1.1.1", "9.9.9.9", "8.8.4.4", "1.0.0.1", "127.0.0.1"},
	} {
		dialer := &redirectDialer{}
		d := newFixture(t, func(c *webhook.Config) {
			c.Policy = webhook.Production()
			c.Resolver = &fakeResolver{answers: [][]netip.Addr{addrs(list...)}}
			c.Connect = dialer.connect
		})
		d.fail("https://app.example/", webhook.Blocked)
		if got := dialer.addresses(); len(got) != 0 {
			t.Errorf("%v: connected to %v", list, got)
		}
	}
}

func TestBlockedLiterals(t *testing.T) {
	t.Parallel()
	for _, host := range []string{
		"127.0.0.1", "127.8.9.10", "0.0.0.0", "10.0.0.1", "169.254.169.254", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
		"[64:ff9b::7f00:1]", "[fd00:ec2::254]", "[fe80::1%25lo]", "[2002:7f00:1::]", "255.255.255.255", "localhost",
	} {
		d := newFixture(t, func(c *webhook.Config) { c.Policy = webhook.Production() })
		d.fail("https://"+host+":8443/", webhook.Blocked)
	}
}

func TestPolicyNetworks(t *testing.T) {
	t.Parallel()
	s := serve(t, pong)
	at := netip.MustParseAddrPort(s.Listener.Addr().String())
	home := netip.PrefixFrom(at.Addr(), 32)

	t.Run("loopback by its literal", func(t *testing.T) {
		t.Parallel()
		d := newFixture(t, func(c *webhook.Config) { c.Policy.Allow = nil })
		d.fail(s.URL, webhook.Blocked)
	})
	t.Run("loopback by the machine's names", func(t *testing.T) {
		t.Parallel()
		d := newFixture(t, func(c *webhook.Config) { c.Policy.Allow = nil })
		d.fail("http://localhost:9999/", webhook.Blocked)
	})
	t.Run("an allowed network is called", func(t *testing.T) {
		t.Parallel()
		d := newFixture(t, func(c *webhook.Config) { c.Policy.Allow = []netip.Prefix{home} })
		if _, err := d.deliver(s.URL); err != nil {
			t.Error(err)
		}
	})
	t.Run("its mapped form is the same address", func(t *testing.T) {
		t.Parallel()
		d := newFixture(t, func(c *webhook.Config) {
			c.Policy.Allow = []netip.Prefix{home}
			c.Resolver = &fakeResolver{answers: [][]netip.Addr{addrs("::ffff:127.0.0.1")}}
		})
		if _, err := d.deliver("http://app.example:" + portOf(s.URL)); err != nil {
			t.Error(err)
		}
	})
	t.Run("denied wins over allowed", func(t *testing.T) {
		t.Parallel()
		d := newFixture(t, func(c *webhook.Config) { c.Policy.Allow, c.Policy.Deny = []netip.Prefix{home}, []netip.Prefix{home} })
		d.fail(s.URL, webhook.Blocked)
	})
	t.Run("metadata stays out of reach in development", func(t *testing.T) {
		t.Parallel()
		d := newFixture(t, nil)
		for _, url := range []string{"http://169.254.169.254/latest", "http://0.0.0.0:8080/", "http://[fe80::1]:8080/", "http://100.100.100.200/"} {
			d.fail(url, webhook.Blocked)
		}
	})
}

func portOf(url string) string { return url[len("http://127.0.0.1:"):] }

func TestSecondLook(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, err := webhook.CheckedDialer(webhook.Production()).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	wantKind(t, err, webhook.Blocked)
	c, err := webhook.CheckedDialer(webhook.Development()).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}
