package rest

import (
	"net/url"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/problem"
)

// Query reads the parameters of a request and notes what is wrong with them.
type Query struct {
	problem.Tree

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
	n, _ := form.AsInt(q.At("limit"), form.StringOf(text), 1, int64(most))
	return int(n)
}

// Bool returns whether something is wanted, false when nothing is said.
func (q *Query) Bool(name string) bool {
	text := q.Values.Get(name)
	if text == "" {
		return false
	}
	b, _ := form.ParseBool(q.At(name), text)
	return b
}

// QueryID returns an id, 0 when there is none.
func QueryID[T ~uint64](q *Query, name string) T {
	text := q.Values.Get(name)
	if text == "" {
		return 0
	}
	id, _ := form.ParseID[T](q.At(name), text)
	return id
}

// PathID returns an id of the path.
func PathID[T ~uint64](c *Call, name string) (T, error) {
	var t problem.Tree
	id, _ := form.ParseID[T](t.At(name), c.Request.PathValue(name))
	return id, t.Err()
}
