package main

import (
	"bytes"
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
)

// callDev sends a request to a dev control and returns what it answered.
func callDev(ctx context.Context, method, url, contentType string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, usageError{fmt.Errorf("--base-url: %w", err)}
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("is a service with dev controls running there? %w", err)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("%s %s: %s: %s", method, url, resp.Status, bytes.TrimSpace(answer))
	}
	return answer, nil
}
