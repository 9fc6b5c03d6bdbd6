package v10_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

const commandsPath = "/api/v10/applications/1300000000000000001/commands"

// The buckets of three routes. Clients keep them: they never change.
const (
	listBucket   = "285cf20d2c7c1d3aa939c17634d7a88c"
	getBucket    = "eadfedbf84947438b68b67711547e092"
	createBucket = "5411192b92cd422f639692ef16d1033e"
)

// TestLimitHeaders checks the values of the headers: what is left of the limit of the route, and when its window ends.
func TestLimitHeaders(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	policy.Routes[ratelimit.CommandsList] = ratelimit.Rule{Limit: 7, Window: 20 * time.Second, Per: ratelimit.PerCallerAndGuild}
	d := openWith(t, policy)
	begin := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).Unix() // the clock stands still
	check := func(name string, got answer, remaining, after string, reset int64) {
		t.Helper()
		for header, want := range map[string]string{
			"X-RateLimit-Bucket": listBucket, "X-RateLimit-Limit": "7", "X-RateLimit-Remaining": remaining, "X-RateLimit-Reset-After": after,
			"X-RateLimit-Reset": fmt.Sprintf("%d.000", begin+reset), "Via": "1.1 bellhop", "X-RateLimit-Global": "", "Retry-After": "",
		} {
			if v := got.header.Get(header); v != want {
				t.Errorf("%s (%d): %s is %q, want %q", name, got.status, header, v, want)
			}
		}
	}
	check("the first request", d.ask(t, "bot", "GET", commandsPath, ""), "6", "20.000", 20)
	check("the second", d.ask(t, "bot", "GET", commandsPath, ""), "5", "20.000", 20)
	if _, err := d.dev.Advance(t.Context(), 12*time.Second); err != nil {
		t.Fatal(err)
	}
	check("the third, 12 s later", d.ask(t, "bot", "GET", commandsPath, ""), "4", "8.000", 20)
	if _, err := d.dev.Advance(t.Context(), 8*time.Second); err != nil {
		t.Fatal(err)
	}
	check("the first in the next window", d.ask(t, "bot", "GET", commandsPath, ""), "6", "20.000", 40)
	for _, tt := range []struct{ name, as, method, path, body, want string }{
		{"another application", "game", "GET", strings.ReplaceAll(commandsPath, "001/", "003/"), "", listBucket},
		{"not found", "bot", "GET", commandsPath + "/5", "", getBucket},
		{"bad form", "bot", "POST", commandsPath, "{}", createBucket},
	} {
		got := d.ask(t, tt.as, tt.method, tt.path, tt.body)
		if v := got.header.Get("X-RateLimit-Bucket"); v != tt.want {
			t.Errorf("%s (%d): X-RateLimit-Bucket is %q, want %q", tt.name, got.status, v, tt.want)
		}
	}
}

