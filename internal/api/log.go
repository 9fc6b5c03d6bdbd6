package api

import (
	"context"
	"log/slog"

	"github.com/bellhop/bellhop/internal/metrics"
)

// requestIDKey is the key of the id in the context of a request.
type requestIDKey struct{}

// LogRequestIDs returns a handler that adds the id of the request, and that of its trace if there is one, to each line that
// is logged with the context of a request.
func LogRequestIDs(next slog.Handler) slog.Handler { return requestLog{next} }

type requestLog struct{ slog.Handler }

// Handle adds the ids to a line.
func (l requestLog) Handle(ctx context.Context, r slog.Record) error {
	if id, ok := ctx.Value(requestIDKey{}).(string); ok {
		r.AddAttrs(slog.String("request_id", id))
		if span := metrics.SpanOf(ctx); span != nil {
			r.AddAttrs(slog.String("trace_id", span.Trace()))
		}
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l requestLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestLog{l.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (l requestLog) WithGroup(name string) slog.Handler { return requestLog{l.Handler.WithGroup(name)} }
