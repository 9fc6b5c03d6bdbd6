package metrics

import (
	"context"
	"encoding/hex"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

// TraceParent is the header that carries the context of a trace (W3C Trace Context).
const TraceParent = "Traceparent"

// The kinds of spans, as numbers of OTLP.
const (
	InternalSpan = 1
	ServerSpan   = 2
	ClientSpan   = 3
)

// Span is a step of a trace. A nil Span records nothing, so code that is traced works the same without a tracer.
type Span struct {
	tracer *Tracer
	trace  [16]byte
	id     [8]byte
	parent [8]byte // zero: none
	name   string
	kind   int
	begin  time.Time

	mu         sync.Mutex // guards the fields below
	end        time.Time
	attributes []attribute
	failed     string // why the step failed; empty: it did not
}

type attribute struct {
	key   string
	value any // string or int64
}

type spanKey struct{}

// SpanOf returns the span of a context, nil if there is none.
func SpanOf(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// StartSpan starts a step of the trace in ctx. Without a trace it returns ctx and a nil Span.
func StartSpan(ctx context.Context, name string, kind int) (context.Context, *Span) {
	parent := SpanOf(ctx)
	if parent == nil {
		return ctx, nil
	}
	s := parent.tracer.span(name, kind)
	s.trace, s.parent = parent.trace, parent.id
	return context.WithValue(ctx, spanKey{}, s), s
}

// Set adds an attribute.
func (s *Span) Set(key, value string) {
	if s != nil {
		s.add(attribute{key, value})
	}
}

// SetInt adds an attribute that is a number.
func (s *Span) SetInt(key string, value int) {
	if s != nil {
		s.add(attribute{key, int64(value)})
	}
}

func (s *Span) add(a attribute) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attributes = append(s.attributes, a)
}

// Rename changes the name, when a better one is known.
func (s *Span) Rename(name string) {
	if s != nil {
		s.name = name
	}
}

// Fail marks the step as failed. A nil error does nothing.
func (s *Span) Fail(err error) {
	if s == nil || err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = err.Error()
}

// End ends the step and passes it on to the tracer. Call it once.
func (s *Span) End() {
	if s == nil {
		return
	}
	s.end = s.tracer.clock.Now()
	s.tracer.collect(s)
}

// Trace returns the id of the trace in hex, empty for a nil Span.
func (s *Span) Trace() string {
	if s == nil {
		return ""
	}
	return hex.EncodeToString(s.trace[:])
}

// Inject sets the header that makes the receiver's spans part of the trace.
func (s *Span) Inject(h http.Header) {
	if s != nil {
		h[TraceParent] = []string{"00-" + s.Trace() + "-" + hex.EncodeToString(s.id[:]) + "-01"}
	}
}

// Tracer makes traces and exports them. A nil Tracer makes none. It is safe for concurrent use.
type Tracer struct {
	clock clock.Clock
	log   *slog.Logger
	url   string
	name  string // of the service
	post  http.Client

	mu      sync.Mutex
	waiting []*Span
	dropped int
	full    chan struct{} // has a value when there are enough spans for a request
}

// Begin starts the first step of a request. It continues the trace of the header of the request if there is one and it
// is sampled; a trace that is not sampled is not recorded.
func (t *Tracer) Begin(ctx context.Context, h http.Header) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	s := t.span("request", ServerSpan)
	if given := h[TraceParent]; len(given) == 1 {
		sampled, ok := s.readParent(given[0])
		if ok && !sampled {
			return ctx, nil
		}
	}
	return context.WithValue(ctx, spanKey{}, s), s
}

// readParent reads a header such as 00-<trace id>-<span id>-01. ok is false for an invalid one, which is ignored.
func (s *Span) readParent(text string) (sampled, ok bool) {
	parts := strings.Split(text, "-")
	if len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || len(parts[1]) != 32 || len(parts[2]) != 16 || len(parts[3]) != 2 {
		return false, false
	}
	trace, err1 := hex.DecodeString(parts[1])
	parent, err2 := hex.DecodeString(parts[2])
	flags, err3 := hex.DecodeString(parts[3])
	if err1 != nil || err2 != nil || err3 != nil || [16]byte(trace) == [16]byte{} || [8]byte(parent) == [8]byte{} {
		return false, false
	}
	s.trace, s.parent = [16]byte(trace), [8]byte(parent)
	return flags[0]&1 == 1, true
}

// span returns a new span of a new trace.
func (t *Tracer) span(name string, kind int) *Span {
	s := &Span{tracer: t, name: name, kind: kind, begin: t.clock.Now()}
	fill(s.trace[:])
	fill(s.id[:])
	return s
}

// fill fills an id. Ids of traces are no secrets.
func fill(id []byte) {
	for i := 0; i < len(id); i += 8 {
		n := rand.Uint64() | 1 // not zero
		for j := range 8 {
			id[i+j] = byte(n >> (8 * j))
		}
	}
}
