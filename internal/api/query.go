package api

import (
	"net/url"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// Query reads the query parameters of a request and collects what is wrong with them.
type Query struct {
	jsonbody.Tree

	Values url.Values
}

// Query returns the query parameters of the request.
func (c *Call) Query() *Query {
	if c.Request.URL.RawQuery == "" {
		return &Query{}
	}
	return &Query{Values: c.Request.URL.Query()}
}

// Limit returns the parameter limit, which must be from 1 to highest. It returns usual if the parameter is missing.
func (q *Query) Limit(usual, highest int) int {
	text := q.Values.Get("limit")
	if text == "" {
		return usual
	}
	n, _ := jsonbody.AsInt(q.At("limit"), jsonbody.StringOf(text), 1, int64(highest))
	return int(n)
}

// Since returns the parameter since, which is a time or a duration before now. It returns the zero Time if the parameter
// is missing.
func (q *Query) Since(now time.Time) time.Time {
	text := q.Values.Get("since")
	if text == "" {
		return time.Time{}
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago)
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		q.At("since").Add("DATE_TIME_TYPE_PARSE", "Expected a time such as 2026-05-01T12:00:00Z, or how long ago such as 30s.")
	}
	return at
}

// Time returns a parameter that is a time in ISO 8601, in UTC if it names no zone. It returns the zero Time if the parameter
// is missing.
func (q *Query) Time(name string) time.Time {
	text := q.Values.Get(name)
	if text == "" {
		return time.Time{}
	}
	text = strings.Replace(text, " ", "+", 1) // a plus sign that the client did not encode
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	q.At(name).Add("DATE_TIME_TYPE_PARSE", "Could not parse "+text+". Should be ISO8601.")
	return time.Time{}
}

// Bool returns a boolean parameter, false if it is missing.
func (q *Query) Bool(name string) bool {
	text := q.Values.Get(name)
	if text == "" {
		return false
	}
	b, _ := jsonbody.ParseBool(q.At(name), text)
	return b
}

// QueryID returns an id from the query, 0 if it is missing.
func QueryID[T ~uint64](q *Query, name string) T {
	text := q.Values.Get(name)
	if text == "" {
		return 0
	}
	id, _ := jsonbody.ParseID[T](q.At(name), text)
	return id
}

// PathBody returns an id from the path, and the body of the request from one of the methods of c that read it.
func PathBody[T ~uint64](c *Call, name string, read func() (jsonbody.Value, error)) (id T, body jsonbody.Value, err error) {
	if id, err = PathID[T](c, name); err == nil {
		body, err = read()
	}
	return id, body, err
}

// PathIDs returns two ids from the path.
func PathIDs[T, U ~uint64](c *Call, first, second string) (id T, inner U, err error) {
	if id, err = PathID[T](c, first); err == nil {
		inner, err = PathID[U](c, second)
	}
	return id, inner, err
}

// PathID returns an id from the path.
func PathID[T ~uint64](c *Call, name string) (T, error) {
	var t jsonbody.Tree
	id, _ := jsonbody.ParseID[T](t.At(name), c.Request.PathValue(name))
	return id, t.Err()
}
