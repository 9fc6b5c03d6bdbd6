package server

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ratelimit"
)

// TestHSTSOverTLSOnly checks that responses over TLS, from the service itself or from a proxy in front of it, have
// Strict-Transport-Security. Those over plain http and those with dev controls do not.
func TestHSTSOverTLSOnly(t *testing.T) {
	t.Parallel()
	overTLS := &tls.ConnectionState{}
	for _, tt := range []struct {
		name   string
		public string
		dev    bool
		life   time.Duration
		tls    *tls.ConnectionState
		want   string
	}{
		{name: "plain http", public: "http://bellhop.example", life: time.Hour},
		{name: "TLS", public: "https://bellhop.example", life: time.Hour, tls: overTLS, want: "max-age=3600"},
		{name: "TLS without a public URL", life: time.Hour, tls: overTLS, want: "max-age=3600"},
		{name: "a proxy ends TLS", public: "https://bellhop.example", life: 4320 * time.Hour, want: "max-age=15552000"},
		{name: "turned off", public: "https://bellhop.example", tls: overTLS},
		{name: "dev controls", public: "https://localhost", dev: true, life: time.Hour, tls: overTLS},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := Open(t.Context(), Config{
				Clock: clock.System{}, Data: t.TempDir(), Volatile: true, Dev: tt.dev, Version: "test",
				Log: slog.New(slog.DiscardHandler), Limits: ratelimit.Off(), PublicURL: tt.public, HSTS: tt.life,
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := s.Close(context.WithoutCancel(t.Context())); err != nil {
					t.Error(err)
				}
			})
			for _, path := range []string{"/", "/api/v10/gateway", "/no/such/path"} {
				r, w := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil), httptest.NewRecorder()
				r.TLS = tt.tls
				s.handler.ServeHTTP(w, r)
				if got := w.Header().Get("Strict-Transport-Security"); got != tt.want {
					t.Errorf("%s: Strict-Transport-Security is %q, want %q", path, got, tt.want)
				}
			}
		})
	}
}
