package form_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		ok         bool
	}{
		{"object", `{"a":[1,null,true,"x",{}]}`, true},
		{"scalar", `null`, true},
		{"blanks around", " \n{}\t ", true},
		{"duplicate names", `{"a":1,"a":2}`, true},
		{"empty", ``, false},
		{"half", `{"a":`, false},
		{"two documents", `{} {}`, false},
		{"trailing comma", `[1,]`, false},
		{"bad UTF-8", "{\"a\":\"\xff\"}", false},
		{"lone surrogate", `"\ud800"`, false},
		{"as deep as allowed", strings.Repeat("[", form.MaxDepth) + strings.Repeat("]", form.MaxDepth), true},
		{"too deep", strings.Repeat("[", form.MaxDepth+1) + strings.Repeat("]", form.MaxDepth+1), false},
		{"leading zero", `01`, false},
		{"as many values as allowed", "[" + strings.Repeat("9,", form.MaxValues-2) + "9]", true},
		{"too many values", "[" + strings.Repeat("9,", form.MaxValues-1) + "9]", false},
		{"NaN", `NaN`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := form.Parse([]byte(tt.give))
			if (err == nil) != tt.ok {
				t.Errorf("Parse(%.40q) = %v, want ok %v", tt.give, err, tt.ok)
			}
			if err != nil && !errors.Is(err, form.ErrInvalid) {
				t.Errorf("Parse(%.40q) = %v, want ErrInvalid", tt.give, err)
			}
		})
	}
}

