package v10_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// discard is a response that is not read.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// BenchmarkList measures the HTTP layer with a cached list of commands.
func BenchmarkList(b *testing.B) {
	d := open(b)
	if got := d.ask(b, "bot", "POST", commandsPath, `{"name":"roll","description":"Roll dice"}`); got.status != http.StatusCreated {
		b.Fatalf("%d %s", got.status, got.body)
	}
	r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, commandsPath, nil)
	r.Header.Set("Authorization", tokens["bot"])
	b.ReportAllocs()
	for b.Loop() {
		d.ServeHTTP(discard{http.Header{}}, r)
	}
}
