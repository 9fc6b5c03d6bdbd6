package authorization_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/authorization"
)

const (
	appID     = 1200000000000000001
	appIDText = "1200000000000000001"
	codeLife  = 100 * time.Second
)

// server is an authorization server with one public application and one user. The endpoints that it has follow
// RFC 6749, 7009, 7636 and 8628.
type server struct {
	*httptest.Server // nil when only the handler is used

	mu       sync.Mutex
	deny     bool     // the user declines
	links    []string // registered deep links
	codes    map[string]*code
	pairs    map[string]string // refresh token to access token, both alive
	devices  map[string]*device
	requests []url.Values       // the forms received so far, oldest first
	busy     []http.HandlerFunc // handle the next API requests instead
}

type code struct {
	redirectURI, challenge, scope string
	openID                        bool
	expires                       time.Time
}

type device struct {
	userCode, scope  string
	approved, denied bool
	expires, asked   time.Time
	interval         time.Duration
}

func newServer() *server {
	return &server{
		links: []string{"mygame:/authorize/callback", "discord-" + appIDText + ":/authorize/callback"},
		codes: map[string]*code{}, pairs: map[string]string{}, devices: map[string]*device{},
	}
}

// start serves on loopback until the test ends.
func start(t *testing.T) *server {
	t.Helper()
	s := newServer()
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// client returns a client of s that opens pages with open.
func (s *server) client(open opener) *authorization.Client {
	c := &authorization.Client{APIBase: s.URL + "/api/v10", WebBase: s.URL, OpenBrowser: open, HTTP: s.Client()}
	c.SetApplicationID(appID)
	return c
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.URL.Path == "/oauth2/authorize" && r.Method == http.MethodGet {
		s.authorize(w, r)
		return
	}
	if len(s.busy) > 0 {
		answer := s.busy[0]
		s.busy = s.busy[1:]
		answer(w, r)
		return
	}
	if r.Method != http.MethodPost || r.ParseForm() != nil {
		reply(w, 405, map[string]any{"message": "405: Method Not Allowed", "code": 0})
		return
	}
	s.requests = append(s.requests, r.PostForm)
	if r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		refuse(w, 400, "unsupported_grant_type", "")
		return
	}
	if r.PostForm.Get("client_id") != appIDText {
		refuse(w, 401, "invalid_client", "")
		return
	}
	switch r.URL.Path {
	case "/api/v10/oauth2/token":
		s.token(w, r.PostForm)
	case "/api/v10/oauth2/token/revoke":
		clear(s.pairs)
		reply(w, 200, map[string]any{})
	case "/api/v10/oauth2/device/authorize":
		s.authorizeDevice(w, r.PostForm)
	default:
		reply(w, 404, map[string]any{"message": "404: Not Found", "code": 0})
	}
}

var loopbackURI = regexp.MustCompile(`^http://127\.0\.0\.1:\d+/callback$`)

func (s *server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	target := q.Get("redirect_uri")
	linked := slices.Contains(s.links, target)
	if q.Get("client_id") != appIDText || (!linked && !loopbackURI.MatchString(target)) {
		http.Error(w, "invalid_request", http.StatusBadRequest) // never redirects
		return
	}
	challenge, method := q.Get("code_challenge"), q.Get("code_challenge_method")
	back := url.Values{}
	if q.Has("state") {
		back.Set("state", q.Get("state"))
	}
	switch {
	case q.Get("response_type") != "code", (challenge == "") != (method == ""), method != "" && method != "S256", linked && challenge == "":
		back.Set("error", "invalid_request")
	case q.Get("scope") == "":
		back.Set("error", "invalid_scope")
	case s.deny:
		back.Set("error", "access_denied")
		back.Set("error_description", "The resource owner or authorization server denied the request")
	default:
		text := rand.Text()
		s.codes[text] = &code{
			redirectURI: target, challenge: challenge, scope: q.Get("scope"), expires: time.Now().Add(codeLife),
			openID: slices.Contains(strings.Fields(q.Get("scope")), "openid"),
		}
		back.Set("code", text)
	}
	w.Header().Set("Location", target+"?"+back.Encode())
	w.WriteHeader(http.StatusFound)
}

