package webhook_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/webhook"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	seed      = []byte("0123456789abcdef0123456789abcdef")
	verifyKey = ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
)

// fixture is a Deliverer with its log and metrics.
type fixture struct {
	*webhook.Deliverer

	t       *testing.T
	clock   clock.Clock
	metrics *metrics.Metrics
	log     *logBuffer
	within  time.Duration // time until the deadline of a delivery
}

// logBuffer is a log that tests can read while it is written.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newFixture(t *testing.T, change func(*webhook.Config)) *fixture {
	t.Helper()
	d := &fixture{t: t, metrics: metrics.New("test"), log: &logBuffer{}, within: time.Minute}
	cfg := webhook.Config{
		Clock: clock.System{}, Metrics: d.metrics, Log: slog.New(slog.NewTextHandler(d.log, nil)), Policy: webhook.Development(),
	}
	if change != nil {
		change(&cfg)
	}
	d.clock = cfg.Clock
	d.Deliverer = webhook.New(cfg)
	t.Cleanup(d.Close)
	return d
}

// appTime is the time in which an app must answer an interaction. Tests of the deadline use it. Other tests use more
// time, because they run on the real clock and possibly on a busy machine.
const appTime = 3 * time.Second

// to returns a delivery of application 100 to a URL.
func (d *fixture) to(url string) webhook.Delivery {
	return webhook.Delivery{
		Application: 100, URL: url, Key: seed, Body: []byte(`{"type":2}`), Deadline: d.clock.Now().Add(d.within),
	}
}

// deliver posts to url and returns the answer.
func (d *fixture) deliver(url string) (webhook.Answer, error) {
	d.t.Helper()
	return d.Deliver(d.t.Context(), d.to(url))
}

// fail posts to url and returns the error, which must be of the given kind.
func (d *fixture) fail(url string, kind webhook.Kind) webhook.Error {
	d.t.Helper()
	_, err := d.deliver(url)
	return wantKind(d.t, err, kind)
}

func wantKind(t *testing.T, err error, kind webhook.Kind) webhook.Error {
	t.Helper()
	e, ok := errors.AsType[*webhook.Error](err)
	if !ok || e.Kind != kind {
		t.Fatalf("error %v, want kind %q", err, kind)
	}
	return *e
}

// number returns the value of one metric of /metrics.
func (d *fixture) number(name string) string {
	d.t.Helper()
	w := httptest.NewRecorder()
	d.metrics.Handler().ServeHTTP(w, httptest.NewRequestWithContext(d.t.Context(), http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// serve runs an app until the test ends.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// serveTLS runs an app over TLS, with HTTP/2 or without.
func serveTLS(t *testing.T, http2 bool, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = http2
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// roots returns a pool that trusts the certificate of s.
func roots(s *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}

// serveRaw calls answer for every connection.
func serveRaw(t *testing.T, answer func(*net.TCPConn)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				answer(c.(*net.TCPConn))
			})
		}
	})
	t.Cleanup(func() {
		_ = ln.Close() // the test is over
		wg.Wait()
	})
	return "http://" + ln.Addr().String()
}

// readRequest reads a whole request from a connection.
func readRequest(c net.Conn) {
	b := make([]byte, 1<<16)
	for n := 0; !bytes.Contains(b[:n], []byte(`{"type":2}`)); {
		m, err := c.Read(b[n:])
		if err != nil {
			return
		}
		n += m
	}
}

func answerJSON(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body)
}

func pong(w http.ResponseWriter, _ *http.Request) { answerJSON(w, `{"type":1}`) }

// verified reports whether a request has a valid signature over its timestamp and body. It does not use the code under
// test.
func verified(r *http.Request, body []byte) bool {
	sig, err := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
	return err == nil && len(sig) == ed25519.SignatureSize && sig[63]&0xE0 == 0 &&
		ed25519.Verify(verifyKey, append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), sig)
}

// stillClock does not move by itself. Tests put a clock.Movable on top of it.
type stillClock struct{}

func (stillClock) Now() time.Time { return time.Unix(1_700_000_000, 0) }

func (stillClock) AfterFunc(_ time.Duration, fn func()) *clock.Timer {
	return clock.System{}.AfterFunc(1000*time.Hour, fn)
}

// fakeResolver returns fixed answers.
type fakeResolver struct {
	mu      sync.Mutex
	answers [][]netip.Addr // one per lookup; the last one is repeated
	asked   int
}

func (n *fakeResolver) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	a := n.answers[min(n.asked, len(n.answers)-1)]
	n.asked++
	return a, nil
}

func addrs(list ...string) []netip.Addr {
	var out []netip.Addr
	for _, s := range list {
		out = append(out, netip.MustParseAddr(s))
	}
	return out
}

// redirectDialer connects to one server for every address, and records the addresses.
type redirectDialer struct {
	server string
	mu     sync.Mutex
	dialed []string
	closed chan struct{} // receives once per closed connection; dropped if full
}

func (r *redirectDialer) connect(ctx context.Context, network, address string) (net.Conn, error) {
	r.mu.Lock()
	r.dialed = append(r.dialed, address)
	r.mu.Unlock()
	c, err := (&net.Dialer{}).DialContext(ctx, network, r.server)
	if err != nil {
		return nil, err
	}
	return &watched{Conn: c, closed: r.closed}, nil
}

func (r *redirectDialer) addresses() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.dialed...)
}

type watched struct {
	net.Conn

	once   sync.Once
	closed chan struct{}
}

func (w *watched) Close() error {
	w.once.Do(func() {
		select {
		case w.closed <- struct{}{}:
		default:
		}
	})
	return w.Conn.Close()
}
