package webhook_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/webhook"
)

const ping = `{"id":"1300000000000000101","application_id":"100","type":1,"version":1,"token":"aW50","app_permissions":"0",` +
	`"entitlements":[],"attachment_size_limit":10485760,"authorizing_integration_owners":{}}`

func (d *fixture) verify(url string) error {
	d.t.Helper()
	return d.Verify(d.t.Context(), webhook.Probe{Application: 100, URL: url, Key: seed, ID: 1300000000000000101, Token: "aW50"})
}

// verifyingApp answers good to requests with a valid signature, and wrong to all others.
func verifyingApp(good http.HandlerFunc, wrong int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if verified(r, body) {
			good(w, r)
			return
		}
		w.WriteHeader(wrong)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	status := func(n int) http.HandlerFunc { return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(n) } }
	says := func(contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = io.WriteString(w, body)
		}
	}
	tests := []struct {
		name string
		app  http.HandlerFunc
		want string // empty: verified
		kind webhook.Kind
	}{
		{name: "a good app", app: verifyingApp(pong, 401)},
		{name: "PONG with charset", app: verifyingApp(says("application/json; charset=utf-8", ` {"type": 1} `), 401)},
		{
			name: "it does not look at signatures", app: pong, kind: webhook.Status,
			want: "verify endpoint: a PING with a wrong signature: webhook: status 200: want 401",
		},
		{
			name: "it refuses in another way", app: verifyingApp(pong, 400), kind: webhook.Status,
			want: "verify endpoint: a PING with a wrong signature: webhook: status 400: want 401",
		},
		{
			name: "it refuses everything", app: status(401), kind: webhook.Status,
			want: "verify endpoint: a PING with a valid signature: webhook: status 401",
		},
		{
			name: "it answers later", app: verifyingApp(status(202), 401), kind: webhook.BadContent,
			want: "verify endpoint: a PING with a valid signature: webhook: bad content 202: something other than a PONG",
		},
		{
			name: "it answers something else", app: verifyingApp(says("application/json", `{"type":4}`), 401), kind: webhook.BadContent,
			want: "verify endpoint: a PING with a valid signature: webhook: bad content 200: something other than a PONG",
		},
		{
			name: "it answers a list", app: verifyingApp(says("application/json", `[1]`), 401), kind: webhook.BadContent,
			want: "verify endpoint: a PING with a valid signature: webhook: bad content 200: something other than a PONG",
		},
		{
			name: "it answers a form", app: verifyingApp(says("multipart/form-data; boundary=x", "--x--"), 401), kind: webhook.BadContent,
			want: "verify endpoint: a PING with a valid signature: webhook: bad content 200: something other than a PONG",
		},
		{
			name: "it answers text", app: verifyingApp(says("text/plain", `{"type":1}`), 401), kind: webhook.BadContent,
			want: "verify endpoint: a PING with a valid signature: webhook: bad content 200: a content type that is neither JSON nor multipart",
		},
		{
			name: "it answers a lot", app: verifyingApp(says("application/json", `{"type":1}`+strings.Repeat(" ", 1<<16)), 401), kind: webhook.TooLarge,
			want: "verify endpoint: a PING with a valid signature: webhook: too large 200: a body that is too large",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tt.app)
			err := newFixture(t, nil).verify(s.URL)
			if tt.want == "" {
				if err != nil {
					t.Errorf("Verify() = %v", err)
				}
				return
			}
			if err == nil || err.Error() != tt.want {
				t.Errorf("Verify() = %v, want %v", err, tt.want)
			}
			if _, ok := errors.AsType[*webhook.VerifyError](err); !ok {
				t.Errorf("Verify() = %T", err)
			}
			wantKind(t, err, tt.kind)
		})
	}
}

func TestVerifyPings(t *testing.T) {
	t.Parallel()
	var pings atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if string(body) != ping {
			t.Errorf("PING %s, want %s", body, ping)
		}
		if pings.Add(1) == 1 {
			if !verified(r, body) {
				t.Error("the first PING is not signed right")
			}
			pong(w, r)
			return
		}
		if verified(r, body) {
			t.Error("the second PING is signed right")
		}
		// The wrong signature is well-formed: hexadecimal, of the right length, with the top bits clear, and valid for
		// the key over another body.
		sig, err := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		if err != nil || len(sig) != ed25519.SignatureSize || sig[63]&0xE0 != 0 || !verified(r, append(body, ' ')) {
			t.Errorf("the wrong signature is malformed: %x", sig)
		}
		w.WriteHeader(http.StatusUnauthorized)
	})
	if err := newFixture(t, nil).verify(s.URL); err != nil || pings.Load() != 2 {
		t.Errorf("Verify() = %v after %d PINGs, want none after 2", err, pings.Load())
	}
}

