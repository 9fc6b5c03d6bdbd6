package command_test

import (
	"errors"
	"regexp"
	"slices"
	"testing"
	"unicode"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"pgregory.net/rapid"
)

// pattern is the regular expression of the specification in the syntax of Go.
var pattern = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]{1,32}$`)

func TestCommandNaming(t *testing.T) {
	t.Parallel()
	upper, outside := faults{"name": {invalidName}}, faults{"name": {jsonbody.StringRegex, invalidName}}
	var cases []parseCase
	for _, tt := range []struct {
		name, give string
		want       faults
	}{
		{"letters", "roll", nil},
		{"hyphen, underscore, apostrophe", "a-b_c'd", nil},
		{"digits", "d20", nil},
		{"number that is no digit", "d²", nil},
		{"precomposed accent", "café", nil},
		{"decomposed accent", "cafe\u0301", outside},
		{"Han", "骰子", nil},
		{"Kana", "さいころ", nil},
		{"Hangul", "주사위", nil},
		{"Arabic letters", "نرد", nil},
		{"Arabic point", "نَرد", outside},
		{"Hebrew", "קובייה", nil},
		{"Devanagari with vowel signs", "पासा", nil},
		{"Devanagari virama", "क्ष", nil},
		{"Thai with vowel signs", "ลูกเต๋า", nil},
		{"Bengali vowel sign", "পাশা", outside},
		{"Tamil vowel sign", "பகடை", outside},
		{"blank", "roll dice", outside},
		{"dot", "roll.dice", outside},
		{"slash", "/roll", outside},
		{"emoji", "roll🎲", outside},
		{"curly apostrophe", "it’s", outside},
		{"line break", "roll\n", outside},
		{"NUL", "\x00", outside},
		{"currency", "€", outside},
		{"upper case", "Roll", upper},
		{"upper-case Cyrillic", "Кости", upper},
		{"lower-case Cyrillic", "кости", nil},
		{"upper-case Greek", "Ζάρια", upper},
		{"title-case digraph", "ǅ", upper},
		{"lower-case digraph", "ǆ", nil},
		{"dotted capital I", "İ", upper},
		{"dotless i", "ı", nil},
		{"sharp s", "ß", nil},
		{"capital sharp s", "ẞ", upper},
		{"upper-case roman numeral", "Ⅷ", upper},
		{"lower-case roman numeral", "ⅷ", nil},
		{"letter without case", "ª", nil},
		{"upper case after an invalid character", "a B", outside},
	} {
		quoted := jsonbody.StringOf(tt.give)
		cases = append(cases, parseCase{tt.name, "Command naming", chat(`"name":` + quote(quoted.Text())), tt.want})
	}
	runParse(t, anyApp, cases)
}

// TestNameMatchesPattern compares the check of names with the regular expression and the rule for upper case.
func TestNameMatchesPattern(t *testing.T) {
	t.Parallel()
	runes := rapid.OneOf(
		rapid.Rune(), rapid.RuneFrom(nil, unicode.L, unicode.N, unicode.M), rapid.RuneFrom(nil, unicode.Devanagari, unicode.Thai),
		rapid.RuneFrom([]rune("-_'aZ09 .")), rapid.RuneFrom(nil, unicode.Lt, unicode.Lu),
	)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(runes, 1, 32, -1).Draw(t, "name")
		_, err := command.Parse([]byte(chat(`"name":`+quote(name))), anyApp)
		want := faults{}
		switch {
		case !pattern.MatchString(name):
			want["name"] = []jsonbody.Code{jsonbody.StringRegex, invalidName}
		case slices.ContainsFunc([]rune(name), func(r rune) bool { return unicode.ToLower(r) != r }):
			want["name"] = []jsonbody.Code{invalidName}
		}
		got := faults{}
		if tree, ok := errors.AsType[*jsonbody.Tree](err); ok {
			got = tree.Flat()
		}
		if !slices.Equal(got["name"], want["name"]) || len(got) != len(want) {
			t.Fatalf("Parse(%q) finds %v, want %v", name, got, want)
		}
	})
}
