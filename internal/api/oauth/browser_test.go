package oauth_test

import (
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/api"
	oauthapi "github.com/bellhop/bellhop/internal/api/oauth"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/provisional"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(int) { http.DefaultClient.CloseIdleConnections() }))
}

// Ada owns Lab and Den, bob is in Lab, mia is a moderator of Lab, and amy an administrator.
const lab = `
users:
  - {id: "200", username: ada, global_name: Ada, token: user-ada}
  - {id: "201", username: bob, token: user-bob}
  - {id: "202", username: mia, token: user-mia}
  - {id: "203", username: amy, token: user-amy}
applications:
  - id: "100"
    name: Echo <&> "Co"
    description: Says <b>it</b> again.
    owner: "200"
    bot_token: bot-echo
    client_secret: hush
    integration_types: [0, 1]
    redirect_uris: ["https://echo.example/cb?a=1", "echo:/authorize/callback", "http://127.0.0.1/callback"]
guilds:
  - id: "300"
    name: Lab
    owner: "200"
    everyone: "1024"
    roles: [{id: "302", name: mods, permissions: "2080"}, {id: "303", name: admins, permissions: "8"}]
    members: [{user: "201"}, {user: "202", roles: ["302"]}, {user: "203", roles: ["303"]}]
  - {id: "301", name: Den, owner: "200"}
`

// stillClock always shows the same time.
type stillClock struct{}

func (stillClock) Now() time.Time                               { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }
func (stillClock) AfterFunc(time.Duration, func()) *clock.Timer { return &clock.Timer{} }

// service is the API on a server of its own.
type service struct {
	*oauthapi.API

	url   string
	clock *clock.Movable
}

func open(t *testing.T) *service {
	t.Helper()
	return openWith(t, func(*oauthapi.Sessions) {})
}

// openWith opens a service whose sessions are configured before its routes are made.
func openWith(t *testing.T, configure func(*oauthapi.Sessions)) *service {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	now := clock.NewMovable(stillClock{})
	states := cache.New(db, 1<<20)
	ids := store.NewIDs(0, now.Now, time.Time{})
	dir := directory.New(directory.Config{Store: db, Cache: states, Clock: now, IDs: ids})
	tokens := &auth.Authenticator{Records: dir.Credentials, Clock: now}
	w, err := world.Parse("lab.yaml", []byte(lab))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&provision.Provisioner{Directory: dir, Clock: now}).Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	provider := &oauth.Server{Store: db, Clock: now, Wall: now, Directory: dir, Log: log}
	s := &service{clock: now, API: &oauthapi.API{OAuth: provider, Directory: dir, Sessions: &oauthapi.Sessions{
		Store: db, Clock: now, Directory: dir, Tokens: tokens, IDs: ids, Accounts: oauth.Accounts{Server: provider}, Public: func() string { return provider.Issuer }, Choose: true,
	}}}
	configure(s.Sessions)
	s.Players = provisional.New(provisional.Config{Store: db, Directory: dir, OAuth: provider, Clock: now, Wall: now, IDs: ids, Log: log})
	policy := ratelimit.Off()
	srv := httptest.NewServer(api.New(api.Config{
		Store: db, Cache: states, Tokens: tokens, Sessions: s.Sessions, Clock: now, Wall: clock.System{}, Metrics: metrics.New("test"), Log: log,
		Limits: api.Limits{
			Edge: ratelimit.NewEdge(policy.Edge, now.Now()), Gate: ratelimit.NewGate(policy.Gate), Guard: ratelimit.Guard{Policy: &policy},
		},
		Errors: oauthapi.Errors, ConvertErrors: []api.ErrorConverter{oauthapi.ConvertError},
	}, s.Routes()))
	t.Cleanup(func() {
		srv.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s.url, provider.Issuer = srv.URL, srv.URL
	return s
}

// browser keeps cookies and does not follow redirects.
type browser struct {
	client http.Client
	base   string
}

func (s *service) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{base: s.url, client: http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{},
	}}
	t.Cleanup(b.client.CloseIdleConnections)
	return b
}

// page is a response of the service.
type page struct {
	status int
	header http.Header
	text   string
}

func (b *browser) do(t *testing.T, method, path, form string, headers ...string) page {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.base+path, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := b.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return page{resp.StatusCode, resp.Header, string(text)}
}

func (b *browser) get(t *testing.T, path string) page {
	t.Helper()
	return b.do(t, http.MethodGet, path, "")
}

var formToken = regexp.MustCompile(`name="form" value="([^"]+)"`)

// post sends a form with the form token of a page.
func (b *browser) post(t *testing.T, on page, path string, pairs ...string) page {
	t.Helper()
	found := formToken.FindStringSubmatch(on.text)
	if found == nil {
		t.Fatalf("no form in %d %s", on.status, on.text)
	}
	values := url.Values{"form": {found[1]}}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	return b.do(t, http.MethodPost, path, values.Encode())
}

// signIn signs a user in by choosing the user.
func (b *browser) signIn(t *testing.T, user string) {
	t.Helper()
	got := b.post(t, b.get(t, "/oauth2/signin"), "/oauth2/signin", "user", user)
	if got.status != http.StatusOK || got.onward() != "/" {
		t.Fatalf("sign in: %d on to %q", got.status, got.onward())
	}
}

// onward returns the URL to which a page sends the browser.
func (p page) onward() string {
	if to := p.header.Get("Location"); to != "" {
		return to
	}
	return strings.TrimPrefix(p.header.Get("Refresh"), "0;url=")
}

// says reports whether a page contains a text.
func (p page) says(text string) bool { return strings.Contains(html.UnescapeString(p.text), text) }

// query returns the query parameters of the URL to which a page sends the browser.
func (p page) query(t *testing.T) url.Values {
	t.Helper()
	u, err := url.Parse(p.onward())
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

// provision returns what writes worlds to the directory.
func (d *service) provision() *provision.Provisioner {
	return &provision.Provisioner{Directory: d.Directory, Clock: d.clock}
}
