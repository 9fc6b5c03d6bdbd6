package v10_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

var formToken = regexp.MustCompile(`name="form" value="([^"]+)"`)

// browser keeps the cookie of a service.
type browser struct {
	*service

	described *description // nil: responses are not checked
	cookie    string
}

// visit opens a page or sends a form, and checks the response.
func (b *browser) visit(t *testing.T, method, path, form string, status int) answer {
	t.Helper()
	got := b.ask(t, "anonymous", method, path, form, "Cookie", b.cookie, "Content-Type", "application/x-www-form-urlencoded")
	if b.described != nil {
		b.described.check(t, method, path, got)
	}
	if got.status != status {
		t.Fatalf("%s %s answers %d, want %d: %s", method, path, got.status, status, got.body)
	}
	if set := got.header.Get("Set-Cookie"); set != "" {
		b.cookie, _, _ = strings.Cut(set, ";")
	}
	return got
}

// send sends the form of a page.
func (b *browser) send(t *testing.T, on answer, path, form string, status int) answer {
	t.Helper()
	found := formToken.FindStringSubmatch(on.body)
	if found == nil {
		t.Fatalf("no form in %s", on.body)
	}
	return b.visit(t, http.MethodPost, path, form+"&form="+found[1], status)
}

// pages visits all HTML pages.
func pages(t *testing.T, met *coverage) {
	t.Helper()
	d := open(t)
	addPortal(t, d)
	b := &browser{service: d, described: describe(t, d, met)}
	const ada = "user=700000000000000001&next=%2F"
	b.visit(t, http.MethodGet, "/oauth2/authorize"+portalAsks, "", http.StatusFound)
	b.visit(t, http.MethodPost, "/oauth2/authorize"+portalAsks, "decision=accept", http.StatusFound)
	b.visit(t, http.MethodGet, "/oauth2/device", "", http.StatusFound)
	b.visit(t, http.MethodPost, "/oauth2/device", "", http.StatusFound)
	b.visit(t, http.MethodGet, "/oauth2/account", "", http.StatusFound)
	b.visit(t, http.MethodPost, "/oauth2/account", "", http.StatusFound)
	b.visit(t, http.MethodGet, "/oauth2/authorize?client_id=1", "", http.StatusBadRequest)
	signIn := b.visit(t, http.MethodGet, "/oauth2/signin", "", http.StatusOK)
	b.send(t, signIn, "/oauth2/signin", "token=nobody", http.StatusUnauthorized)
	b.visit(t, http.MethodPost, "/oauth2/pass", "", http.StatusUnauthorized)
	b.send(t, signIn, "/oauth2/signin", ada, http.StatusOK)
	b.visit(t, http.MethodPost, "/oauth2/pass", "", http.StatusOK)
	if got := b.ask(t, "anonymous", http.MethodPost, "/oauth2/pass", "", "Cookie", b.cookie, "Sec-Fetch-Site", "cross-site"); got.status != http.StatusUnauthorized {
		t.Errorf("a page of another site gets a token: %d %s", got.status, got.body)
	}
	shown := b.visit(t, http.MethodGet, "/oauth2/authorize"+portalAsks, "", http.StatusOK)
	b.visit(t, http.MethodPost, "/oauth2/authorize"+portalAsks, "decision=accept", http.StatusForbidden)
	b.send(t, shown, "/oauth2/authorize"+portalAsks, "decision=accept", http.StatusOK)
	device := b.visit(t, http.MethodGet, "/oauth2/device", "", http.StatusOK)
	b.send(t, device, "/oauth2/device", "user_code=", http.StatusOK)
	b.send(t, device, "/oauth2/device", "user_code=BBBBBBBB", http.StatusForbidden)
	account := b.visit(t, http.MethodGet, "/oauth2/account", "", http.StatusOK)
	b.visit(t, http.MethodPost, "/oauth2/account", "others=1", http.StatusForbidden)
	b.send(t, account, "/oauth2/account", "others=1", http.StatusOK)
	b.visit(t, http.MethodPost, "/oauth2/logout", "client_id="+portal, http.StatusFound)
	asked := b.visit(t, http.MethodGet, "/oauth2/logout", "", http.StatusOK)
	b.send(t, asked, "/oauth2/logout", "", http.StatusOK)
	b.visit(t, http.MethodGet, "/oauth2/logout?client_id=1", "", http.StatusBadRequest)
	signIn = b.visit(t, http.MethodGet, "/oauth2/signin", "", http.StatusOK)
	b.send(t, signIn, "/oauth2/signin", ada, http.StatusOK)
	device = b.visit(t, http.MethodGet, "/oauth2/device", "", http.StatusOK)
	b.send(t, device, "/oauth2/signout", "", http.StatusOK)
}

