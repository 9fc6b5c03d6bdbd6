package world_test

import (
	"errors"
	"testing"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/problem"
	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	t.Parallel()
	value := func(text string) form.Value {
		v, err := form.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	got, err := world.Read[world.User](value(`{"id":"200","username":"ada","token":null}`))
	if want := (world.User{ID: 200, Username: "ada", Locale: "en-US"}); err != nil || got != want {
		t.Errorf("Read() = %+v, %v, want %+v", got, err, want)
	}
	for text, want := range map[string]map[string][]problem.Code{
		`{"id":"x","usename":"ada"}`:       {"id": {problem.NumberCoerce}, "usename": {world.UnknownKey}, "username": {problem.Required}},
		`{"id":1,"id":2,"username":"ada"}`: {"id": {world.Duplicate}},
		`[]`:                               {"": {problem.ModelConvert}},
	} {
		_, err := world.Read[world.User](value(text))
		tree, ok := errors.AsType[*problem.Tree](err)
		if !ok {
			t.Errorf("Read(%s) = %v, want a tree", text, err)
			continue
		}
		got := tree.Flat()
		if text == `[]` {
			delete(got, "id") // of what is no mapping, members are missing too
			delete(got, "username")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Read(%s) (-want +got):\n%s", text, diff)
		}
	}
}
