package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// The tests are of package main, which no other can import.

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(int) { http.DefaultClient.CloseIdleConnections() }))
}

// server is an authorization server with one application, one user and one token at a time.
type server struct {
	mu             sync.Mutex
	challenge      string
	redirectURI    string
	serial         int
	username       string // of the user in /users/@me
	deny, noDevice bool
	revoked        bool
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method + " " + r.URL.Path {
	case "GET /oauth2/authorize":
		q := r.URL.Query()
		s.challenge, s.redirectURI = q.Get("code_challenge"), q.Get("redirect_uri")
		back := url.Values{"state": {q.Get("state")}, "code": {"one-time"}}
		if s.deny {
			back = url.Values{"state": {q.Get("state")}, "error": {"access_denied"}}
		}
		http.Redirect(w, r, s.redirectURI+"?"+back.Encode(), http.StatusFound)
	case "POST /api/v10/oauth2/token":
		s.token(w, r)
	case "POST /api/v10/oauth2/token/revoke":
		s.revoked = r.PostFormValue("token") == s.tokenText("refresh")
		say(w, "{}")
	case "POST /api/v10/oauth2/device/authorize":
		say(w, `{"device_code":"device","user_code":"WDJBMJHT","verification_uri":"https://bellhop.example/activate","expires_in":300,"interval":1}`)
	case "GET /api/v10/oauth2/@me":
		if r.Header.Get("Authorization") != "Bearer "+s.tokenText("access") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		say(w, `{"scopes":["openid"],"user":{"username":%q}}`, s.username)
	default:
		http.NotFound(w, r)
	}
}

func (s *server) token(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	good := map[string]bool{
		"authorization_code": r.PostFormValue("code") == "one-time" && r.PostFormValue("redirect_uri") == s.redirectURI &&
			base64.RawURLEncoding.EncodeToString(sum[:]) == s.challenge,
		"refresh_token": r.PostFormValue("refresh_token") == s.tokenText("refresh"),
		"urn:ietf:params:oauth:grant-type:device_code": r.PostFormValue("device_code") == "device" && !s.noDevice,
	}[r.PostFormValue("grant_type")]
	if !good || r.PostFormValue("client_id") != "100" {
		w.WriteHeader(http.StatusBadRequest)
		say(w, `{"error":"invalid_grant"}`)
		return
	}
	s.serial++
	say(w, `{"token_type":"Bearer","access_token":%q,"refresh_token":%q,"expires_in":604800,"scope":"openid"}`,
		s.tokenText("access"), s.tokenText("refresh"))
}

func (s *server) tokenText(kind string) string { return fmt.Sprint("hush-", kind, s.serial) }

// signin runs the program against s and opens the address that it prints.
func signin(t *testing.T, s *server, flags ...string) (code int, stdout, stderr string) {
	t.Helper()
	ts := httptest.NewServer(s)
	defer ts.Close()
	read, write := io.Pipe()
	var out, errOut strings.Builder
	var person sync.WaitGroup
	person.Go(func() {
		for lines := bufio.NewScanner(read); lines.Scan(); {
			if page, ok := strings.CutPrefix(lines.Text(), "open "+ts.URL); ok {
				browse(t, ts.URL+page)
				continue
			}
			fmt.Fprintln(&out, lines.Text())
		}
	})
	flags = append([]string{"--app", "100", "--api-base", ts.URL + "/api/v10", "--web-base", ts.URL}, flags...)
	code = run(t.Context(), flags, write, &errOut)
	if err := write.Close(); err != nil {
		t.Error(err)
	}
	person.Wait()
	return code, out.String(), errOut.String()
}

// browse opens a page and follows all redirects.
func browse(t *testing.T, page string) {
	browser := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := browser.Get(page)
	if err != nil {
		t.Error(err)
		return
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
}

func TestSignin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		server  *server
		flags   []string
		code    int
		stdout  string
		stderr  string
		serial  int // number of tokens issued
		revoked bool
	}{
		{
			name: "by browser", server: &server{username: "ada"}, flags: []string{"--print"},
			stdout: "signed in as \"ada\" with openid for 168h0m0s\n", serial: 1,
		},
		{
			name: "refreshed and revoked", server: &server{username: "ada"}, flags: []string{"--print", "--refresh", "--revoke"},
			stdout: "signed in as \"ada\" with openid for 168h0m0s\nrevoked\n", serial: 2, revoked: true,
		},
		{
			name: "without a name", server: &server{}, flags: []string{"--print"},
			stdout: "signed in as somebody with openid for 168h0m0s\n", serial: 1,
		},
		{
			name: "by device", server: &server{username: "ada"}, flags: []string{"--device"},
			stdout: "open https://bellhop.example/activate and enter WDJBMJHT\nsigned in as \"ada\" with openid for 168h0m0s\n", serial: 1,
		},
		{
			name: "declined", server: &server{deny: true}, flags: []string{"--print"}, code: 1,
			stderr: "signin: authorization: authorize: authorization failed: access_denied\n",
		},
		{
			name: "device refused", server: &server{noDevice: true}, flags: []string{"--device"}, code: 1,
			stdout: "open https://bellhop.example/activate and enter WDJBMJHT\n",
			stderr: "signin: authorization: await device: http error 400: invalid_grant\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := signin(t, tt.server, tt.flags...)
			if code != tt.code || stdout != tt.stdout || stderr != tt.stderr {
				t.Errorf("run() = %d, %q, %q, want %d, %q, %q", code, stdout, stderr, tt.code, tt.stdout, tt.stderr)
			}
			if tt.server.serial != tt.serial || tt.server.revoked != tt.revoked {
				t.Errorf("the server gave %d tokens, revoked %v, want %d, %v", tt.server.serial, tt.server.revoked, tt.serial, tt.revoked)
			}
			if strings.Contains(stdout+stderr, "hush") {
				t.Errorf("a token was printed: %s%s", stdout, stderr)
			}
		})
	}
}

func TestSigninUse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		flags []string
		code  int
		text  string
	}{
		{"help", []string{"--help"}, 0, "application id; required"},
		{"no application", nil, 2, "--app must name the application"},
		{"application that is no number", []string{"--app", "echo"}, 2, "invalid value"},
		{"unknown flag", []string{"--nosuch"}, 2, "flag provided but not defined"},
		{"an argument", []string{"--app", "100", "now"}, 2, "nothing follows the flags"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr strings.Builder
			code := run(t.Context(), tt.flags, &stdout, &stderr)
			if code != tt.code || !strings.Contains(stderr.String(), tt.text) || stdout.Len() > 0 {
				t.Errorf("run() = %d, %q, %q, want %d with %q", code, stdout.String(), stderr.String(), tt.code, tt.text)
			}
		})
	}
}

func TestSigninInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stderr strings.Builder
	if code := run(ctx, []string{"--app", "100", "--print"}, io.Discard, &stderr); code != 1 || !strings.Contains(stderr.String(), "aborted") {
		t.Errorf("run() = %d, %q, want 1 and that it was aborted", code, stderr.String())
	}
}
