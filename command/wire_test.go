package command_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// register returns the command that a body defines.
func register(t testing.TB, body string, env command.Env, id uint64) (command.Command, command.Definition) {
	t.Helper()
	d := parse(t, body, env)
	scope := command.Scope{Application: 1300000000000000001}
	if env.Guild {
		scope.Guild = 1200000000000000001
	}
	return command.Command{
		ID: snowflake.Command(id), Scope: scope, Version: snowflake.Version(id + 1), Type: d.Type, Name: d.Name, Doc: d.Doc(),
	}, d
}

// TestWire compares commands with golden files: as responses to writes, and in lists for three locales.
func TestWire(t *testing.T) {
	t.Parallel()
	const everyOption = `"options":[
		{"type":3,"name":"text","description":"A text","required":true,"min_length":0,"max_length":6000,"name_localizations":{"de":"wort","en-GB":"text"}},
		{"type":3,"name":"pick","description":"A choice","description_localizations":{"de":"Eine Wahl","es-ES":"Una opción"},
			"choices":[{"name":"One","value":"1","name_localizations":{"de":"Eins"}},{"name":"Two","value":""}]},
		{"type":4,"name":"count","description":"An integer","min_value":-9007199254740991,"max_value":9007199254740991,
			"choices":[{"name":"None","value":0},{"name":"Many","value":1e3}]},
		{"type":5,"name":"flag","description":"A boolean","required":false},
		{"type":6,"name":"who","description":"A user"},
		{"type":7,"name":"where","description":"A channel","channel_types":[15,0,5,0]},
		{"type":8,"name":"role","description":"A role"},
		{"type":9,"name":"any","description":"A mention"},
		{"type":10,"name":"much","description":"A number","min_value":-0.0,"max_value":0.000001,"choices":[{"name":"Tiny","value":1e-7},{"name":"Half","value":0.50}]},
		{"type":3,"name":"find","description":"Typed ahead","autocomplete":true},
		{"type":11,"name":"file","description":"An attachment","file_types":["Image",".PNG"]}]`
	for _, tt := range []struct {
		name, rule, body string
		env              command.Env
	}{
		{"chat-input-global", "Application command object", `{"name":"price","description":"Show a price","options":[{"type":3,"name":"item","description":"Item name","required":true}]}`, plainApp},
		{"chat-input-guild", "Application command object", `{"name":"tools","description":"Staff tools","default_member_permissions":32}`, inGuild},
		{"user", "Application command object", `{"type":2,"name":"Show Card","contexts":[0,2],"integration_types":[0,1]}`, anyApp},
		{"message", "Application command object", `{"type":3,"name":"Quote <this> & \"that\"\u2028","name_localizations":{"fr":"Citer","de":"Zitieren"},"nsfw":true}`, anyApp},
		{"entry-point", "Entry point", `{"type":4,"name":"Launch","handler":2}`, anyApp},
		{"every-option", "Option object", `{"name":"all","description":"Everything",` + everyOption + `}`, anyApp},
		{
			"subcommands", "States and transitions", `{"name":"staff","description":"Staff","default_permission":false,"dm_permission":false,
				"options":[{"type":2,"name":"note","description":"Notes","options":[
					{"type":1,"name":"add","description":"Add one","options":[{"type":3,"name":"text","description":"What","required":true}]},
					{"type":1,"name":"list","description":"List them","options":[]}]},
				{"type":1,"name":"help","description":"Help","description_localizations":{"de":"Hilfe"}}]}`, plainApp,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, d := register(t, tt.body, tt.env, 1400000000000000001)
			var got bytes.Buffer
			got.WriteString("# " + tt.rule + "\n" + string(c.AppendJSON(nil)) + "\n")
			for _, code := range []locale.Code{"de", "en-US", "es-419"} {
				got.WriteString("# listed in " + code + "\n" + string(c.AppendListed(nil, &d, code)) + "\n")
			}
			golden(t, filepath.Join("testdata", "wire", tt.name+".txt"), got.Bytes())
		})
	}
}

