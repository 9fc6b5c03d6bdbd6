package jsonbody

// The functions below read one member of an object. With need, they report a missing or null member. Without need, they
// return the zero value for it.

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

// ReadText reads a string of low to high code points. A high below zero means no upper bound.
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

// CheckLength reports a length outside of low and high. A high below zero means no upper bound.
func CheckLength(t *Tree, n, low, high int) {
	if n >= low && (n <= high || high < 0) {
		return
	}
	if low == 0 {
		low = -1 // no lower bound in the message
	}
	t.Length(low, high)
}

// ReadInt reads an optional integer from low to high.
func ReadInt(t *Tree, v Value, key string, low, high int64) int64 {
	v = v.Get(key)
	if !v.IsSet() {
		return 0
	}
	n, _ := AsInt(t.At(key), v, low, high)
	return n
}

// IsTrue reports whether a member is the boolean true.
func IsTrue(v Value, key string) bool {
	v = v.Get(key)
	return v.Kind() == Bool && v.String() == "true"
}
