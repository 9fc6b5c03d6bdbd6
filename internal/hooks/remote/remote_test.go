package remote_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/hooks"
	"github.com/bellhop/bellhop/internal/hooks/remote"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
)

var discard = slog.New(slog.DiscardHandler)

// newKey returns a key in a new database.
func newKey(t *testing.T, sealer *auth.Sealer) *remote.Key {
	t.Helper()
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &remote.Key{Store: db, Clock: clock.System{}, Sealer: sealer}
}

// backend is a program with a hook.
type backend struct {
	*httptest.Server

	status int
	answer string
	body   string // of the last call
	agent  string
	valid  bool // the signature of the last call verifies
}

// serve runs a backend that verifies calls with a key.
func serve(t *testing.T, key *remote.Key) *backend {
	t.Helper()
	text, err := key.Public(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	public, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	b := &backend{status: http.StatusOK}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // an error fails the signature
		signature, _ := hex.DecodeString(r.Header.Get("X-Signature-Ed25519"))
		b.body, b.agent = string(body), r.Header.Get("User-Agent")
		b.valid = ed25519.Verify(public, append([]byte(r.Header.Get("X-Signature-Timestamp")), body...), signature)
		w.WriteHeader(b.status)
		_, _ = io.WriteString(w, b.answer) // the test sees it
	}))
	t.Cleanup(b.Close)
	return b
}

// hook returns the hook of a backend.
func (b *backend) hook(t *testing.T, key *remote.Key) hooks.Hook {
	t.Helper()
	c := remote.New(remote.Config{Clock: clock.System{}, Log: discard, Key: key})
	t.Cleanup(c.Close)
	list, err := remote.Parse("hooks.yaml", []byte("hooks: [{name: words, url: '"+b.URL+"/hook?secret=1', before: [message], after: [lobby.end], private: true}]"))
	if err != nil {
		t.Fatal(err)
	}
	return c.Hooks(list)[0]
}

// TestBefore checks what is posted before an event, and what the answers mean.
func TestBefore(t *testing.T) {
	t.Parallel()
	key := newKey(t, nil)
	b := serve(t, key)
	h := b.hook(t, key)
	if h.URL != b.URL+"/hook" {
		t.Errorf("operators see %s, want no query", h.URL)
	}
	for _, tt := range []struct {
		status         int
		answer         string
		change, refuse string
		fails          string // part of the error; empty: none
	}{
		{200, `{}`, "", "", ""},
		{200, ``, "", "", ""},
		{204, ``, "", "", ""},
		{200, `{"change":{"content":"b"}}`, `{"content":"b"}`, "", ""},
		{200, `{"change":null,"refuse":null}`, "", "", ""},
		{200, `{"refuse":"not now"}`, "", "not now", ""},
		{200, `{"refuse":"not now","change":{"content":"b"}}`, "", "not now", ""},
		{200, `{"refuse":1}`, "", "", "not a JSON object"},
		{200, `[]`, "", "", "not a JSON object"},
		{200, `{`, "", "", "not a JSON object"},
		{200, `{"reject":"typo"}`, "", "", "neither"},
		{201, `{}`, "", "", "answered 201"},
		{403, `{"refuse":"not now"}`, "", "", "answered 403"},
		{500, ``, "", "", "answered 500"},
		{302, ``, "", "", "answered 302"},
		{200, `{"change":"` + strings.Repeat("x", 300<<10) + `"}`, "", "", "too large"},
	} {
		b.status, b.answer = tt.status, tt.answer
		call := hooks.Call{Event: hooks.Message, Data: []byte(`{"content":"a"}`)}
		err := h.Before(t.Context(), &call)
		refusal, refused := errors.AsType[*hooks.Refusal](err)
		switch {
		case tt.refuse != "" && (!refused || refusal.Reason != tt.refuse):
			t.Errorf("%d %s: %v, want the refusal %s", tt.status, tt.answer, err, tt.refuse)
		case tt.fails != "" && (err == nil || refused || !strings.Contains(err.Error(), tt.fails)):
			t.Errorf("%d %.80s: %v, want an error with %q", tt.status, tt.answer, err, tt.fails)
		case tt.refuse == "" && tt.fails == "" && (err != nil || string(call.Change) != tt.change):
			t.Errorf("%d %s: change %s, %v, want %q", tt.status, tt.answer, call.Change, err, tt.change)
		}
		if !b.valid || b.body != `{"hook":"words","phase":"before","event":"message","data":{"content":"a"}}` || !strings.HasPrefix(b.agent, "Bellhop-Hooks/") {
			t.Errorf("posted %s by %s, signature %v", b.body, b.agent, b.valid)
		}
	}
	b.Close()
	if err := h.Before(t.Context(), &hooks.Call{}); err == nil || !strings.Contains(err.Error(), "refused") || strings.Contains(err.Error(), "secret") {
		t.Errorf("Before() without a server = %v, want the reason without the query", err)
	}
}

