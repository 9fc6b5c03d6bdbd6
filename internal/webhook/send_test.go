package webhook_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/webhook"
)

// TestSend checks that a post is signed, and that its response is returned whatever the status is.
func TestSend(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	app := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		signature, hexErr := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		if err != nil || hexErr != nil || !ed25519.Verify(verifyKey, append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature) {
			t.Error("the signature does not verify")
		}
		if got := r.Header.Get("User-Agent"); got != "Test/1.0" {
			t.Errorf("User-Agent %q", got)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"a":1}`)) // the test sees it
	})
	d := newFixture(t, nil)
	post := webhook.Post{URL: app.URL, Key: seed, Body: []byte(`{}`), Deadline: d.clock.Now().Add(time.Minute), Agent: "Test/1.0"}
	for _, tt := range []struct {
		status int
		body   string
	}{{200, `{"a":1}`}, {401, ""}, {500, ""}} {
		status = tt.status
		got, err := d.Send(t.Context(), post)
		if err != nil || got.Status != tt.status || string(got.Body) != tt.body {
			t.Errorf("Send() = %d %q, %v, want %d %q", got.Status, got.Body, err, tt.status, tt.body)
		}
	}
	status = http.StatusOK
	post.MaxAnswer = 3
	_, err := d.Send(t.Context(), post)
	wantKind(t, err, webhook.TooLarge)
}

// TestSendFails checks why a post is not sent, and that its text shows neither the key nor the body.
func TestSendFails(t *testing.T) {
	t.Parallel()
	app := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the end of the connection is noticed
		<-r.Context().Done()
	})
	d := newFixture(t, nil)
	post := webhook.Post{URL: app.URL, Key: seed, Body: []byte("hidden"), Deadline: d.clock.Now().Add(20 * time.Millisecond)}
	_, err := d.Send(t.Context(), post)
	wantKind(t, err, webhook.Timeout)
	_, err = d.Send(t.Context(), post) // the deadline has passed
	wantKind(t, err, webhook.Timeout)
	production := newFixture(t, func(c *webhook.Config) { c.Policy = webhook.Production() })
	post.Deadline = d.clock.Now().Add(time.Minute)
	_, err = production.Send(t.Context(), post)
	wantKind(t, err, webhook.BadURL)
	post.Key = nil
	if _, err = d.Send(t.Context(), post); err == nil || errors.As(err, new(*webhook.Error)) {
		t.Errorf("Send() without a key = %v", err)
	}
	if err := webhook.CheckURL(app.URL, false); err == nil {
		t.Error("CheckURL() accepts plain http")
	}
	if err := webhook.CheckURL(app.URL, true); err != nil {
		t.Errorf("CheckURL() of a private URL = %v", err)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", post, post, post, post.LogValue()); strings.Contains(text, "hidden") {
		t.Errorf("a post shows its body: %s", text)
	}
}
