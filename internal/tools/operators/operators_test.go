package operators_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/tools/operators"
)

// TestRemote creates, lists and revokes tokens over the admin API. A token without an end names no time.
func TestRemote(t *testing.T) {
	t.Parallel()
	var got []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("%v %v", r.Header, err)
		}
		got = append(got, r.Method+" "+r.URL.EscapedPath()+" "+string(body))
		text := `{"name":"ci","token":"made"}`
		if r.Method == http.MethodGet {
			text = `[{"name":"ci","scopes":["read"],"created_at":"2026-01-02T15:04:05Z"}]`
		}
		_, _ = io.WriteString(w, text) // a broken connection fails the test
	}))
	t.Cleanup(srv.Close)
	r := operators.Remote{Root: srv.URL, Token: "secret"}
	for _, life := range []time.Duration{time.Hour, 0} {
		if token, err := r.Put(t.Context(), "ci", []string{"read"}, life); err != nil || token != "made" {
			t.Errorf("Put() = %q, %v", token, err)
		}
	}
	list, err := r.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Name != "ci" || !list[0].Expires.IsZero() {
		t.Errorf("List() = %+v, %v", list, err)
	}
	if err := r.Revoke(t.Context(), "a/b"); err != nil {
		t.Error(err)
	}
	want := []string{
		`PUT /admin/v1/operators/ci {"scopes":["read"],"expires_in":3600}`, `PUT /admin/v1/operators/ci {"scopes":["read"]}`,
		"GET /admin/v1/operators ", "DELETE /admin/v1/operators/a%2Fb ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("requests %q, want %q", got, want)
	}
}
