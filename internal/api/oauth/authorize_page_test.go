package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/oauth"
)

// ask returns the URL of an authorization request. changes are pairs of name and value; the value "-" removes a
// parameter.
func ask(changes ...string) string {
	q := url.Values{
		"client_id": {"100"}, "response_type": {"code"}, "scope": {"identify"}, "redirect_uri": {"https://echo.example/cb?a=1"}, "state": {"s&x"},
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if changes[i+1] == "-" {
			q.Del(changes[i])
			continue
		}
		q.Set(changes[i], changes[i+1])
	}
	return "/oauth2/authorize?" + q.Encode()
}

// install returns the URL of a request that only installs the app.
func install(changes ...string) string {
	return ask(append([]string{"response_type", "-", "redirect_uri", "-", "state", "-", "scope", "applications.commands"}, changes...)...)
}

func TestConsent(t *testing.T) {
	t.Parallel()
	d := open(t)
	b := d.browser(t)
	first := b.get(t, ask())
	if first.status != http.StatusFound || first.onward() != "/oauth2/signin?next="+url.QueryEscape(ask()) {
		t.Fatalf("%d to %s, want the sign-in page", first.status, first.onward())
	}
	signIn := b.get(t, first.onward())
	entered := b.post(t, signIn, "/oauth2/signin", "token", "user-ada", "next", ask())
	if entered.status != http.StatusOK || entered.onward() != ask() {
		t.Fatalf("%d to %s, want the consent page", entered.status, entered.onward())
	}
	shown := b.get(t, ask())
	for _, text := range []string{`Echo <&> "Co" asks`, "Says <b>it</b> again.", "Know who you are", "signed in as", "Ada", "https://echo.example"} {
		if !shown.says(text) {
			t.Errorf("the page does not say %q:\n%s", text, shown.text)
		}
	}
	if strings.Contains(shown.text, "<b>it</b>") || strings.Contains(shown.text, "<script") {
		t.Error("the description of the app is not escaped, or there are scripts")
	}

	denied := b.post(t, shown, ask(), "decision", "cancel")
	q := denied.query(t)
	if denied.status != http.StatusOK || !strings.HasPrefix(denied.onward(), "https://echo.example/cb?a=1&error=access_denied&") || q.Get("state") != "s&x" || q.Get("iss") != d.url {
		t.Errorf("denied: %d to %s", denied.status, denied.onward())
	}
	allowed := b.post(t, shown, ask(), "decision", "accept")
	q = allowed.query(t)
	if !strings.HasPrefix(allowed.onward(), "https://echo.example/cb?a=1&code=") || q.Get("state") != "s&x" || q.Get("iss") != d.url {
		t.Fatalf("allowed: %d to %s", allowed.status, allowed.onward())
	}
	_, err := d.OAuth.Token(t.Context(), oauth.TokenRequest{
		Client: oauth.Client{ID: "100", Secrets: []string{"hush"}}, GrantType: "authorization_code", Code: q.Get("code"), RedirectURI: "https://echo.example/cb?a=1",
	})
	if err != nil {
		t.Errorf("Token() = %v", err)
	}

	silent := b.get(t, ask("prompt", "none"))
	if silent.status != http.StatusFound || silent.query(t).Get("code") == "" {
		t.Errorf("prompt=none after consent: %d to %s, want a code at once", silent.status, silent.onward())
	}
	if more := b.get(t, ask("prompt", "none", "scope", "identify email")); more.status != http.StatusOK {
		t.Errorf("prompt=none for more than before: %d, want the page", more.status)
	}
	if again := b.get(t, ask("prompt", "consent")); again.status != http.StatusOK {
		t.Errorf("prompt=consent: %d, want the page", again.status)
	}
}

