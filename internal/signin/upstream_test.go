package signin_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/signin"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(int) { http.DefaultClient.CloseIdleConnections() }))
}

const lab = `
users: [{id: "200", username: ada, token: user-ada}]
applications: [{id: "100", name: Echo, owner: "200", bot_token: bot-echo, client_secret: hush}]
`

func open(t *testing.T) *signin.Door {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	now := clock.System{}
	auth := &oauth.Authenticator{Store: db, Clock: now}
	ids := snowflake.NewGenerator(0, now.Now, time.Time{})
	dir := &directory.Directory{Store: db, Clock: now, Tokens: auth, IDs: ids}
	w, err := world.Parse("lab.yaml", []byte(lab))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	return &signin.Door{
		Store: db, Clock: now, Directory: dir, Tokens: auth, IDs: ids, Public: func() string { return "https://bellhop.example" },
	}
}

// trip is one way to the provider and back.
type trip struct {
	upstream *signin.Upstream
	to       string
	cookie   *http.Cookie
}

func begin(t *testing.T, p *provider, next string) trip {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	u := &signin.Upstream{
		Issuer: p.URL, Client: "bellhop", Secret: "shared", HTTP: client, Public: func() string { return "https://bellhop.example" },
	}
	w := httptest.NewRecorder()
	to, err := u.Begin(t.Context(), w, next)
	if err != nil {
		t.Fatal(err)
	}
	cookie, err := http.ParseSetCookie(w.Header().Get("Set-Cookie"))
	if err != nil || !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != signin.CallbackPath {
		t.Fatalf("cookie %+v, %v", cookie, err)
	}
	return trip{u, to, cookie}
}

func (k trip) back(t *testing.T, q url.Values) (signin.Identity, string, error) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, signin.CallbackPath+"?"+q.Encode(), nil)
	if k.cookie != nil {
		r.AddCookie(k.cookie)
	}
	return k.upstream.Finish(httptest.NewRecorder(), r)
}

func TestUpstream(t *testing.T) {
	t.Parallel()
	p := startProvider(t, map[string]any{
		"preferred_username": "grace", "name": "Grace", "email": "grace@example.com", "email_verified": true,
	})
	k := begin(t, p, "/oauth2/authorize?client_id=100")
	asked, err := url.Parse(k.to)
	if err != nil {
		t.Fatal(err)
	}
	q := asked.Query()
	if !strings.HasPrefix(k.to, p.URL+"/authorize?") || q.Get("redirect_uri") != "https://bellhop.example/oauth2/signin/callback" ||
		q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" || q.Get("state") == "" || q.Get("nonce") == q.Get("state") {
		t.Errorf("sent to %s", k.to)
	}
	id, next, err := k.back(t, p.consent(t, k.to))
	want := signin.Identity{Issuer: p.URL, Subject: "subject-1", Username: "grace", Name: "Grace", Email: "grace@example.com"}
	if err != nil || id != want || next != "/oauth2/authorize?client_id=100" {
		t.Errorf("Finish() = %+v, %q, %v", id, next, err)
	}
}

func TestUpstreamRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		claims map[string]any
		change func(*trip, url.Values)
	}{
		{"a state that is not ours", nil, func(_ *trip, q url.Values) { q.Set("state", "x") }},
		{"no state", nil, func(_ *trip, q url.Values) { q.Del("state") }},
		{"no code", nil, func(_ *trip, q url.Values) { q.Del("code") }},
		{"an error", nil, func(_ *trip, q url.Values) { q.Del("code"); q.Set("error", "access_denied") }},
		{"another browser", nil, func(k *trip, _ url.Values) { k.cookie = nil }},
		{"a cookie of somebody else's making", nil, func(k *trip, _ url.Values) { k.cookie.Value = strings.Repeat("x", 52) + ".Lw" }},
		{"the answer of another provider", nil, func(_ *trip, q url.Values) { q.Set("iss", "https://evil.example") }},
		{"a code of somebody else", nil, func(_ *trip, q url.Values) { q.Set("code", "other") }},
		{"another nonce", map[string]any{"nonce": "x"}, nil},
		{"another audience", map[string]any{"aud": "x"}, nil},
		{"another issuer", map[string]any{"iss": "https://evil.example"}, nil},
		{"an ID token that has expired", map[string]any{"exp": 1000}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := startProvider(t, tt.claims)
			k := begin(t, p, "/")
			q := p.consent(t, k.to)
			if tt.change != nil {
				tt.change(&k, q)
			}
			if id, _, err := k.back(t, q); !errors.Is(err, signin.ErrUpstream) {
				t.Errorf("Finish() = %+v, %v, want %v", id, err, signin.ErrUpstream)
			}
		})
	}
}

