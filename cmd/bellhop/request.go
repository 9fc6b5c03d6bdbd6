package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// requestTime is how long the command line waits for a service.
	requestTime = time.Minute
	maxAnswer   = 64 << 20
	// noRoute stands in the answer where there is no such path, other than where something on it is not found.
	noRoute = "404: Not Found"
)

// request is one call of a running service.
type request struct {
	method, url string
	token       string // the operator's; empty: a dev control, which needs none
	contentType string
	body        []byte
	wait        time.Duration // for the answer; 0: requestTime
}

// statusError is an answer that refuses.
type statusError struct {
	method, url, status string
	body                []byte
}

// Error shows the answer.
func (e *statusError) Error() string {
	return fmt.Sprintf("%s %s: %s: %s", e.method, e.url, e.status, bytes.TrimSpace(e.body))
}

// send makes the call and returns what came back.
func (q request) send(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(q.wait, requestTime))
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, q.method, q.url, bytes.NewReader(q.body))
	if err != nil {
		return nil, usageError{fmt.Errorf("--base-url: %w", err)}
	}
	if q.contentType != "" {
		r.Header.Set("Content-Type", q.contentType)
	}
	if q.token != "" {
		r.Header.Set("Authorization", "Bearer "+q.token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("is a service running there? %w", err)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	if q.token == "" && resp.StatusCode == http.StatusNotFound && bytes.Contains(answer, []byte(noRoute)) {
		return nil, fmt.Errorf("%s %s: %s: the service has no dev controls", q.method, q.url, resp.Status)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return nil, &statusError{q.method, q.url, resp.Status, answer}
	}
	return answer, nil
}
