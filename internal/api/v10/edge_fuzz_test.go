package v10_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/go-json-experiment/json/jsontext"
)

// sendRaw sends a request with headers as they are.
func (s *service) sendRaw(t *testing.T, method string, target *url.URL, body string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	s.log.Reset() // it would grow for as long as the test runs
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	r.Method, r.URL, r.Header = method, target, header
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// checkEdge reports internal errors and responses that are not what their content type says.
func checkEdge(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code >= http.StatusInternalServerError && w.Code != http.StatusServiceUnavailable {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w.Header().Get("Content-Type") == "application/json" && w.Body.Len() > 0 && !jsontext.Value(w.Body.Bytes()).IsValid() {
		t.Errorf("%d with invalid JSON: %q", w.Code, w.Body)
	}
}

// FuzzRequest sends any method, path, content type and body without a credential. No response is an internal error, and
// none shows or changes what needs a credential.
func FuzzRequest(f *testing.F) {
	d := openWith(f, ratelimit.Off())
	for _, seed := range [][4]string{
		{"GET", "/api/v10/applications/1300000000000000001/commands", "", ""},
		{"POST", "/api/v10/oauth2/token", "application/x-www-form-urlencoded", "grant_type=authorization_code&code=x&client_id=1"},
		{"POST", "/api/v10/oauth2/token", "application/x-www-form-urlencoded", "grant_type=client_credentials&client_id=1300000000000000001&client_secret=%"},
		{"POST", "/api/v10/oauth2/device/code", "application/x-www-form-urlencoded", "client_id=1300000000000000001&scope=identify"},
		{"POST", "/api/v10/webhooks/1300000000000000001/token", "application/json", `{"content":"x"}`},
		{"POST", "/api/v10/webhooks/1300000000000000001/token", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"payload_json\"\r\n\r\n{}\r\n--x--"},
		{"POST", "/api/v10/interactions/1/token/callback", "application/json", `{"type":4}`},
		{"GET", "/oauth2/authorize?client_id=1300000000000000001&response_type=code&scope=identify", "", ""},
		{"POST", "/oauth2/signin", "application/x-www-form-urlencoded", "token=x&next=%2F"},
		{"GET", "/attachments/1/2/a.png?ex=1&is=2&hm=3", "", ""},
		{"PUT", "/admin/v1/world", "application/yaml", "users: []"},
		{"GET", "//api///v10/../v10/gateway", "", ""},
		{"BREW", "/healthz", "", "\x00"},
		{"GET", "/api/v99999/users/@me", "", ""},
		{"POST", "/api/v10/partner-sdk/token", "application/json", `{"client_id":"1300000000000000001","external_auth_type":"OIDC","external_auth_token":"a.b.c"}`},
		{"GET", "/api/v10/lobbies?metadata%5Bmap%5D=dust&free=1", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3])
	}
	f.Fuzz(func(t *testing.T, method, target, kind, body string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || !strings.HasPrefix(u.Path, "/") || strings.Contains(u.Path, "/_dev") {
			return // not a request line, or the dev controls, which need no credential
		}
		w := d.sendRaw(t, method, u, body, http.Header{"Content-Type": {kind}})
		checkEdge(t, w)
		if w.Code < 300 && strings.Contains(u.Path, "/admin/") {
			t.Errorf("%s %s without a credential: %d %s", method, u.Path, w.Code, w.Body)
		}
	})
}

// FuzzCredentials sends any Authorization and Cookie header. No response is an internal error, and none takes the sender
// for a caller.
func FuzzCredentials(f *testing.F) {
	d := openWith(f, ratelimit.Off())
	known := strings.Join(func() (all []string) {
		for _, header := range tokens {
			if header != "" {
				all = append(all, header[strings.LastIndexByte(header, ' ')+1:])
			}
		}
		return all
	}(), "\n")
	for _, seed := range [][2]string{
		{"Bot x", ""},
		{"Bearer ", "bellhop-operator=x"},
		{"Basic eDp5", "bellhop-operator=x; bellhop-operator=y"},
		{"bot\tx", `bellhop-session="x"`},
		{"", "__Host-bellhop-operator=; bellhop-session=\x7f"},
		{"Bearer a b", "=;;=a"},
		{strings.Repeat("x", 5000), strings.Repeat("a=b;", 200)},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, authorization, cookie string) {
		token := authorization[strings.LastIndexByte(authorization, ' ')+1:]
		if strings.Contains("\n"+known+"\n", "\n"+token+"\n") {
			return // it is valid, or empty
		}
		header := http.Header{"Authorization": {authorization}, "Cookie": {cookie}}
		for _, path := range []string{"/api/v10/users/@me", "/admin/v1/users", "/api/v10/gateway/bot"} {
			w := d.sendRaw(t, http.MethodGet, &url.URL{Path: path}, "", header)
			if checkEdge(t, w); w.Code != http.StatusUnauthorized {
				t.Errorf("%s: %d %s, want 401", path, w.Code, w.Body)
			}
		}
		w := d.sendRaw(t, http.MethodPost, &url.URL{Path: "/oauth2/pass"}, "", header)
		if checkEdge(t, w); w.Code < 300 {
			t.Errorf("a pass: %d %s", w.Code, w.Body)
		}
	})
}

// FuzzSignature reads a file with any query instead of the signature of its URL.
func FuzzSignature(f *testing.F) {
	d := openWith(f, ratelimit.Off())
	signed, err := url.Parse(d.keep(f, 1, "a.png", "A"))
	if err != nil {
		f.Fatal(err)
	}
	query := signed.RawQuery
	f.Add(strings.ToUpper(query))
	f.Add(query[:len(query)-1])
	f.Add(query + "&" + query)
	f.Add("ex=ffffffff&is=0&hm=" + strings.Repeat("0", 64))
	f.Add("hm=&hm=%")
	f.Fuzz(func(t *testing.T, raw string) {
		given, _ := url.ParseQuery(raw) // what is valid of it counts
		want, _ := url.ParseQuery(query)
		same := given.Get("ex") == want.Get("ex") && given.Get("is") == want.Get("is") && strings.EqualFold(given.Get("hm"), want.Get("hm"))
		w := d.sendRaw(t, http.MethodGet, &url.URL{Path: signed.Path, RawQuery: raw}, "", http.Header{})
		if checkEdge(t, w); w.Code < 300 && !same {
			t.Errorf("the query %q opens the file of %q", raw, query)
		}
	})
}
