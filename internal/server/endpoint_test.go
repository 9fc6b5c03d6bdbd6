package server

import (
	"crypto/ed25519"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// app starts an interactions endpoint that answers PINGs. It checks signatures with key, unless it is careless.
func app(t *testing.T, key *ed25519.PublicKey, careless bool) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		signature, err := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		signed := append([]byte(r.Header.Get("X-Signature-Timestamp")), body...)
		if err != nil || (!careless && !ed25519.Verify(*key, signed, signature)) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":1}`)
	}))
	t.Cleanup(srv.Close)
	return srv
}

// TestSetEndpoint sets the endpoint of an application. An endpoint that does not check signatures is refused.
func TestSetEndpoint(t *testing.T) {
	t.Parallel()
	r := runServer(t, Config{Data: t.TempDir(), World: testWorld(t), Dev: true})
	_, own := ask(t, "GET", r.base+"/api/v10/applications/@me", nil)
	_, rest, _ := strings.Cut(own, `"verify_key":"`)
	raw, err := hex.DecodeString(rest[:64])
	if err != nil {
		t.Fatalf("verify_key in %s: %v", own, err)
	}
	key := ed25519.PublicKey(raw)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "unknown type", http.StatusBadRequest)
	}))
	t.Cleanup(refusing.Close)
	for _, tt := range []struct {
		name string
		url  string
		want int
		says string // the sentence about the endpoint
	}{
		{"an app that takes any signature", app(t, &key, true).URL, 400, "accepted a wrong signature: it answered 200 instead of 401"},
		{"an app that knows no PING", refusing.URL, 400, "answered 400 to the signed PING after "},
		{"the text of the app", refusing.URL, 400, " ms: unknown type."},
		{"no server", "http://127.0.0.1:1/", 400, "was not called: the endpoint URL is not allowed: port is not allowed."},
		{"an app that checks them", app(t, &key, false).URL, 200, ""},
	} {
		status, text := ask(t, "PATCH", r.base+"/api/v10/applications/@me", strings.NewReader(`{"interactions_endpoint_url":"`+tt.url+`"}`))
		if status != tt.want || (status == 400) != strings.Contains(text, "APPLICATION_INTERACTIONS_ENDPOINT_INVALID") ||
			!strings.Contains(text, tt.says) {
			t.Errorf("%s: %d %s", tt.name, status, text)
		}
	}
	if status, text := ask(t, "PATCH", r.base+"/api/v10/applications/@me", strings.NewReader(`{"interactions_endpoint_url":null}`)); status != 200 {
		t.Errorf("removing the endpoint: %d %s", status, text)
	}
}
