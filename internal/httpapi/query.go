package httpapi

import (
	"net/url"

	"github.com/bellhop/bellhop/internal/jsonbody"
)

// Query reads the parameters of a request and notes what is wrong with them.
type Query struct {
	jsonbody.Tree

	Values url.Values
}

// Query returns the parameters of the request.
func (c *Call) Query() *Query {
	if c.Request.URL.RawQuery == "" {
		return &Query{}
	}
	return &Query{Values: c.Request.URL.Query()}
}

// Limit returns how many things are asked for, from 1 to most, and usual when nothing is said.
func (q *Query) Limit(usual, most int) int {
	text := q.Values.Get("limit")
	if text == "" {
		return usual
	}
	n, _ := jsonbody.AsInt(q.At("limit"), jsonbody.StringOf(text), 1, int64(most))
	return int(n)
}

// Bool returns whether something is wanted, false when nothing is said.
func (q *Query) Bool(name string) bool {
	text := q.Values.Get(name)
	if text == "" {
		return false
	}
	b, _ := jsonbody.ParseBool(q.At(name), text)
	return b
}

// QueryID returns an id, 0 when there is none.
func QueryID[T ~uint64](q *Query, name string) T {
	text := q.Values.Get(name)
	if text == "" {
		return 0
	}
	id, _ := jsonbody.ParseID[T](q.At(name), text)
	return id
}

// PathID returns an id of the path.
func PathID[T ~uint64](c *Call, name string) (T, error) {
	var t jsonbody.Tree
	id, _ := jsonbody.ParseID[T](t.At(name), c.Request.PathValue(name))
	return id, t.Err()
}
