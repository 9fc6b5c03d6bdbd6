package interaction

import (
	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/problem"
)

// The readers below take one member of an object. A member that must be there and is not, is noted; one that may be
// absent may be null too.

func readID[T ~uint64](t *problem.Tree, v form.Value, key string, need bool) T {
	v = v.Get(key)
	if !v.IsSet() {
		if need {
			t.At(key).Required()
		}
		return 0
	}
	id, _ := form.AsID[T](t.At(key), v)
	return id
}

// readText reads a string of at least low code points. A high below zero sets no bound.
func readText(t *problem.Tree, v form.Value, key string, need bool, low, high int) string {
	v = v.Get(key)
	if !v.IsSet() {
		if need {
			t.At(key).Required()
		}
		return ""
	}
	s, ok := form.AsString(t.At(key), v)
	if ok {
		checkLength(t.At(key), form.Len(s), low, high)
	}
	return s
}

// checkLength notes a length outside of low and high. A high below zero sets no bound.
func checkLength(t *problem.Tree, n, low, high int) {
	if n >= low && (n <= high || high < 0) {
		return
	}
	if low == 0 {
		low = -1 // a text or list can be empty: only the largest length is worth a word
	}
	t.Length(low, high)
}

func readInt(t *problem.Tree, v form.Value, key string, low, high int64) int64 {
	v = v.Get(key)
	if !v.IsSet() {
		return 0
	}
	n, _ := form.AsInt(t.At(key), v, low, high)
	return n
}

// isTrue reports whether a member is true. Anything else is false.
func isTrue(v form.Value, key string) bool {
	v = v.Get(key)
	return v.Kind() == form.Bool && v.String() == "true"
}
