package authorization

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	requestTimeout = 30 * time.Second
	maxBody        = 1 << 20 // bytes of a response; a token response for an app with a bot contains a whole guild
	maxSeconds     = 1 << 32 // of any duration that the server names; larger values would overflow time.Duration
)

// call is one request to the API.
type call struct {
	op      string
	path    string
	form    url.Values
	secrets []Secret // the secrets in the form, which must not appear in an error
}

// reply is the body of a successful response.
type reply interface {
	complete() bool // reports whether all required members are there
}

// post sends q and decodes the response body into r, unless r is nil.
func (c *Client) post(ctx context.Context, q call, r reply) error {
	base, err := address(q.op, "APIBase", c.APIBase)
	if err != nil {
		return err
	}
	got, err := c.send(ctx, base+q.path, q.form)
	switch {
	case err != nil && ctx.Err() != nil:
		return aborted(ctx, q.op)
	case err != nil:
		return unreached(q.op, err)
	case len(got.body) > maxBody:
		return &ResultError{Op: q.op, Kind: ErrHTTP, Status: got.status, Message: "the response is too large"}
	case got.status < 200 || got.status > 299:
		return got.refusal(q)
	case r == nil:
		return nil
	}
	// The decoder's error may quote the body, and the body holds a token.
	if json.Unmarshal(got.body, r) != nil || !r.complete() {
		return &ResultError{Op: q.op, Kind: ErrHTTP, Status: got.status, Message: "the response is malformed"}
	}
	return nil
}

// answer is a response of the server.
type answer struct {
	status int
	header http.Header
	body   []byte // longer than maxBody when it was cut off
}

func (c *Client) send(ctx context.Context, address string, form url.Values) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	client := http.Client{}
	if c.HTTP != nil {
		client = *c.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	return answer{status: resp.StatusCode, header: resp.Header, body: body}, err
}

// refusal converts an error response. Its body has either the OAuth2 form or the API form, which rate limits use.
func (a answer) refusal(q call) *ResultError {
	var wire struct {
		Error       string  `json:"error"`
		Description string  `json:"error_description"`
		Message     string  `json:"message"`
		Code        int     `json:"code"`
		RetryAfter  float64 `json:"retry_after"`
	}
	_ = json.Unmarshal(a.body, &wire) // a body of another form leaves wire empty; Body keeps its start
	if wire.Error == "" {
		wire.Error = wire.Message
	}
	return &ResultError{
		Op: q.op, Kind: ErrHTTP, Status: a.status, Code: wire.Code,
		Message:     foreignText(wire.Error, q.secrets),
		Description: foreignText(wire.Description, q.secrets),
		Body:        clip(scrub(strings.ToValidUTF8(string(a.body), "?"), q.secrets), maxExcerpt),
		Retryable:   a.status == http.StatusTooManyRequests || a.status >= 500,
		RetryAfter:  retryAfter(wire.RetryAfter, a.header.Get("Retry-After")),
	}
}

// retryAfter returns how long to wait before a retry. It prefers the body, which has fractions of a second.
func retryAfter(body float64, header string) time.Duration {
	if body == 0 {
		n, err := strconv.ParseUint(header, 10, 32)
		if err != nil {
			return 0 // absent, or a date, which is useless if the clocks differ
		}
		body = float64(n)
	}
	return time.Duration(min(max(body, 0), maxSeconds) * float64(time.Second))
}

// seconds converts a number of seconds from the server. Negative numbers become 0.
func seconds(n int64) time.Duration { return time.Duration(min(max(n, 0), maxSeconds)) * time.Second }

// scrub replaces the secrets in s by [secret], both as plain text and as URL-encoded text.
func scrub(s string, secrets []Secret) string {
	for _, secret := range secrets {
		if secret != "" {
			s = strings.NewReplacer(string(secret), hidden, url.QueryEscape(string(secret)), hidden).Replace(s)
		}
	}
	return s
}
