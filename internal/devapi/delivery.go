package devtools

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/webhook"
)

// Recorder delivers to apps and tells the inspector. All fields are required.
type Recorder struct {
	Deliverer dispatch.Deliverer
	Requests  *Inspector
	Clock     clock.Clock // of the entries
	Wall      clock.Clock // by which deliveries are measured
}

var _ dispatch.Deliverer = (*Recorder)(nil)

// Deliver delivers.
func (r *Recorder) Deliver(ctx context.Context, v webhook.Delivery) (webhook.Answer, error) {
	began := r.Wall.Now()
	headers := map[string]string{"Content-Type": "application/json"}
	v.Signed = func(timestamp, signature string) {
		headers["X-Signature-Timestamp"], headers["X-Signature-Ed25519"] = timestamp, signature
	}
	answer, err := r.Deliverer.Deliver(ctx, v)
	e := Entry{
		Time: r.Clock.Now().UTC(), Kind: Delivery, Application: v.Application, Method: http.MethodPost, Path: shownURL(v.URL),
		Status: http.StatusOK, TookMS: Milliseconds(r.Wall.Now().Sub(began)),
		Sent: delivered(headers, v.Body),
	}
	switch {
	case err != nil:
		e.Status, e.Error = statusOf(err), err.Error()
	case answer.Deferred:
		e.Status = http.StatusAccepted
	default:
		e.Received = NewContent(http.Header{"Content-Type": {answer.ContentType}}, answer.Body, int64(len(answer.Body)))
	}
	r.Requests.Record(e)
	return answer, err
}

// delivered returns what an app received, to the letter: the signature is over all of it. The token in it opens one
// interaction for a quarter of an hour.
func delivered(headers map[string]string, body []byte) *Content {
	c := &Content{Headers: headers, Size: int64(len(body)), Cut: len(body) > MaxBody}
	c.Body = strings.ToValidUTF8(string(body[:min(len(body), MaxBody)]), "")
	return c
}

// statusOf returns what the app answered that is no answer, or 0.
func statusOf(err error) int {
	if e, ok := errors.AsType[*webhook.Error](err); ok {
		return e.Status
	}
	return 0
}

// shownURL returns where a delivery went: without a password and what stands in the query.
func shownURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return clip(u.String())
}
