package bellhop_test

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop"
	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// visitor is a browser that opens pages of a service below /play/ and reports each URL of the host that is not below it.
type visitor struct {
	*testing.T

	client http.Client
	base   *url.URL // of the service, with a slash at its end
	opened map[string]bool
}

// visited is a page with its URL.
type visited struct {
	at   *url.URL
	text string
	http.Header
}

// visit serves a service below /play/ on a mux that removes the path or leaves it.
func visit(t *testing.T, strip bool) *visitor {
	t.Helper()
	mux := http.NewServeMux()
	web := httptest.NewUnstartedServer(mux)
	base := &url.URL{Scheme: "http", Host: web.Listener.Addr().String(), Path: "/play/"}
	handler := start(t, bellhop.Config{
		Dev: true, PublicURL: base.String(), OIDC: bellhop.OIDC{Issuer: "https://id.example", ClientID: "game"},
	}).Handler()
	if strip {
		handler = http.StripPrefix("/play", handler)
	}
	mux.Handle("/play/", handler)
	web.Start()
	t.Cleanup(web.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{T: t, base: base, opened: map[string]bool{}}
	v.client = http.Client{Jar: jar, Timeout: 30 * time.Second, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		v.isBelow(r.URL, "a redirect")
		return nil
	}}
	return v
}

// isBelow reports whether a URL is one of the service. It fails the test if another one has the same host.
func (v *visitor) isBelow(u *url.URL, where string) bool {
	v.Helper()
	if u.Host != v.base.Host {
		return false
	}
	if !strings.HasPrefix(u.Path, v.base.Path) {
		v.Errorf("%s leads to %s, want a URL below %s", where, u, v.base)
		return false
	}
	return true
}

