package api

import (
	"net/url"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/problem"
)

// query reads the parameters of a request and notes what is wrong with them.
type query struct {
	problem.Tree

	values url.Values
}

func (c *call) query() *query {
	if c.r.URL.RawQuery == "" {
		return &query{}
	}
	return &query{values: c.r.URL.Query()}
}

// limit returns how many things are asked for, from 1 to most, and usual when nothing is said.
func (q *query) limit(usual, most int) int {
	text := q.values.Get("limit")
	if text == "" {
		return usual
	}
	n, _ := form.AsInt(q.At("limit"), form.StringOf(text), 1, int64(most))
	return int(n)
}

func (q *query) bool(name string) bool {
	text := q.values.Get(name)
	if text == "" {
		return false
	}
	b, _ := form.ParseBool(q.At(name), text)
	return b
}

// queryID returns an id, 0 when there is none.
func queryID[T ~uint64](q *query, name string) T {
	text := q.values.Get(name)
	if text == "" {
		return 0
	}
	id, _ := form.ParseID[T](q.At(name), text)
	return id
}

// pathID returns an id of the path.
func pathID[T ~uint64](c *call, name string) (T, error) {
	var t problem.Tree
	id, _ := form.ParseID[T](t.At(name), c.r.PathValue(name))
	return id, t.Err()
}
