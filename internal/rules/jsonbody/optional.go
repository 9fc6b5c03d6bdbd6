package jsonbody

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/optional"
)

// Reader reads a value that is neither absent nor null, and adds what is wrong with it to t.
type Reader[T any] func(t *Tree, v Value) T

// ReadOptional reads a member that can be absent or null.
func ReadOptional[T any](t *Tree, body Value, key string, read Reader[T]) optional.Value[T] {
	switch v := body.Get(key); v.Kind() {
	case Absent:
		return optional.Value[T]{}
	case Null:
		return optional.Null[T]()
	default:
		return optional.Of(read(t.At(key), v))
	}
}

// ReadGiven reads a member for which null has the same meaning as absent.
func ReadGiven[T any](t *Tree, body Value, key string, read Reader[T]) optional.Value[T] {
	if !body.Get(key).IsSet() {
		return optional.Value[T]{}
	}
	return ReadOptional(t, body, key, read)
}

// Text returns a reader of strings of low to high code points. A high below zero means no upper bound.
func Text(low, high int) Reader[string] {
	return func(t *Tree, v Value) string {
		s, ok := AsString(t, v)
		if ok {
			CheckLength(t, Len(s), low, high)
		}
		return s
	}
}

// Int returns a reader of integers from low to high.
func Int(low, high int64) Reader[int] {
	return func(t *Tree, v Value) int {
		n, _ := AsInt(t, v, low, high)
		return int(n)
	}
}

// OneOf returns a reader of the integers of a set.
func OneOf(set ...int) Reader[int] {
	return func(t *Tree, v Value) int {
		n, ok := AsWhole(t, v)
		if ok && !slices.Contains(set, int(n)) {
			NotOneOfInts(t, set...)
		}
		return int(n)
	}
}

// Boolean reads a boolean.
func Boolean(t *Tree, v Value) bool {
	b, _ := AsBool(t, v)
	return b
}

// ID reads an id.
func ID[T ~uint64](t *Tree, v Value) T {
	id, _ := AsID[T](t, v)
	return id
}

// IDs returns a reader of lists of low to high different ids.
func IDs[T ~uint64](low, high int) Reader[[]T] {
	return func(t *Tree, v Value) []T {
		items, ok := AsList(t, v)
		if !ok {
			return nil
		}
		CheckLength(t, len(items), low, high)
		list := make([]T, 0, min(len(items), high))
		for i, item := range items[:min(len(items), high)] {
			id, ok := AsID[T](t.Index(i), item)
			switch {
			case ok && slices.Contains(list, id):
				t.Index(i).Add(Repeated, "The set already contains this value")
			case ok:
				list = append(list, id)
			}
		}
		return list
	}
}

// TimeInvalid is the code of a text that is not a time.
const TimeInvalid Code = "DATE_TIME_TYPE_PARSE"

// timeLayouts are the forms of ISO 8601 that the API accepts.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", time.DateOnly}

// ParseTime reads an ISO 8601 time. Without a zone it is in UTC.
func ParseTime(t *Tree, text string) time.Time {
	for _, layout := range timeLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	t.Add(TimeInvalid, "Could not parse "+clip(text)+". Should be ISO8601.")
	return time.Time{}
}

// Time reads an ISO 8601 time.
func Time(t *Tree, v Value) time.Time {
	s, ok := AsString(t, v)
	if !ok {
		return time.Time{}
	}
	return ParseTime(t, s)
}
