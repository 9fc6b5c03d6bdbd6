package roleconnection_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/internal/rules/roleconnection"
	"github.com/bellhop/bellhop/internal/testkit/rules"
	"github.com/google/go-cmp/cmp"
)

type codes = rules.Codes

// Guilds, section 15: at most five records, each with a type from 1 to 8, a key, a name and a description.
func TestReadRecords(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return `"` + strings.Repeat("a", n) + `"` }
	for _, c := range []struct {
		name, give string
		want       []roleconnection.Record
		problems   codes
	}{
		{"null", `null`, nil, nil},
		{"one", `[{"type":8,"key":"a_1","name":"A","name_localizations":{"de":"B","fr":null},"description":"C","description_localizations":{}}]`, []roleconnection.Record{
			{Type: 8, Key: "a_1", Name: "A", NameLocalizations: locale.Map{"de": "B"}, Description: "C"},
		}, nil},
		{"no list", `5`, nil, codes{"": {jsonbody.ListConvert}}},
		{"nothing in it", `[{"x":1}]`, nil, codes{
			"0.type": {jsonbody.Required}, "0.key": {jsonbody.Required}, "0.name": {jsonbody.Required}, "0.description": {jsonbody.Required},
		}},
		{"limits", `[{"type":0,"key":` + long(51) + `,"name":` + long(101) + `,"description":` + long(201) + `}]`, nil, codes{
			"0.type": {jsonbody.Choices}, "0.key": {jsonbody.BadLength}, "0.name": {jsonbody.BadLength}, "0.description": {jsonbody.BadLength},
		}},
		{"form of a key", `[{"type":1,"key":"a-b","name":"A","description":"B"}]`, nil, codes{"0.key": {jsonbody.StringRegex}}},
		{"unknown locale", `[{"type":1,"key":"a","name":"A","description":"B","name_localizations":{"xx":"C"}}]`, nil, codes{"0.name_localizations.xx": {jsonbody.Choices}}},
		{"long translation", `[{"type":1,"key":"a","name":"A","description":"B","name_localizations":{"de":` + long(101) + `}}]`, nil, codes{"0.name_localizations.de": {jsonbody.BadLength}}},
		{"keys twice", `[{"type":1,"key":"a","name":"A","description":"B"},{"type":1,"key":"a","name":"A","description":"B"}]`, nil, codes{"1.key": {roleconnection.KeyTaken}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := roleconnection.ReadRecords(rules.Parse(t, c.give))
			if diff := cmp.Diff(c.problems, rules.Findings(t, err)); diff != "" && (err != nil || c.problems != nil) {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.want, got); err == nil && diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Guilds, section 15: values are strings of up to 100 characters. Numbers and booleans become strings.
func TestReadConnection(t *testing.T) {
	t.Parallel()
	got, err := roleconnection.ReadConnection(rules.Parse(t, `{"platform_name":"A","metadata":{"n":12,"yes":true,"no":false,"text":"x"}}`))
	want := roleconnection.Connection{PlatformName: "A", Metadata: map[string]string{"n": "12", "yes": "1", "no": "0", "text": "x"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if got, err := roleconnection.ReadConnection(rules.Parse(t, `{"platform_name":null,"metadata":null}`)); err != nil || !cmp.Equal(got, roleconnection.Connection{}) {
		t.Errorf("ReadConnection() = %+v, %v", got, err)
	}
	_, err = roleconnection.ReadConnection(rules.Parse(t, `{"platform_name":"`+strings.Repeat("a", 51)+`","platform_username":5,"metadata":{"A":"x","a":"","b":[]}}`))
	diff := cmp.Diff(codes{
		"platform_name": {jsonbody.MaxLength}, "platform_username": {jsonbody.StringConvert}, "metadata.A": {jsonbody.StringRegex},
		"metadata.a": {jsonbody.BadLength}, "metadata.b": {jsonbody.StringConvert},
	}, rules.Findings(t, err))
	if diff != "" {
		t.Error(diff)
	}
}

// FuzzRead checks that accepted records and connections keep the limits.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`[{"type":8,"key":"a_1","name":"A","name_localizations":{"de":"B","fr":null},"description":"C","description_localizations":{}}]`,
		`{"platform_name":"A","platform_username":"b","metadata":{"n":12,"yes":true,"no":false,"text":"x"}}`, `null`, `[null]`, `{"metadata":{"a":1e400}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := jsonbody.Parse(in)
		if err != nil {
			return
		}
		keys := map[string]bool{}
		if list, err := roleconnection.ReadRecords(v); err == nil {
			for _, r := range list {
				if keys[r.Key] || r.Key == "" || strings.ToLower(r.Key) != r.Key || len(r.Key) > 50 || r.Type < 1 || r.Type > 8 || jsonbody.Len(r.Name) > 100 ||
					jsonbody.Len(r.Description) > 200 {
					t.Errorf("ReadRecords() accepts %+v", r)
				}
				keys[r.Key] = true
				for code, text := range r.NameLocalizations {
					if !locale.Known(code) || text == "" || jsonbody.Len(text) > 100 {
						t.Errorf("ReadRecords() accepts the name %q in %q", text, code)
					}
				}
			}
			if len(list) > roleconnection.MaxRecords {
				t.Errorf("ReadRecords() accepts %d records", len(list))
			}
		}
		c, err := roleconnection.ReadConnection(v)
		if err != nil {
			return
		}
		if jsonbody.Len(c.PlatformName) > 50 || jsonbody.Len(c.PlatformUsername) > 100 || len(c.Metadata) > roleconnection.MaxRecords {
			t.Errorf("ReadConnection() accepts %+v", c)
		}
		for key, value := range c.Metadata {
			if key == "" || len(key) > 50 || value == "" || jsonbody.Len(value) > 100 {
				t.Errorf("ReadConnection() accepts %q: %q", key, value)
			}
		}
	})
}