// golden compares got with a file, or rewrites the file with -update.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// TestWireSamples compares commands with known samples of each type. The order of members does not matter.
func TestWireSamples(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		env        command.Env
		id         uint64
		listed     bool
		want       string
	}{
		{
			"CHAT_INPUT, global, created",
			`{"name":"price","description":"Show a price","options":[{"type":3,"name":"item","description":"Item name","required":true}]}`,
			plainApp, 1400000000000000001, false,
			`{"id":"1400000000000000001","application_id":"1300000000000000001","version":"1400000000000000002",
			"default_member_permissions":null,"type":1,"name":"price","name_localizations":null,
			"description":"Show a price","description_localizations":null,"dm_permission":true,"contexts":null,
			"integration_types":[0],"options":[{"type":3,"name":"item","name_localizations":null,
			"description":"Item name","description_localizations":null,"required":true}],"nsfw":false}`,
		},
		{
			"CHAT_INPUT, guild, listed", `{"name":"tools","description":"Staff tools","default_member_permissions":"32"}`,
			inGuild, 1400000000000000003, true,
			`{"id":"1400000000000000003","application_id":"1300000000000000001","version":"1400000000000000004",
			"default_member_permissions":"32","type":1,"name":"tools","name_localized":"tools",
			"description":"Staff tools","description_localized":"Staff tools",
			"guild_id":"1200000000000000001","nsfw":false}`,
		},
		{
			"USER, global", `{"type":2,"name":"Show Card","contexts":[2,0],"dm_permission":true}`,
			anyApp, 1400000000000000005, false,
			`{"id":"1400000000000000005","application_id":"1300000000000000001","version":"1400000000000000006",
			"default_member_permissions":null,"type":2,"name":"Show Card","name_localizations":null,"description":"",
			"description_localizations":null,"dm_permission":false,"contexts":[0,2],"integration_types":[0,1],"nsfw":false}`,
		},
		{
			"PRIMARY_ENTRY_POINT", `{"type":4,"name":"Launch","handler":2}`,
			anyApp, 1400000000000000007, false,
			`{"id":"1400000000000000007","application_id":"1300000000000000001","version":"1400000000000000008",
			"default_member_permissions":null,"type":4,"name":"Launch","name_localizations":null,"description":"",
			"description_localizations":null,"dm_permission":true,"contexts":null,"integration_types":[0,1],
			"nsfw":false,"handler":2}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, d := register(t, tt.body, tt.env, tt.id)
			got := c.AppendJSON(nil)
			if tt.listed {
				got = c.AppendListed(nil, &d, locale.EnglishUS)
			}
			if diff := cmp.Diff(canonical(t, []byte(tt.want)), canonical(t, got)); diff != "" {
				t.Errorf("wire form differs (-want +got):\n%s", diff)
			}
			if !tt.env.Guild && compact(t, tt.want) != string(got) {
				t.Errorf("order of members differs:\n got %s\nwant %s", got, compact(t, tt.want))
			}
		})
	}
}

// canonical returns JSON with sorted members.
func canonical(t testing.TB, b []byte) string {
	t.Helper()
	v := jsontext.Value(bytes.Clone(b))
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return string(v)
}

func compact(t testing.TB, s string) string {
	t.Helper()
	v := jsontext.Value(s)
	if err := v.Compact(); err != nil {
		t.Fatal(err)
	}
	return string(v)
}

// TestFieldPresence checks which members a command and its options have in responses.
func TestFieldPresence(t *testing.T) {
	t.Parallel()
	const rule = "Application command object"
	for _, tt := range []struct {
		name, body   string
		env          command.Env
		has, without []string
	}{
		{"global", chat(`"x":1`), anyApp, []string{`"dm_permission":true`, `"contexts":null`, `"integration_types":[0,1]`, `"nsfw":false`, `"name_localizations":null`}, []string{"guild_id", "options", "handler", `"default_permission"`}},
		{"guild", chat(`"dm_permission":true`), inGuild, []string{`"guild_id":"1200000000000000001"`, `"nsfw":false`, `"default_member_permissions":null`}, []string{"dm_permission", "contexts", "integration_types", "handler"}},
		{"guild, what has no effect", chat(`"dm_permission":false,"contexts":[1],"integration_types":[0]`), inGuild, []string{`"dm_permission":false,"contexts":[1],"integration_types":[0]`}, nil},
		{"no options", chat(`"options":[]`), anyApp, nil, []string{"options"}},
		{"default_permission as given", chat(`"default_permission":true`), anyApp, []string{`"default_permission":true`}, nil},
		{"default_permission false", chat(`"default_permission":false`), inGuild, []string{`"default_permission":false`, `"default_member_permissions":"0"`}, nil},
		{"default_permission null", chat(`"default_permission":null`), anyApp, nil, []string{`"default_permission"`}},
		{"empty localizations", chat(`"name_localizations":{},"description_localizations":{}`), anyApp, []string{`"name_localizations":null`, `"description_localizations":null`}, nil},
		{"localizations as sent", chat(`"name_localizations":{"en-US":"do","de":"tu"}`), anyApp, []string{`"name_localizations":{"de":"tu","en-US":"do"}`}, nil},
		{"permissions are a text", chat(`"default_member_permissions":8`), anyApp, []string{`"default_member_permissions":"8"`}, nil},
		{"description of a menu", `{"type":3,"name":"A"}`, anyApp, []string{`"description":""`}, nil},
		{"option", withOption(`"type":3,"required":false,"autocomplete":false,"choices":[],"channel_types":null`), anyApp, []string{`{"type":3,"name":"opt","name_localizations":null,"description":"an option","description_localizations":null}`}, nil},
		{"option of zeros", withOption(`"type":4,"min_value":0,"max_value":0`), anyApp, []string{`"min_value":0,"max_value":0`}, nil},
		{"lengths of zero", withOption(`"type":3,"min_length":0`), anyApp, []string{`"min_length":0`}, []string{"max_length"}},
		{"true flags", withOption(`"type":3,"required":true,"autocomplete":true`), anyApp, []string{`"required":true,"autocomplete":true`}, nil},
		{"subcommand", withOption(`"type":1,"options":[]`), anyApp, []string{`{"type":1,"name":"opt"`}, []string{`"options":[]`}},
		{"choice", withOption(`"type":3,"choices":[{"name":"c","value":"v"}]`), anyApp, []string{`"choices":[{"name":"c","name_localizations":null,"value":"v"}]`}, nil},
		{"entry point", `{"type":4,"name":"L"}`, anyApp, []string{`"handler":1`}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _ := register(t, tt.body, tt.env, 1400000000000000001)
			got := string(c.AppendJSON(nil))
			for _, want := range tt.has {
				if !strings.Contains(got, want) {
					t.Errorf("%s: %s lacks %s", rule, got, want)
				}
			}
			for _, word := range tt.without {
				if strings.Contains(got, word) {
					t.Errorf("%s: %s has %s", rule, got, word)
				}
			}
		})
	}
}

func TestAppendListed(t *testing.T) {
	t.Parallel()
	const body = `{"name":"color","description":"A color","name_localizations":{"en-GB":"colour","es-ES":"color","de":"farbe"},
		"description_localizations":{"de":"Eine Farbe"},
		"options":[{"type":3,"name":"shade","description":"A shade","name_localizations":{"de":"ton"},
			"description_localizations":{"es-ES":"Un tono"},
			"choices":[{"name":"Grey","value":"g","name_localizations":{"de":"Grau","en-US":"Gray","en-GB":"Grey"}}]}]}`
	c, d := register(t, body, anyApp, 1400000000000000001)
	for _, tt := range []struct {
		name string
		code locale.Code
		has  []string
	}{
		{"own language", "de", []string{`"name":"color","name_localized":"farbe"`, `"description_localized":"Eine Farbe"`, `"name":"shade","name_localized":"ton"`, `"name_localized":"Grau"`}},
		{"fallback of en-US", "en-US", []string{`"name_localized":"colour"`, `"name":"Grey","name_localized":"Gray"`}},
		{"own value like the default", "en-GB", []string{`"name_localized":"colour"`, `"name":"Grey","name_localized":"Grey"`}},
		{"fallback like the default", "es-419", []string{`"description_localized":"Un tono"`, `"name":"color","name_localized":"color"`}},
		{"no value", "ja", []string{`"name":"color","name_localized":"color"`, `"name":"Grey","name_localized":"Grey"`}},
		{"no language", "", []string{`"name":"color","name_localized":"color"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := string(c.AppendListed([]byte("x"), &d, tt.code))
			if !strings.HasPrefix(got, `x{"id":"1400000000000000001",`) {
				t.Errorf("AppendListed() = %s, want it appended", got)
			}
			for _, want := range tt.has {
				if !strings.Contains(got, want) {
					t.Errorf("Localization rules: %s lacks %s", got, want)
				}
			}
			if strings.Contains(got, "_localizations") {
				t.Errorf("Localization rules: %s has localizations", got)
			}
		})
	}
}

