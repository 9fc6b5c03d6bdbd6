package metrics_test

import (
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/prometheus/client_golang/prometheus"
)

func TestRoute(t *testing.T) {
	t.Parallel()
	m := metrics.New("1.2.3")
	r := m.Route("/things/{id}", "GET")
	r.Observe(200, 2*time.Millisecond, "")
	r.Observe(200, 30*time.Millisecond, "")
	r.Observe(418, time.Second, "")
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
	metrics.New("a").Route("/x", "GET").Observe(200, 0, "")
	w := httptest.NewRecorder()
	metrics.New("b").Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if strings.Contains(w.Body.String(), `route="/x"`) {
		t.Error("one service counts what another served")
	}
}

// stepClock shows a time that the test sets.
type stepClock struct {
	clock.System

	now time.Time
}

func (c *stepClock) Now() time.Time { return c.now }

// TestCachedHandler checks that the metrics are rendered once per second at most, also for requests at the same time.
func TestCachedHandler(t *testing.T) {
	t.Parallel()
	m := metrics.New("1")
	var renders atomic.Int64
	m.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "renders", Help: "Test."}, func() float64 { return float64(renders.Add(1)) }))
	now := &stepClock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	h := m.CachedHandler(now)
	scrape := func() string {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil)
		r.Header.Set("Accept-Encoding", "gzip")
		h.ServeHTTP(w, r)
		if kind := w.Header().Get("Content-Type"); w.Code != 200 || !strings.HasPrefix(kind, "text/plain") {
			t.Errorf("%d %s", w.Code, kind)
		}
		return w.Body.String()
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if text := scrape(); !strings.Contains(text, "\nrenders 1\n") {
				t.Errorf("rendered again: %.100s", text)
			}
		})
	}
	all.Wait()
	now.now = now.now.Add(time.Second - 1)
	scrape()
	if n := renders.Load(); n != 1 {
		t.Errorf("rendered %d times within a second", n)
	}
	now.now = now.now.Add(1)
	if text := scrape(); !strings.Contains(text, "\nrenders 2\n") {
		t.Error("not rendered again after a second")
	}
}
