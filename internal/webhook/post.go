package webhook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/bellhop/bellhop/internal/metrics"
)

// userAgent is the User-Agent header of interactions.
const userAgent = "Bellhop-Interactions/1.0 (+https://github.com/bellhop/bellhop)"

// request is a signed POST request.
type request struct {
	url       *url.URL
	signature signature
	body      []byte
	deadline  time.Time
	limit     int // maximum size of the answer's body
	slot      *slot
	grace     time.Duration // additional time for the body
	arriving  func()        // called when the headers have arrived; may be nil
	agent     string        // the User-Agent header; empty: that of interactions
	span      string        // name of the trace span; empty: that of interactions
}

// post sends a request and reads the reply. It reads the whole body only for status 200, and its first byte for 202. A
// policy with Excerpts reads the beginning of all others.
func (d *Deliverer) post(ctx context.Context, q *request) (*reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	task, alive := d.tasks.start(func() { cancel(ErrClosed) })
	if !alive {
		return nil, ErrClosed
	}
	defer task.end()
	timer := d.clock.AfterFunc(q.deadline.Sub(d.clock.Now()), func() { cancel(ErrDeadline) })
	defer func() { timer.Stop() }()

	ctx, span := metrics.StartSpan(ctx, cmp.Or(q.span, "deliver interaction"), metrics.ClientSpan)
	defer span.End()
	span.Set("server.address", q.url.Host)
	post := q.http(ctx)
	span.Inject(post.Header)
	res, err := d.transport.RoundTrip(post) // not http.Client: no redirects, no cookies
	if err != nil {
		span.Fail(err)
		return nil, d.reason(ctx, err)
	}
	span.SetInt("http.response.status_code", res.StatusCode)
	defer func() { _ = res.Body.Close() }() // the unread rest is not needed
	if q.arriving != nil {
		q.arriving()
	}
	if q.grace > 0 && timer.Stop() {
		timer = d.clock.AfterFunc(q.deadline.Add(q.grace).Sub(d.clock.Now()), func() { cancel(ErrDeadline) })
	}
	r := &reply{
		status: res.StatusCode, contentType: res.Header.Get("Content-Type"), arrived: d.clock.Now(),
	}
	switch res.Header.Get("Content-Encoding") {
	case "", "identity":
	default:
		r.encoded = true
	}
	some := int64(1) // to learn whether there is a body
	if d.policy.Excerpts {
		some = maxExcerpt
	}
	switch {
	case r.status == http.StatusOK:
		r.body, err = readBody(res, q.limit, q.slot)
	case r.status == http.StatusAccepted:
		r.body, err = io.ReadAll(io.LimitReader(res.Body, some))
	case d.policy.Excerpts:
		r.body, _ = io.ReadAll(io.LimitReader(res.Body, some)) // the status says enough if it breaks
	}
	if err != nil {
		return nil, d.reason(ctx, err)
	}
	return r, nil
}

// reason returns why a request failed: the cancellation cause of ctx, or else the network error.
func (d *Deliverer) reason(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case d.tasks.isClosed():
		return ErrClosed
	case cause == nil:
		return explain(err)
	case errors.Is(cause, ErrDeadline):
		return &Error{Kind: Timeout, Detail: "no complete answer by the deadline"}
	default:
		return fmt.Errorf("webhook: canceled: %w", cause)
	}
}

// complete adds the duration of a request, and the beginning of the answer if the policy has Excerpts. r may be nil.
func (d *Deliverer) complete(err error, r *reply, began time.Time) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	full := *e // the dialer may return one error to several requests
	full.Took = d.clock.Now().Sub(began)
	if d.policy.Excerpts && r != nil && !r.encoded {
		full.Excerpt = excerpt(r.body)
	}
	return &full
}

// http returns the *http.Request. It sets GetBody, so that net/http can use another connection if the first one turns
// out to be closed before anything was written.
func (q *request) http(ctx context.Context) *http.Request {
	body := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(q.body)), nil }
	first, _ := body() // never fails
	r := &http.Request{
		Method: http.MethodPost, URL: q.url, Host: q.url.Host,
		Header: http.Header{
			"Content-Type":          {"application/json"},
			"User-Agent":            {cmp.Or(q.agent, userAgent)},
			"X-Signature-Timestamp": {q.signature.timestamp},
			"X-Signature-Ed25519":   {q.signature.hex},
		},
		Body: first, GetBody: body, ContentLength: int64(len(q.body)),
	}
	return r.WithContext(ctx)
}
