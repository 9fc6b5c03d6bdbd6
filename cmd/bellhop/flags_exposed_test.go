package main

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/tools/devservice"
)

func TestExposed(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"": false, "127.0.0.1:8080": false, "127.0.0.2:0": false, "localhost:8080": false, "[::1]:8080": false, "[::ffff:127.0.0.1]:80": false,
		"0.0.0.0:8080": true, "[::]:8080": true, ":8080": true, "192.0.2.7:8080": true, "box.example:8080": true,
	} {
		if got := exposed(address); got != want {
			t.Errorf("exposed(%q) = %v, want %v", address, got, want)
		}
	}
}

func TestDevTokenFlag(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		token, listen string
		want          string // empty: a random one or none
		random, fails bool
	}{
		{listen: "127.0.0.1:0"},
		{listen: "0.0.0.0:0", random: true},
		{token: "k3pQ9vXw2LmT7rZy", listen: "0.0.0.0:0", want: "k3pQ9vXw2LmT7rZy"},
		{token: "k3pQ9vXw2LmT7rZy", listen: "127.0.0.1:0", want: "k3pQ9vXw2LmT7rZy"},
		{token: "password", listen: "0.0.0.0:0", fails: true},
	} {
		got, err := devTokenOptions{tt.token}.choose(tt.listen, "")
		switch {
		case (err != nil) != tt.fails:
			t.Errorf("%+v: %v", tt, err)
		case tt.random && len(got.Reveal()) < 20, !tt.random && got.Reveal() != tt.want:
			t.Errorf("%+v: the token is %q", tt, got.Reveal())
		}
	}
}

// TestDevOnAllAddressesWarns checks that dev on an address that other machines reach warns and prints a token for them.
func TestDevOnAllAddressesWarns(t *testing.T) {
	t.Parallel()
	p := start(t, "dev", "--listen", "0.0.0.0:0", "--no-demo-app")
	p.Base = devservice.Reachable(p.Base)
	for _, want := range []string{"WARNING: other machines can reach this service", "# dev token: "} {
		if !strings.Contains(p.Output, want) {
			t.Errorf("dev does not print %q:\n%s", want, p.Output)
		}
	}
	if status, text, err := p.Send(t.Context(), "GET", "/_dev/clock", "", ""); status != 200 || err != nil {
		t.Errorf("this machine gets %d %s, %v", status, text, err)
	}
	p.StopCleanly(t)
}

// TestServeWarnsOfPlainHTTP checks the warning of serve for addresses that other machines reach over plain http.
func TestServeWarnsOfPlainHTTP(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		args []string
		want string // empty: no warning
	}{
		{"loopback", []string{"--listen", "127.0.0.1:0"}, ""},
		{"all addresses", []string{"--listen", "0.0.0.0:0"}, "plain http on a network"},
		{"all addresses, http", []string{"--listen", "0.0.0.0:0", "--public-url", "http://bellhop.example"}, "Use --tls-listen with a certificate, or a proxy"},
		{"behind a proxy", []string{"--listen", "0.0.0.0:0", "--public-url", "https://bellhop.example"}, ""},
		{"dev controls", []string{"--listen", "0.0.0.0:0", "--dev"}, "other machines can reach a service with dev controls"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, append([]string{"serve", "--data", t.TempDir()}, tt.args...)...)
			p.StopCleanly(t)
			log := p.Log()
			if tt.want != "" && !strings.Contains(log, tt.want) || tt.want == "" && strings.Contains(log, `"level":"WARN"`) {
				t.Errorf("the log is\n%s\nwant %q in it", log, tt.want)
			}
		})
	}
}
