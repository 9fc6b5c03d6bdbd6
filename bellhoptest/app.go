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

// Connect serves an app that takes its interactions over HTTP, on a port of its own until the test ends, and tells the
// service its address, as a developer does: the service tries it with a PING, and with signatures that are wrong. It
// returns the address.
func (s *Server) Connect(t testing.TB, app snowflake.Application, handler http.Handler) string {
	t.Helper()
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	if _, err := s.Bot(app).SetInteractionsEndpoint(t.Context(), web.URL); err != nil {
		t.Fatalf("bellhoptest: the app was tried and failed: %v", err)
	}
	return web.URL
}

// VerifyKey returns the key that the signatures of an application's interactions are made for.
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

// Redirect returns a client that sends every request to this server, whatever host it is meant for: for libraries whose
// address cannot be changed, or only for a whole process.
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

// Push makes an application have just the commands of a file of definitions, JSON or YAML. Faults of the file end the test,
// each with its line and column.
func (s *Server) Push(t testing.TB, app snowflake.Application, file string) {
	t.Helper()
	data, err := os.ReadFile(file) //nolint:gosec // the test names the file
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
