package form

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

// AsObject returns v when it is an object, else notes that it is none.
func AsObject(t *problem.Tree, v Value) (Value, bool) {
	if v.kind != Object {
		t.Add(problem.ModelConvert, "Expected an object/dictionary.")
		return Value{}, false
	}
	return v, true
}

// AsDict returns v when it is an object that serves as a map, else notes that it is none.
func AsDict(t *problem.Tree, v Value) (Value, bool) {
	if v.kind != Object {
		t.Add(problem.DictConvert, "Only dictionaries may be used in a DictType")
		return Value{}, false
	}
	return v, true
}

// AsList returns the items of v when it is a list, else notes that it is none.
func AsList(t *problem.Tree, v Value) ([]Value, bool) {
	if v.kind != List {
		t.Add(problem.ListConvert, "Only iterables may be used in a ListType")
		return nil, false
	}
	return v.items, true
}

// AsString returns the text of a string, else notes that v is none.
func AsString(t *problem.Tree, v Value) (string, bool) {
	if v.kind != String {
		t.Add(problem.StringConvert, `Could not interpret "`+v.String()+`" as string.`)
		return "", false
	}
	return v.text, true
}

// AsBool returns a boolean, else notes that v is none.
func AsBool(t *problem.Tree, v Value) (bool, bool) {
	if v.kind != Bool {
		t.Add(problem.BooleanConvert, "Must be either true or false.")
		return false, false
	}
	return v.truth, true
}

// AsInt returns an integer between low and high. Numbers with a zero fraction and strings of digits pass.
func AsInt(t *problem.Tree, v Value, low, high int64) (int64, bool) {
	n, ok := integer(v)
	if !ok {
		t.NotA("int", v.String())
		return 0, false
	}
	if n.Cmp(big.NewInt(low)) < 0 {
		t.Below("int", strconv.FormatInt(low, 10))
		return 0, false
	}
	if n.Cmp(big.NewInt(high)) > 0 {
		t.Above("int", strconv.FormatInt(high, 10))
		return 0, false
	}
	return n.Int64(), true
}

// integer reads a whole number exactly. Small plain digits, the common case, cost no big number work to speak of.
func integer(v Value) (*big.Int, bool) {
	if v.kind != Number && v.kind != String {
		return nil, false
	}
	if n, err := strconv.ParseInt(v.text, 10, 64); err == nil && !strings.HasPrefix(v.text, "+") {
		return big.NewInt(n), true
	}
	if v.kind != Number || len(v.text) > maxNumberLen {
		return nil, false
	}
	if _, exp, found := strings.Cut(strings.ToLower(v.text), "e"); found {
		if e, err := strconv.Atoi(exp); err != nil || e > maxExponent || e < -maxExponent {
			return nil, false
		}
	}
	r, ok := new(big.Rat).SetString(v.text)
	if !ok || !r.IsInt() {
		return nil, false
	}
	return r.Num(), true
}

// Numbers beyond these are far outside of every range; they are not worth exact arithmetic.
const (
	maxNumberLen = 400
	maxExponent  = 400
)

// IsInteger reports whether v is a number without a fraction, however it is written.
func IsInteger(v Value) bool {
	_, ok := integer(v)
	return ok && v.kind == Number
}

// AsFloat returns a finite number between low and high.
func AsFloat(t *problem.Tree, v Value, low, high float64) (float64, bool) {
	if v.kind != Number {
		t.NotA("float", v.String())
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
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

// AsID returns a snowflake, written as a string or as a whole number.
func AsID[K any](t *problem.Tree, v Value) (snowflake.ID[K], bool) {
	if v.kind != String && v.kind != Number {
		t.NotA("snowflake", v.String())
		return 0, false
	}
	return ParseID[K](t, v.text)
}

// ParseID reads a snowflake from a path or a query.
func ParseID[K any](t *problem.Tree, text string) (snowflake.ID[K], bool) {
	id, err := snowflake.Parse[K](text)
	switch err {
	case nil:
		return id, true
	case snowflake.ErrRange:
		t.Above("snowflake", strconv.FormatUint(snowflake.Max, 10))
	default:
		t.NotA("snowflake", clip(text))
	}
	return 0, false
}

// ParseBool reads the words that stand for true and false in a query.
func ParseBool(t *problem.Tree, text string) (bool, bool) {
	switch text {
	case "true", "True", "1":
		return true, true
	case "false", "False", "0":
		return false, true
	}
	t.Add(problem.BooleanConvert, "Must be either true or false.")
	return false, false
}

// Len counts a text the way every length of the interface counts: in code points.
func Len(s string) int { return utf8.RuneCountInString(s) }
