package metrics_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/metrics"
)

func TestRoute(t *testing.T) {
	t.Parallel()
	m := metrics.New("1.2.3")
	r := m.Route("/things/{id}", "GET")
	r.Observe(200, 2*time.Millisecond)
	r.Observe(200, 30*time.Millisecond)
	r.Observe(418, time.Second)
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	for _, want := range []string{
		`bellhop_http_requests_total{method="GET",route="/things/{id}",status="200"} 2`,
		`bellhop_http_requests_total{method="GET",route="/things/{id}",status="418"} 1`,
		`bellhop_http_request_seconds_bucket{method="GET",route="/things/{id}",le="0.0025"} 1`,
		`bellhop_http_request_seconds_count{method="GET",route="/things/{id}"} 3`,
		`bellhop_build_info{version="1.2.3"} 1`,
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
}

func TestRegistriesAreSeparate(t *testing.T) {
	t.Parallel()
	metrics.New("a").Route("/x", "GET").Observe(200, 0)
	w := httptest.NewRecorder()
	metrics.New("b").Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if strings.Contains(w.Body.String(), `route="/x"`) {
		t.Error("one service counts what another served")
	}
}