// TestOperatorEndsAccess lists and ends the sessions and grants of a user as an operator.
func TestOperatorEndsAccess(t *testing.T) {
	t.Parallel()
	d := open(t)
	addPortal(t, d)
	b := &browser{service: d}
	b.send(t, b.visit(t, http.MethodGet, "/oauth2/signin", "", http.StatusOK), "/oauth2/signin", "user=700000000000000001&next=%2F", http.StatusOK)
	b.send(t, b.visit(t, http.MethodGet, "/oauth2/authorize"+portalAsks, "", http.StatusOK), "/oauth2/authorize"+portalAsks, "decision=accept", http.StatusOK)
	const user = "/admin/v1/users/700000000000000001"
	for _, list := range []string{user + "/grants", "/admin/v1/applications/" + portal + "/grants"} {
		if got := d.ask(t, "admin", http.MethodGet, list, ""); !strings.Contains(got.body, `"application":"`+portal+`","user":"700000000000000001"`) {
			t.Errorf("%s: %s", list, got.body)
		}
	}
	if got := d.ask(t, "admin", http.MethodDelete, user+"/grants/"+portal, ""); got.status != http.StatusNoContent {
		t.Errorf("end the grant: %d", got.status)
	}
	if got := d.ask(t, "admin", http.MethodGet, user+"/grants", ""); got.body != "[]" {
		t.Errorf("grants %s, want none", got.body)
	}
	sessions := d.ask(t, "admin", http.MethodGet, user+"/sessions", "")
	id := regexp.MustCompile(`"id_hash":"([0-9a-f]{32})"`).FindStringSubmatch(sessions.body)
	if id == nil {
		t.Fatalf("sessions %s, want one", sessions.body)
	}
	d.ask(t, "admin", http.MethodDelete, user+"/sessions/"+id[1], "")
	b.visit(t, http.MethodGet, "/oauth2/account", "", http.StatusFound)
	if got := d.ask(t, "admin", http.MethodGet, "/admin/v1/users/1/sessions", ""); got.status != http.StatusNotFound {
		t.Errorf("sessions of an unknown user: %d", got.status)
	}
}

func TestUserCodeGuessesAreLimited(t *testing.T) {
	t.Parallel()
	d := openWith(t, ratelimit.Default())
	b := &browser{service: d}
	signIn := b.visit(t, http.MethodGet, "/oauth2/signin", "", http.StatusOK)
	b.send(t, signIn, "/oauth2/signin", "user=700000000000000001&next=%2F", http.StatusOK)
	page := b.visit(t, http.MethodGet, "/oauth2/device", "", http.StatusOK)
	for range 19 {
		b.send(t, page, "/oauth2/device", "user_code=BBBBBBBB", http.StatusForbidden)
	}
	b.send(t, page, "/oauth2/device", "user_code=BBBBBBBB", http.StatusTooManyRequests)
}