func TestLocalized(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]bool{
		chat(`"x":1`):                                          false,
		withOption(`"type":3`):                                 false,
		chat(`"name_localizations":{}`):                        false,
		chat(`"name_localizations":{"de":"x"}`):                true,
		chat(`"description_localizations":{"de":"x"}`):         true,
		withOption(`"type":3,"name_localizations":{"de":"x"}`): true,
		withOption(`"type":3,"choices":[{"name":"a","value":"b","name_localizations":{"de":"x"}}]`):                       true,
		withOption(`"type":1,"options":[{"type":5,"name":"a","description":"b","description_localizations":{"de":"x"}}]`): true,
		withOption(`"type":1,"options":[{"type":3,"name":"a","description":"b","choices":[{"name":"a","value":"b"}]}]`):   false,
	} {
		if got := parse(t, give, anyApp).Localized(); got != want {
			t.Errorf("Localized() of %s = %v, want %v", give, got, want)
		}
	}
}

// TestNumbersAreJavaScript checks that numbers are printed as JavaScript prints them. Canonical JSON does the same.
func TestNumbersAreJavaScript(t *testing.T) {
	t.Parallel()
	check := func(t interface{ Fatalf(string, ...any) }, f float64) {
		doc := command.Definition{Options: []command.Option{{MinValue: &f}}}.Doc()
		v := jsontext.Value(bytes.Clone(doc))
		if err := v.Canonicalize(jsontext.CanonicalizeRawFloats(true)); err != nil {
			t.Fatalf("%s: %v", doc, err)
		}
		_, got, _ := strings.Cut(string(doc), `"min_value":`)
		_, want, _ := strings.Cut(string(v), `"min_value":`)
		if number := got[:strings.IndexByte(got, '}')]; number != want[:strings.IndexAny(want, ",}")] {
			t.Fatalf("%v is written %s, want %s", f, number, want)
		}
	}
	for _, f := range []float64{0, 1, -1, 0.1, 1e-6, 1e-7, 1.5e-10, -1e-100, 1e20, 1e21, 123456789012345680000, 1 << 53, 5e-324} {
		check(t, f)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, rapid.Float64().Draw(t, "number")) })
}

