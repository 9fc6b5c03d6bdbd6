// Package optional provides a value that may be absent, null or present: what a partial update needs.
package optional

// Value holds a T, null, or nothing. Its zero value is absent.
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

// IsZero reports absence, so that the JSON tag omitzero leaves it out.
func (v Value[T]) IsZero() bool { return v.state == absent }

// IsNull reports an explicit null.
func (v Value[T]) IsNull() bool { return v.state == null }

// Get returns the value and whether there is one; null and absent have none.
func (v Value[T]) Get() (T, bool) { return v.value, v.state == present }

// Or returns the value, the zero T for null, and old when absent: what a partial update leaves behind.
func (v Value[T]) Or(old T) T {
	if v.state == absent {
		return old
	}
	return v.value
}
