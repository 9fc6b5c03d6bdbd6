package permissions_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/permissions"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/google/go-cmp/cmp"
)

// TestParseEntries breaks each rule for the body once.
func TestParseEntries(t *testing.T) {
	t.Parallel()
	one := []permission.Entry{{ID: 5, Type: permission.ForUser, Allow: true}}
	const entry = `{"id":"5","type":2,"permission":true}`
	list := func(n int) string {
		return `{"permissions":[` + strings.TrimSuffix(strings.Repeat(entry+",", n), ",") + `]}`
	}
	hundred := make([]permission.Entry, 100)
	for i := range hundred {
		hundred[i] = one[0]
	}
	for _, tt := range []struct {
		name string
		body string
		want []permission.Entry
		err  map[string][]jsonbody.Code
	}{
		{name: "one entry", body: list(1), want: one},
		{name: "ids and types as either kind", body: `{"permissions":[{"id":5,"type":"2","permission":true,"more":1}]}`, want: one},
		{name: "up to 100", body: list(100), want: hundred},
		{name: "empty list", body: `{"permissions":[]}`},
		{name: "null", body: `{"permissions":null}`},
		{name: "no body", err: map[string][]jsonbody.Code{"permissions": {jsonbody.Required}}},
		{name: "permissions missing", body: `{}`, err: map[string][]jsonbody.Code{"permissions": {jsonbody.Required}}},
		{name: "no object", body: `[]`, err: map[string][]jsonbody.Code{"": {jsonbody.ModelConvert}}},
		{name: "no list", body: `{"permissions":5}`, err: map[string][]jsonbody.Code{"permissions": {jsonbody.ListConvert}}},
		{name: "over 100", body: list(101), err: map[string][]jsonbody.Code{"permissions": {jsonbody.MaxLength}}},
		{name: "item not object", body: `{"permissions":[5]}`, err: map[string][]jsonbody.Code{"permissions.0": {jsonbody.ModelConvert}}},
		{name: "item null", body: `{"permissions":[null]}`, err: map[string][]jsonbody.Code{"permissions.0": {jsonbody.ListItemRequired}}},
		{name: "item empty", body: `{"permissions":[` + entry + `,{}]}`, err: map[string][]jsonbody.Code{"permissions.1": {jsonbody.ListItemRequired}}},
		{name: "members missing or null", body: `{"permissions":[{"id":null}]}`, err: map[string][]jsonbody.Code{
			"permissions.0.id": {jsonbody.Required}, "permissions.0.type": {jsonbody.Required}, "permissions.0.permission": {jsonbody.Required},
		}},
		{name: "members of wrong kinds", body: `{"permissions":[{"id":"x","type":4,"permission":"yes"},{"id":true,"type":"x","permission":1}]}`, err: map[string][]jsonbody.Code{
			"permissions.0.id": {jsonbody.NumberCoerce}, "permissions.0.type": {jsonbody.Choices}, "permissions.0.permission": {jsonbody.BooleanConvert},
			"permissions.1.id": {jsonbody.NumberCoerce}, "permissions.1.type": {jsonbody.NumberCoerce}, "permissions.1.permission": {jsonbody.BooleanConvert},
		}},
		{name: "type 0", body: `{"permissions":[{"id":"5","type":0,"permission":true}]}`, err: map[string][]jsonbody.Code{"permissions.0.type": {jsonbody.Choices}}},
		{name: "id out of range", body: `{"permissions":[{"id":"9223372036854775808","type":1,"permission":true}]}`, err: map[string][]jsonbody.Code{"permissions.0.id": {jsonbody.NumberMax}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var body jsonbody.Value
			if tt.body != "" {
				var err error
				if body, err = jsonbody.Parse([]byte(tt.body)); err != nil {
					t.Fatal(err)
				}
			}
			got, err := permissions.ParseEntries(body)
			var found map[string][]jsonbody.Code
			if tree, ok := errors.AsType[*jsonbody.Tree](err); ok {
				found = tree.Flat()
			} else if err != nil {
				t.Fatalf("ParseEntries() = %v", err)
			}
			if diff := cmp.Diff(tt.err, found); diff != "" {
				t.Errorf("PUT validation (-want +got):\n%s", diff)
			}
			if tt.err == nil && (len(got) != len(tt.want) || len(got) > 0 && cmp.Diff(tt.want, got) != "") {
				t.Errorf("ParseEntries() = %v, want %v", got, tt.want)
			}
		})
	}
}
