package jsonbody

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AsObject returns v if it is an object, else reports a finding.
func AsObject(t *Tree, v Value) (Value, bool) {
	if v.kind != Object {
		t.Add(ModelConvert, "Expected an object/dictionary.")
		return Value{}, false
	}
	return v, true
}

// AsDict returns v if it is an object, else reports a finding. It is for objects that are maps.
func AsDict(t *Tree, v Value) (Value, bool) {
	if v.kind != Object {
		t.Add(DictConvert, "Only dictionaries may be used in a DictType")
		return Value{}, false
	}
	return v, true
}

// AsList returns the items of v if it is a list, else reports a finding.
func AsList(t *Tree, v Value) ([]Value, bool) {
	if v.kind != List {
		t.Add(ListConvert, "Only iterables may be used in a ListType")
		return nil, false
	}
	return v.Items(), true
}

// AsItem returns v if it is a non-empty object, else reports a finding. It is for the items of a list of objects.
func AsItem(t *Tree, v Value) (Value, bool) {
	if v.kind <= Null || v.kind == Object && len(v.Members()) == 0 {
		t.Add(ListItemRequired, "List item values of ModelType are required")
		return Value{}, false
	}
	return AsObject(t, v)
}

// AsItems returns the first most items of a list and reports a longer list. For an object it reports each member as an
// item that is not an object, as Discord does.
func AsItems(t *Tree, v Value, most int) ([]Value, bool) {
	if v.kind == Object && len(v.Members()) > 0 {
		for i := range min(len(v.Members()), most) {
			AsObject(t.Index(i), Value{})
		}
		return nil, false
	}
	items, ok := AsList(t, v)
	if len(items) > most {
		t.Length(-1, most)
		items = items[:most]
	}
	return items, ok
}

// AsString returns the text of v if it is a string, else reports a finding.
func AsString(t *Tree, v Value) (string, bool) {
	if v.kind != String {
		t.Add(StringConvert, `Could not interpret "`+v.String()+`" as string.`)
		return "", false
	}
	return v.Text(), true
}

// AsBool returns v if it is a boolean, else reports a finding.
func AsBool(t *Tree, v Value) (bool, bool) {
	if v.kind != Bool {
		t.Add(BooleanConvert, "Must be either true or false.")
		return false, false
	}
	return v.truth, true
}

// AsInt returns v if it is an integer from low to high, else reports a finding. A number with a zero fraction and a
// string of digits count as integers.
func AsInt(t *Tree, v Value, low, high int64) (int64, bool) {
	n, side, ok := whole(v)
	switch {
	case !ok:
		t.NotA("int", v.String())
	case side < 0 || n < low:
		t.Below("int", strconv.FormatInt(low, 10))
	case side > 0 || n > high:
		t.Above("int", strconv.FormatInt(high, 10))
	default:
		return n, true
	}
	return 0, false
}

// AsUint returns v if it is an integer that fits 64 bits without a sign, else reports a finding.
func AsUint(t *Tree, v Value) (uint64, bool) {
	n, side, ok := whole(v)
	switch {
	case !ok:
		t.NotA("int", v.String())
		return 0, false
	case n < 0:
		t.Below("int", "0")
		return 0, false
	case side == 0:
		return uint64(n), true
	}
	if text := v.Text(); len(text) <= maxNumberLen {
		if large, ok := new(big.Rat).SetString(text); ok && large.Num().IsUint64() {
			return large.Num().Uint64(), true
		}
	}
	t.Above("int", strconv.FormatUint(math.MaxUint64, 10))
	return 0, false
}

// AsWhole returns v if it is an integer of any size, else reports a finding. It returns the smallest or largest int64
// for a number out of the range of int64.
func AsWhole(t *Tree, v Value) (int64, bool) {
	n, _, ok := whole(v)
	if !ok {
		t.NotA("int", v.String())
	}
	return n, ok
}

