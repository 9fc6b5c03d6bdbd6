package jsonbody_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// plain converts a value to the form of encoding/json, with numbers as json.Number.
func plain(v jsonbody.Value) any {
	switch v.Kind() {
	case jsonbody.Bool:
		return v.String() == "true"
	case jsonbody.Number:
		return json.Number(v.Text())
	case jsonbody.String:
		return v.Text()
	case jsonbody.List:
		list := []any{}
		for _, item := range v.Items() {
			list = append(list, plain(item))
		}
		return list
	case jsonbody.Object:
		object := map[string]any{}
		for _, m := range v.Members() {
			object[m.Name] = plain(m.Value)
		}
		return object
	case jsonbody.Absent, jsonbody.Null:
	}
	return nil
}

// document draws a JSON document.
func document(depth int) *rapid.Generator[any] {
	scalar := rapid.OneOf(
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Float64Range(-1e9, 1e9).AsAny(), rapid.Int().AsAny(),
		rapid.String().AsAny(), rapid.SampledFrom([]string{`\`, `"`, `\"`, `a\`, "\u2028", "<>&", "\x00", `\u0041`}).AsAny(),
	)
	if depth == 0 {
		return scalar
	}
	return rapid.OneOf(scalar,
		rapid.SliceOfN(document(depth-1), 0, 4).AsAny(),
		rapid.MapOfN(rapid.String(), document(depth-1), 0, 4).AsAny())
}

// TestParseAgreesWithStandardLibrary compares Parse with encoding/json for random documents.
func TestParseAgreesWithStandardLibrary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := document(4).Draw(t, "document")
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "with blanks") {
			if text, err = json.MarshalIndent(want, "\r", "\t "); err != nil {
				t.Fatal(err)
			}
		}
		v, err := jsonbody.Parse(text)
		if err != nil {
			t.Fatalf("Parse(%s) = %v", text, err)
		}
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.UseNumber()
		var again any
		if err := d.Decode(&again); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(again, plain(v)); diff != "" {
			t.Fatalf("Parse(%s) differs (-want +got):\n%s", text, diff)
		}
	})
}