func TestUpstreamOutOfReach(t *testing.T) {
	t.Parallel()
	p := startProvider(t, nil)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	u := &signin.Upstream{Issuer: p.URL + "/nowhere", Client: "bellhop", HTTP: client, Public: func() string { return "https://bellhop.example" }}
	if to, err := u.Begin(t.Context(), httptest.NewRecorder(), "/"); !errors.Is(err, signin.ErrUpstream) {
		t.Errorf("Begin() = %q, %v", to, err)
	}
}

func TestByIdentity(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := func(subject, username, name, email string) signin.Identity {
		return signin.Identity{Issuer: "https://id.example", Subject: subject, Username: username, Name: name, Email: email}
	}
	grace, err := d.ByIdentity(t.Context(), id("g-1", "grace", "Grace\nHopper, who has a name that goes on", "grace@example.com"))
	if err != nil {
		t.Fatal(err)
	}
	u, err := d.Directory.User(t.Context(), grace)
	if err != nil || u.Username != "grace" || u.GlobalName != "GraceHopper, who has a name that" || u.Email != "grace@example.com" {
		t.Errorf("user %+v, %v", u, err)
	}
	for _, tt := range []struct {
		name string
		id   signin.Identity
		want snowflake.User // 0: somebody new
	}{
		{"the same subject, whatever else it says", id("g-1", "other", "", ""), grace},
		{"the same name of another subject", id("g-2", "grace", "Grace", "grace@example.com"), 0},
		{"the same subject of another issuer", signin.Identity{Issuer: "https://other.example", Subject: "g-1"}, 0},
		{"a subject that is the id of a user", id("200", "", "", ""), 200},
		{"a subject that is the id of nobody", id("999", "", "", ""), 0},
		{"a subject that is the id of a bot", id("100", "", "", ""), 0},
	} {
		got, err := d.ByIdentity(t.Context(), tt.id)
		isNew := got != 200 && got != grace && got != 100
		if err != nil || (tt.want != 0 && got != tt.want) || (tt.want == 0 && !isNew) {
			t.Errorf("%s: %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
	if _, err := d.ByIdentity(t.Context(), id("", "x", "", "")); err == nil {
		t.Error("nobody was let in")
	}
}

func TestByIdentityAtOnce(t *testing.T) {
	t.Parallel()
	d := open(t)
	const browsers = 8
	users := make([]snowflake.User, browsers)
	var all sync.WaitGroup
	for i := range browsers {
		all.Go(func() {
			var err error
			if users[i], err = d.ByIdentity(context.WithoutCancel(t.Context()), signin.Identity{Issuer: "i", Subject: "s", Username: "sam"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, u := range users {
		if u != users[0] {
			t.Fatalf("one person became several users: %v", users)
		}
	}
	everybody, err := d.Directory.Users(t.Context(), 0, 100)
	if err != nil || len(everybody) != 2 {
		t.Errorf("%d users, %v, want ada and the new one", len(everybody), err)
	}
}

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/":                             "/",
		"/oauth2/authorize?a=b&c=d":     "/oauth2/authorize?a=b&c=d",
		"":                              "/home",
		"oauth2":                        "/home",
		"//evil.example":                "/home",
		`/\evil.example`:                "/home",
		"https://evil.example":          "/home",
		"/a\nb":                         "/home",
		"/" + strings.Repeat("x", 9000): "/home",
	} {
		if got := signin.LocalPath(path, "/home"); got != want {
			t.Errorf("LocalPath(%q) = %q, want %q", path, got, want)
		}
	}
}