func TestDefinitionRefuses(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{``, `{`, `[]`, `null`, `{}`, `{"type":1}`, `{"name":"x","type":9}`} {
		if d, err := reread([]byte(doc), false); err == nil {
			t.Errorf("Definition() of %s = %v, want an error", doc, d)
		}
	}
}

// TestDefinitionOfTheWireForm checks that a command can be read in the form that the API shows.
func TestDefinitionOfTheWireForm(t *testing.T) {
	t.Parallel()
	for _, env := range []command.Env{anyApp, inGuild} {
		c, d := register(t, full, env, 7)
		got, err := reread(c.AppendJSON(nil), false)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, got); diff != "" {
			t.Errorf("definition differs (-want +got):\n%s", diff)
		}
	}
}

// TestAppendJSONShowsEveryLocalization checks that localizations which documents omit appear as null, exactly once,
// for any text.
func TestAppendJSONShowsEveryLocalization(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`plain`, `"`, `\`, `\"`, `"\`, `":"`, `"name":"`, `x","name":"y`, `x","name_localizations":null,"`, `"description":"`, `\\","description":"\`, `é☂"`,
	} {
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := register(t, strings.ReplaceAll(`{"name":"a","description":TEXT,"options":[
			{"type":3,"name":"b","description":TEXT,"description_localizations":{"de":TEXT,"fr":"name"},"choices":[
				{"name":TEXT,"value":TEXT},{"name":"d","name_localizations":{"de":TEXT},"value":"name"}]}]}`, "TEXT", string(quoted)), plainApp, 7)
		want := strings.ReplaceAll(`{"id":"7","application_id":"1300000000000000001","version":"8","default_member_permissions":null,"type":1,`+
			`"name":"a","name_localizations":null,"description":TEXT,"description_localizations":null,`+
			`"dm_permission":true,"contexts":null,"integration_types":[0],"options":[{"type":3,"name":"b","name_localizations":null,`+
			`"description":TEXT,"description_localizations":{"de":TEXT,"fr":"name"},"choices":[{"name":TEXT,"name_localizations":null,"value":TEXT},`+
			`{"name":"d","name_localizations":{"de":TEXT},"value":"name"}]}],"nsfw":false}`, "TEXT", string(quoted))
		got := c.AppendJSON(nil)
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: AppendJSON() differs (-want +got):\n%s", text, diff)
		}
		_, shown, _ := bytes.Cut(got, []byte(`"version":"8",`))
		c.Doc = append([]byte(`{`), shown...) // the form of older documents
		if again := c.AppendJSON(nil); !bytes.Equal(again, got) {
			t.Errorf("%s: AppendJSON() of a document with nulls = %s, want %s", text, again, got)
		}
	}
}

