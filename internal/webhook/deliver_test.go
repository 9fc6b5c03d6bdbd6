package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/webhook"
	"github.com/google/go-cmp/cmp"
)

func TestDeliver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		start func(*testing.T, http.HandlerFunc) *httptest.Server
		proto string
	}{
		{"plain", serve, "HTTP/1.1"},
		{"TLS", func(t *testing.T, h http.HandlerFunc) *httptest.Server { return serveTLS(t, false, h) }, "HTTP/1.1"},
		{"HTTP/2", func(t *testing.T, h http.HandlerFunc) *httptest.Server { return serveTLS(t, true, h) }, "HTTP/2.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := `{"id":"1","type":2,"token":"aW50","data":{"name":"zoë <&>` + "\u2028" + `"}}`
			s := tt.start(t, func(w http.ResponseWriter, r *http.Request) {
				got, _ := io.ReadAll(r.Body)
				if string(got) != body {
					t.Errorf("body %s, want %s", got, body)
				}
				if !verified(r, got) {
					t.Error("the signature is wrong")
				}
				if sig := r.Header.Get("X-Signature-Ed25519"); len(sig) != 128 || sig != strings.ToLower(sig) {
					t.Errorf("signature %q, want 128 lower-case digits", sig)
				}
				want := http.Header{
					"Content-Type":          {"application/json"},
					"Content-Length":        {strconv.Itoa(len(body))},
					"User-Agent":            {"Bellhop-Interactions/1.0 (+https://github.com/bellhop/bellhop)"},
					"X-Signature-Timestamp": {"1700000000"},
					"X-Signature-Ed25519":   {r.Header.Get("X-Signature-Ed25519")},
				}
				if diff := cmp.Diff(want, r.Header); diff != "" {
					t.Errorf("headers differ (-want +got):\n%s", diff)
				}
				if r.Method != http.MethodPost || r.URL.String() != "/a/b?c=d" || r.Proto != tt.proto {
					t.Errorf("%s %s %s", r.Method, r.URL, r.Proto)
				}
				answerJSON(w, `{"type":4,"data":{"content":"hi"}}`)
			})
			d := newFixture(t, func(c *webhook.Config) {
				c.Clock = stillClock{}
				if s.TLS != nil {
					c.Roots = roots(s)
				}
			})
			v := d.to(s.URL + "/a/b?c=d")
			v.Body = []byte(body)
			a, err := d.Deliver(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			if string(a.Body) != `{"type":4,"data":{"content":"hi"}}` || a.ContentType != "application/json" || a.Deferred ||
				!a.Arrived.Equal(stillClock{}.Now()) {
				t.Errorf("Deliver() = %+v", a)
			}
			if got := a.Form.Get("type").Text(); got != "4" {
				t.Errorf("type = %q", got)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	multipart := "--x\r\nContent-Disposition: form-data; name=\"payload_json\"\r\n\r\n{\"type\":4}\r\n--x--\r\n"
	tests := []struct {
		name        string
		rule        string // in section 7.2 of the specification
		status      int
		contentType string
		encoding    string
		body        string
		want        webhook.Kind // 0: a valid answer
		deferred    bool
	}{
		{name: "JSON", rule: "good answers", status: 200, contentType: "application/json", body: `{"type":1}`},
		{name: "JSON with charset", rule: "good answers", status: 200, contentType: "application/json; charset=utf-8", body: `{"type":1}`},
		{name: "JSON in capitals", rule: "good answers", status: 200, contentType: "Application/JSON", body: `{"type":1}`},
		{name: "identity is no encoding", rule: "good answers", status: 200, contentType: "application/json", encoding: "identity", body: `{"type":1}`},
		{name: "multipart", rule: "good answers", status: 200, contentType: "multipart/form-data; boundary=x", body: multipart},
		{name: "202", rule: "good answers", status: 202, deferred: true},
		{name: "202 with a type and no body", rule: "good answers", status: 202, contentType: "application/json", deferred: true},
		{name: "202 with a body", rule: "good answers", status: 202, body: "ok", want: webhook.BadContent},
		{name: "200 empty", rule: "204 or 200 empty", status: 200, contentType: "application/json", want: webhook.BadContent},
		{name: "204", rule: "204 or 200 empty", status: 204, want: webhook.Status},
		{name: "201", rule: "everything else", status: 201, contentType: "application/json", body: `{"type":1}`, want: webhook.Status},
		{name: "bad JSON", rule: "everything else", status: 200, contentType: "application/json", body: `{"type":`, want: webhook.BadContent},
		{name: "two values", rule: "everything else", status: 200, contentType: "application/json", body: `{} {}`, want: webhook.BadContent},
		{name: "JSON as text", rule: "everything else", status: 200, contentType: "text/plain; charset=utf-8", body: `{"type":1}`, want: webhook.BadContent},
		{name: "no type", rule: "everything else", status: 200, body: `{"type":1}`, want: webhook.BadContent},
		{name: "broken type", rule: "everything else", status: 200, contentType: "application/json; =", body: `{"type":1}`, want: webhook.BadContent},
		{name: "form without boundary", rule: "everything else", status: 200, contentType: "multipart/form-data", body: multipart, want: webhook.BadContent},
		{name: "compressed", rule: "everything else", status: 200, contentType: "application/json", encoding: "gzip", body: `{"type":1}`, want: webhook.BadContent},
		{name: "400", rule: "everything else", status: 400, want: webhook.Status},
		{name: "401", rule: "401 on a valid request", status: 401, want: webhook.Status},
		{name: "500", rule: "everything else", status: 500, body: "oops", want: webhook.Status},
		{name: "304", rule: "everything else", status: 304, want: webhook.Status},
	}
	for _, tt := range tests {
		for _, http2 := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %v", tt.name, http2), func(t *testing.T) {
				t.Parallel()
				s := serveTLS(t, http2, func(w http.ResponseWriter, _ *http.Request) {
					w.Header()["Content-Type"] = nil // net/http must not guess it
					if tt.contentType != "" {
						w.Header().Set("Content-Type", tt.contentType)
					}
					if tt.encoding != "" {
						w.Header().Set("Content-Encoding", tt.encoding)
					}
					w.WriteHeader(tt.status)
					_, _ = io.WriteString(w, tt.body)
				})
				d := newFixture(t, func(c *webhook.Config) { c.Roots = roots(s) })
				a, err := d.deliver(s.URL)
				if tt.want != 0 {
					if e := wantKind(t, err, tt.want); e.Status != tt.status {
						t.Errorf("Status = %d, want %d", e.Status, tt.status)
					}
					return
				}
				if err != nil || a.Deferred != tt.deferred || string(a.Body) != tt.body || !tt.deferred && a.ContentType != tt.contentType {
					t.Errorf("Deliver() = %+v, %v", a, err)
				}
			})
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		var asked atomic.Int64
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			http.Redirect(w, r, "/elsewhere", status)
		})
		if e := newFixture(t, nil).fail(s.URL, webhook.Status); e.Status != status || asked.Load() != 1 {
			t.Errorf("%v after %d requests, want status %d after one", e, asked.Load(), status)
		}
	}
}

