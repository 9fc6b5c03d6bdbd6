// Package client calls the HTTP API: commands and their permissions, interactions, lobbies, tokens, and the dev controls of
// Bellhop. It works with any base URL that serves this API. When a rate limit refuses a request, it waits and tries again.
// It keeps no state.
package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Client calls the API with one token. Set its fields before the first call; after that it is safe for concurrent use.
type Client struct {
	// BaseURL is the address of the API with its version, such as http://127.0.0.1:8080/api/v10. Required.
	BaseURL string
	// Authorization is the Authorization header: "Bot …", "Bearer …", or the token of a user. Empty sends no header.
	Authorization string
	// HTTP sends the requests. Nil means http.DefaultClient.
	HTTP *http.Client
	// MaxWait bounds the total time that a call waits for rate limits. 0 means DefaultMaxWait; a negative value means
	// that the call does not wait.
	MaxWait time.Duration
}

const (
	// DefaultMaxWait is the default of Client.MaxWait.
	DefaultMaxWait = 30 * time.Second
	// maxAnswer is the largest response in bytes.
	maxAnswer = 64 << 20
	// leastWait is the wait after a 429 that does not name one.
	leastWait = time.Second
)

// Request is one HTTP request.
type Request struct {
	Method string
	Path   string // below the base URL, with a slash in front; a whole address is taken as it stands
	Query  url.Values
	Header http.Header // added to those that every call has
	// Body is sent as JSON. A jsontext.Value and an io.Reader are sent unchanged; a request with an io.Reader is not
	// repeated after a 429. Nil sends no body.
	Body any
}

// Answer is the response to a request, with any status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request and returns the response. After a 429 it waits and tries again, for up to MaxWait in total. It
// returns an error only if there was no response.
func (c *Client) Do(ctx context.Context, q Request) (*Answer, error) {
	body, contentType, once, err := c.encode(q.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", q.Method, q.Path, err)
	}
	left := c.MaxWait
	if left == 0 {
		left = DefaultMaxWait
	}
	for {
		a, err := c.send(ctx, q, body, contentType, once)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", q.Method, q.Path, err)
		}
		if a.Status != http.StatusTooManyRequests || once != nil {
			return a, nil
		}
		wait := max(errorOf(q, a).RetryAfter, leastWait/100)
		if left -= wait; left < 0 {
			return a, nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, fmt.Errorf("%s %s: %w", q.Method, q.Path, ctx.Err())
		}
	}
}

func (c *Client) encode(v any) (body []byte, contentType string, once io.Reader, err error) {
	switch v := v.(type) {
	case nil:
		return nil, "", nil, nil
	case io.Reader:
		return nil, "", v, nil
	case jsontext.Value:
		return v, "application/json", nil, nil
	case url.Values:
		return []byte(v.Encode()), "application/x-www-form-urlencoded", nil, nil
	}
	body, err = json.Marshal(v, json.Deterministic(true))
	return body, "application/json", nil, err
}

func (c *Client) send(ctx context.Context, q Request, body []byte, contentType string, once io.Reader) (*Answer, error) {
	var content io.Reader
	switch {
	case once != nil:
		content = once
	case body != nil:
		content = bytes.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, q.Method, c.address(q), content)
	if err != nil {
		return nil, err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if c.Authorization != "" {
		r.Header.Set("Authorization", c.Authorization)
	}
	for name, values := range q.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	web := c.HTTP
	if web == nil {
		web = http.DefaultClient
	}
	resp, err := web.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	return &Answer{resp.StatusCode, resp.Header, answer}, nil
}

func (c *Client) address(q Request) string {
	address := q.Path
	if strings.HasPrefix(q.Path, "/") {
		address = strings.TrimRight(c.BaseURL, "/") + q.Path
	}
	if len(q.Query) > 0 {
		address += "?" + q.Query.Encode()
	}
	return address
}

// call sends a request and parses the response into out, unless out is nil. A status of 400 or more becomes an *Error.
func (c *Client) call(ctx context.Context, q Request, out any) (status int, err error) {
	a, err := c.Do(ctx, q)
	if err != nil {
		return 0, err
	}
	if a.Status < 200 || a.Status > 299 {
		return a.Status, errorOf(q, a)
	}
	if out == nil {
		return a.Status, nil
	}
	if err := json.Unmarshal(a.Body, out); err != nil {
		return a.Status, fmt.Errorf("%s %s: parse the response: %w", q.Method, q.Path, err)
	}
	return a.Status, nil
}

func (c *Client) get(ctx context.Context, path string, out any) error {
	_, err := c.call(ctx, Request{Method: http.MethodGet, Path: path}, out)
	return err
}

func (c *Client) write(ctx context.Context, method, path string, body, out any) error {
	_, err := c.call(ctx, Request{Method: method, Path: path, Body: body}, out)
	return err
}

func (c *Client) delete(ctx context.Context, path string) error {
	return c.write(ctx, http.MethodDelete, path, nil, nil)
}

// Root returns the URL of the service without the path of the API.
func (c *Client) Root() string { return Root(c.BaseURL) }

// Root returns a base URL without the path of the API.
func Root(baseURL string) string {
	base := strings.TrimRight(baseURL, "/")
	for _, part := range []string{"/v10", "/v9", "/api"} {
		base = strings.TrimSuffix(base, part)
	}
	return base
}
