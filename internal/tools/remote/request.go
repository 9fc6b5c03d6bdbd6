// Package remote sends requests to the admin API and the dev controls of a running service.
package remote

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	requestTimeout = time.Minute
	maxResponse    = 64 << 20
	// noRoute is the message of a response to an unknown path. A record that is not found has another message.
	noRoute = "404: Not Found"
)

// Request is a request to a running service.
type Request struct {
	Method, URL string
	Token       string // the admin token; empty for dev controls, which need none
	ContentType string
	Header      http.Header // more headers; nil: none
	Body        []byte
	Timeout     time.Duration // 0: requestTimeout
	Sent        *atomic.Int64 // counts the bytes of Body that were sent; nil: they are not counted
}

// Root returns the URL of a service without the path of the API, which users may include.
func Root(base string) string {
	base = strings.TrimRight(base, "/")
	for _, api := range []string{"/v10", "/v9", "/api"} {
		base = strings.TrimSuffix(base, api)
	}
	return base
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

// URLError means that the URL of a request is not valid.
type URLError struct{ error }

// StatusError is a response with a status of 300 or more.
type StatusError struct {
	Method, URL, Status string
	Body                []byte
}

// Error describes the request and the response.
func (e *StatusError) Error() string {
	return fmt.Sprintf("%s %s: %s: %s", e.Method, e.URL, e.Status, bytes.TrimSpace(e.Body))
}

// Send sends the request and returns the body of the response. It fails if the status is 300 or more.
func (q Request) Send(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(q.Timeout, requestTimeout))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, q.Method, q.URL, bytes.NewReader(q.Body))
	if err != nil {
		return nil, URLError{err}
	}
	if q.Sent != nil {
		r.Body = io.NopCloser(countedReader{bytes.NewReader(q.Body), q.Sent})
	}
	maps.Copy(r.Header, q.Header)
	if q.ContentType != "" {
		r.Header.Set("Content-Type", q.ContentType)
	}
	if q.Token != "" {
		r.Header.Set("Authorization", "Bearer "+q.Token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	if q.Token == "" && resp.StatusCode == http.StatusNotFound && bytes.Contains(body, []byte(noRoute)) {
		return nil, fmt.Errorf("%s %s: %s: the service has no dev controls", q.Method, q.URL, resp.Status)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return nil, &StatusError{q.Method, q.URL, resp.Status, body}
	}
	return body, nil
}

// Ask sends the request with a body in JSON and parses the response into answer. Either may be nil.
func (q Request) Ask(ctx context.Context, body, answer any) (err error) {
	if body != nil {
		q.ContentType = "application/json"
		if q.Body, err = json.Marshal(body); err != nil {
			return err
		}
	}
	response, err := q.Send(ctx)
	if err != nil || answer == nil {
		return err
	}
	return parse(response, answer)
}

// parse parses the JSON of a response.
func parse(response []byte, answer any) error {
	if err := json.Unmarshal(response, answer); err != nil {
		return fmt.Errorf("response of the service: %w", err)
	}
	return nil
}
