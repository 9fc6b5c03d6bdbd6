package jsonbody

import (
	"fmt"
	"strconv"
	"strings"
)

// Codes of findings that any body can have.
const (
	Required           Code = "BASE_TYPE_REQUIRED"
	BadLength          Code = "BASE_TYPE_BAD_LENGTH"
	MaxLength          Code = "BASE_TYPE_MAX_LENGTH"
	MinLength          Code = "BASE_TYPE_MIN_LENGTH"
	Choices            Code = "BASE_TYPE_CHOICES"
	NumberCoerce       Code = "NUMBER_TYPE_COERCE"
	NumberMin          Code = "NUMBER_TYPE_MIN"
	NumberMax          Code = "NUMBER_TYPE_MAX"
	StringConvert      Code = "STRING_TYPE_CONVERT"
	StringRegex        Code = "STRING_TYPE_REGEX"
	BooleanConvert     Code = "BOOLEAN_TYPE_CONVERT"
	ListConvert        Code = "LIST_TYPE_CONVERT"
	DictConvert        Code = "DICT_TYPE_CONVERT"
	ModelConvert       Code = "MODEL_TYPE_CONVERT"
	ListItemRequired   Code = "LIST_ITEM_VALUE_REQUIRED"
	TagFieldMissing    Code = "TAG_FIELD_MISSING"
	UnionChoices       Code = "UNION_TYPE_CHOICES"
	ContentTypeInvalid Code = "CONTENT_TYPE_INVALID"
	Repeated           Code = "SET_TYPE_ALREADY_CONTAINS_VALUE"
)

// Required reports a missing value.
func (t *Tree) Required() { t.Add(Required, "This field is required") }

// Length reports a length outside of low and high. A bound below zero means no bound.
func (t *Tree) Length(low, high int) {
	switch {
	case low < 0:
		t.Add(MaxLength, fmt.Sprintf("Must be %d or fewer in length.", high))
	case high < 0:
		t.Add(MinLength, fmt.Sprintf("Must be %d or more in length.", low))
	default:
		t.Add(BadLength, fmt.Sprintf("Must be between %d and %d in length.", low, high))
	}
}

// NotOneOf reports a value outside of a set.
func (t *Tree) NotOneOf(set ...string) {
	t.Add(Choices, "Value must be one of ("+strings.Join(set, ", ")+").")
}

// NotOneOfInts reports a number outside of a set.
func NotOneOfInts[N ~int | ~uint8](t *Tree, set ...N) { t.NotOneOf(texts(set)...) }

// WrongTag reports an object whose type is not one of the set.
func WrongTag[N ~int | ~uint8](t *Tree, set ...N) {
	t.Add(UnionChoices, `Value of field "type" must be one of (`+strings.Join(texts(set), ", ")+").")
}

func texts[N ~int | ~uint8](set []N) []string {
	list := make([]string, len(set))
	for i, n := range set {
		list[i] = strconv.Itoa(int(n))
	}
	return list
}

// NotA reports a value that is not a number of a kind: int, float or snowflake.
func (t *Tree) NotA(kind, value string) {
	t.Add(NumberCoerce, fmt.Sprintf(`Value "%s" is not %s.`, value, kind))
}

// Below reports a number below a bound.
func (t *Tree) Below(kind, bound string) {
	t.Add(NumberMin, kind+" value should be greater than or equal to "+bound+".")
}

// Above reports a number above a bound.
func (t *Tree) Above(kind, bound string) {
	t.Add(NumberMax, kind+" value should be less than or equal to "+bound+".")
}