// TestDefinitionChecksNoRules checks that a stored command stays readable when a rule becomes stricter.
func TestDefinitionChecksNoRules(t *testing.T) {
	t.Parallel()
	d, err := reread([]byte(`{"type":1,"name":"Old Name","description":"","integration_types":[0],"dm_permission":true}`), false)
	if err != nil || d.Name != "Old Name" {
		t.Errorf("Definition() = %v, %v", d, err)
	}
}

func TestEntryPoint(t *testing.T) {
	t.Parallel()
	const launch = `{"type":4,"name":"Launch","handler":2}`
	d := parse(t, launch, command.Env{Supported: []command.IntegrationType{1, 0}, Embedded: true})
	if err := command.Validate(d); err != nil {
		t.Errorf("Entry point: Validate() = %v", err)
	}
	const want = `{"default_member_permissions":null,"type":4,"name":"Launch","description":"",` +
		`"dm_permission":true,"contexts":null,"integration_types":[0,1],"nsfw":false,"handler":2}`
	if got := string(d.Doc()); got != want {
		t.Errorf("Entry point: Doc() = %s, want %s", got, want)
	}
	if got := parse(t, launch, command.Env{Embedded: true}).IntegrationTypes; len(got) != 1 || got[0] != command.GuildInstall {
		t.Errorf("Entry point: integration types of a new application = %v, want [0]", got)
	}
}
