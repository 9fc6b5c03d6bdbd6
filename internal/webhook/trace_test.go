package webhook_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
)

// TestDeliveryCarriesTheTrace checks that the endpoint of an app gets the context of the trace, and none without one.
func TestDeliveryCarriesTheTrace(t *testing.T) {
	t.Parallel()
	headers := make(chan string, 2)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		headers <- r.Header.Get("Traceparent")
		pong(w, r)
	})
	d := newFixture(t, nil)
	if _, err := d.deliver(s.URL); err != nil {
		t.Fatal(err)
	}
	if got := <-headers; got != "" {
		t.Errorf("traceparent without a trace = %q", got)
	}
	tracer := metrics.NewTracer("http://127.0.0.1:1", "bellhop", clock.System{}, slog.New(slog.DiscardHandler))
	ctx, span := tracer.Begin(t.Context(), nil)
	if _, err := d.Deliver(ctx, d.to(s.URL)); err != nil {
		t.Fatal(err)
	}
	if got := <-headers; !strings.HasPrefix(got, "00-"+span.Trace()+"-") {
		t.Errorf("traceparent = %q, want one of trace %s", got, span.Trace())
	}
}
