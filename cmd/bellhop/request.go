package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	requestTimeout = time.Minute
	maxResponse    = 64 << 20
	// noRoute is the message of a response to an unknown path. A record that is not found has another message.
	noRoute = "404: Not Found"
)

// request is a request to a running service.
type request struct {
	method, url string
	token       string // the admin token; empty for dev controls, which need none
	contentType string
	body        []byte
	timeout     time.Duration // 0: requestTimeout
	sent        *atomic.Int64 // counts the bytes of body that were sent; nil: they are not counted
}

// countedReader counts the bytes that are read.
type countedReader struct {
	io.Reader

	count *atomic.Int64
}

// Read implements io.Reader.
func (r countedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.count.Add(int64(n))
	return n, err
}

// statusError is a response with a status of 300 or more.
type statusError struct {
	method, url, status string
	body                []byte
}

// Error describes the request and the response.
func (e *statusError) Error() string {
	return fmt.Sprintf("%s %s: %s: %s", e.method, e.url, e.status, bytes.TrimSpace(e.body))
}

// send sends the request and returns the body of the response. It fails if the status is 300 or more.
func (q request) send(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(q.timeout, requestTimeout))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, q.method, q.url, bytes.NewReader(q.body))
	if err != nil {
		return nil, usageError{fmt.Errorf("--base-url: %w", err)}
	}
	if q.sent != nil {
		r.Body = io.NopCloser(countedReader{bytes.NewReader(q.body), q.sent})
	}
	if q.contentType != "" {
		r.Header.Set("Content-Type", q.contentType)
	}
	if q.token != "" {
		r.Header.Set("Authorization", "Bearer "+q.token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%w (is the service running?)", err)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	if q.token == "" && resp.StatusCode == http.StatusNotFound && bytes.Contains(body, []byte(noRoute)) {
		return nil, fmt.Errorf("%s %s: %s: the service has no dev controls", q.method, q.url, resp.Status)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return nil, &statusError{q.method, q.url, resp.Status, body}
	}
	return body, nil
}
