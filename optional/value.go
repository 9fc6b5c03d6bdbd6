// Package optional provides a value that is absent, null or present. A partial update needs all three: an absent member
// keeps the old value, null clears it, and a present one replaces it.
//
// A struct field of type [Value] with the JSON tag omitzero is absent if the JSON object does not have the member.
package optional

import (
	"bytes"

	"github.com/go-json-experiment/json"
)

// Value holds a T, null, or nothing. The zero Value is absent.
type Value[T any] struct {
	value T
	state state
}

type state uint8

const (
	absent state = iota
	null
	present
)

// Of returns a present value.
func Of[T any](v T) Value[T] { return Value[T]{value: v, state: present} }

// Null returns null.
func Null[T any]() Value[T] { return Value[T]{state: null} }

// IsZero reports whether the value is absent. The JSON tag omitzero uses it.
func (v Value[T]) IsZero() bool { return v.state == absent }

// IsNull reports whether the value is null.
func (v Value[T]) IsNull() bool { return v.state == null }

// Get returns the value and whether it is present.
func (v Value[T]) Get() (T, bool) { return v.value, v.state == present }

// Or returns the result of updating old: the value if it is present, the zero T for null, and old if it is absent.
func (v Value[T]) Or(old T) T {
	if v.state == absent {
		return old
	}
	return v.value
}

// MarshalJSON writes the value. Absent values are written as null; use omitzero to omit them.
func (v Value[T]) MarshalJSON() ([]byte, error) {
	if v.state != present {
		return []byte("null"), nil
	}
	return json.Marshal(v.value)
}

// UnmarshalJSON reads null or a present value.
func (v *Value[T]) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("null")) {
		*v = Null[T]()
		return nil
	}
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		return err
	}
	*v = Of(value)
	return nil
}