func (s *server) token(w http.ResponseWriter, form url.Values) {
	switch form.Get("grant_type") {
	case "authorization_code":
		s.exchange(w, form)
	case "refresh_token":
		if _, alive := s.pairs[form.Get("refresh_token")]; !alive {
			refuse(w, 400, "invalid_grant", `Invalid "refresh_token" in request`)
			return
		}
		delete(s.pairs, form.Get("refresh_token"))
		s.issue(w, "openid sdk.social_layer", false)
	case "urn:ietf:params:oauth:grant-type:device_code":
		s.pollDevice(w, form.Get("device_code"))
	default:
		refuse(w, 400, "unsupported_grant_type", "Grant type None is not supported")
	}
}

func (s *server) exchange(w http.ResponseWriter, form url.Values) {
	c, ok := s.codes[form.Get("code")]
	delete(s.codes, form.Get("code")) // a code works once
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	switch {
	case !ok || time.Now().After(c.expires):
		refuse(w, 400, "invalid_grant", `Invalid "code" in request.`)
	case form.Get("redirect_uri") != c.redirectURI:
		refuse(w, 400, "invalid_request", `Invalid "redirect_uri" in request.`)
	case c.challenge == "":
		refuse(w, 401, "invalid_client", "") // a public client authenticates with its verifier
	case base64.RawURLEncoding.EncodeToString(sum[:]) != c.challenge:
		refuse(w, 400, "invalid_grant", "")
	default:
		s.issue(w, c.scope, c.openID)
	}
}

// issue writes a new pair of tokens.
func (s *server) issue(w http.ResponseWriter, scope string, openID bool) {
	access, refresh := "access-"+rand.Text(), "refresh-"+rand.Text()
	s.pairs[refresh] = access
	body := map[string]any{"token_type": "Bearer", "access_token": access, "refresh_token": refresh, "expires_in": 604800, "scope": scope}
	if openID {
		body["id_token"] = "id-" + rand.Text()
	}
	w.Header().Set("Cache-Control", "no-store")
	reply(w, 200, body)
}

func (s *server) authorizeDevice(w http.ResponseWriter, form url.Values) {
	text := "device-" + rand.Text()
	s.devices[text] = &device{userCode: "WDJBMJHT", scope: form.Get("scope"), expires: time.Now().Add(300 * time.Second), asked: time.Now(), interval: 5 * time.Second}
	reply(w, 200, map[string]any{
		"device_code": text, "user_code": "WDJBMJHT", "verification_uri": "https://bellhop.example/activate",
		"verification_uri_complete": "https://bellhop.example/activate?user_code=WDJBMJHT", "expires_in": 300, "interval": 5,
	})
}

func (s *server) pollDevice(w http.ResponseWriter, text string) {
	d, ok := s.devices[text]
	now := time.Now()
	switch {
	case !ok:
		refuse(w, 400, "invalid_grant", "")
	case now.After(d.expires):
		refuse(w, 400, "expired_token", "")
	case now.Sub(d.asked) < d.interval:
		d.asked = now
		refuse(w, 400, "slow_down", "")
	case d.denied:
		refuse(w, 400, "access_denied", "")
	case !d.approved:
		d.asked = now
		refuse(w, 400, "authorization_pending", "")
	default:
		delete(s.devices, text)
		s.issue(w, d.scope, false)
	}
}

// decide approves or declines every pending device sign-in.
func (s *server) decide(approve bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.devices {
		d.approved, d.denied = approve, !approve
	}
}

// interrupt answers the next API requests with the given handlers, one each.
func (s *server) interrupt(answers ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = append(s.busy, answers...)
}

// forms returns the forms that the API received so far.
func (s *server) forms() []url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// alive reports whether a pair of tokens is valid.
func (s *server) alive(token authorization.Token) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return token.AccessToken != "" && s.pairs[string(token.RefreshToken)] == string(token.AccessToken)
}

func refuse(w http.ResponseWriter, status int, text, description string) {
	body := map[string]any{"error": text}
	if description != "" {
		body["error_description"] = description
	}
	reply(w, status, body)
}

func reply(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // if the client is gone, its own test fails
}

// answerWith returns a handler with a fixed response. headers are pairs of name and value.
func answerWith(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for pair := range slices.Chunk(headers, 2) {
			w.Header().Set(pair[0], pair[1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // as in reply
	}
}

// inMemory calls a handler without a socket, so that the time of a synctest bubble can advance.
type inMemory struct{ handler http.Handler }

func (m inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	m.handler.ServeHTTP(w, r)
	return w.Result(), nil
}