// TestAfter checks that any status of success ends a call after, and that it has an id.
func TestAfter(t *testing.T) {
	t.Parallel()
	key := newKey(t, nil)
	b := serve(t, key)
	h := b.hook(t, key)
	for status, ok := range map[int]bool{200: true, 202: true, 204: true, 302: false, 400: false, 503: false} {
		b.status = status
		err := h.After(t.Context(), hooks.Call{ID: 7, Event: hooks.LobbyEnd, Data: []byte(`{}`)})
		if ok != (err == nil) {
			t.Errorf("After() with %d = %v", status, err)
		}
		if !b.valid || b.body != `{"hook":"words","phase":"after","id":"7","event":"lobby.end","data":{}}` {
			t.Errorf("posted %s, signature %v", b.body, b.valid)
		}
	}
}

// TestPrivateNetworks checks that a hook cannot reach private networks unless its entry says so.
func TestPrivateNetworks(t *testing.T) {
	t.Parallel()
	key := newKey(t, nil)
	web := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the hook was called") }))
	t.Cleanup(web.Close)
	c := remote.New(remote.Config{Clock: clock.System{}, Log: discard, Key: key})
	t.Cleanup(c.Close)
	h := c.Hooks([]remote.Target{{Name: "a", URL: web.URL, Before: []string{hooks.Message}}})[0]
	if err := h.Before(t.Context(), &hooks.Call{Event: hooks.Message}); err == nil || !strings.Contains(err.Error(), "blocked address") {
		t.Errorf("Before() = %v, want a blocked address", err)
	}
}

// TestKey checks that the key stays the same, is encrypted, and is encrypted again with a new encryption key.
func TestKey(t *testing.T) {
	t.Parallel()
	const first, second = "8c0H7TqYxWm2fJzZbA1nR6vKs4uLeQ9dPgXoNtIyVrE=", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	sealer := func(keys string) *auth.Sealer {
		t.Helper()
		s, err := auth.NewSealer(keys)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	public := func(k *remote.Key) string {
		t.Helper()
		text, err := k.Public(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	stored := func(k *remote.Key) (list []store.ServiceKey) {
		t.Helper()
		err := k.Store.Read(t.Context(), func(r store.Reader) (err error) {
			list, err = r.Grants.ServiceKeys()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	old := newKey(t, sealer(first))
	want := public(old)
	before := stored(old)
	if len(before) != 1 || before[0].Sealed == "" || time.Since(before[0].Created) > time.Hour {
		t.Fatalf("stored %+v, want one encrypted key", before)
	}
	wrong := &remote.Key{Store: old.Store, Clock: old.Clock, Sealer: sealer(second)}
	if err := wrong.Check(t.Context()); !errors.Is(err, auth.ErrSealed) {
		t.Errorf("Check() with another encryption key = %v, want %v", err, auth.ErrSealed)
	}
	next := &remote.Key{Store: old.Store, Clock: old.Clock, Sealer: sealer(second + " " + first)}
	if err := errors.Join(next.Check(t.Context()), next.Reseal(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := wrong.Check(t.Context()); err != nil {
		t.Errorf("Check() after Reseal() = %v", err)
	}
	if got := public(wrong); got != want {
		t.Errorf("the key is %s, want %s as before", got, want)
	}
}