// TestSignInGuessesSlowDownTheirAddress guesses the token of one user from many addresses, and often from one. The guesses
// do not lock out the user, and those of the one address become slow.
func TestSignInGuessesSlowDownTheirAddress(t *testing.T) {
	t.Parallel()
	d := openWith(t, ratelimit.Default())
	signIn := func(token, address string) (status int, took time.Duration) {
		t.Helper()
		b := &browser{service: d}
		page := b.visit(t, http.MethodGet, "/oauth2/signin", "", http.StatusOK)
		form := url.Values{"form": {formToken.FindStringSubmatch(page.body)[1]}, "token": {token}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/oauth2/signin", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Cookie", b.cookie)
		r.RemoteAddr = address + ":1000"
		w, done := httptest.NewRecorder(), make(chan struct{})
		go func() { defer close(done); d.ServeHTTP(w, r) }()
		for {
			select {
			case <-done:
				d.dev.Clock.Advance(time.Second)
				return w.Code, took
			case <-time.After(200 * time.Millisecond): // the attempt waits, unless the machine is busy
				if took > 10*time.Second {
					t.Fatalf("the attempt still waits after %v", took)
				}
				d.dev.Clock.Advance(250 * time.Millisecond)
				took += 250 * time.Millisecond
			}
		}
	}
	const attacker = "203.0.113.1"
	wrong := base64.RawStdEncoding.EncodeToString([]byte("700000000000000001")) + ".x.guess"
	for i := range 25 {
		if status, _ := signIn(wrong, fmt.Sprintf("198.51.100.%d", i+1)); status != http.StatusUnauthorized {
			t.Fatalf("guess %d from another address each: %d, want 401", i+1, status)
		}
	}
	for i := range 5 {
		if status, _ := signIn(wrong, attacker); status != http.StatusUnauthorized {
			t.Fatalf("guess %d from one address: %d, want 401", i+1, status)
		}
	}
	if status, took := signIn(wrong, attacker); status != http.StatusUnauthorized || took < time.Second {
		t.Errorf("guess 6 from one address: %d after %v, want 401 after a second", status, took)
	}
	if status, _ := signIn("user-ada", "203.0.113.2"); status != http.StatusOK {
		t.Errorf("the user signs in with %d, want 200", status)
	}
}

// TestDeviceCodesAreLimitedPerAddress checks that one address does not get all codes of an application.
func TestDeviceCodesAreLimitedPerAddress(t *testing.T) {
	t.Parallel()
	policy := ratelimit.Default()
	policy.Routes[ratelimit.OAuth2DeviceCodes].Limit = 3
	d := openWith(t, policy)
	addPortal(t, d)
	begin := func(address string, secret ...string) (int, string, string) {
		t.Helper()
		form := url.Values{"client_id": {portal}, "scope": {"identify"}, "client_secret": secret}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v10/oauth2/device/authorize", strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.RemoteAddr = address + ":1000"
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		return w.Code, w.Body.String(), w.Header().Get("Retry-After")
	}
	for i := range 3 {
		if status, body, _ := begin("203.0.113.1"); status != http.StatusOK {
			t.Fatalf("device %d: %d %s", i+1, status, body)
		}
	}
	if status, body, retry := begin("203.0.113.1"); status != http.StatusBadRequest || !strings.Contains(body, "slow_down") || retry == "" {
		t.Errorf("device 4: %d %s, Retry-After %q", status, body, retry)
	}
	if status, body, _ := begin("203.0.113.2"); status != http.StatusOK {
		t.Errorf("a device of another address: %d %s", status, body)
	}
	if status, body, _ := begin("203.0.113.1", "s9"); status != http.StatusOK {
		t.Errorf("a client with its secret: %d %s", status, body)
	}
}

// TestUserCodeGuessesAreLimitedForLong enters wrong codes so slowly that the limit per minute allows them.
func TestUserCodeGuessesAreLimitedForLong(t *testing.T) {
	t.Parallel()
	d := openWith(t, ratelimit.Default())
	b := &browser{service: d}
	signIn := b.visit(t, http.MethodGet, "/oauth2/signin", "", http.StatusOK)
	b.send(t, signIn, "/oauth2/signin", "user=700000000000000001&next=%2F", http.StatusOK)
	page := b.visit(t, http.MethodGet, "/oauth2/device", "", http.StatusOK)
	for range 30 {
		d.dev.Clock.Advance(15 * time.Second)
		b.send(t, page, "/oauth2/device", "user_code=BBBBBBBB", http.StatusForbidden)
	}
	d.dev.Clock.Advance(15 * time.Second)
	b.send(t, page, "/oauth2/device", "user_code=BBBBBBBB", http.StatusTooManyRequests)
	b.send(t, page, "/oauth2/device", "user_code=BBBBBBBB&decision=accept", http.StatusTooManyRequests)
}

func TestClientSecretGuessesAreLimited(t *testing.T) {
	t.Parallel()
	d := openWith(t, ratelimit.Default())
	for i := range 51 {
		form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"1300000000000000001"}, "client_secret": {"guess"}}
		got := d.ask(t, "anonymous", http.MethodPost, "/api/v10/oauth2/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		want := http.StatusUnauthorized
		if i == 50 {
			want = http.StatusTooManyRequests
		}
		if got.status != want {
			t.Fatalf("guess %d: %d, want %d", i, got.status, want)
		}
	}
}
