package command_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/go-json-experiment/json/jsontext"
)

func seeds() []string {
	return []string{
		full, chat(`"x":1`), withOption(`"type":1,"options":[{"type":3,"name":"a","description":"d"}]`),
		withOption(`"type":2,"options":[{"type":1,"name":"a","description":"d","options":[]}]`),
		withOption(`"type":10,"min_value":-0.0,"max_value":1e-7,"choices":[{"name":"c","value":1.50}]`),
		withOption(`"type":7,"channel_types":[16,0]`), withOption(`"type":11,"file_types":[".PNG"]`),
		withOption(`"type":3,"autocomplete":true,"min_length":0,"max_length":"6000"`),
		chat(`"name_localizations":{"de":"ö","ja":"骰子"},"contexts":[2,1],"integration_types":[1],"default_permission":false`),
		`{"type":2,"name":" \u2028 <A>","dm_permission":false}`, `{"type":4,"name":"Launch","handler":2}`,
		`{"type":9,"name":7,"options":{"a":1},"contexts":[]}`, `[]`, `null`,
	}
}

// FuzzParse checks that an accepted definition equals its document, keeps the limits and prints as JavaScript prints.
func FuzzParse(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, in []byte, guild bool) {
		env := anyApp
		env.Guild = guild
		d, err := command.Parse(in, env)
		if errors.Is(err, jsonbody.ErrInvalid) {
			return
		}
		if err != nil {
			if tree, ok := errors.AsType[*jsonbody.Tree](err); !ok || !tree.Failed() {
				t.Fatalf("Parse(%s) = %v, want a *jsonbody.Tree with findings", in, err)
			}
			return
		}
		checkAccepted(t, d)
		if err := command.Validate(d); err != nil {
			t.Errorf("Parse(%s) accepts what Validate refuses: %v", in, err)
		}
	})
}

func checkAccepted(t *testing.T, d command.Definition) {
	t.Helper()
	doc := d.Doc()
	if d.Size() > command.MaxSize {
		t.Errorf("%s has size %d", doc, d.Size())
	}
	again, err := reread(doc, d.Guild)
	if err != nil {
		t.Fatalf("Definition() of %s = %v", doc, err)
	}
	if !bytes.Equal(doc, again.Doc()) {
		t.Errorf("document differs:\n%s\n%s", doc, again.Doc())
	}
	v := jsontext.Value(bytes.Clone(doc))
	if !v.IsValid() {
		t.Fatalf("%s is not JSON", doc)
	}
	// Canonical JSON has the same strings and numbers in another order, so the lengths are equal.
	if err := v.Canonicalize(); err != nil || len(v) != len(doc) {
		t.Errorf("%s is not written as JavaScript would: %s, %v", doc, v, err)
	}
	same, err := d.Amend(nil, anyApp)
	if err != nil || !bytes.Equal(doc, same.Doc()) {
		t.Errorf("Amend(%s) with nothing = %s, %v", doc, same.Doc(), err)
	}
}

// FuzzParseList checks that registering an accepted list a second time changes nothing.
func FuzzParseList(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(`[`+s+`]`), false)
		f.Add([]byte(`[`+s+`,{"type":3,"name":"A","id":"7"}]`), true)
	}
	f.Fuzz(func(t *testing.T, in []byte, guild bool) {
		env := anyApp
		env.Guild = guild
		items, err := command.ParseList(in, env)
		if errors.Is(err, jsonbody.ErrInvalid) {
			return
		}
		if err != nil {
			if tree, ok := errors.AsType[*jsonbody.Tree](err); !ok || !tree.Failed() {
				t.Fatalf("ParseList(%s) = %v, want a *jsonbody.Tree with findings", in, err)
			}
			return
		}
		entries := 0
		current := make([]command.Command, len(items))
		for i, item := range items {
			checkAccepted(t, item.Definition)
			current[i] = command.Command{ID: item.ID + 1, Type: item.Type, Name: item.Name, Doc: item.Doc()}
			if item.Type == command.PrimaryEntryPoint {
				entries++
			}
			items[i].ID = 0
		}
		if entries > 1 {
			return // the service refuses a second entry point
		}
		changes, err := command.Diff(current, items)
		if err != nil || len(changes) != len(items) {
			t.Fatalf("Diff(%s) = %v, %v", in, words(changes), err)
		}
		for _, c := range changes {
			if !c.Kept() {
				t.Errorf("Diff(%s) changes an equal command: %v", in, words(changes))
			}
		}
	})
}
