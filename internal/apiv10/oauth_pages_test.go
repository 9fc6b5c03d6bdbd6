package apiv10_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/ratelimit"
)

var formToken = regexp.MustCompile(`name="form" value="([^"]+)"`)

// visitor is a browser at a desk.
type visitor struct {
	*desk

	described *description // nil: nobody looks
	cookie    string
}

// visit opens a page or sends a form, and checks the answer.
func (v *visitor) visit(t *testing.T, method, path, form string, status int) answer {
	t.Helper()
	got := v.ask(t, "nobody", method, path, form, "Cookie", v.cookie, "Content-Type", "application/x-www-form-urlencoded")
	if v.described != nil {
		v.described.check(t, method, path, got)
	}
	if got.status != status {
		t.Fatalf("%s %s answers %d, want %d: %s", method, path, got.status, status, got.body)
	}
	if set := got.header.Get("Set-Cookie"); set != "" {
		v.cookie, _, _ = strings.Cut(set, ";")
	}
	return got
}

// send sends the form of a page.
func (v *visitor) send(t *testing.T, on answer, path, form string, status int) answer {
	t.Helper()
	found := formToken.FindStringSubmatch(on.body)
	if found == nil {
		t.Fatalf("no form in %s", on.body)
	}
	return v.visit(t, http.MethodPost, path, form+"&form="+found[1], status)
}

// pages walks through the pages that people see.
func pages(t *testing.T, met *coverage) {
	t.Helper()
	d := open(t)
	openPortal(t, d)
	v := &visitor{desk: d, described: describe(t, d, met)}
	const ada = "user=700000000000000001&next=%2F"
	v.visit(t, http.MethodGet, "/oauth2/authorize"+portalAsks, "", http.StatusFound)
	v.visit(t, http.MethodPost, "/oauth2/authorize"+portalAsks, "decision=accept", http.StatusFound)
	v.visit(t, http.MethodGet, "/oauth2/device", "", http.StatusFound)
	v.visit(t, http.MethodPost, "/oauth2/device", "", http.StatusFound)
	v.visit(t, http.MethodGet, "/oauth2/authorize?client_id=1", "", http.StatusBadRequest)
	signIn := v.visit(t, http.MethodGet, "/oauth2/signin", "", http.StatusOK)
	v.send(t, signIn, "/oauth2/signin", "token=nobody", http.StatusUnauthorized)
	v.visit(t, http.MethodPost, "/oauth2/pass", "", http.StatusUnauthorized)
	v.send(t, signIn, "/oauth2/signin", ada, http.StatusOK)
	v.visit(t, http.MethodPost, "/oauth2/pass", "", http.StatusOK)
	if got := v.ask(t, "nobody", http.MethodPost, "/oauth2/pass", "", "Cookie", v.cookie, "Sec-Fetch-Site", "cross-site"); got.status != http.StatusUnauthorized {
		t.Errorf("a page of others takes a pass: %d %s", got.status, got.body)
	}
	shown := v.visit(t, http.MethodGet, "/oauth2/authorize"+portalAsks, "", http.StatusOK)
	v.visit(t, http.MethodPost, "/oauth2/authorize"+portalAsks, "decision=accept", http.StatusForbidden)
	v.send(t, shown, "/oauth2/authorize"+portalAsks, "decision=accept", http.StatusOK)
	device := v.visit(t, http.MethodGet, "/oauth2/device", "", http.StatusOK)
	v.send(t, device, "/oauth2/device", "user_code=", http.StatusOK)
	v.send(t, device, "/oauth2/device", "user_code=BBBBBBBB", http.StatusForbidden)
	v.send(t, device, "/oauth2/signout", "", http.StatusOK)
}

func TestUserCodesAreNotGuessed(t *testing.T) {
	t.Parallel()
	d := openWith(t, ratelimit.Default())
	v := &visitor{desk: d}
	signIn := v.visit(t, http.MethodGet, "/oauth2/signin", "", http.StatusOK)
	v.send(t, signIn, "/oauth2/signin", "user=700000000000000001&next=%2F", http.StatusOK)
	page := v.visit(t, http.MethodGet, "/oauth2/device", "", http.StatusOK)
	for range 19 {
		v.send(t, page, "/oauth2/device", "user_code=BBBBBBBB", http.StatusForbidden)
	}
	v.send(t, page, "/oauth2/device", "user_code=BBBBBBBB", http.StatusTooManyRequests)
}

func TestSecretsAreNotGuessed(t *testing.T) {
	t.Parallel()
	d := openWith(t, ratelimit.Default())
	for i := range 51 {
		form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"1300000000000000001"}, "client_secret": {"guess"}}
		got := d.ask(t, "nobody", http.MethodPost, "/api/v10/oauth2/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		want := http.StatusUnauthorized
		if i == 50 {
			want = http.StatusTooManyRequests
		}
		if got.status != want {
			t.Fatalf("guess %d: %d, want %d", i, got.status, want)
		}
	}
}
