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
	maxBody        = 1 << 20 // bytes of an answer; one to an app with a bot carries a whole guild
	maxSeconds     = 1 << 32 // of any span the server names; more would only overflow
)

// call is one request to the server.
type call struct {
	op      string
	path    string
	form    url.Values
	secrets []Secret // what the form holds that must not come back in an error
}

// reply is the form of an answer that an endpoint promises.
type reply interface {
	complete() bool // it holds all that an answer must
}

// post sends q and reads the answer into r, unless that is nil.
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
		return &ResultError{Op: q.op, Kind: ErrHTTP, Status: got.status, Message: "the answer is too large"}
	case got.status < 200 || got.status > 299:
		return got.refusal(q)
	case r == nil:
		return nil
	}
	// The decoder's error may quote the body, and the body holds a token.
	if json.Unmarshal(got.body, r) != nil || !r.complete() {
		return &ResultError{Op: q.op, Kind: ErrHTTP, Status: got.status, Message: "the answer is malformed"}
	}
	return nil
}

// answer is what the server said.
type answer struct {
	status int
	header http.Header
	body   []byte // when it is longer than maxBody there was more
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

// refusal reads the two forms an error takes on the wire: that of OAuth2, and that of the API, which rate limits use.
func (a answer) refusal(q call) *ResultError {
	var wire struct {
		Error       string  `json:"error"`
		Description string  `json:"error_description"`
		Message     string  `json:"message"`
		Code        int     `json:"code"`
		RetryAfter  float64 `json:"retry_after"`
	}
	_ = json.Unmarshal(a.body, &wire) // a body of another form tells nothing; its start is kept as it is
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

// retryAfter prefers the body, which counts fractions of a second.
func retryAfter(body float64, header string) time.Duration {
	if body == 0 {
		n, err := strconv.ParseUint(header, 10, 32)
		if err != nil {
			return 0 // absent, or a date, which would need a clock that agrees with the server's
		}
		body = float64(n)
	}
	return time.Duration(min(max(body, 0), maxSeconds) * float64(time.Second))
}

// seconds returns a span that the server counts in seconds, or 0 when it makes no sense.
func seconds(n int64) time.Duration { return time.Duration(min(max(n, 0), maxSeconds)) * time.Second }

// scrub hides the secrets in s, plain and as a form writes them.
func scrub(s string, secrets []Secret) string {
	for _, secret := range secrets {
		if secret != "" {
			s = strings.NewReplacer(string(secret), hidden, url.QueryEscape(string(secret)), hidden).Replace(s)
		}
	}
	return s
}
