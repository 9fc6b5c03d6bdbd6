package metrics_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/go-json-experiment/json"
)

// exported is the body of a request to a collector.
type exported struct {
	Resources []struct {
		Scopes []struct {
			Spans []exportedSpan `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
}

type exportedSpan struct {
	Trace  string `json:"traceId"`
	ID     string `json:"spanId"`
	Parent string `json:"parentSpanId"`
	Name   string `json:"name"`
	Kind   int    `json:"kind"`
	Status struct {
		Code int `json:"code"`
	} `json:"status"`
}

// collect runs a tracer while use makes spans, and returns what the collector got.
func collect(t *testing.T, use func(*metrics.Tracer)) []exportedSpan {
	t.Helper()
	var spans []exportedSpan
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var got exported
		if err == nil {
			err = json.Unmarshal(body, &got)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("POST %s: %v", r.URL.Path, err)
			return
		}
		spans = append(spans, got.Resources[0].Scopes[0].Spans...)
	}))
	defer collector.Close()
	tracer := metrics.NewTracer(collector.URL, "bellhop", clock.System{}, slog.New(slog.DiscardHandler))
	use(tracer)
	ended, end := context.WithCancel(t.Context())
	end()
	if err := tracer.Run(ended); err != nil { // sends what is left
		t.Fatal(err)
	}
	return spans
}

func TestTraceIsExported(t *testing.T) {
	t.Parallel()
	const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	header := http.Header{}
	spans := collect(t, func(tracer *metrics.Tracer) {
		ctx, request := tracer.Begin(t.Context(), http.Header{"Traceparent": {caller}})
		_, delivery := metrics.StartSpan(ctx, "deliver interaction", metrics.ClientSpan)
		delivery.Inject(header)
		delivery.Fail(errors.New("refused"))
		delivery.End()
		request.Rename("POST /interactions")
		request.SetInt("http.response.status_code", 204)
		request.End()
	})
	if len(spans) != 2 {
		t.Fatalf("the collector got %d spans, want 2", len(spans))
	}
	delivery, request := spans[0], spans[1]
	if request.Trace != "0af7651916cd43dd8448eb211c80319c" || request.Parent != "b7ad6b7169203331" || request.Kind != metrics.ServerSpan || request.Name != "POST /interactions" {
		t.Errorf("request = %+v, want a part of the caller's trace", request)
	}
	if delivery.Trace != request.Trace || delivery.Parent != request.ID || delivery.Kind != metrics.ClientSpan || delivery.Status.Code != 2 {
		t.Errorf("delivery = %+v, want a failed child of %+v", delivery, request)
	}
	if want := "00-" + delivery.Trace + "-" + delivery.ID + "-01"; header.Get("traceparent") != want {
		t.Errorf("traceparent = %q, want %q", header.Get("traceparent"), want)
	}
}

func TestBeginReadsTheHeader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		traced     bool
	}{
		{"none", "", true},
		{"not sampled", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", false},
		{"too short", "00-0af7-b7ad6b7169203331-00", true},
		{"zero trace", "00-00000000000000000000000000000000-b7ad6b7169203331-00", true},
		{"no hex", "00-0af7651916cd43dd8448eb211c8031xx-b7ad6b7169203331-00", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tracer := metrics.NewTracer("http://127.0.0.1:1", "bellhop", clock.System{}, slog.New(slog.DiscardHandler))
			if _, span := tracer.Begin(t.Context(), http.Header{"Traceparent": {tt.give}}); (span != nil) != tt.traced {
				t.Errorf("Begin() = %v, want a span: %t", span, tt.traced)
			}
		})
	}
}

func TestNoTracer(t *testing.T) {
	t.Parallel()
	var tracer *metrics.Tracer
	ctx, span := tracer.Begin(t.Context(), nil)
	_, child := metrics.StartSpan(ctx, "child", metrics.InternalSpan)
	child.Set("a", "b")
	child.Inject(nil)
	child.End()
	span.End()
	if span != nil || child != nil || span.Trace() != "" {
		t.Errorf("spans without a tracer = %v, %v", span, child)
	}
}

func TestSpansAreBounded(t *testing.T) {
	t.Parallel()
	spans := collect(t, func(tracer *metrics.Tracer) {
		for range 5000 {
			_, span := tracer.Begin(t.Context(), nil)
			span.End()
		}
	})
	if len(spans) != 4096 {
		t.Errorf("%d spans were exported, want 4096", len(spans))
	}
}

func TestExemplars(t *testing.T) {
	t.Parallel()
	m := metrics.New("test")
	m.Route("/x", http.MethodGet).Observe(200, 3*time.Millisecond, "0af7651916cd43dd8448eb211c80319c")
	for _, h := range []http.Handler{m.Handler(), m.CachedHandler(clock.System{})} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
		r.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), `# {trace_id="0af7651916cd43dd8448eb211c80319c"}`) {
			t.Errorf("the metrics have no exemplar:\n%s", w.Body)
		}
	}
}
