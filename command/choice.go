package command

import "github.com/bellhop/bellhop/internal/locale"

// Choice is one of the values that an option can have when it lists them.
type Choice struct {
	Name              string
	NameLocalizations locale.Map
	Value             Value
}

// Value is what a choice stands for: a text or a number. Its zero value is none. Values can be compared with ==.
type Value struct {
	kind   valueKind
	text   string
	number float64
}

type valueKind uint8

const (
	noValue valueKind = iota
	textValue
	numberValue
)

// TextValue returns the value of a choice of a String option.
func TextValue(s string) Value { return Value{kind: textValue, text: s} }

// NumberValue returns the value of a choice of an Integer or Number option. A double holds every integer that such an
// option can have.
func NumberValue(f float64) Value { return Value{kind: numberValue, number: unsignedZero(f)} }

// Text returns a text and whether the value is one.
func (v Value) Text() (string, bool) { return v.text, v.kind == textValue }

// Number returns a number and whether the value is one.
func (v Value) Number() (float64, bool) { return v.number, v.kind == numberValue }

// Equal reports whether two values are the same.
func (v Value) Equal(w Value) bool { return v == w }

// unsignedZero gives zero its plain form: JSON in other languages does not tell -0 from 0.
func unsignedZero(f float64) float64 {
	if f == 0 {
		return 0
	}
	return f
}
