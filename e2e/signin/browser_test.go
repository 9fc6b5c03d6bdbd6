package signin_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/authorization"
)

// app is the web site of an app. It records the requests to its redirect URI.
type app struct {
	*httptest.Server

	redirects chan *http.Request // capacity 8, more than any test needs
}

func startApp(t *testing.T) *app {
	t.Helper()
	a := &app{redirects: make(chan *http.Request, 8)}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			a.redirects <- r
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>App</title><p>Welcome back"))
	}))
	t.Cleanup(a.Close)
	return a
}

// answer returns the query parameters of the redirect and checks that the request leaks nothing in other headers.
func (a *app) answer(t *testing.T) url.Values {
	t.Helper()
	select {
	case r := <-a.redirects:
		if referer := r.Referer(); referer != "" {
			t.Errorf("the browser sent the referrer %s, want none", referer)
		}
		return r.URL.Query()
	default:
		t.Fatal("the app received no redirect")
		return nil
	}
}

// TestBrowser drives Chromium. Its scenarios share a service and are not parallel, because a browser needs much memory.
func TestBrowser(t *testing.T) {
	install(t)
	s := start(t)
	t.Run("consent by keyboard", func(t *testing.T) { consentByKeyboard(t, s) })
	t.Run("cancel", func(t *testing.T) { cancel(t, s) })
	t.Run("install in a guild", func(t *testing.T) { installInGuild(t, s) })
	t.Run("phone", func(t *testing.T) { phone(t, s) })
	t.Run("device", func(t *testing.T) { device(t, s) })
	t.Run("account", func(t *testing.T) { account(t, s) })
	t.Run("deep link", func(t *testing.T) { deepLink(t, s) })
	t.Run("unregistered redirect", func(t *testing.T) { unregistered(t, s) })
	t.Run("wrong state, then the right one", func(t *testing.T) { wrongState(t, s) })
	t.Run("frame of another site", func(t *testing.T) { framed(t, s) })
	t.Run("accessible", func(t *testing.T) { accessibility(t, s) })
	t.Run("form of another site", func(t *testing.T) { foreignForm(t, s) })
}

func consentByKeyboard(t *testing.T, s *service) {
	a := startApp(t)
	back := a.URL + "/callback"
	verifier := authorization.NewCodeVerifier()
	page := s.page("client_id", echo, "response_type", "code", "scope", "identify email applications.commands.permissions.update",
		"redirect_uri", back, "state", "st a&te", "code_challenge", verifier.Challenge().Challenge, "code_challenge_method", "S256")
	var seen struct {
		Words   []string `json:"words"`
		Presses int      `json:"presses"`
	}
	drive(t, "consent", map[string]any{"url": page, "back": back}, &seen)
	want := []string{"Know who you are: your name and your language", "See your email address", "Change who may use its commands, in guilds where you may"}
	if !slices.Equal(seen.Words, want) || seen.Presses > 3 {
		t.Errorf("the page says %q and needs %d presses", seen.Words, seen.Presses)
	}
	q := a.answer(t)
	if q.Get("state") != "st a&te" || q.Get("iss") != s.origin || q.Get("code") == "" {
		t.Fatalf("the redirect has the parameters %v", q)
	}

	// The permissions of a command are set with a token obtained this way; a second use of the code ends that token.
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {q.Get("code")}, "redirect_uri": {back},
		"code_verifier": {string(verifier.Verifier())}, "client_id": {echo}, "client_secret": {secret},
	}
	token := s.token(t, form, http.StatusOK)
	var command struct {
		ID string `json:"id"`
	}
	commands := "/applications/" + echo + "/guilds/" + labGuild + "/commands"
	if status := s.call(t, http.MethodPost, commands, "Bot "+echoToken, `{"name":"roll","description":"Roll dice"}`, &command); status != http.StatusCreated {
		t.Fatalf("create a command: %d", status)
	}
	permissions := `{"permissions":[{"id":"` + bob + `","type":2,"permission":false}]}`
	bearer := "Bearer " + token["access_token"].(string)
	if status := s.call(t, http.MethodPut, commands+"/"+command.ID+"/permissions", bearer, permissions, nil); status != http.StatusOK {
		t.Errorf("set permissions: %d, want 200", status)
	}
	if status := s.call(t, http.MethodPut, commands+"/"+command.ID+"/permissions", "Bot "+echoToken, permissions, nil); status != http.StatusForbidden {
		t.Errorf("set permissions as bot: %d, want 403", status)
	}
	if refused := s.token(t, form, http.StatusBadRequest); refused["error"] != "invalid_grant" {
		t.Errorf("replayed code: %v", refused)
	}
	if status := s.call(t, http.MethodGet, "/oauth2/@me", bearer, "", nil); status != http.StatusUnauthorized {
		t.Errorf("token of a replayed code: %d, want 401", status)
	}
}