func TestDuplicateNamesLastWins(t *testing.T) {
	t.Parallel()
	v, err := form.Parse([]byte(`{"a":1,"a":2}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Get("a").Text(); got != "2" {
		t.Errorf("Get(a) = %s, want 2", got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ give, want string }{
		{`{"":1}`, ""},
		{`{"a":1}`, "a"},
		{`{"\u0061\n":1}`, "a\n"},
		{`{"ä":1}`, "ä"},
		{`{"ab":1,"cb":2,"ab":3}`, "ab cb ab"},
		{`{"name":{"name":1},"names":[{"name":2}]}`, "name names"},
	} {
		v, err := form.Parse([]byte(tt.give))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, m := range v.Members() {
			names = append(names, m.Name)
		}
		if got := strings.Join(names, " "); got != tt.want {
			t.Errorf("names of %s = %q, want %q", tt.give, got, tt.want)
		}
	}
	for _, bad := range []string{`{1:2}`, `{null:2}`, `{"a"}`, `{"a":1,}`, `{,}`, `{"\ud800":1}`, `{[]:1}`} {
		if _, err := form.Parse([]byte(bad)); !errors.Is(err, form.ErrInvalid) {
			t.Errorf("Parse(%s) = %v, want ErrInvalid", bad, err)
		}
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	v, err := form.Parse([]byte(`{"a":1,"b":2}`))
	if err != nil {
		t.Fatal(err)
	}
	over, err := form.Parse([]byte(`{"b":3,"c":4}`))
	if err != nil {
		t.Fatal(err)
	}
	merged := v.With(over)
	for name, want := range map[string]string{"a": "1", "b": "3", "c": "4"} {
		if got := merged.Get(name).Text(); got != want {
			t.Errorf("Get(%s) = %s, want %s", name, got, want)
		}
	}
	if got := v.Get("b").Text(); got != "2" {
		t.Errorf("With() changes its receiver: b = %s", got)
	}
}

func TestAsInt(t *testing.T) {
	t.Parallel()
	const high = 1<<53 - 1
	for _, tt := range []struct {
		give string
		want int64
		code problem.Code
	}{
		{`3`, 3, ""},
		{`3.0`, 3, ""},
		{`3e0`, 3, ""},
		{`"3"`, 3, ""},
		{`-0`, 0, ""},
		{`9007199254740991`, high, ""},
		{`-9007199254740991`, -high, ""},
		{`9007199254740992`, 0, problem.NumberMax},
		{`9007199254740993`, 0, problem.NumberMax},
		{`9007199254740991.4`, 0, problem.NumberCoerce},
		{`1e300`, 0, problem.NumberMax},
		{`-1e300`, 0, problem.NumberMin},
		{`1e999999999`, 0, problem.NumberCoerce},
		{`1.5`, 0, problem.NumberCoerce},
		{`"1.5"`, 0, problem.NumberCoerce},
		{`"+3"`, 0, problem.NumberCoerce},
		{`"18446744073709551615"`, 0, problem.NumberMax},
		{`"-18446744073709551615"`, 0, problem.NumberMin},
		{`1` + strings.Repeat("0", 500), 0, problem.NumberMax},
		{`"+18446744073709551615"`, 0, problem.NumberCoerce},
		{`"three"`, 0, problem.NumberCoerce},
		{`true`, 0, problem.NumberCoerce},
		{`[]`, 0, problem.NumberCoerce},
	} {
		v, err := form.Parse([]byte(tt.give))
		if err != nil {
			t.Fatal(err)
		}
		var tree problem.Tree
		got, ok := form.AsInt(&tree, v, -high, high)
		if ok != (tt.code == "") || got != tt.want {
			t.Errorf("AsInt(%s) = %v, %v, want %v", tt.give, got, ok, tt.want)
		}
		if codes := tree.Flat()[""]; !ok && (len(codes) != 1 || codes[0] != tt.code) {
			t.Errorf("AsInt(%s) notes %v, want %v", tt.give, codes, tt.code)
		}
	}
}

func TestAsWhole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		give string
		want int64
		ok   bool
	}{
		{`3`, 3, true},
		{`3.0`, 3, true},
		{`"3"`, 3, true},
		{`1e300`, math.MaxInt64, true},
		{`-1e300`, math.MinInt64, true},
		{`99999999999999999999`, math.MaxInt64, true},
		{`3.5`, 0, false},
		{`null`, 0, false},
	} {
		v, err := form.Parse([]byte(tt.give))
		if err != nil {
			t.Fatal(err)
		}
		var tree problem.Tree
		got, ok := form.AsWhole(&tree, v)
		if got != tt.want || ok != tt.ok || tree.Failed() == tt.ok {
			t.Errorf("AsWhole(%s) = %v, %v, want %v, %v", tt.give, got, ok, tt.want, tt.ok)
		}
	}
}

func TestAsItems(t *testing.T) {
	t.Parallel()
	const most = 3
	for _, tt := range []struct {
		name, give string
		items      int
		want       map[string][]problem.Code
	}{
		{"list", `[{"a":1},{"a":2}]`, 2, map[string][]problem.Code{}},
		{"empty list", `[]`, 0, map[string][]problem.Code{}},
		{"too many", `[{"a":1},{"a":1},{"a":1},{"a":1}]`, 3, map[string][]problem.Code{"": {problem.MaxLength}}},
		{"null, empty and no object", `[null,{},7]`, 3, map[string][]problem.Code{
			"0": {problem.ListItemRequired}, "1": {problem.ListItemRequired}, "2": {problem.ModelConvert},
		}},
		{"object", `{"a":1,"b":2}`, 0, map[string][]problem.Code{"0": {problem.ModelConvert}, "1": {problem.ModelConvert}}},
		{"large object", `{"a":1,"b":2,"c":3,"d":4}`, 0, map[string][]problem.Code{
			"0": {problem.ModelConvert}, "1": {problem.ModelConvert}, "2": {problem.ModelConvert},
		}},
		{"empty object", `{}`, 0, map[string][]problem.Code{"": {problem.ListConvert}}},
		{"string", `"x"`, 0, map[string][]problem.Code{"": {problem.ListConvert}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, err := form.Parse([]byte(tt.give))
			if err != nil {
				t.Fatal(err)
			}
			var tree problem.Tree
			items, _ := form.AsItems(&tree, v, most)
			for i, item := range items {
				form.AsItem(tree.Index(i), item)
			}
			if len(items) != tt.items {
				t.Errorf("AsItems() returns %d items, want %d", len(items), tt.items)
			}
			if diff := cmp.Diff(tt.want, tree.Flat()); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAsFloat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		give string
		want float64
		code problem.Code
	}{
		{`0.1`, 0.1, ""},
		{`9007199254740992`, 1 << 53, ""},
		{`9007199254740994`, 0, problem.NumberMax},
		{`-9007199254740994`, 0, problem.NumberMin},
		{`1e999`, 0, problem.NumberMax},
		{`"1"`, 0, problem.NumberCoerce},
		{`null`, 0, problem.NumberCoerce},
	} {
		v, err := form.Parse([]byte(tt.give))
		if err != nil {
			t.Fatal(err)
		}
		var tree problem.Tree
		got, ok := form.AsFloat(&tree, v, -(1 << 53), 1<<53)
		if ok != (tt.code == "") || math.Abs(got-tt.want) > 0 {
			t.Errorf("AsFloat(%s) = %v, %v, want %v", tt.give, got, ok, tt.want)
		}
		if codes := tree.Flat()[""]; !ok && (len(codes) != 1 || codes[0] != tt.code) {
			t.Errorf("AsFloat(%s) notes %v, want %v", tt.give, codes, tt.code)
		}
	}
}

func TestReadersNoteUnderTheirPath(t *testing.T) {
	t.Parallel()
	v, err := form.Parse([]byte(`{"s":1,"b":"yes","l":{},"o":[],"d":3,"id":"ping","big":"9223372036854775808"}`))
	if err != nil {
		t.Fatal(err)
	}
	var tree problem.Tree
	form.AsString(tree.At("s"), v.Get("s"))
	form.AsBool(tree.At("b"), v.Get("b"))
	form.AsList(tree.At("l"), v.Get("l"))
	form.AsObject(tree.At("o").Index(0), v.Get("o"))
	form.AsDict(tree.At("d"), v.Get("d"))
	form.AsID[snowflake.User](tree.At("id"), v.Get("id"))
	form.AsID[snowflake.User](tree.At("big"), v.Get("big"))
	want := map[string][]problem.Code{
		"s": {problem.StringConvert}, "b": {problem.BooleanConvert}, "l": {problem.ListConvert},
		"o.0": {problem.ModelConvert}, "d": {problem.DictConvert},
		"id": {problem.NumberCoerce}, "big": {problem.NumberMax},
	}
	if diff := cmp.Diff(want, tree.Flat()); diff != "" {
		t.Errorf("findings differ (-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.50,"x",null,{"b":false}]}`, `"\u0000"`, `[[[[1e5]]]]`, `{"a":1,"a":{}}`, ` 0 `} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := form.Parse(in)
		if err != nil {
			if !errors.Is(err, form.ErrInvalid) {
				t.Errorf("Parse(%q) = %v, want ErrInvalid", in, err)
			}
			return
		}
		if v.Kind() == form.Absent {
			t.Errorf("Parse(%q) is absent", in)
		}
		if len(v.String()) > 500 {
			t.Errorf("Parse(%q) shows %d bytes", in, len(v.String()))
		}
	})
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	body := []byte(`{"name":"roll","description":"Roll dice","options":[{"type":4,"name":"sides","description":"How many",` +
		`"required":true},{"type":3,"name":"kind","description":"Which","choices":[{"name":"A","value":"a"},{"name":"B","value":"b"}]}]}`)
	for b.Loop() {
		if _, err := form.Parse(body); err != nil {
			b.Fatal(err)
		}
	}
}
