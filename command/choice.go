package command

// Choice is one of the values that the user of an option can choose from.
type Choice struct {
	Name              string
	NameLocalizations map[string]string
	Value             Value
}

// Value is the value of a choice: a text or a number. The zero Value is neither. Values can be compared with ==.
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

// NumberValue returns the value of a choice of an Integer or Number option. A float64 holds every integer that such an
// option can have.
func NumberValue(f float64) Value { return Value{kind: numberValue, number: unsignedZero(f)} }

// Text returns the text, and whether the value is a text.
func (v Value) Text() (string, bool) { return v.text, v.kind == textValue }

// Number returns the number, and whether the value is a number.
func (v Value) Number() (float64, bool) { return v.number, v.kind == numberValue }

// printed returns the text, or the number as JSON prints it.
func (v Value) printed() string {
	if v.kind == numberValue {
		return string(appendNumber(nil, v.number))
	}
	return v.text
}

// Equal reports whether two values are the same.
func (v Value) Equal(w Value) bool { return v == w }

// unsignedZero replaces -0 by 0. JavaScript prints both as 0.
func unsignedZero(f float64) float64 {
	if f == 0 {
		return 0
	}
	return f
}