// account checks that users can remove the access of an app, and that its tokens end with it.
func account(t *testing.T, s *service) {
	a := startApp(t)
	back := a.URL + "/callback"
	verifier := authorization.NewCodeVerifier()
	page := s.page("client_id", echo, "response_type", "code", "scope", "identify email", "redirect_uri", back, "state", "x",
		"code_challenge", verifier.Challenge().Challenge, "code_challenge_method", "S256")
	var seen struct {
		Before, Done, After string
		Wide                int
		SignedOut           bool
	}
	drive(t, "account", map[string]any{"url": page, "back": back, "account": s.origin + "/oauth2/account"}, &seen)
	for _, want := range []string{"Bob", "Echo", "See your email address", "This browser"} {
		if !strings.Contains(seen.Before, want) {
			t.Errorf("no %q on the page:\n%s", want, seen.Before)
		}
	}
	if seen.Done == "" || strings.Contains(seen.After, "Echo") || seen.Wide > 0 || !seen.SignedOut {
		t.Errorf("after the removal the page says %q, is %d pixels too wide on a phone, signed out: %v\n%s", seen.Done, seen.Wide, seen.SignedOut, seen.After)
	}
	refused := s.token(t, url.Values{
		"grant_type": {"authorization_code"}, "code": {a.answer(t).Get("code")}, "redirect_uri": {back},
		"code_verifier": {string(verifier.Verifier())}, "client_id": {echo}, "client_secret": {secret},
	}, http.StatusBadRequest)
	if refused["error"] != "invalid_grant" {
		t.Errorf("the code after the removal: %v", refused)
	}
}

func cancel(t *testing.T, s *service) {
	a := startApp(t)
	back := a.URL + "/callback"
	page := s.page("client_id", echo, "response_type", "code", "scope", "identify", "redirect_uri", back, "state", "x")
	drive(t, "cancel", map[string]any{"url": page, "back": back}, nil)
	if q := a.answer(t); q.Get("error") != "access_denied" || q.Get("state") != "x" || q.Has("code") {
		t.Errorf("the redirect has the parameters %v", q)
	}
}

func installInGuild(t *testing.T, s *service) {
	var seen struct {
		Guilds []string `json:"guilds"`
		Text   string   `json:"text"`
	}
	page := s.page("client_id", echo, "scope", "bot applications.commands", "permissions", "3080")
	drive(t, "install", map[string]any{"url": page}, &seen)
	if !slices.Equal(seen.Guilds, []string{"Choose a guild", "Lab", "Den"}) || !strings.Contains(seen.Text, "Echo was added to Den") {
		t.Errorf("offered %q, said %q", seen.Guilds, seen.Text)
	}
	type role struct{ Name, Permissions string }
	var roles []role
	if status := s.call(t, http.MethodGet, "/guilds/"+denGuild+"/roles", "Bot "+echoToken, "", &roles); status != http.StatusOK {
		t.Fatalf("roles: %d", status)
	}
	if !slices.Contains(roles, role{"Echo", "3072"}) {
		t.Errorf("roles %v: want one for the bot, without the unchecked permission", roles)
	}
}

func phone(t *testing.T, s *service) {
	var seen struct {
		Wide  int     `json:"wide"`
		Small [][]any `json:"small"`
	}
	page := s.page("client_id", echo, "scope", "bot applications.commands", "permissions", "1099511627775")
	drive(t, "phone", map[string]any{"url": page, "context": map[string]any{
		"viewport": map[string]int{"width": 320, "height": 640}, "deviceScaleFactor": 2, "isMobile": true, "hasTouch": true,
	}}, &seen)
	if seen.Wide > 0 || len(seen.Small) > 0 {
		t.Errorf("%d pixels too wide; controls under 40 pixels: %v", seen.Wide, seen.Small)
	}
}

func device(t *testing.T, s *service) {
	client := s.client(nil)
	for _, tt := range []struct {
		decision, heading string
		signedIn          bool
	}{
		{"Cancel", "Nothing was allowed", false},
		{"Allow", "The device is signed in", true},
	} {
		waiting, err := client.AuthorizeDevice(t.Context(), authorization.DeviceArgs{Scopes: client.DefaultCommunicationScopes()})
		if err != nil {
			t.Fatal(err)
		}
		var seen struct {
			Fault string `json:"fault"`
		}
		drive(t, "device", map[string]any{
			"url": waiting.VerificationURI, "code": strings.ToLower(waiting.UserCode), "decision": tt.decision, "heading": tt.heading,
		}, &seen)
		if !strings.Contains(seen.Fault, "No device waits") {
			t.Errorf("wrong code: %q", seen.Fault)
		}
		token, err := client.AwaitDevice(t.Context(), waiting)
		if (err == nil) != tt.signedIn || (token.AccessToken != "") != tt.signedIn {
			t.Errorf("%s: %v", tt.decision, err)
		}
	}
}

