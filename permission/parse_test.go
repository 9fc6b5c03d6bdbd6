package permission_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/problem"
	"github.com/google/go-cmp/cmp"
)

// TestParseEntries goes through the rules on the body that replaces a set, one each.
func TestParseEntries(t *testing.T) {
	t.Parallel()
	one := []permission.Entry{{ID: 5, Type: permission.ForUser, Allow: true}}
	const entry = `{"id":"5","type":2,"permission":true}`
	list := func(n int) string {
		return `{"permissions":[` + strings.TrimSuffix(strings.Repeat(entry+",", n), ",") + `]}`
	}
	hundred := make([]permission.Entry, permission.MaxEntries)
	for i := range hundred {
		hundred[i] = one[0]
	}
	for _, tt := range []struct {
		name string
		body string
		want []permission.Entry
		err  map[string][]problem.Code
	}{
		{name: "one entry", body: list(1), want: one},
		{name: "ids and types as either kind", body: `{"permissions":[{"id":5,"type":"2","permission":true,"more":1}]}`, want: one},
		{name: "up to 100", body: list(100), want: hundred},
		{name: "empty list", body: `{"permissions":[]}`},
		{name: "null", body: `{"permissions":null}`},
		{name: "no body", err: map[string][]problem.Code{"permissions": {problem.Required}}},
		{name: "permissions missing", body: `{}`, err: map[string][]problem.Code{"permissions": {problem.Required}}},
		{name: "no object", body: `[]`, err: map[string][]problem.Code{"": {problem.ModelConvert}}},
		{name: "no list", body: `{"permissions":5}`, err: map[string][]problem.Code{"permissions": {problem.ListConvert}}},
		{name: "over 100", body: list(101), err: map[string][]problem.Code{"permissions": {problem.MaxLength}}},
		{name: "item not object", body: `{"permissions":[5]}`, err: map[string][]problem.Code{"permissions.0": {problem.ModelConvert}}},
		{name: "item null", body: `{"permissions":[null]}`, err: map[string][]problem.Code{"permissions.0": {problem.ListItemRequired}}},
		{name: "item empty", body: `{"permissions":[` + entry + `,{}]}`, err: map[string][]problem.Code{"permissions.1": {problem.ListItemRequired}}},
		{name: "members missing or null", body: `{"permissions":[{"id":null}]}`, err: map[string][]problem.Code{
			"permissions.0.id": {problem.Required}, "permissions.0.type": {problem.Required}, "permissions.0.permission": {problem.Required},
		}},
		{name: "members of wrong kinds", body: `{"permissions":[{"id":"x","type":4,"permission":"yes"},{"id":true,"type":"x","permission":1}]}`, err: map[string][]problem.Code{
			"permissions.0.id": {problem.NumberCoerce}, "permissions.0.type": {problem.Choices}, "permissions.0.permission": {problem.BooleanConvert},
			"permissions.1.id": {problem.NumberCoerce}, "permissions.1.type": {problem.NumberCoerce}, "permissions.1.permission": {problem.BooleanConvert},
		}},
		{name: "type 0", body: `{"permissions":[{"id":"5","type":0,"permission":true}]}`, err: map[string][]problem.Code{"permissions.0.type": {problem.Choices}}},
		{name: "id out of range", body: `{"permissions":[{"id":"9223372036854775808","type":1,"permission":true}]}`, err: map[string][]problem.Code{"permissions.0.id": {problem.NumberMax}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var body form.Value
			if tt.body != "" {
				var err error
				if body, err = form.Parse([]byte(tt.body)); err != nil {
					t.Fatal(err)
				}
			}
			got, err := permission.ParseEntries(body)
			var found map[string][]problem.Code
			if tree, ok := errors.AsType[*problem.Tree](err); ok {
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