// TestAllEndpointsLimit checks the limit "all endpoints: 50 per second per application".
func TestAllEndpointsLimit(t *testing.T) {
	t.Parallel()
	d := openWith(t, ratelimit.Default())
	refused := func(as, path string) (first int, last answer) {
		for i := range 200 {
			if last = d.ask(t, as, "GET", path, ""); last.status == http.StatusTooManyRequests {
				return i, last
			}
		}
		return 200, last
	}
	n, got := refused("bot", commandsPath)
	if n != 50 {
		t.Fatalf("request %d was refused, want the 51st", n+1)
	}
	if got.body != `{"message":"You are being rate limited.","retry_after":1.000,"global":true}` {
		t.Errorf("body %s", got.body)
	}
	for header, want := range map[string]string{
		"Retry-After": "1", "X-RateLimit-Global": "true", "X-RateLimit-Scope": "global", "X-RateLimit-Bucket": listBucket, "Via": "1.1 bellhop", "Content-Type": "application/json",
	} {
		if v := got.header.Get(header); v != want {
			t.Errorf("%s: %q, want %q", header, v, want)
		}
	}
	if other := d.ask(t, "game", "GET", "/api/v10/applications/1300000000000000003/commands", ""); other.status != 200 {
		t.Errorf("another application is answered %d", other.status)
	}
	if _, err := d.dev.Advance(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	if again := d.ask(t, "bot", "GET", commandsPath, ""); again.status != 200 {
		t.Errorf("a second later the answer is %d", again.status)
	}
}

// TestRaisedLimit checks the limit "can be raised to 1200 per second".
func TestRaisedLimit(t *testing.T) {
	t.Parallel()
	d := openWith(t, ratelimit.Default())
	world := `{"applications":[{"id":"1300000000000000001","name":"Echo","owner":"700000000000000001","bot_token":"bot-echo","client_secret":"s1","requests_per_second":1200}]}`
	if got := d.ask(t, "anonymous", "POST", "/_dev/world", world); got.status != 200 {
		t.Fatalf("world: %d %s", got.status, got.body)
	}
	for i := range 1200 {
		// Routes have limits of their own. A request for an unknown command counts like any other.
		path := fmt.Sprintf("%s/%d", commandsPath, i+1)
		if i >= 500 {
			path = commandsPath
		}
		if i >= 1000 {
			path = "/api/v10/applications/1300000000000000001/guilds/900000000000000001/commands"
		}
		if got := d.ask(t, "bot", "GET", path, ""); got.status == http.StatusTooManyRequests {
			t.Fatalf("request %d was refused: %s", i+1, got.body)
		}
	}
	got := d.ask(t, "bot", "GET", "/api/v10/applications/1300000000000000001/guilds/900000000000000001/commands", "")
	if got.status != http.StatusTooManyRequests || got.header.Get("X-RateLimit-Global") != "true" {
		t.Errorf("request 1201 is answered %d", got.status)
	}
}

func TestRouteLimit(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	policy.Routes[ratelimit.CommandsCreate] = ratelimit.Rule{Limit: 5, Window: 20 * time.Second, Per: ratelimit.PerCallerAndGuild}
	d := openWith(t, policy)
	for i := range 6 {
		got := d.ask(t, "bot", "POST", commandsPath, "{}")
		want := http.StatusBadRequest
		if i == 5 {
			want = http.StatusTooManyRequests
		}
		if got.status != want {
			t.Fatalf("create %d is answered %d, want %d", i+1, got.status, want)
		}
		if i == 5 && (got.header.Get("X-RateLimit-Scope") != "user" || got.header.Get("Retry-After") != "20" ||
			got.header.Get("X-RateLimit-Global") != "" || got.header.Get("X-RateLimit-Remaining") != "0" ||
			got.body != `{"message":"You are being rate limited.","retry_after":20.000,"global":false}`) {
			t.Errorf("refused with %v %s", got.header, got.body)
		}
	}
	if got := d.ask(t, "bot", "POST", "/api/v10/applications/1300000000000000001/guilds/900000000000000001/commands", "{}"); got.status != 400 {
		t.Errorf("another scope is answered %d", got.status)
	}
	if got := d.ask(t, "bot", "GET", commandsPath, ""); got.status != 200 {
		t.Errorf("another route is answered %d", got.status)
	}
}

// TestEdge checks the limit "many 429 responses from one IP address in a short time: that address is blocked".
func TestEdge(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	policy.Edge.Invalid = 100
	policy.Address.Limit = 1000
	d := openWith(t, policy)
	d.refuse(t, 100)
	got := d.ask(t, "wrong", "GET", commandsPath, "")
	if got.status != http.StatusTooManyRequests || got.body != ratelimit.BlockedBody {
		t.Errorf("after 100 refusals: %d %s", got.status, got.body)
	}
	// Client libraries recognize a block by the headers that are missing.
	for header, want := range map[string]string{"Retry-After": "600", "Via": "", "X-RateLimit-Bucket": "", "X-RateLimit-Global": ""} {
		if v := got.header.Get(header); v != want {
			t.Errorf("after 100 refusals: %s is %q, want %q", header, v, want)
		}
	}
	if _, err := d.dev.Advance(t.Context(), policy.Edge.Block); err != nil {
		t.Fatal(err)
	}
	if again := d.ask(t, "wrong", "GET", commandsPath, ""); again.status != http.StatusUnauthorized {
		t.Errorf("after the block: %d", again.status)
	}
}

// refuse sends requests with a wrong bot token.
func (s *service) refuse(t *testing.T, times int, headers ...string) {
	t.Helper()
	for i := range times {
		if got := s.ask(t, "wrong", "GET", commandsPath, "", headers...); got.status != http.StatusUnauthorized {
			t.Fatalf("request %d is answered %d", i+1, got.status)
		}
	}
}

// TestEdgeBlocksOnlyWrongCredentials checks that requests with wrong tokens do not lock out other callers of the address.
func TestEdgeBlocksOnlyWrongCredentials(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	policy.Edge.Invalid = 20
	d := openWith(t, policy)
	d.refuse(t, 20)
	for _, ask := range []struct {
		as, method, path string
		want             int
	}{
		{"wrong", "GET", commandsPath, 429},
		{"bot", "GET", commandsPath, 200},
		{"person", "GET", "/api/v10/users/@me", 200},
		{"signed", "GET", "/api/v10/users/@me", 200},
		{"admin", "GET", "/admin/v1/users", 200},
		{"wrong", "GET", "/admin/v1/users", 401}, // refusals are counted apart for operators
		{"anonymous", "GET", commandsPath, 401},  // and for requests without a token
		{"anonymous", "GET", "/healthz", 200},
		{"anonymous", "GET", "/readyz", 200},
		{"anonymous", "GET", "/metrics", 200},
	} {
		if got := d.ask(t, ask.as, ask.method, ask.path, ""); got.status != ask.want {
			t.Errorf("%s %s %s: %d, want %d", ask.as, ask.method, ask.path, got.status, ask.want)
		}
	}
	d.ask(t, "wrong", "GET", commandsPath, "")
	if n := strings.Count(d.log.String(), `"msg":"address blocked`); n != 1 || !strings.Contains(d.log.String(), `"address":"192.0.2.1","credential":"bot"`) {
		t.Errorf("%d lines about the block, want 1 with the address", n)
	}
}

// TestEdgeBlocksACallerOverItsLimit checks that a caller with a valid token is blocked for its own refusals.
func TestEdgeBlocksACallerOverItsLimit(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	policy.Edge.Invalid = 20
	policy.Routes[ratelimit.CommandsList].Limit = 1
	d := openWith(t, policy)
	for range 25 {
		d.ask(t, "bot", "GET", commandsPath, "")
	}
	if got := d.ask(t, "bot", "GET", commandsPath, ""); got.status != http.StatusTooManyRequests || got.header.Get("Via") != "" {
		t.Errorf("after 20 answers 429: %d %v, want a block", got.status, got.header)
	}
	if got := d.ask(t, "person", "GET", "/api/v10/users/@me", ""); got.status != http.StatusOK {
		t.Errorf("another caller of the address: %d, want 200", got.status)
	}
}

// TestEdgeIgnoresForgedForwardingHeaders checks that headers of a client that is no trusted proxy change nothing: the client
// is blocked by its own address, with and without them.
func TestEdgeIgnoresForgedForwardingHeaders(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	policy.Edge.Invalid = 9
	d := openWith(t, policy)
	headers := []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip"}
	for i, header := range headers {
		d.refuse(t, 3, header, fmt.Sprintf("203.0.113.%d", i))
	}
	for _, header := range headers {
		if got := d.ask(t, "wrong", "GET", commandsPath, "", header, "203.0.113.9"); got.status != http.StatusTooManyRequests {
			t.Errorf("after 9 refusals, with a forged %s: %d, want 429", header, got.status)
		}
	}
	if got := d.ask(t, "wrong", "GET", commandsPath, ""); got.status != http.StatusTooManyRequests {
		t.Errorf("after 9 refusals with forged headers: %d, want 429", got.status)
	}
	if got := d.ask(t, "bot", "GET", commandsPath, "", "X-Forwarded-For", "203.0.113.1"); got.status != http.StatusOK {
		t.Errorf("a valid token from the blocked address: %d, want 200", got.status)
	}
	if n := strings.Count(d.log.String(), "proxy that is not trusted"); n != 1 {
		t.Errorf("%d warnings about the proxy, want 1", n)
	}
	policy.Edge.Invalid = 10
	policy.Proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	trusting := openWith(t, policy)
	trusting.refuse(t, 10, "X-Forwarded-For", "203.0.113.1")
	for address, want := range map[string]int{"203.0.113.1": 429, "203.0.113.2": 401} {
		if got := trusting.ask(t, "wrong", "GET", commandsPath, "", "X-Forwarded-For", address); got.status != want {
			t.Errorf("%s behind a trusted proxy: %d, want %d", address, got.status, want)
		}
	}
	if strings.Contains(trusting.log.String(), "proxy that is not trusted") {
		t.Error("a warning about a trusted proxy")
	}
}

// TestUnservedRequestsAreLimited checks that requests that no route serves count against the limit of their address.
func TestUnservedRequestsAreLimited(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	policy.Address.Limit = 5
	d := openWith(t, policy)
	for i, tt := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/no/such/path", http.StatusNotFound},
		{"GET", "/api/v10/../x", http.StatusNotFound},
		{"GET", "/api/v3/gateway", http.StatusBadRequest},
		{"DELETE", "/api/v10/gateway", http.StatusMethodNotAllowed},
		{"GET", "/no/such/path", http.StatusNotFound},
		{"GET", "/another", http.StatusTooManyRequests},
		{"GET", "/api/v10/../x", http.StatusTooManyRequests},
		{"GET", "/api/v3/gateway", http.StatusTooManyRequests},
		{"DELETE", "/api/v10/gateway", http.StatusTooManyRequests},
	} {
		if got := d.ask(t, "", tt.method, tt.path, ""); got.status != tt.want {
			t.Errorf("request %d, %s %s: %d, want %d", i+1, tt.method, tt.path, got.status, tt.want)
		}
	}
	if got := d.ask(t, "bot", "GET", commandsPath, ""); got.status != http.StatusOK {
		t.Errorf("a valid token from the same address: %d, want 200", got.status)
	}
}

func TestBodyTooLarge(t *testing.T) {
	t.Parallel()
	d := open(t)
	got := d.ask(t, "bot", "POST", commandsPath, `{"name":"`+strings.Repeat("x", 8<<20)+`"}`)
	if got.status != http.StatusRequestEntityTooLarge || got.body != `{"message":"Request entity too large","code":40005}` {
		t.Errorf("%d %s", got.status, got.body)
	}
}
