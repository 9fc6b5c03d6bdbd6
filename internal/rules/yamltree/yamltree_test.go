package yamltree_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/yamltree"
	"github.com/goccy/go-yaml"
)

// bomb is a file of some hundred bytes that expands to a million values.
const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]
b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]
e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]
f: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]
`

func TestAliasesAreBoundedBeforeTheyAreExpanded(t *testing.T) {
	t.Parallel()
	long := "a: &a " + strings.Repeat("x", 1000) + "\nb: [" + strings.Repeat("*a, ", 1100) + "]\n"
	for _, tt := range []struct{ name, give, want string }{
		{"nested aliases", bomb, "too large after its aliases are expanded"},
		{"many aliases of a long text", long, "too large after its aliases are expanded"},
		{"nested mappings", strings.NewReplacer("[", "{k: [", "]", "]}").Replace(bomb), "too large after its aliases are expanded"},
		{"a name with two values", "a: &a 1\nb: &a 2\n", `the anchor "a" is used twice`},
		{"few aliases", "a: &a [1, 2]\nb: [*a, *a]\nc: {<<: *a}\n", ""},
		{"an unknown alias", "a: *b\n", ""}, // the decoder reports it
		{"an empty file", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := yamltree.Parse([]byte(tt.give), 0)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Parse() = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestDecodeRefusesTags(t *testing.T) {
	t.Parallel()
	for _, give := range []string{"list: !x 5", "list:\n  ! #", "list: [!!str x]", "!x list: [y]", "{list: &a !x [y]}", "other: &a !x 5\nlist: *a"} {
		var v struct {
			List  []string `yaml:"list"`
			Other any      `yaml:"other"`
		}
		if err := yamltree.Decode([]byte(give), &v); err == nil || !strings.Contains(err.Error(), "YAML tags are not supported") {
			t.Errorf("Decode(%q) = %v", give, err)
		}
	}
	var v struct {
		List []string `yaml:"list"`
	}
	if err := yamltree.Decode([]byte("list: &a [x, '!y']"), &v); err != nil || len(v.List) != 2 {
		t.Errorf("Decode() without tags = %v, %v", v, err)
	}
}

// FuzzExpansionIsBounded checks that a file which is accepted decodes to a bounded number of values.
func FuzzExpansionIsBounded(f *testing.F) {
	for _, seed := range []string{bomb, "a: &a [1]\nb: [*a, &b {c: *a}, *b]", "- &a !!str x\n- ? *a\n  : *a", "a: &a [*a]", "a: &a {b: &b [*a, *b]}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4<<10 {
			return
		}
		if _, err := yamltree.Parse([]byte(text), 0); err != nil {
			return
		}
		var v any
		if yaml.Unmarshal([]byte(text), &v) != nil {
			return
		}
		if n := count(v, 0); n > 2*yamltree.MaxExpanded {
			t.Errorf("%q has %d values", text, n)
		}
	})
}

// count returns the number of values in v, and stops at a depth that no file of the test has.
func count(v any, depth int) int {
	n := 1
	if depth > 10_000 {
		return n
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n += count(item, depth+1)
		}
	case map[string]any:
		for _, item := range v {
			n += count(item, depth+1)
		}
	}
	return n
}
