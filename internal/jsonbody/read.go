package jsonbody

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bellhop/bellhop/snowflake"
)

// AsObject returns v when it is an object, else notes that it is none.
func AsObject(t *Tree, v Value) (Value, bool) {
	if v.kind != Object {
		t.Add(ModelConvert, "Expected an object/dictionary.")
		return Value{}, false
	}
	return v, true
}

// AsDict returns v when it is an object that serves as a map, else notes that it is none.
func AsDict(t *Tree, v Value) (Value, bool) {
	if v.kind != Object {
		t.Add(DictConvert, "Only dictionaries may be used in a DictType")
		return Value{}, false
	}
	return v, true
}

// AsList returns the items of v when it is a list, else notes that it is none.
func AsList(t *Tree, v Value) ([]Value, bool) {
	if v.kind != List {
		t.Add(ListConvert, "Only iterables may be used in a ListType")
		return nil, false
	}
	return v.Items(), true
}

// AsItem returns an item of a list of objects, else notes that it is missing, empty or no object.
func AsItem(t *Tree, v Value) (Value, bool) {
	if v.kind <= Null || v.kind == Object && len(v.Members()) == 0 {
		t.Add(ListItemRequired, "List item values of ModelType are required")
		return Value{}, false
	}
	return AsObject(t, v)
}

// AsItems returns the items of a list of objects, at most most of them; more are noted. An object in its place is
// walked like a list, and each of its members is noted as no object.
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

// AsString returns the text of a string, else notes that v is none.
func AsString(t *Tree, v Value) (string, bool) {
	if v.kind != String {
		t.Add(StringConvert, `Could not interpret "`+v.String()+`" as string.`)
		return "", false
	}
	return v.Text(), true
}

// AsBool returns a boolean, else notes that v is none.
func AsBool(t *Tree, v Value) (bool, bool) {
	if v.kind != Bool {
		t.Add(BooleanConvert, "Must be either true or false.")
		return false, false
	}
	return v.truth, true
}

// AsInt returns an integer between low and high. Numbers with a zero fraction and strings of digits pass.
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

// AsWhole returns a whole number of any size, else notes that v is none. What is beyond int64 becomes its nearest end:
// for sets of small numbers that is as wrong as the number itself.
func AsWhole(t *Tree, v Value) (int64, bool) {
	n, _, ok := whole(v)
	if !ok {
		t.NotA("int", v.String())
	}
	return n, ok
}

// whole reads a whole number exactly. Of one beyond int64 it returns the nearest end and the side it is on.
func whole(v Value) (n int64, side int, ok bool) {
	text := v.Text()
	if text == "" || text[0] == '+' {
		return 0, 0, false
	}
	if len(text) == 1 && '0' <= text[0] && text[0] <= '9' { // most numbers are kinds of things
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

// decimal reads a whole number that is written with a fraction or an exponent.
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

// Numbers beyond these are far outside of every range; they are not worth exact arithmetic.
const (
	maxNumberLen = 400
	maxExponent  = 400
)

// IsInteger reports whether v is a number without a fraction, however it is written.
func IsInteger(v Value) bool {
	_, _, ok := whole(v)
	return ok && v.kind == Number
}

// AsFloat returns a finite number between low and high.
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

// AsID returns an id of type T, written as a string or as a whole number.
func AsID[T ~uint64](t *Tree, v Value) (T, bool) {
	if v.kind != String && v.kind != Number {
		t.NotA("snowflake", v.String())
		return 0, false
	}
	return ParseID[T](t, v.Text())
}

// ParseID reads an id of type T from a path or a query.
func ParseID[T ~uint64](t *Tree, text string) (T, bool) {
	id, err := snowflake.Parse[T](text)
	if err == nil {
		return id, true
	}
	if errors.Is(err, snowflake.ErrRange) {
		t.Above("snowflake", strconv.FormatUint(snowflake.Max, 10))
	} else {
		t.NotA("snowflake", clip(text))
	}
	return 0, false
}

// ParseBool reads the words that stand for true and false in a query.
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

// Len counts a text the way every length of the interface counts: in code points.
func Len(s string) int { return utf8.RuneCountInString(s) }
