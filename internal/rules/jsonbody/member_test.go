package jsonbody_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/google/go-cmp/cmp"
)

// userID is an id type as the callers of the package have them.
type userID uint64

func TestReadMember(t *testing.T) {
	t.Parallel()
	text := func(need bool, low, high int) func(*jsonbody.Tree, jsonbody.Value) any {
		return func(t *jsonbody.Tree, v jsonbody.Value) any { return jsonbody.ReadText(t, v, "a", need, low, high) }
	}
	id := func(need bool) func(*jsonbody.Tree, jsonbody.Value) any {
		return func(t *jsonbody.Tree, v jsonbody.Value) any { return jsonbody.ReadID[userID](t, v, "a", need) }
	}
	number := func(t *jsonbody.Tree, v jsonbody.Value) any { return jsonbody.ReadInt(t, v, "a", 1, 9) }
	for _, tt := range []struct {
		name, give string
		read       func(*jsonbody.Tree, jsonbody.Value) any
		want       any
		codes      []jsonbody.Code
	}{
		{"text", `{"a":"é"}`, text(true, 1, 1), "é", nil},
		{"text missing", `{}`, text(true, 1, 1), "", []jsonbody.Code{jsonbody.Required}},
		{"text null", `{"a":null}`, text(true, 1, 1), "", []jsonbody.Code{jsonbody.Required}},
		{"text that may be absent", `{"a":null}`, text(false, 1, 1), "", nil},
		{"text too long", `{"a":"éé"}`, text(true, 1, 1), "éé", []jsonbody.Code{jsonbody.BadLength}},
		{"text that may be empty too long", `{"a":"éé"}`, text(true, 0, 1), "éé", []jsonbody.Code{jsonbody.MaxLength}},
		{"text without bound", `{"a":"éé"}`, text(true, 1, -1), "éé", nil},
		{"text is a number", `{"a":5}`, text(true, 0, 1), "", []jsonbody.Code{jsonbody.StringConvert}},
		{"id", `{"a":"5"}`, id(true), userID(5), nil},
		{"id missing", `{}`, id(true), userID(0), []jsonbody.Code{jsonbody.Required}},
		{"id that may be absent", `{}`, id(false), userID(0), nil},
		{"id is none", `{"a":"x"}`, id(false), userID(0), []jsonbody.Code{jsonbody.NumberCoerce}},
		{"integer", `{"a":9}`, number, int64(9), nil},
		{"integer absent", `{}`, number, int64(0), nil},
		{"integer too large", `{"a":10}`, number, int64(0), []jsonbody.Code{jsonbody.NumberMax}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v, err := jsonbody.Parse([]byte(tt.give))
			if err != nil {
				t.Fatal(err)
			}
			var tree jsonbody.Tree
			got := tt.read(&tree, v)
			if diff := cmp.Diff(tt.codes, tree.Flat()["a"]); diff != "" {
				t.Errorf("findings differ (-want +got):\n%s", diff)
			}
			if got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestIsTrue(t *testing.T) {
	t.Parallel()
	v := jsonbody.ObjectOf(jsonbody.Member{Name: "yes", Value: jsonbody.BoolOf(true)}, jsonbody.Member{Name: "no", Value: jsonbody.BoolOf(false)}, jsonbody.Member{Name: "word", Value: jsonbody.StringOf("true")})
	for key, want := range map[string]bool{"yes": true, "no": false, "word": false, "gone": false} {
		if got := jsonbody.IsTrue(v, key); got != want {
			t.Errorf("IsTrue(%s) = %v, want %v", key, got, want)
		}
	}
}