func deepLink(t *testing.T, s *service) {
	verifier := authorization.NewCodeVerifier()
	page := s.page("client_id", game, "response_type", "code", "scope", authorization.DefaultCommunicationScopes(), "state", "x",
		"redirect_uri", "mygame:/authorize/callback", "code_challenge", verifier.Challenge().Challenge, "code_challenge_method", "S256")
	var seen struct {
		Link string `json:"link"`
	}
	drive(t, "deeplink", map[string]any{"url": page}, &seen)
	if !strings.HasPrefix(seen.Link, "mygame:/authorize/callback?code=") {
		t.Errorf("the page links to %q", seen.Link)
	}
}

func unregistered(t *testing.T, s *service) {
	a := startApp(t)
	var seen struct {
		Status   int `json:"status"`
		Text, At string
	}
	page := s.page("client_id", echo, "response_type", "code", "scope", "identify", "redirect_uri", a.URL+"/elsewhere")
	drive(t, "unregistered", map[string]any{"url": page}, &seen)
	if seen.Status != http.StatusBadRequest || !strings.Contains(seen.Text, `Invalid "redirect_uri"`) || !strings.HasPrefix(seen.At, s.origin) {
		t.Errorf("the page: %+v", seen)
	}
}

// client is the public client of the game.
func (s *service) client(open func(context.Context, string) error) *authorization.Client {
	c := &authorization.Client{APIBase: s.origin + "/api/v10", WebBase: s.origin, OpenBrowser: open}
	c.SetApplicationID(1300000000000000002)
	return c
}

func wrongState(t *testing.T, s *service) {
	client := s.client(func(_ context.Context, page string) error {
		asked, err := url.Parse(page)
		if err != nil {
			return err
		}
		back := asked.Query().Get("redirect_uri")
		var seen struct {
			Status int `json:"status"`
		}
		drive(t, "forged", map[string]any{"url": page, "back": back, "forged": back + "?code=stolen&state=wrong"}, &seen)
		if seen.Status != http.StatusBadRequest {
			t.Errorf("an answer with another state: %d, want 400", seen.Status)
		}
		return nil
	})
	verifier := client.NewCodeVerifier()
	args := authorization.NewArgs()
	args.SetScopes(client.DefaultCommunicationScopes())
	args.SetCodeChallenge(verifier.Challenge())
	grant, err := client.Authorize(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	token, err := client.Exchange(t.Context(), grant, verifier)
	if err != nil || token.IDToken == "" || token.Scopes != "openid sdk.social_layer" {
		t.Errorf("Exchange() = %v", err)
	}
}

// attackerSite starts an attacker's site and returns its address. The site has another host name than the service, so
// browsers treat it as another site.
func attackerSite(t *testing.T, body string) string {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Evil</title>" + body))
	}))
	t.Cleanup(site.Close)
	return strings.Replace(site.URL, "127.0.0.1", "localhost", 1)
}

func framed(t *testing.T, s *service) {
	a := startApp(t)
	page := s.page("client_id", echo, "response_type", "code", "scope", "identify", "redirect_uri", a.URL+"/callback")
	const blocked = "frame-ancestors 'none'"
	var seen struct {
		Frames, Buttons int
		ConsoleErrors   []string
	}
	given := map[string]any{"url": page, "expected": blocked, "frame": attackerSite(t, `<iframe src="`+strings.ReplaceAll(page, "&", "&amp;")+`" width="600" height="600"></iframe>`)}
	drive(t, "framed", given, &seen)
	if seen.Frames != 1 || seen.Buttons != 0 || !strings.Contains(strings.Join(seen.ConsoleErrors, "\n"), blocked) {
		t.Errorf("%d frames with %d buttons, want one empty frame and an error in the console", seen.Frames, seen.Buttons)
	}
}

func foreignForm(t *testing.T, s *service) {
	a := startApp(t)
	page := s.page("client_id", echo, "response_type", "code", "scope", "identify", "redirect_uri", a.URL+"/callback")
	var seen struct{ At, Text string }
	drive(t, "foreign", map[string]any{"url": page, "frame": attackerSite(t, `<form method="post" action="`+strings.ReplaceAll(page, "&", "&amp;")+
		`"><input type="hidden" name="decision" value="accept"><button>Win a prize</button></form>`)}, &seen)
	if len(a.redirects) != 0 || strings.Contains(seen.At, "code=") || !strings.Contains(seen.Text, "Sign in") && !strings.Contains(seen.Text, "too old") {
		t.Errorf("a form of another site led to %s: %s", seen.At, seen.Text)
	}
}

// accessibility checks every kind of page with axe.
func accessibility(t *testing.T, s *service) {
	var seen struct{ Findings []string }
	drive(t, "accessibility", map[string]any{
		"url":     s.page("client_id", echo, "scope", "bot applications.commands", "permissions", "3080"),
		"context": map[string]any{"javaScriptEnabled": true},
		"others": map[string]string{
			"choice":     s.page("client_id", echo, "scope", "applications.commands"),
			"device":     s.origin + "/oauth2/device",
			"wrong code": s.origin + "/oauth2/device?user_code=BBBBBBBB",
			"refusal":    s.page("client_id", "1"),
			"account":    s.origin + "/oauth2/account",
		},
	}, &seen)
	for _, finding := range seen.Findings {
		t.Error(finding)
	}
}
