package webhook_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/webhook"
)

func TestRebinding(t *testing.T) {
	t.Parallel()
	s := serveTLS(t, false, pong)
	dialer := &redirectDialer{server: s.Listener.Addr().String(), closed: make(chan struct{}, 1)}
	lying := &fakeResolver{answers: [][]netip.Addr{addrs("8.8.8.8", "1.1.1.1"), addrs("127.0.0.1")}}
	d := newFixture(t, func(c *webhook.Config) {
		c.Policy = webhook.Production()
		c.Roots, c.Resolver, c.Connect = roots(s), lying, dialer.connect
	})
	if _, err := d.deliver("https://example.com/"); err != nil {
		t.Fatal(err)
	}
	if got := dialer.addresses(); lying.asked != 1 || !slices.Equal(got, []string{"8.8.8.8:443"}) {
		t.Errorf("asked %d times and connected to %v, want one lookup and a connection to the checked address", lying.asked, got)
	}
	s.CloseClientConnections()
	<-dialer.closed
	d.fail("https://example.com/", webhook.Blocked)
	if got := dialer.addresses(); len(got) != 1 {
		t.Errorf("connected to %v after the name had changed its address", got)
	}
}

func TestDialTriesTheNextAddress(t *testing.T) {
	t.Parallel()
	s := serve(t, pong)
	var tried []string
	d := newFixture(t, func(c *webhook.Config) {
		c.Resolver = &fakeResolver{answers: [][]netip.Addr{addrs("2606:4700::1", "8.8.8.8", "1.1.1.1")}}
		c.Connect = func(ctx context.Context, network, address string) (net.Conn, error) {
			tried = append(tried, address)
			if len(tried) < 3 {
				return nil, errors.New("no route")
			}
			return (&net.Dialer{}).DialContext(ctx, network, s.Listener.Addr().String())
		}
	})
	if _, err := d.deliver("http://app.example/"); err != nil {
		t.Fatal(err)
	}
	if want := []string{"[2606:4700::1]:80", "8.8.8.8:80", "1.1.1.1:80"}; !slices.Equal(tried, want) {
		t.Errorf("tried %v, want %v", tried, want)
	}
}

func TestDialGivesUp(t *testing.T) {
	t.Parallel()
	many := addrs("1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4", "1.1.1.5", "1.1.1.6")
	tried := 0
	d := newFixture(t, func(c *webhook.Config) {
		c.Resolver = &fakeResolver{answers: [][]netip.Addr{many, {}}}
		c.Connect = func(context.Context, string, string) (net.Conn, error) {
			tried++
			return nil, errors.New("no route")
		}
	})
	d.fail("http://app.example/", webhook.Connection)
	if tried != 4 {
		t.Errorf("tried %d addresses, want 4", tried)
	}
	if e := d.fail("http://app.example/", webhook.Connection); e.Detail != "the host name has no address" {
		t.Errorf("Detail = %q", e.Detail)
	}
	unknown := newFixture(t, func(c *webhook.Config) { c.Resolver = &fakeResolver{} })
	if e := unknown.fail("http://app.example/", webhook.Connection); e.Detail != "the host name cannot be resolved" {
		t.Errorf("Detail = %q", e.Detail)
	}
}

func TestCertificates(t *testing.T) {
	t.Parallel()
	s := serveTLS(t, true, pong)
	unused := serve(t, pong)
	old := serveWith(t, expired(t))
	choosy := serveWith(t, &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return nil, errors.New("not for you")
	}})
	tests := []struct {
		name, url, want string
		trusted         bool
	}{
		{"an unknown authority", s.URL, "TLS: the certificate authority is not trusted", false},
		{"it is for another name", "https://other.example:" + s.URL[len("https://127.0.0.1:"):], "TLS: the certificate is for another name", true},
		{"its time is over", old, "TLS: the certificate is not valid at this time", true},
		{"the server has none", choosy, "TLS: the server sent an alert", true},
		{"a server without TLS", "https" + unused.URL[len("http"):], "TLS: the server does not speak TLS", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newFixture(t, func(c *webhook.Config) {
				c.Resolver = &fakeResolver{answers: [][]netip.Addr{addrs("127.0.0.1")}}
				if tt.trusted {
					c.Roots = roots(s)
					c.Roots.AddCert(expiredRoot(t))
				}
			})
			if e := d.fail(tt.url, webhook.Connection); e.Detail != tt.want {
				t.Errorf("Detail = %q, want %q", e.Detail, tt.want)
			}
		})
	}
}

// serveWith runs an app with a TLS configuration and returns its URL.
func serveWith(t *testing.T, cfg *tls.Config) string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(pong))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.Listener = tls.NewListener(s.Listener, cfg)
	s.Start()
	t.Cleanup(s.Close)
	return "https" + strings.TrimPrefix(s.URL, "http")
}

// expired returns a TLS configuration with an expired, self-signed certificate.
func expired(t *testing.T) *tls.Config {
	t.Helper()
	key := ed25519.NewKeyFromSeed(seed)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1, 0), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

func expiredRoot(t *testing.T) *x509.Certificate {
	t.Helper()
	c, err := x509.ParseCertificate(expired(t).Certificates[0].Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return c
}