func TestConsentHeaders(t *testing.T) {
	t.Parallel()
	d := open(t)
	b := d.browser(t)
	b.signIn(t, "200")
	shown := b.get(t, ask())
	for _, p := range []page{shown, b.get(t, "/oauth2/signin"), b.get(t, ask("client_id", "1")), b.post(t, shown, ask(), "decision", "accept")} {
		csp := p.header.Get("Content-Security-Policy")
		_, rest, _ := strings.Cut(p.text, "<style>")
		style, _, _ := strings.Cut(rest, "</style>")
		sum := sha256.Sum256([]byte(style))
		if hash := base64.StdEncoding.EncodeToString(sum[:]); style == "" || !strings.Contains(csp, "'sha256-"+hash+"'") {
			t.Errorf("policy %q does not allow the style sheet with the hash %s", csp, hash)
		}
		for _, part := range []string{"default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'", "style-src 'sha256-"} {
			if !strings.Contains(csp, part) {
				t.Errorf("policy %q lacks %s", csp, part)
			}
		}
		for name, want := range map[string]string{
			"X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
			"Content-Type": "text/html; charset=utf-8",
		} {
			if got := p.header.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
	if back := b.get(t, ask("scope", "nonsense")); back.header.Get("Referrer-Policy") != "no-referrer" || back.header.Get("Cache-Control") != "no-store" {
		t.Error("a redirect with an answer may be cached or leaks its URL")
	}
}

// TestConsentRefusals checks invalid requests. They are redirected to the app only after the user has signed in.
func TestConsentRefusals(t *testing.T) {
	t.Parallel()
	d := open(t)
	stranger, b := d.browser(t), d.browser(t)
	b.signIn(t, "200")
	for _, tt := range []struct {
		name   string
		path   string
		status int
		to     string // prefix of the URL to which the browser is sent
	}{
		{"unknown client", ask("client_id", "999"), 400, ""},
		{"no client", ask("client_id", "-"), 400, ""},
		{"unregistered redirect", ask("redirect_uri", "https://evil.example/cb"), 400, ""},
		{"registered redirect with a longer path", ask("redirect_uri", "https://echo.example/cb?a=1/.."), 400, ""},
		{"registered redirect with a user in front", ask("redirect_uri", "https://echo.example@evil.example/cb?a=1"), 400, ""},
		{"custom scheme without a challenge", ask("redirect_uri", "echo:/authorize/callback"), 400, ""},
		{"two clients", ask() + "&client_id=100", 400, ""},
		{"two redirects", ask() + "&redirect_uri=https%3A%2F%2Fevil.example", 400, ""},
		{"malformed query", "/oauth2/authorize?client_id=100&scope=%zz", 400, ""},
		{"two states", ask() + "&state=y", 302, "https://echo.example/cb?a=1&error=invalid_request&"},
		{"unknown scope", ask("scope", "identify nonsense"), 302, "https://echo.example/cb?a=1&error=invalid_scope&"},
		{"scope of client credentials", ask("scope", "applications.commands.update"), 302, "https://echo.example/cb?a=1&error=invalid_scope&"},
		{"no response type", ask("response_type", "-"), 302, "https://echo.example/cb?a=1&error=invalid_request&error_description=Missing+response_type+parameter.&state=s%26x"},
		{"unknown response type", ask("response_type", "id_token"), 302, "https://echo.example/cb?a=1&error=unsupported_response_type&"},
		{"plain challenge", ask("code_challenge", strings.Repeat("a", 43), "code_challenge_method", "plain"), 302, "https://echo.example/cb?a=1&error=invalid_request&"},
		{"challenge without a method", ask("code_challenge", strings.Repeat("a", 43)), 302, "https://echo.example/cb?a=1&error=invalid_request&"},
		{"method without a challenge", ask("code_challenge_method", "S256"), 302, "https://echo.example/cb?a=1&error=invalid_request&"},
		{"openid with a token", ask("response_type", "token", "scope", "openid"), 302, "https://echo.example/cb?a=1#error=invalid_scope&"},
		{"a token for an app without the implicit grant", ask("response_type", "token"), 302, "https://echo.example/cb?a=1#error=unauthorized_client&"},
		{"a negative age", ask("max_age", "-1"), 302, "https://echo.example/cb?a=1&error=invalid_request&"},
		{"bot for an account", ask("scope", "bot", "integration_type", "1"), 302, "https://echo.example/cb?a=1&error=invalid_request&"},
	} {
		first := stranger.get(t, tt.path)
		if first.status != http.StatusBadRequest || first.onward() != "" || !first.says("asked in a way that cannot be answered") {
			t.Errorf("%s, not signed in: %d to %q, want a page", tt.name, first.status, first.onward())
		}
		got := b.get(t, tt.path)
		if got.status != tt.status || !strings.HasPrefix(got.onward(), tt.to) || (tt.to == "") != (got.onward() == "") {
			t.Errorf("%s: %d to %q, want %d to %q", tt.name, got.status, got.onward(), tt.status, tt.to)
		}
	}
}

// TestMaxAge checks that a user who signed in too long ago signs in again, once.
func TestMaxAge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		age   string
		since time.Duration
		again bool
	}{
		{"recent", "60", 59 * time.Second, false},
		{"too long ago", "60", time.Minute, true},
		{"always", "0", 0, true},
		{"no bound", "-", 11 * time.Hour, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			b := d.browser(t)
			b.signIn(t, "200")
			d.clock.Advance(tt.since)
			got := b.get(t, ask("max_age", tt.age))
			if tt.again != (got.status == http.StatusFound) {
				t.Fatalf("%d to %s", got.status, got.onward())
			}
			if !tt.again {
				return
			}
			d.clock.Advance(5 * time.Second)
			if got := b.get(t, got.query(t).Get("next")); got.status != http.StatusFound {
				t.Errorf("without signing in again: %d, want the sign-in page", got.status)
			}
			next := got.query(t).Get("next")
			entered := b.post(t, b.get(t, got.onward()), "/oauth2/signin", "user", "200", "next", next)
			d.clock.Advance(5 * time.Second)
			if shown := b.get(t, entered.onward()); shown.status != http.StatusOK {
				t.Errorf("after signing in again: %d to %s, want the consent page", shown.status, shown.onward())
			}
		})
	}
}

