package jsonbody_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
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
		{"as deep as allowed", strings.Repeat("[", jsonbody.MaxDepth) + strings.Repeat("]", jsonbody.MaxDepth), true},
		{"too deep", strings.Repeat("[", jsonbody.MaxDepth+1) + strings.Repeat("]", jsonbody.MaxDepth+1), false},
		{"leading zero", `01`, false},
		{"as many values as allowed", "[" + strings.Repeat("9,", jsonbody.MaxValues-2) + "9]", true},
		{"too many values", "[" + strings.Repeat("9,", jsonbody.MaxValues-1) + "9]", false},
		{"NaN", `NaN`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := jsonbody.Parse([]byte(tt.give))
			if (err == nil) != tt.ok {
				t.Errorf("Parse(%.40q) = %v, want ok %v", tt.give, err, tt.ok)
			}
			if err != nil && !errors.Is(err, jsonbody.ErrInvalid) {
				t.Errorf("Parse(%.40q) = %v, want ErrInvalid", tt.give, err)
			}
		})
	}
}

func TestDuplicateNamesLastWins(t *testing.T) {
	t.Parallel()
	v, err := jsonbody.Parse([]byte(`{"a":1,"a":2}`))
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
		v, err := jsonbody.Parse([]byte(tt.give))
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
		if _, err := jsonbody.Parse([]byte(bad)); !errors.Is(err, jsonbody.ErrInvalid) {
			t.Errorf("Parse(%s) = %v, want ErrInvalid", bad, err)
		}
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	v, err := jsonbody.Parse([]byte(`{"a":1,"b":2}`))
	if err != nil {
		t.Fatal(err)
	}
	over, err := jsonbody.Parse([]byte(`{"b":3,"c":4}`))
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
		code jsonbody.Code
	}{
		{`3`, 3, ""},
		{`3.0`, 3, ""},
		{`3e0`, 3, ""},
		{`"3"`, 3, ""},
		{`-0`, 0, ""},
		{`9007199254740991`, high, ""},
		{`-9007199254740991`, -high, ""},
		{`9007199254740992`, 0, jsonbody.NumberMax},
		{`9007199254740993`, 0, jsonbody.NumberMax},
		{`9007199254740991.4`, 0, jsonbody.NumberCoerce},
		{`1e300`, 0, jsonbody.NumberMax},
		{`-1e300`, 0, jsonbody.NumberMin},
		{`1e999999999`, 0, jsonbody.NumberCoerce},
		{`1.5`, 0, jsonbody.NumberCoerce},
		{`"1.5"`, 0, jsonbody.NumberCoerce},
		{`"+3"`, 0, jsonbody.NumberCoerce},
		{`"18446744073709551615"`, 0, jsonbody.NumberMax},
		{`"-18446744073709551615"`, 0, jsonbody.NumberMin},
		{`1` + strings.Repeat("0", 500), 0, jsonbody.NumberMax},
		{`"+18446744073709551615"`, 0, jsonbody.NumberCoerce},
		{`"three"`, 0, jsonbody.NumberCoerce},
		{`true`, 0, jsonbody.NumberCoerce},
		{`[]`, 0, jsonbody.NumberCoerce},
	} {
		v, err := jsonbody.Parse([]byte(tt.give))
		if err != nil {
			t.Fatal(err)
		}
		var tree jsonbody.Tree
		got, ok := jsonbody.AsInt(&tree, v, -high, high)
		if ok != (tt.code == "") || got != tt.want {
			t.Errorf("AsInt(%s) = %v, %v, want %v", tt.give, got, ok, tt.want)
		}
		if codes := tree.Flat()[""]; !ok && (len(codes) != 1 || codes[0] != tt.code) {
			t.Errorf("AsInt(%s) reports %v, want %v", tt.give, codes, tt.code)
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
		v, err := jsonbody.Parse([]byte(tt.give))
		if err != nil {
			t.Fatal(err)
		}
		var tree jsonbody.Tree
		got, ok := jsonbody.AsWhole(&tree, v)
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
		want       map[string][]jsonbody.Code
	}{
		{"list", `[{"a":1},{"a":2}]`, 2, map[string][]jsonbody.Code{}},
		{"empty list", `[]`, 0, map[string][]jsonbody.Code{}},
		{"too many", `[{"a":1},{"a":1},{"a":1},{"a":1}]`, 3, map[string][]jsonbody.Code{"": {jsonbody.MaxLength}}},
		{"null, empty and no object", `[null,{},7]`, 3, map[string][]jsonbody.Code{
			"0": {jsonbody.ListItemRequired}, "1": {jsonbody.ListItemRequired}, "2": {jsonbody.ModelConvert},
		}},
		{"object", `{"a":1,"b":2}`, 0, map[string][]jsonbody.Code{"0": {jsonbody.ModelConvert}, "1": {jsonbody.ModelConvert}}},
		{"large object", `{"a":1,"b":2,"c":3,"d":4}`, 0, map[string][]jsonbody.Code{
			"0": {jsonbody.ModelConvert}, "1": {jsonbody.ModelConvert}, "2": {jsonbody.ModelConvert},
		}},
		{"empty object", `{}`, 0, map[string][]jsonbody.Code{"": {jsonbody.ListConvert}}},
		{"string", `"x"`, 0, map[string][]jsonbody.Code{"": {jsonbody.ListConvert}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, err := jsonbody.Parse([]byte(tt.give))
			if err != nil {
				t.Fatal(err)
			}
			var tree jsonbody.Tree
			items, _ := jsonbody.AsItems(&tree, v, most)
			for i, item := range items {
				jsonbody.AsItem(tree.Index(i), item)
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
		code jsonbody.Code
	}{
		{`0.1`, 0.1, ""},
		{`9007199254740992`, 1 << 53, ""},
		{`9007199254740994`, 0, jsonbody.NumberMax},
		{`-9007199254740994`, 0, jsonbody.NumberMin},
		{`1e999`, 0, jsonbody.NumberMax},
		{`"1"`, 0, jsonbody.NumberCoerce},
		{`null`, 0, jsonbody.NumberCoerce},
	} {
		v, err := jsonbody.Parse([]byte(tt.give))
		if err != nil {
			t.Fatal(err)
		}
		var tree jsonbody.Tree
		got, ok := jsonbody.AsFloat(&tree, v, -(1 << 53), 1<<53)
		if ok != (tt.code == "") || math.Abs(got-tt.want) > 0 {
			t.Errorf("AsFloat(%s) = %v, %v, want %v", tt.give, got, ok, tt.want)
		}
		if codes := tree.Flat()[""]; !ok && (len(codes) != 1 || codes[0] != tt.code) {
			t.Errorf("AsFloat(%s) reports %v, want %v", tt.give, codes, tt.code)
		}
	}
}

func TestReadersReportPaths(t *testing.T) {
	t.Parallel()
	v, err := jsonbody.Parse([]byte(`{"s":1,"b":"yes","l":{},"o":[],"d":3,"id":"ping","big":"9223372036854775808"}`))
	if err != nil {
		t.Fatal(err)
	}
	var tree jsonbody.Tree
	jsonbody.AsString(tree.At("s"), v.Get("s"))
	jsonbody.AsBool(tree.At("b"), v.Get("b"))
	jsonbody.AsList(tree.At("l"), v.Get("l"))
	jsonbody.AsObject(tree.At("o").Index(0), v.Get("o"))
	jsonbody.AsDict(tree.At("d"), v.Get("d"))
	jsonbody.AsID[userID](tree.At("id"), v.Get("id"))
	jsonbody.AsID[userID](tree.At("big"), v.Get("big"))
	want := map[string][]jsonbody.Code{
		"s": {jsonbody.StringConvert}, "b": {jsonbody.BooleanConvert}, "l": {jsonbody.ListConvert},
		"o.0": {jsonbody.ModelConvert}, "d": {jsonbody.DictConvert},
		"id": {jsonbody.NumberCoerce}, "big": {jsonbody.NumberMax},
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
		v, err := jsonbody.Parse(in)
		if err != nil {
			if !errors.Is(err, jsonbody.ErrInvalid) {
				t.Errorf("Parse(%q) = %v, want ErrInvalid", in, err)
			}
			return
		}
		if v.Kind() == jsonbody.Absent {
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
		if _, err := jsonbody.Parse(body); err != nil {
			b.Fatal(err)
		}
	}
}
