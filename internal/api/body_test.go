package api_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/bellhop/bellhop/internal/api"
)

// meter is a body that checks how much memory its reader has beyond what has arrived.
type meter struct {
	io.Reader
	t       *testing.T
	arrived int
}

func (m *meter) Read(p []byte) (int, error) {
	if len(p) > max(m.arrived, 16<<10) {
		m.t.Errorf("%d bytes of memory after %d bytes of the body have arrived", m.arrived+len(p), m.arrived)
	}
	n, err := m.Reader.Read(p)
	m.arrived += n
	return n, err
}

// readBody sends a body with a declared length to a route that reads up to 8 MiB, and returns what it has read.
func readBody(t *testing.T, body io.Reader, declared int64) (int, []byte) {
	t.Helper()
	var got []byte
	cfg, _ := testConfig()
	h := api.New(cfg, []api.Route{{
		Method: http.MethodPost, Path: "/body", Root: true, Name: "body", Handle: func(c *api.Call) (err error) {
			got, err = c.ReadBody(8 << 20)
			return c.NoContent(err)
		},
	}})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/body", body)
	r.ContentLength = declared
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, got
}

// TestBodyMemory checks that the memory for a body grows with what has arrived, not with the declared length.
func TestBodyMemory(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 16<<10 - 1, 16 << 10, 16<<10 + 1, 100_000, 8 << 20} {
		want := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		status, got := readBody(t, &meter{Reader: bytes.NewReader(want), t: t}, int64(size))
		if status != http.StatusNoContent || !bytes.Equal(got, want) {
			t.Errorf("a body of %d bytes: %d, %d bytes read", size, status, len(got))
		}
	}
	if _, got := readBody(t, &meter{Reader: bytes.NewReader(make([]byte, 10)), t: t}, 8<<20); got != nil {
		t.Errorf("a body that ends early: %d bytes read", len(got))
	}
	if status, _ := readBody(t, bytes.NewReader(nil), 8<<20+1); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body above the limit: %d, want 413", status)
	}
}