func TestVerifyRefusesURLs(t *testing.T) {
	t.Parallel()
	d := newFixture(t, func(c *webhook.Config) { c.Policy = webhook.Production() })
	wantKind(t, d.verify("http://app.example/"), webhook.BadURL)
	wantKind(t, d.verify("https://127.0.0.1:9999/"), webhook.Blocked)
	wantKind(t, d.verify("https://[::1]:9999/"), webhook.Blocked)
}

func TestVerifyNeedsASeed(t *testing.T) {
	t.Parallel()
	err := newFixture(t, nil).Verify(t.Context(), webhook.Probe{Application: 100, URL: "http://127.0.0.1:9999/", Key: []byte("short")})
	if _, ok := errors.AsType[*webhook.VerifyError](err); !ok || strings.Contains(err.Error(), "short") {
		t.Errorf("Verify() = %v", err)
	}
}

func TestVerifyIsBoundedToo(t *testing.T) {
	t.Parallel()
	d := newFixture(t, func(c *webhook.Config) { c.Policy.PerApplication = 0 })
	wantKind(t, d.verify("http://127.0.0.1:9999/"), webhook.Overloaded)
}

func TestVerifyPutsAnEndpointBack(t *testing.T) {
	t.Parallel()
	d, _ := newMovableFixture(t, nil)
	var broken atomic.Bool
	broken.Store(true)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if broken.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		verifyingApp(pong, 401)(w, r)
	})
	for range 5 {
		d.fail(s.URL, webhook.Status)
	}
	wantKind(t, d.verify(s.URL), webhook.Status)
	d.fail(s.URL, webhook.CircuitOpen)
	broken.Store(false)
	if err := d.verify(s.URL); err != nil {
		t.Fatal(err)
	}
	if _, err := d.deliver(s.URL); err != nil {
		t.Errorf("Deliver() = %v after the handshake", err)
	}
}

// TestVerifyEvents checks the PING of event webhooks: the app answers 204, and 401 to a wrong signature.
func TestVerifyEvents(t *testing.T) {
	t.Parallel()
	answers := func(n int) http.HandlerFunc { return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(n) } }
	for _, tt := range []struct {
		name string
		app  http.HandlerFunc
		want string // empty: verified
	}{
		{"a good app", verifyingApp(answers(204), 401), ""},
		{"it answers 200", verifyingApp(answers(200), 401), "answered 200 to the signed PING instead of 204 after"},
		{"it does not look at signatures", answers(204), "accepted a wrong signature: it answered 204 instead of 401"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var body atomic.Pointer[string]
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				text, _ := io.ReadAll(r.Body)
				body.Store(new(string(text)))
				r.Body = io.NopCloser(strings.NewReader(string(text)))
				tt.app(w, r)
			})
			d := newFixture(t, nil)
			err := d.VerifyEvents(t.Context(), webhook.Probe{Application: 100, URL: s.URL, Key: seed})
			if failed, ok := errors.AsType[*webhook.VerifyError](err); err != nil && (!ok || tt.want == "" || !strings.Contains(failed.Explain(), tt.want)) || err == nil && tt.want != "" {
				t.Errorf("VerifyEvents() = %v, want %q", err, tt.want)
			}
			if got := *body.Load(); got != `{"version":1,"application_id":"100","type":0}` {
				t.Errorf("PING %s", got)
			}
		})
	}
}

// TestNotify checks that any status of 2xx acknowledges an event, with a signature that the app can verify.
func TestNotify(t *testing.T) {
	t.Parallel()
	for status, ok := range map[int]bool{200: true, 202: true, 204: true, 302: false, 400: false, 500: false} {
		s := serve(t, verifyingApp(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(status)
		}, 401))
		d := newFixture(t, nil)
		err := d.Notify(t.Context(), d.to(s.URL))
		if ok && err != nil {
			t.Errorf("Notify() to an app that answers %d = %v", status, err)
		}
		if !ok {
			wantKind(t, err, webhook.Status)
		}
	}
}
