package remote

import (
	"context"
	"net/http"
	"strconv"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Gap is a recorded request for an operation that Discord has and the service does not.
type Gap struct {
	ID                 uint64 // of the recorded request
	Method, Path, Name string
}

// Gaps returns the gaps that a service with dev controls has recorded after the request with an id, the newest first.
func Gaps(ctx context.Context, base string, after uint64) ([]Gap, error) {
	q := Request{Method: http.MethodGet, URL: Root(base) + "/_dev/requests?kind=request&status=404&limit=1000"}
	response, err := q.Send(ctx)
	if err != nil {
		return nil, err
	}
	v, err := jsonbody.Parse(response)
	if err != nil {
		return nil, err
	}
	var gaps []Gap
	for _, e := range v.Items() {
		id, err := strconv.ParseUint(e.Get("id").Text(), 10, 64)
		if name := e.Get("gap").Text(); name != "" && err == nil && id > after {
			gaps = append(gaps, Gap{ID: id, Method: e.Get("method").Text(), Path: e.Get("path").Text(), Name: name})
		}
	}
	return gaps, nil
}

// GapsAfter returns the gaps that a service has recorded since the gaps that Gaps returned before.
func GapsAfter(ctx context.Context, base string, before []Gap) ([]Gap, error) {
	if len(before) == 0 {
		return Gaps(ctx, base, 0)
	}
	return Gaps(ctx, base, before[0].ID)
}
