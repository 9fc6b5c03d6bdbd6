package api

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/go-json-experiment/json"
)

// Headers of every response. Libraries compare the content type byte by byte, and one of them takes a response without
// Via for a block by Cloudflare.
var (
	jsonType = []string{"application/json"}
	via      = []string{"1.1 bellhop"}
)

// JSON answers with JSON text.
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

// buffers are used again for responses that are built per request.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxBuffer bounds the buffers that are kept. A usual list of commands fits.
const maxBuffer = 256 << 10

// AppendedJSON answers with the JSON text that appendTo appends to a buffer.
func (c *Call) AppendedJSON(status int, appendTo func(dst []byte) []byte) error {
	b := buffers.Get().(*[]byte)
	*b = appendTo((*b)[:0])
	err := c.JSON(status, *b)
	if cap(*b) <= maxBuffer {
		buffers.Put(b)
	}
	return err
}

// Value answers with v as JSON.
func (c *Call) Value(status int, v any) error {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return err
	}
	return c.JSON(status, body)
}

var noStore = []string{"no-store"}

// AnswerSecret answers with v as JSON. v contains secrets, so caches may not keep the response.
func AnswerSecret(c *Call, status int, v any) error {
	c.Header()["Cache-Control"] = noStore
	return c.Value(status, v)
}

// Token answers with a token that expires.
func (c *Call) Token(secret auth.Secret, kind string, life time.Duration) error {
	return AnswerSecret(c, http.StatusOK, struct {
		Token     string `json:"token"`
		Kind      string `json:"token_type"`
		ExpiresIn int    `json:"expires_in"`
	}{secret.Reveal(), kind, int(life.Seconds())})
}

// Result answers with the JSON text that a service returned, or returns its error.
func (c *Call) Result(body []byte, err error) error {
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, body)
}

// OK answers 200 with the result of a call as JSON, or returns its error.
func (c *Call) OK(v any, err error) error { return c.answer(http.StatusOK, v, err) }

// Created answers 201 with the result of a call as JSON, or returns its error.
func (c *Call) Created(v any, err error) error { return c.answer(http.StatusCreated, v, err) }

func (c *Call) answer(status int, v any, err error) error {
	if err != nil {
		return err
	}
	return c.Value(status, v)
}

// NoContent answers 204 if err is nil, or returns err.
func (c *Call) NoContent(err error) error {
	if err == nil {
		err = c.confirm()
	}
	if err != nil {
		return err
	}
	c.Header()["Via"] = via
	c.WriteHeader(http.StatusNoContent)
	return nil
}

// YAML answers with YAML text.
func (c *Call) YAML(text []byte) error { return c.text("application/yaml", text) }

// Text answers with plain text.
func (c *Call) Text(text string) error { return c.text("text/plain; charset=utf-8", []byte(text)) }

func (c *Call) text(kind string, text []byte) error {
	if err := c.confirm(); err != nil {
		return err
	}
	c.Header().Set("Content-Type", kind)
	if _, err := c.Write(text); err != nil {
		return errGone
	}
	return nil
}

// Page returns a handler for an HTML page. The page confirms each state that it reads.
func Page(page func(http.ResponseWriter, *http.Request) error) func(*Call) error {
	return func(c *Call) error {
		if err := c.confirm(); err != nil {
			return err
		}
		c.Header()["Via"] = via
		c.Request.Body = heldBody{c.Request.Body, c}
		return page(c, c.Request)
	}
}
