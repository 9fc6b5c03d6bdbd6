package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/api"
)

// TestLogRequestIDs checks that the lines of a service have the id of the request that it serves, once, and that other
// lines have none.
func TestLogRequestIDs(t *testing.T) {
	t.Parallel()
	cfg, log := testConfig()
	service := cfg.Log.With("part", "service")
	cfg.Log = service
	h := api.New(cfg, []api.Route{{
		Method: http.MethodGet, Path: "/logs", Name: "logs", Doc: "Test.", Answer: map[int]string{204: ""},
		Handle: func(c *api.Call) error {
			service.WarnContext(c.Context(), "slow")
			return c.NoContent(nil)
		},
	}})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/logs", nil))
	service.WarnContext(t.Context(), "elsewhere")
	id := w.Header().Get("X-Request-Id")
	if want := "msg=slow part=service request_id=" + id + "\n"; !strings.Contains(log.String(), want) {
		t.Errorf("the log lacks %q:\n%s", want, log)
	}
	if n := strings.Count(log.String(), "request_id="+id); n != 2 || !strings.Contains(log.String(), "msg=elsewhere part=service\n") {
		t.Errorf("%d lines name the request, want that of the service and that of the request:\n%s", n, log)
	}
}
