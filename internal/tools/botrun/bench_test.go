package botrun_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/tools/botrun"
)

// BenchmarkProxy measures a request to the service, and the same request through the proxy of "bellhop run". The difference is the cost of
// the proxy. It may be 5 ms.
func BenchmarkProxy(b *testing.B) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) }))
	defer service.Close()
	env, end, err := botrun.Open(b.Context(), service.URL, time.Now(), nil, func(string) {})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = end() }() // the servers of a benchmark
	for _, way := range []struct {
		name   string
		client *http.Client
		url    string
	}{{"direct", service.Client(), service.URL + "/api/v10/gateway"}, {"proxy", proxied(b, env), "https://discord.com/api/v10/gateway"}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				r, err := way.client.Get(way.url)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					b.Fatal(err)
				}
				if err := r.Body.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