// whole reads an integer exactly. For one below or above int64 it returns the limit of int64, and -1 or 1 as side.
func whole(v Value) (n int64, side int, ok bool) {
	text := v.Text()
	if text == "" || text[0] == '+' {
		return 0, 0, false
	}
	if len(text) == 1 && '0' <= text[0] && text[0] <= '9' { // fast path: most numbers are types
		return int64(text[0] - '0'), 0, true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err == nil:
		return n, 0, true
	case errors.Is(err, strconv.ErrRange):
		return n, sign(n), true
	case v.kind == String:
		return 0, 0, false
	}
	return decimal(text)
}

// decimal reads an integer that is written with a fraction or an exponent.
func decimal(text string) (n int64, side int, ok bool) {
	if len(text) > maxNumberLen {
		return 0, 0, false
	}
	if _, exp, found := strings.Cut(strings.ToLower(text), "e"); found {
		if e, err := strconv.Atoi(exp); err != nil || e > maxExponent || e < -maxExponent {
			return 0, 0, false
		}
	}
	r, ok := new(big.Rat).SetString(text)
	switch {
	case !ok || !r.IsInt():
		return 0, 0, false
	case r.Num().IsInt64():
		return r.Num().Int64(), 0, true
	case r.Sign() < 0:
		return math.MinInt64, -1, true
	}
	return math.MaxInt64, 1, true
}

func sign(n int64) int {
	if n < 0 {
		return -1
	}
	return 1
}

// Longer numbers and larger exponents are out of every range. They are not computed exactly.
const (
	maxNumberLen = 400
	maxExponent  = 400
)

// IsInteger reports whether v is a number without a fraction. 1.0 and 1e3 are integers.
func IsInteger(v Value) bool {
	_, _, ok := whole(v)
	return ok && v.kind == Number
}

// AsFloat returns v if it is a number from low to high, else reports a finding.
func AsFloat(t *Tree, v Value, low, high float64) (float64, bool) {
	if v.kind != Number {
		t.NotA("float", v.String())
		return 0, false
	}
	f, err := strconv.ParseFloat(v.Text(), 64)
	if err != nil && !math.IsInf(f, 0) {
		t.NotA("float", v.String())
		return 0, false
	}
	if f < low {
		t.Below("float", strconv.FormatFloat(low, 'f', -1, 64))
		return 0, false
	}
	if f > high {
		t.Above("float", strconv.FormatFloat(high, 'f', -1, 64))
		return 0, false
	}
	return f, true
}

// AsID returns v as an id of type T if it is a string or number that ParseID accepts, else reports a finding.
func AsID[T ~uint64](t *Tree, v Value) (T, bool) {
	if v.kind != String && v.kind != Number {
		t.NotA("snowflake", v.String())
		return 0, false
	}
	return ParseID[T](t, v.Text())
}

// MaxID is the largest id.
const MaxID = 1<<63 - 1

// The largest numbers that an option value and a flag field can have, in both directions. A double holds every integer
// up to MaxInteger exactly.
const (
	MaxInteger = 1<<53 - 1
	MaxNumber  = 1 << 53
)

// ParseID reads an id of type T from a path or a query: decimal digits without a leading zero, at most MaxID.
func ParseID[T ~uint64](t *Tree, text string) (T, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" || len(text) > 1 && text[0] == '0' {
		t.NotA("snowflake", clip(text))
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n > MaxID {
		t.Above("snowflake", strconv.FormatUint(MaxID, 10))
		return 0, false
	}
	return T(n), true
}

// ParseBool reads a boolean from a query.
func ParseBool(t *Tree, text string) (bool, bool) {
	switch text {
	case "true", "True", "1":
		return true, true
	case "false", "False", "0":
		return false, true
	}
	t.Add(BooleanConvert, "Must be either true or false.")
	return false, false
}

// Len returns the length of a text in code points, as all lengths of the API are counted.
func Len(s string) int { return utf8.RuneCountInString(s) }
