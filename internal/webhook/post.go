package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// userAgent is what apps see as the caller, in the form that they know.
const userAgent = "Bellhop-Interactions/1.0 (+https://github.com/bellhop/bellhop)"

// request is a POST that is ready to go.
type request struct {
	url      *url.URL
	seal     seal
	body     []byte
	deadline time.Time
	limit    int // of the answer's body
	place    *place
	grace    time.Duration // for the body
	arriving func()        // called when the headers are there; nil: nobody wants to know
}

// errDeadline ends a request whose time is over.
var errDeadline = errors.New("deadline")

// post sends a request and reads the answer. The body of an answer is read only where it can be one: 200 and 202.
func (d *Deliverer) post(ctx context.Context, q *request) (*reply, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	task, alive := d.life.begin(func() { cancel(ErrClosed) })
	if !alive {
		return nil, ErrClosed
	}
	defer task.end()
	timer := d.clock.AfterFunc(q.deadline.Sub(d.clock.Now()), func() { cancel(errDeadline) })
	defer func() { timer.Stop() }()

	res, err := d.transport.RoundTrip(q.http(ctx)) // no client: nothing that follows redirects or keeps cookies
	if err != nil {
		return nil, d.reason(ctx, err)
	}
	defer func() { _ = res.Body.Close() }() // what was not read is of no interest
	if q.arriving != nil {
		q.arriving()
	}
	if q.grace > 0 && timer.Stop() {
		timer = d.clock.AfterFunc(q.deadline.Add(q.grace).Sub(d.clock.Now()), func() { cancel(errDeadline) })
	}
	r := &reply{
		status: res.StatusCode, contentType: res.Header.Get("Content-Type"), arrived: d.clock.Now(),
	}
	switch res.Header.Get("Content-Encoding") {
	case "", "identity":
	default:
		r.encoded = true
	}
	switch r.status {
	case http.StatusOK:
		r.body, err = readBody(res, q.limit, q.place)
	case http.StatusAccepted:
		r.body, err = io.ReadAll(io.LimitReader(res.Body, 1)) // whether there is one
	}
	if err != nil {
		return nil, d.reason(ctx, err)
	}
	return r, nil
}

// reason returns why a request failed: what ended it, else what the network did.
func (d *Deliverer) reason(ctx context.Context, err error) error {
	switch cause := context.Cause(ctx); {
	case d.life.isClosed():
		return ErrClosed
	case cause == nil:
		return explain(err)
	case errors.Is(cause, errDeadline):
		return &Error{Kind: Timeout, Detail: "no complete answer by the deadline"}
	default:
		return fmt.Errorf("webhook: called off: %w", cause)
	}
}

// http returns the request as package net/http wants it. The body can be had again, which is what lets it use another
// connection when one turns out to be closed before anything was written.
func (q *request) http(ctx context.Context) *http.Request {
	body := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(q.body)), nil }
	first, _ := body() // never fails
	r := &http.Request{
		Method: http.MethodPost, URL: q.url, Host: q.url.Host,
		Header: http.Header{
			"Content-Type":          {"application/json"},
			"User-Agent":            {userAgent},
			"X-Signature-Timestamp": {q.seal.timestamp},
			"X-Signature-Ed25519":   {q.seal.signature},
		},
		Body: first, GetBody: body, ContentLength: int64(len(q.body)),
	}
	return r.WithContext(ctx)
}