// TestMaxAgeTakesNothingFromTheRequest checks that no parameter of a request says that the user has signed in again, and that a
// sign-in for one request does not count for another.
func TestMaxAgeTakesNothingFromTheRequest(t *testing.T) {
	t.Parallel()
	d := open(t)
	b := d.browser(t)
	b.signIn(t, "200")
	d.clock.Advance(time.Minute)
	for _, after := range []string{"0", "-1", "1"} {
		if got := b.get(t, ask("max_age", "0", "signed_in_after", after)); got.status != http.StatusFound {
			t.Errorf("signed_in_after=%s: %d, want the sign-in page", after, got.status)
		}
	}
	first := b.get(t, ask("max_age", "0", "state", "one"))
	entered := b.post(t, b.get(t, first.onward()), "/oauth2/signin", "user", "200", "next", first.query(t).Get("next"))
	if got := b.get(t, entered.onward()); got.status != http.StatusOK {
		t.Errorf("the request that the user signed in for: %d, want the consent page", got.status)
	}
	if got := b.get(t, ask("max_age", "0", "state", "two")); got.status != http.StatusFound {
		t.Errorf("another request: %d, want the sign-in page", got.status)
	}
	d.clock.Advance(11 * time.Minute)
	if got := b.get(t, entered.onward()); got.status != http.StatusFound {
		t.Errorf("the same request much later: %d, want the sign-in page", got.status)
	}
}

