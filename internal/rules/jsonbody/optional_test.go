package jsonbody_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/optional"
	"github.com/google/go-cmp/cmp"
)

func TestReadOptional(t *testing.T) {
	t.Parallel()
	v, err := jsonbody.Parse([]byte(`{"null":null,"text":"ab","long":"abc","n":3,"ids":["5",6,"5"],"bad":["x"],"time":"2026-01-02T03:04:05+01:00","yes":true,"soon":"soon"}`))
	if err != nil {
		t.Fatal(err)
	}
	var tree jsonbody.Tree
	text := jsonbody.Text(0, 2)
	for key, want := range map[string]optional.Value[string]{
		"gone": {}, "null": optional.Null[string](), "text": optional.Of("ab"), "long": optional.Of("abc"),
	} {
		if got := jsonbody.ReadOptional(&tree, v, key, text); got != want {
			t.Errorf("ReadOptional(%s) = %v, want %v", key, got, want)
		}
	}
	if got := jsonbody.ReadGiven(&tree, v, "null", text); !got.IsZero() {
		t.Errorf("ReadGiven(null) = %v, want absent", got)
	}
	if got := jsonbody.IDs[userID](0, 5)(tree.At("ids"), v.Get("ids")); len(got) != 2 || got[0] != 5 || got[1] != 6 {
		t.Errorf("IDs() = %v, want 5 and 6", got)
	}
	jsonbody.IDs[userID](0, 5)(tree.At("bad"), v.Get("bad"))
	jsonbody.IDs[userID](0, 2)(tree.At("many"), v.Get("ids"))
	jsonbody.OneOf(1, 2)(tree.At("n"), v.Get("n"))
	if got := jsonbody.Int(0, 3)(&tree, v.Get("n")); got != 3 {
		t.Errorf("Int() = %d, want 3", got)
	}
	if !jsonbody.Boolean(&tree, v.Get("yes")) || jsonbody.ID[userID](&tree, v.Get("n")) != 3 {
		t.Error("Boolean() or ID() differ")
	}
	if got, want := jsonbody.Time(&tree, v.Get("time")), time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC); !got.Equal(want) {
		t.Errorf("Time() = %v, want %v", got, want)
	}
	jsonbody.Time(tree.At("soon"), v.Get("soon"))
	want := map[string][]jsonbody.Code{
		"long": {jsonbody.MaxLength}, "bad.0": {jsonbody.NumberCoerce}, "many": {jsonbody.MaxLength}, "ids.2": {jsonbody.Repeated}, "n": {jsonbody.Choices}, "soon": {jsonbody.TimeInvalid},
	}
	if diff := cmp.Diff(want, tree.Flat()); diff != "" {
		t.Errorf("findings differ (-want +got):\n%s", diff)
	}
}
