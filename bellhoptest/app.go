package bellhoptest

import (
	"crypto/ed25519"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"testing"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
)

// Connect serves an app that receives interactions over HTTP, on a free port until the test ends, and returns its address.
// It registers the address as the application's interactions endpoint. The service tests the endpoint with a PING and with
// wrong signatures; if the app fails this test, Connect ends the Go test.
func (s *Server) Connect(t testing.TB, app snowflake.Application, handler http.Handler) string {
	t.Helper()
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	if _, err := s.Bot(app).SetInteractionsEndpoint(t.Context(), web.URL); err != nil {
		t.Fatalf("bellhoptest: set the interactions endpoint: %v", err)
	}
	return web.URL
}

// VerifyKey returns the public key that verifies the signatures of an application's interactions.
func (s *Server) VerifyKey(t testing.TB, app snowflake.Application) ed25519.PublicKey {
	t.Helper()
	found, err := s.Bot(app).Application(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	key, err := hex.DecodeString(found.VerifyKey)
	if err != nil {
		t.Fatalf("bellhoptest: the key of application %s: %v", app, err)
	}
	return key
}

// Redirect returns an HTTP client that sends every request to this server and ignores the host of its URL. Use it for
// libraries whose base URL cannot be changed, or only for the whole process.
func (s *Server) Redirect() *http.Client {
	return &http.Client{Transport: redirect{s.URL, s.http.Transport}}
}

type redirect struct {
	to   string
	next http.RoundTripper
}

// RoundTrip sends a request to the server.
func (r redirect) RoundTrip(q *http.Request) (*http.Response, error) {
	to, err := url.Parse(r.to)
	if err != nil {
		return nil, err
	}
	q = q.Clone(q.Context())
	q.URL.Scheme, q.URL.Host, q.Host = to.Scheme, to.Host, to.Host
	return r.next.RoundTrip(q)
}

// Push replaces the global commands of an application by those of a JSON or YAML file. If the file has errors, Push reports
// each with its line and column and ends the test.
func (s *Server) Push(t testing.TB, app snowflake.Application, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, syntax := command.ParseFile(file, data)
	if syntax != nil {
		t.Fatalf("%s:%s", file, syntax)
	}
	known, err := s.Bot(app).Application(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wanted, findings := parsed.Items(known.Env(false))
	for _, f := range findings {
		t.Errorf("%s:%s", file, f)
	}
	if len(findings) > 0 {
		t.FailNow()
	}
	items := make([]client.Item, len(wanted))
	for i, w := range wanted {
		items[i] = client.Item{Definition: w.Definition}
	}
	if _, err := s.Bot(app).OverwriteCommands(t.Context(), command.Scope{Application: app}, items); err != nil {
		t.Fatal(err)
	}
}
