package jsonbody

// The readers below take one member of an object. A member that must be there and is not, is noted; one that may be
// absent may be null too.

// ReadID reads an id.
func ReadID[T ~uint64](t *Tree, v Value, key string, need bool) T {
	v = v.Get(key)
	if !v.IsSet() {
		if need {
			t.At(key).Required()
		}
		return 0
	}
	id, _ := AsID[T](t.At(key), v)
	return id
}

// ReadText reads a string of at least low code points. A high below zero sets no bound.
func ReadText(t *Tree, v Value, key string, need bool, low, high int) string {
	v = v.Get(key)
	if !v.IsSet() {
		if need {
			t.At(key).Required()
		}
		return ""
	}
	s, ok := AsString(t.At(key), v)
	if ok {
		CheckLength(t.At(key), Len(s), low, high)
	}
	return s
}

// CheckLength notes a length outside of low and high. A high below zero sets no bound.
func CheckLength(t *Tree, n, low, high int) {
	if n >= low && (n <= high || high < 0) {
		return
	}
	if low == 0 {
		low = -1 // a text or list can be empty: only the largest length is worth a word
	}
	t.Length(low, high)
}

// ReadInt reads an integer from low to high that may be absent.
func ReadInt(t *Tree, v Value, key string, low, high int64) int64 {
	v = v.Get(key)
	if !v.IsSet() {
		return 0
	}
	n, _ := AsInt(t.At(key), v, low, high)
	return n
}

// IsTrue reports whether a member is true. Anything else is false.
func IsTrue(v Value, key string) bool {
	v = v.Get(key)
	return v.Kind() == Bool && v.String() == "true"
}