// do sends a request and checks the URLs of the answer.
func (v *visitor) do(method string, to *url.URL, form string) visited {
	v.Helper()
	r, err := http.NewRequestWithContext(v.Context(), method, to.String(), strings.NewReader(form))
	if err != nil {
		v.Fatal(err)
	}
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := v.client.Do(r)
	if err != nil {
		v.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || method == http.MethodGet && resp.StatusCode != http.StatusOK {
		v.Errorf("%s %s: %d %.200s, %v", method, to, resp.StatusCode, text, err)
	}
	return visited{resp.Request.URL, string(text), resp.Header}
}

// The URLs of pages and scripts.
var (
	attributes = regexp.MustCompile(`\b(href|src|action)="([^"$]*)"`)
	imports    = regexp.MustCompile(`(?m)(^import .*|^\} from |import\()'([^']+\.js)'`)
)

// crawl opens a path of the service and all files that its pages and scripts name.
func (v *visitor) crawl(at string) {
	v.Helper()
	waiting := []*url.URL{v.base.JoinPath(at)}
	for len(waiting) > 0 {
		next := waiting[0]
		waiting = waiting[1:]
		next.Fragment = ""
		if v.opened[next.String()] {
			continue
		}
		v.opened[next.String()] = true
		p := v.do(http.MethodGet, next, "")
		found := attributes.FindAllStringSubmatch(p.text, -1)
		if path.Ext(next.Path) == ".js" {
			found = imports.FindAllStringSubmatch(p.text, -1)
		}
		for _, f := range found {
			if u, err := p.at.Parse(html.UnescapeString(f[2])); err != nil {
				v.Errorf("%s: %v", next, err)
			} else if v.isBelow(u, next.String()) && f[1] != "action" {
				waiting = append(waiting, u)
			}
		}
	}
}

// open opens a path of the service and checks the URLs of the page.
func (v *visitor) open(at string) visited {
	v.Helper()
	to, err := v.base.Parse(at)
	if err != nil {
		v.Fatal(err)
	}
	p := v.do(http.MethodGet, to, "")
	for _, f := range attributes.FindAllStringSubmatch(p.text, -1) {
		if u, err := p.at.Parse(html.UnescapeString(f[2])); err != nil || !v.isBelow(u, p.at.String()) {
			v.Errorf("%s has the URL %q: %v", p.at, f[2], err)
		}
	}
	return p
}

var (
	forms     = regexp.MustCompile(`(?s)<form method="post" action="([^"]*)".*?</form>`)
	formToken = regexp.MustCompile(`name="(form|next)" value="([^"]+)"`)
)

// submit sends the form of a page with an action that contains a text. If the answer leads to another page, it returns that one.
func (v *visitor) submit(on visited, action string, pairs ...string) visited {
	v.Helper()
	for _, form := range forms.FindAllStringSubmatch(on.text, -1) {
		if !strings.Contains(form[1], action) {
			continue
		}
		values := url.Values{}
		for _, hidden := range formToken.FindAllStringSubmatch(form[0], -1) {
			values.Set(hidden[1], html.UnescapeString(hidden[2]))
		}
		for i := 0; i+1 < len(pairs); i += 2 {
			values.Set(pairs[i], pairs[i+1])
		}
		to, err := on.at.Parse(html.UnescapeString(form[1]))
		if err != nil {
			v.Fatal(err)
		}
		p := v.do(http.MethodPost, to, values.Encode())
		if onward, ok := strings.CutPrefix(p.Get("Refresh"), "0;url="); ok {
			return v.open(onward)
		}
		return p
	}
	v.Fatalf("%s has no form to %s", on.at, action)
	return visited{}
}

// expect checks the address and the text of a page.
func (v *visitor) expect(p visited, at, text string) visited {
	v.Helper()
	if p.at.Path != v.base.Path+at || !strings.Contains(p.text, text) {
		_, shown, _ := strings.Cut(p.text, "<main>")
		v.Errorf("opened %s, want %s with %q:\n%s", p.at, at, text, shown)
	}
	return p
}

// TestDocsBelowPath checks that all URLs of the documentation are below the path of the service, and that they exist.
func TestDocsBelowPath(t *testing.T) {
	t.Parallel()
	engines.Long(t) // with the race detector a service needs more than half a minute for its pages
	v := visit(t, true)
	v.crawl("docs")
	if !v.opened[v.base.JoinPath("docs/guide/go.html").String()] {
		t.Error("no page leads to docs/guide/go.html")
	}
	v.expect(v.open("llms.txt"), "llms.txt", "](docs/guide/go.md)")
}

// TestPagesBelowPath checks that all URLs of the console and of the pages for signing in are below the path of the service, and
// that they exist.
func TestPagesBelowPath(t *testing.T) {
	t.Parallel()
	for _, strip := range []bool{false, true} {
		v := visit(t, strip)
		v.crawl("")
		for _, file := range []string{"assets/vendor/hooks.js", "assets/base.js"} {
			if !v.opened[v.base.JoinPath(file).String()] {
				t.Errorf("strip %v: no page leads to %s", strip, file)
			}
		}
		entrance := v.expect(v.open("oauth2/account"), "oauth2/signin", "Continue with id.example")
		v.expect(v.submit(entrance, "signin", "user", "200"), "oauth2/account", "Your account")
		consent := v.expect(v.open("api/v10/oauth2/authorize?client_id=100&scope=bot"), "oauth2/authorize", "asks for your permission")
		v.expect(v.submit(consent, "authorize", "decision", "accept", "guild_id", "300"), "oauth2/authorize", "Echo was added to Lab")
		v.expect(v.submit(v.open("oauth2/device"), "device", "user_code", "AAAA-AAAA"), "oauth2/device", "No device waits")
		v.expect(v.submit(v.open("oauth2/logout?client_id=100"), "logout"), "oauth2/logout", "You are signed out")
		entrance = v.expect(v.open("oauth2/account"), "oauth2/signin", "Sign in")
		v.expect(v.submit(entrance, "signin", "token", "kR3vZq81Lm5tXw9PbNf2Ys6A"), "oauth2/account", "Your account")
		v.expect(v.submit(v.open("oauth2/account"), "signout"), "oauth2/signin", "Sign in")
	}
}

// TestCookiesBelowPath checks that browsers send cookies only to the service, and that their names over https, which require the
// path "/", stay.
func TestCookiesBelowPath(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{
		"http://game.example/play":  "bellhop=; Path=/play/;",
		"http://game.example":       "bellhop=; Path=/;",
		"https://game.example/play": "__Host-bellhop=; Path=/;",
	} {
		handler := start(t, bellhop.Config{PublicURL: public}).Handler()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, public+"/oauth2/signin", nil))
		got := regexp.MustCompile(`=[A-Za-z0-9_-]{20,};`).ReplaceAllString(w.Header().Get("Set-Cookie"), "=;")
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: cookie %q, want %q", public, got, want)
		}
	}
}