func TestConsentInstalls(t *testing.T) {
	t.Parallel()

	t.Run("in a guild that the user manages", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		b := d.browser(t)
		b.signIn(t, "200")
		path := install("scope", "bot applications.commands", "permissions", "3080")
		shown := b.get(t, path)
		for _, text := range []string{">Lab<", ">Den<", "Send messages", "See channels", "Do everything", "take care", "its bot becomes a member"} {
			if !shown.says(text) {
				t.Errorf("the page does not say %q", text)
			}
		}
		missing := b.post(t, shown, path, "decision", "accept")
		if missing.status != http.StatusBadRequest || !missing.says("Choose a guild first") {
			t.Errorf("no guild: %d", missing.status)
		}
		done := b.post(t, shown, path, "decision", "accept", "guild_id", "301", "permission", "2048", "permission", "1024", "permission", "32")
		if done.status != http.StatusOK || !done.says("was added to Den") || done.onward() != "" {
			t.Fatalf("installed: %d %s", done.status, done.text)
		}
		in, err := d.Directory.Guilds.Install(t.Context(), 301, 100)
		if err != nil || in.Permissions != 3072 || strings.Join(in.Scopes, " ") != "applications.commands bot" {
			t.Errorf("install %+v, %v: want the permissions that were allowed and requested", in, err)
		}
		if _, err := d.Directory.Guilds.Member(t.Context(), 301, 100); err != nil {
			t.Errorf("the bot is not a member: %v", err)
		}
	})

	t.Run("not in a guild that the user does not manage", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		b := d.browser(t)
		b.signIn(t, "201")
		path := install("integration_type", "0")
		shown := b.get(t, path)
		if shown.says(">Lab<") || !shown.says("There is no guild that you may add it to.") {
			t.Error("a guild is offered that the user does not manage")
		}
		for _, guild := range []string{"300", "301", "999"} {
			got := b.post(t, shown, path, "decision", "accept", "guild_id", guild)
			if got.status != http.StatusForbidden || !got.says("You may not add apps to that guild") {
				t.Errorf("guild %s: %d", guild, got.status)
			}
			if in, err := d.Directory.Guilds.Install(t.Context(), 300, 100); err == nil {
				t.Errorf("installed: %+v", in)
			}
		}
	})

	t.Run("for the account of the user", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		b := d.browser(t)
		b.signIn(t, "201")
		shown := b.get(t, install())
		if !shown.says("To your account") || !shown.says("To a guild") {
			t.Error("there is no choice")
		}
		done := b.post(t, shown, install(), "decision", "accept", "integration_type", "1")
		if done.status != http.StatusOK || !done.says("was added to your account") {
			t.Fatalf("installed: %d %s", done.status, done.text)
		}
		if _, err := d.Directory.Users.Install(t.Context(), 201, 100); err != nil {
			t.Error(err)
		}
	})

	t.Run("only in the guild of the request", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		b := d.browser(t)
		b.signIn(t, "200")
		path := install("guild_id", "300", "disable_guild_select", "true")
		shown := b.get(t, path)
		if !shown.says(">Lab<") || shown.says(">Den<") {
			t.Error("another guild is offered")
		}
		b.post(t, shown, path, "decision", "accept", "guild_id", "301")
		if _, err := d.Directory.Guilds.Install(t.Context(), 301, 100); err == nil {
			t.Error("installed in another guild")
		}
		if _, err := d.Directory.Guilds.Install(t.Context(), 300, 100); err != nil {
			t.Error(err)
		}
	})

	t.Run("and redirects if there is a redirect URI", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		b := d.browser(t)
		b.signIn(t, "200")
		path := install("redirect_uri", "https://echo.example/cb?a=1", "state", "z")
		got := b.post(t, b.get(t, path), path, "decision", "accept", "guild_id", "300", "integration_type", "0")
		if got.onward() != "https://echo.example/cb?a=1&guild_id=300&permissions=0&state=z" {
			t.Errorf("back to %s", got.onward())
		}
	})
}

func TestConsentFormProtection(t *testing.T) {
	t.Parallel()
	d := open(t)
	mine, other := d.browser(t), d.browser(t)
	mine.signIn(t, "200")
	other.signIn(t, "201")
	foreign := other.get(t, ask())
	good := formToken.FindStringSubmatch(mine.get(t, ask()).text)[1]
	for _, tt := range []struct {
		name    string
		form    string
		headers []string
		status  int
	}{
		{"no token", "decision=accept", nil, 403},
		{"token of another session", "decision=accept&form=" + formToken.FindStringSubmatch(foreign.text)[1], nil, 403},
		{"from another site", "decision=accept&form=" + good, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"from a sibling site", "decision=accept&form=" + good, []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"from here", "decision=accept&form=" + good, []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"a form too large", "decision=accept&form=" + good + "&x=" + strings.Repeat("x", 70<<10), nil, 403},
		{"neither yes nor no", "form=" + good, nil, 400},
	} {
		got := mine.do(t, http.MethodPost, ask(), tt.form, tt.headers...)
		if got.status != tt.status || tt.status == 403 && got.onward() != "" {
			t.Errorf("%s: %d to %q, want %d", tt.name, got.status, got.onward(), tt.status)
		}
	}
	stranger := d.browser(t)
	if got := stranger.do(t, http.MethodPost, ask(), "decision=accept&form="+good); got.status != http.StatusFound || !strings.HasPrefix(got.onward(), "/oauth2/signin?") {
		t.Errorf("without a session: %d to %s, want the sign-in page", got.status, got.onward())
	}
}
