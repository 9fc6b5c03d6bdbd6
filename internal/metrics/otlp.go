package metrics

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/go-json-experiment/json"
)

const (
	maxSpans      = 4096 // that wait to be exported; further ones are dropped
	spansPerPost  = 512
	exportEvery   = 2 * time.Second
	exportTimeout = 5 * time.Second
	tracesPath    = "/v1/traces"
)

// NewTracer returns a tracer that sends spans to an OpenTelemetry collector: OTLP over HTTP, as JSON. base is the URL of the
// collector, such as http://127.0.0.1:4318. Run sends the spans.
func NewTracer(base, service string, c clock.Clock, log *slog.Logger) *Tracer {
	url := strings.TrimSuffix(base, "/")
	if !strings.HasSuffix(url, tracesPath) {
		url += tracesPath
	}
	return &Tracer{
		clock: c, log: log, url: url, name: service, post: http.Client{Timeout: exportTimeout}, full: make(chan struct{}, 1),
	}
}

// collect queues a span, or drops it if too many are waiting.
func (t *Tracer) collect(s *Span) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) >= maxSpans {
		t.dropped++
		return
	}
	t.waiting = append(t.waiting, s)
	if len(t.waiting) == spansPerPost {
		select {
		case t.full <- struct{}{}:
		default:
		}
	}
}

// Run exports spans until ctx ends, and then those that are left.
func (t *Tracer) Run(ctx context.Context) error {
	if t == nil {
		return nil
	}
	for {
		due := make(chan struct{})
		timer := t.clock.AfterFunc(exportEvery, func() { close(due) })
		select {
		case <-due:
		case <-t.full:
		case <-ctx.Done():
		}
		timer.Stop()
		t.export(context.WithoutCancel(ctx)) // bounded by exportTimeout; the last spans are sent after ctx has ended
		select {
		case <-ctx.Done():
			return nil
		default:
		}
	}
}

// export sends all spans that are waiting. Spans that cannot be sent are lost.
func (t *Tracer) export(ctx context.Context) {
	for {
		t.mu.Lock()
		n := min(len(t.waiting), spansPerPost)
		batch := t.waiting[:n:n]
		t.waiting = t.waiting[n:]
		dropped := t.dropped
		t.dropped = 0
		t.mu.Unlock()
		if dropped > 0 {
			t.log.WarnContext(ctx, "spans dropped", "spans", dropped)
		}
		if n == 0 {
			return
		}
		if err := t.send(ctx, batch); err != nil {
			t.log.WarnContext(ctx, "spans not exported", "spans", n, "err", err)
			return
		}
	}
}

func (t *Tracer) send(ctx context.Context, batch []*Span) error {
	body, err := json.Marshal(t.request(batch))
	if err != nil {
		return err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/json")
	res, err := t.post.Do(q)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= http.StatusMultipleChoices {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 200)) // for the log
		return fmt.Errorf("the collector answered %s: %s", res.Status, text)
	}
	return nil
}

// The shapes of OTLP/JSON. Ids are in hex, 64-bit numbers are strings.
type (
	otlpRequest struct {
		Resources []otlpResource `json:"resourceSpans"`
	}
	otlpResource struct {
		Resource struct {
			Attributes []otlpAttribute `json:"attributes"`
		} `json:"resource"`
		Scopes []otlpScope `json:"scopeSpans"`
	}
	otlpScope struct {
		Scope struct {
			Name string `json:"name"`
		} `json:"scope"`
		Spans []otlpSpan `json:"spans"`
	}
	otlpSpan struct {
		Trace      string          `json:"traceId"`
		ID         string          `json:"spanId"`
		Parent     string          `json:"parentSpanId,omitempty"`
		Name       string          `json:"name"`
		Kind       int             `json:"kind"`
		Begin      string          `json:"startTimeUnixNano"`
		End        string          `json:"endTimeUnixNano"`
		Attributes []otlpAttribute `json:"attributes,omitempty"`
		Status     otlpStatus      `json:"status"`
	}
	otlpStatus struct {
		Code    int    `json:"code,omitzero"` // 2: failed
		Message string `json:"message,omitempty"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpValue struct {
		Text   *string `json:"stringValue,omitempty"`
		Number *string `json:"intValue,omitempty"`
	}
)

func (t *Tracer) request(batch []*Span) otlpRequest {
	var r otlpResource
	r.Resource.Attributes = []otlpAttribute{otlp(attribute{"service.name", t.name})}
	var s otlpScope
	s.Scope.Name = "bellhop"
	for _, span := range batch {
		s.Spans = append(s.Spans, span.otlp())
	}
	r.Scopes = []otlpScope{s}
	return otlpRequest{[]otlpResource{r}}
}

func (s *Span) otlp() otlpSpan {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := otlpSpan{
		Trace: s.Trace(), ID: hex.EncodeToString(s.id[:]), Name: s.name, Kind: s.kind,
		Begin: strconv.FormatInt(s.begin.UnixNano(), 10), End: strconv.FormatInt(s.end.UnixNano(), 10),
	}
	if s.parent != [8]byte{} {
		o.Parent = hex.EncodeToString(s.parent[:])
	}
	for _, a := range s.attributes {
		o.Attributes = append(o.Attributes, otlp(a))
	}
	if s.failed != "" {
		o.Status = otlpStatus{2, s.failed}
	}
	return o
}

func otlp(a attribute) otlpAttribute {
	if n, ok := a.value.(int64); ok {
		text := strconv.FormatInt(n, 10)
		return otlpAttribute{a.key, otlpValue{Number: &text}}
	}
	text, _ := a.value.(string)
	return otlpAttribute{a.key, otlpValue{Text: &text}}
}
