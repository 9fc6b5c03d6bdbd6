package httpapi

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/go-json-experiment/json"
)

// Headers that every answer carries. Libraries compare the content type to the letter, and one takes an answer without
// Via for a block at the network's edge.
var (
	jsonType = []string{"application/json"}
	via      = []string{"1.1 bellhop"}
)

// JSON answers with a JSON text.
func (c *Call) JSON(status int, body []byte) error {
	if err := c.confirm(); err != nil {
		return err
	}
	h := c.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	h["Via"] = via
	c.WriteHeader(status)
	_, err := c.Write(body)
	if err != nil {
		return errGone
	}
	return nil
}

// buffers holds the memory of answers that are made for one request.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer is how large a buffer may be that is kept: that of any list of commands whose texts are not all at their limits.
const maxBuffer = 256 << 10

// Written answers with the JSON text that write appends to a buffer.
func (c *Call) Written(status int, write func(dst []byte) []byte) error {
	b := buffers.Get().(*[]byte)
	*b = write((*b)[:0])
	err := c.JSON(status, *b)
	if cap(*b) <= maxBuffer {
		buffers.Put(b)
	}
	return err
}

// Value answers with a value as JSON.
func (c *Call) Value(status int, v any) error {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	return c.JSON(status, body)
}

// Pass answers with a token that ends by itself.
func (c *Call) Pass(secret auth.Secret, kind string, life time.Duration) error {
	return c.Value(http.StatusOK, struct {
		Token     string `json:"token"`
		Kind      string `json:"token_type"`
		ExpiresIn int    `json:"expires_in"`
	}{secret.Reveal(), kind, int(life.Seconds())})
}

// Found answers with a JSON text that was looked up.
func (c *Call) Found(body []byte, err error) error {
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, body)
}

// Empty answers without a body.
func (c *Call) Empty() error {
	if err := c.confirm(); err != nil {
		return err
	}
	c.Header()["Via"] = via
	c.WriteHeader(http.StatusNoContent)
	return nil
}

// Done answers without a body, or with the error there is.
func (c *Call) Done(err error) error {
	if err != nil {
		return err
	}
	return c.Empty()
}

// YAML answers with a YAML text.
func (c *Call) YAML(text []byte) error {
	if err := c.confirm(); err != nil {
		return err
	}
	c.Header().Set("Content-Type", "application/yaml")
	if _, err := c.Write(text); err != nil {
		return errGone
	}
	return nil
}

// Page makes a handler of one that writes a page.
func Page(page func(http.ResponseWriter, *http.Request) error) func(*Call) error {
	return func(c *Call) error {
		if err := c.confirm(); err != nil { // a page reads for itself
			return err
		}
		c.Header()["Via"] = via
		return page(c, c.Request)
	}
}
