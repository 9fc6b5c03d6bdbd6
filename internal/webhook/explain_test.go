package webhook_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/webhook"
)

// answerWith returns a handler that answers with a status, a content type and a body.
func answerWith(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// unused returns the URL of a port on which no server listens.
func unused(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return "http://" + l.Addr().String()
}

// durations matches the durations in an explanation, which differ from run to run.
var durations = regexp.MustCompile(`after \d+ ms`)

// TestExplain checks the sentence for each way in which a delivery fails.
func TestExplain(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 600)
	tests := []struct {
		name   string
		url    func(*testing.T) string
		change func(*webhook.Config)
		want   string
	}{
		{"a status", app(answerWith(500, "text/plain", "no\r\n\tdatabase\x1b[31m")), nil, "answered 500 after N ms: no database [31m"},
		{"a status without a body", app(answerWith(404, "text/plain", "")), nil, "answered 404 after N ms"},
		{"a long body", app(answerWith(500, "text/plain", long)), nil, "answered 500 after N ms: " + long[:500]},
		{"invalid JSON", app(answerWith(200, "application/json", `{"type":4,`)), nil, `answered 200 with invalid JSON after N ms: {"type":4,`},
		{
			"a web page", app(answerWith(200, "text/html", "<h1>hello</h1>")), nil,
			"answered 200 with a content type that is neither JSON nor multipart after N ms: <h1>hello</h1>",
		},
		{"202 with a body", app(answerWith(202, "text/plain", "later")), nil, "answered 202 with a body after N ms: later"},
		{
			"too large", app(answerWith(200, "application/json", long)), func(c *webhook.Config) { c.Policy.MaxAnswer = 10 },
			"answered 200 with a body that is too large after N ms",
		},
		{"refused", unused, nil, "did not answer: connection refused after N ms"},
		{
			"closed", func(t *testing.T) string { return serveRaw(t, func(c *net.TCPConn) { readRequest(c) }) }, nil,
			"did not answer: connection closed before the answer was complete after N ms",
		},
		{"not HTTP", func(t *testing.T) string {
			return serveRaw(t, func(c *net.TCPConn) { readRequest(c); _, _ = io.WriteString(c, "hello\r\n\r\n") })
		}, nil, "did not answer: connection broken, or the response is not HTTP after N ms"},
		{
			"no TLS", func(t *testing.T) string { return "https" + serve(t, pong).URL[len("http"):] }, nil,
			"did not answer: TLS: the server does not speak TLS after N ms",
		},
		{
			"an unknown authority", func(t *testing.T) string { return serveTLS(t, true, pong).URL }, nil,
			"did not answer: TLS: the certificate authority is not trusted after N ms",
		},
		{
			"a forbidden address", app(pong), func(c *webhook.Config) { c.Policy.Allow = nil },
			"was not called: the address of the endpoint is not allowed",
		},
		{
			"a forbidden URL", func(*testing.T) string { return "ftp://127.0.0.1/" }, nil,
			"was not called: the endpoint URL is not allowed: scheme is not allowed",
		},
		{"production", app(answerWith(500, "text/plain", "SECRET")), func(c *webhook.Config) { c.Policy.Excerpts = false }, "answered 500 after N ms"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := newFixture(t, tt.change).deliver(tt.url(t))
			e, ok := errors.AsType[*webhook.Error](err)
			if !ok {
				t.Fatalf("Deliver() = %v", err)
			}
			if got := durations.ReplaceAllString(e.Explain(), "after N ms"); got != tt.want {
				t.Errorf("Explain() = %q, want %q", got, tt.want)
			}
		})
	}
}

// app returns a function that starts an app and returns its URL.
func app(h http.HandlerFunc) func(*testing.T) string {
	return func(t *testing.T) string { t.Helper(); return serve(t, h).URL }
}

// TestExplainText checks the sentences that depend on fields which no delivery of a test sets.
func TestExplainText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err  webhook.Error
		want string
	}{
		{
			webhook.Error{Kind: webhook.Status, Status: 500, Took: 12 * time.Millisecond, Request: 17, Excerpt: "no database"},
			"answered 500 after 12 ms (request 17): no database",
		},
		{
			webhook.Error{Kind: webhook.Timeout, Took: 3 * time.Second, Request: 18, Detail: "no complete answer by the deadline"},
			"did not answer: timeout after 3000 ms (request 18): no complete answer by the deadline",
		},
		{
			webhook.Error{Kind: webhook.CircuitOpen, Detail: "the endpoint kept failing and is paused"},
			"was not called: the endpoint kept failing and is paused",
		},
		{
			webhook.Error{Kind: webhook.Overloaded, Detail: "the service has too many deliveries under way"},
			"was not called: the service has too many deliveries under way",
		},
		{webhook.Error{Kind: webhook.TooLarge, Detail: "headers that are too large"}, "answered with headers that are too large after 0 ms"},
	}
	for _, tt := range tests {
		if got := tt.err.Explain(); got != tt.want {
			t.Errorf("Explain() = %q, want %q", got, tt.want)
		}
	}
}

// TestExplainVerify checks the sentence for each way in which the handshake fails.
func TestExplainVerify(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		url  func(*testing.T) string
		want string
	}{
		{"it refuses the PING", app(answerWith(400, "text/plain", "unknown type")), "answered 400 to the signed PING after N ms: unknown type"},
		{
			"it answers something else", app(answerWith(200, "application/json", `{"type":4}`)),
			`answered 200 to the signed PING with something other than a PONG after N ms: {"type":4}`,
		},
		{
			"it answers a web page", app(answerWith(200, "text/html", "<h1>hello</h1>")),
			"answered 200 to the signed PING with a content type that is neither JSON nor multipart after N ms: <h1>hello</h1>",
		},
		{"it is not there", unused, "did not answer the signed PING: connection refused after N ms"},
		{
			"it does not check signatures", app(pong),
			"accepted a wrong signature: it answered 200 instead of 401 to a PING with a wrong signature",
		},
		{"it refuses in another way", app(verifyingApp(pong, 403)), "answered 403 to a PING with a wrong signature instead of 401 after N ms"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, ok := errors.AsType[*webhook.VerifyError](newFixture(t, nil).verify(tt.url(t)))
			if !ok {
				t.Fatal("Verify() succeeded")
			}
			if got := durations.ReplaceAllString(e.Explain(), "after N ms"); got != tt.want {
				t.Errorf("Explain() = %q, want %q", got, tt.want)
			}
		})
	}
}

// TestEndpoint checks the state of an endpoint that fails, is paused and works again.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	d := newFixture(t, func(c *webhook.Config) {
		c.Policy.Circuit = webhook.CircuitRule{Failures: 2, First: time.Hour, Longest: time.Hour, Most: 1}
	})
	url := app(answerWith(500, "text/plain", "SECRET"))(t)
	if got := d.Endpoint(100, url); got != (webhook.EndpointState{}) {
		t.Errorf("before a delivery: %+v", got)
	}
	for n, want := range []webhook.EndpointState{
		{Failures: 1, Why: "webhook: status 500"}, {Failures: 2, Why: "webhook: status 500", Paused: true},
	} {
		d.fail(url, webhook.Status)
		if got := d.Endpoint(100, url); got != want {
			t.Errorf("after %d failures: %+v, want %+v", n+1, got, want)
		}
	}
	if got := d.Endpoint(101, url); got != (webhook.EndpointState{}) {
		t.Errorf("of another application: %+v", got)
	}
}
