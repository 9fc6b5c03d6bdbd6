package world_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	t.Parallel()
	value := func(text string) jsonbody.Value {
		v, err := jsonbody.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	got, err := world.Read[world.User](value(`{"id":"200","username":"ada","token":null}`))
	if want := (world.User{ID: 200, Username: "ada", Locale: "en-US"}); err != nil || got != want {
		t.Errorf("Read() = %+v, %v, want %+v", got, err, want)
	}
	for text, want := range map[string]map[string][]jsonbody.Code{
		`{"id":"x","usename":"ada"}`:       {"id": {jsonbody.NumberCoerce}, "usename": {world.UnknownKey}, "username": {jsonbody.Required}},
		`{"id":1,"id":2,"username":"ada"}`: {"id": {world.Duplicate}},
		`[]`:                               {"": {jsonbody.ModelConvert}},
	} {
		_, err := world.Read[world.User](value(text))
		tree, ok := errors.AsType[*jsonbody.Tree](err)
		if !ok {
			t.Errorf("Read(%s) = %v, want a tree", text, err)
			continue
		}
		got := tree.Flat()
		if text == `[]` {
			delete(got, "id") // a value that is no mapping also misses its members
			delete(got, "username")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Read(%s) (-want +got):\n%s", text, diff)
		}
	}
}