func TestCookiesAreNotKept(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Cookie") != "" {
			t.Error("a cookie came back")
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		pong(w, r)
	})
	d := newFixture(t, nil)
	for range 2 {
		if _, err := d.deliver(s.URL); err != nil {
			t.Error(err)
		}
	}
}

// It is not parallel because it sets environment variables.
func TestProxyOfTheEnvironment(t *testing.T) {
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") })
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	s := serve(t, pong)
	d := newFixture(t, func(c *webhook.Config) { c.Resolver = &fakeResolver{answers: [][]netip.Addr{addrs("127.0.0.1")}} })
	if _, err := d.deliver("http://app.example:" + portOf(s.URL)); err != nil {
		t.Error(err)
	}
}

func TestConnectionIsReused(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/later" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		pong(w, r)
	})
	dialer := &redirectDialer{server: s.Listener.Addr().String()}
	d := newFixture(t, func(c *webhook.Config) { c.Connect = dialer.connect })
	for range 20 {
		for _, path := range []string{"/", "/later"} {
			if _, err := d.deliver(s.URL + path); err != nil {
				t.Fatal(err)
			}
		}
	}
	dialed := len(dialer.addresses())
	if dialed == 0 || dialed > 4 { // on a busy machine a connection may not be free yet for the next delivery
		t.Errorf("%d connections for 40 deliveries, want 1", dialed)
	}
	if got := d.number("bellhop_webhook_connections"); got != strconv.Itoa(dialed) {
		t.Errorf("connections = %s, want %d", got, dialed)
	}
	d.Close()
	if got := d.number("bellhop_webhook_connections"); got != "0" {
		t.Errorf("connections = %s after Close, want 0", got)
	}
}

func TestHTTP2ConnectionIsShared(t *testing.T) {
	t.Parallel()
	s := serveTLS(t, true, pong)
	dialer := &redirectDialer{server: s.Listener.Addr().String()}
	d := newFixture(t, func(c *webhook.Config) { c.Connect, c.Roots = dialer.connect, roots(s) })
	if _, err := d.deliver(s.URL); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := d.Deliver(t.Context(), d.to(s.URL)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := dialer.addresses(); len(got) != 1 {
		t.Errorf("%d connections for 51 deliveries, want 1", len(got))
	}
}

func TestClosedConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	s := serve(t, pong)
	dialer := &redirectDialer{server: s.Listener.Addr().String(), closed: make(chan struct{}, 1)}
	d := newFixture(t, func(c *webhook.Config) { c.Connect = dialer.connect })
	for range 3 {
		if _, err := d.deliver(s.URL); err != nil {
			t.Fatal(err)
		}
		s.CloseClientConnections()
		<-dialer.closed
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	s := serve(t, func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	})
	defer close(release)
	d := newFixture(t, func(c *webhook.Config) { c.Policy.Circuit.Failures = 1 })
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the request was canceled")
	go func() { // ends with the request
		<-arrived
		cancel(why)
	}()
	_, err := d.Deliver(ctx, d.to(s.URL))
	if !errors.Is(err, why) {
		t.Errorf("Deliver() = %v, want the reason of the context", err)
	}
	if n := d.Remembered(); n != 0 {
		t.Error("the canceled delivery counts as a failure of the endpoint")
	}
	if got := d.number(`bellhop_webhook_deliveries_total{outcome="called off"}`); got != "1" {
		t.Errorf("canceled deliveries = %q, want 1", got)
	}
}

func TestKeyIsNoSeed(t *testing.T) {
	t.Parallel()
	d := newFixture(t, nil)
	v := d.to("http://127.0.0.1:9999/")
	v.Key = []byte("secret-that-is-short")
	if _, err := d.Deliver(t.Context(), v); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("Deliver() = %v", err)
	}
}

func TestLateFromTheStart(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the request was sent") })
	d := newFixture(t, func(c *webhook.Config) { c.Policy.Circuit.Failures = 1 })
	v := d.to(s.URL)
	v.Deadline = d.clock.Now()
	for range 2 { // the circuit does not count it as a failure
		_, err := d.Deliver(t.Context(), v)
		wantKind(t, err, webhook.Timeout)
	}
}
