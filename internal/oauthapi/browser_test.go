package oauthapi_test

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

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauthapi"
	"github.com/bellhop/bellhop/internal/oauthserver"
	"github.com/bellhop/bellhop/internal/signin"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Ada manages Lab and Den, bob is in Lab.
const lab = `
users:
  - {id: "200", username: ada, global_name: Ada, token: user-ada}
  - {id: "201", username: bob, token: user-bob}
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
  - {id: "300", name: Lab, owner: "200", members: [{user: "201"}]}
  - {id: "301", name: Den, owner: "200"}
`

// stillClock shows the same time until it is moved.
type stillClock struct{}

func (stillClock) Now() time.Time                               { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }
func (stillClock) AfterFunc(time.Duration, func()) *clock.Timer { return &clock.Timer{} }

// desk is the pages on a server of their own.
type desk struct {
	*oauthapi.Pages

	url   string
	clock *clock.Movable
}

func open(t *testing.T) *desk {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), log)
	if err != nil {
		t.Fatal(err)
	}
	now := clock.NewMovable(stillClock{})
	held := cache.New(db, 1<<20)
	ids := snowflake.NewGenerator(0, now.Now, time.Time{})
	dir := &directory.Directory{Store: db, Cache: held, Clock: now, IDs: ids}
	auth := &auth.Authenticator{Store: db, Cache: held, Clock: now, Owners: dir}
	w, err := world.Parse("lab.yaml", []byte(lab))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	g := &oauthserver.Grants{Store: db, Clock: now, Directory: dir, Log: log}
	public := func() string { return g.Issuer }
	d := &desk{clock: now, Pages: &oauthapi.Pages{Grants: g, Directory: dir, Door: &signin.Door{
		Store: db, Clock: now, Directory: dir, Tokens: auth, IDs: ids, Public: public, Choose: true,
	}}}
	srv := httptest.NewServer(d.mux(t))
	t.Cleanup(func() {
		srv.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	d.url, g.Issuer = srv.URL, srv.URL
	return d
}

func (d *desk) mux(t *testing.T) *http.ServeMux {
	mux := http.NewServeMux()
	for pattern, page := range map[string]func(http.ResponseWriter, *http.Request) error{
		"GET /oauth2/authorize": d.Authorize, "POST /oauth2/authorize": d.Decide,
		"GET /oauth2/signin": d.SignIn, "POST /oauth2/signin": d.Enter, "POST /oauth2/signout": d.Leave,
		"GET /oauth2/device": d.Device, "POST /oauth2/device": d.DecideDevice,
		"GET /oauth2/signin/upstream": d.Upstream, "GET /oauth2/signin/callback": d.Callback,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := page(w, r); err != nil {
				t.Errorf("%s: %v", pattern, err)
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
	}
	return mux
}

// browser is a person's browser: it keeps cookies, and goes nowhere by itself.
type browser struct {
	client http.Client
	base   string
}

func (d *desk) browser(t *testing.T) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{base: d.url, client: http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{},
	}}
	t.Cleanup(b.client.CloseIdleConnections)
	return b
}

// page is what a browser shows.
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

// post sends a form with the token of the page it stands on.
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

// signIn signs somebody in by choice.
func (b *browser) signIn(t *testing.T, user string) {
	t.Helper()
	got := b.post(t, b.get(t, "/oauth2/signin"), "/oauth2/signin", "user", user)
	if got.status != http.StatusOK || got.onward() != "/" {
		t.Fatalf("sign in: %d on to %q", got.status, got.onward())
	}
}

// onward returns where a page sends the browser.
func (p page) onward() string {
	if to := p.header.Get("Location"); to != "" {
		return to
	}
	return strings.TrimPrefix(p.header.Get("Refresh"), "0;url=")
}

// says reports whether a page shows a text.
func (p page) says(text string) bool { return strings.Contains(html.UnescapeString(p.text), text) }

// query returns the parameters with which a page sends the browser on.
func (p page) query(t *testing.T) url.Values {
	t.Helper()
	u, err := url.Parse(p.onward())
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}
