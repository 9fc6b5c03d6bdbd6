package command_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/google/go-cmp/cmp"
)

// full is a CHAT_INPUT command with every member.
const full = `{"options":[{"type":4,"name":"sides","description":"How many","required":true,"min_value":2,"max_value":100},
	{"type":3,"name":"label","description":"Name it","choices":[{"name":"A","value":"a"}]}],` + fullButOptions

const fullButOptions = `"type":1,"name":"roll","name_localizations":{"de":"wurf","fr":"lancer"},
	"description":"Roll dice","description_localizations":{"de":"Würfle"},
	"default_member_permissions":"32","default_permission":true,"dm_permission":false,"nsfw":true,
	"integration_types":[0,1],"contexts":[0,2]}`

func TestAmend(t *testing.T) {
	t.Parallel()
	const entry = `{"type":4,"name":"Launch","handler":2}`
	const menu = `{"type":2,"name":"Card"}`
	for _, tt := range []struct {
		name, old, give, want string // want: the body of a new command that equals the result
	}{
		{"nothing", full, `{}`, full},
		{"unknown members", full, `{"id":"7","guild_id":"8"}`, full},
		{"the same name", full, `{"name":"roll"}`, full},
		{"name", full, `{"name":"throw"}`, strings.Replace(full, `"roll"`, `"throw"`, 1)},
		{"a map replaces the whole map", full, `{"name_localizations":{"it":"tira"}}`, strings.Replace(full, `{"de":"wurf","fr":"lancer"}`, `{"it":"tira"}`, 1)},
		{"null clears names", full, `{"name_localizations":null}`, strings.Replace(full, `{"de":"wurf","fr":"lancer"}`, `null`, 1)},
		{"empty map clears names", full, `{"name_localizations":{}}`, strings.Replace(full, `{"de":"wurf","fr":"lancer"}`, `null`, 1)},
		{"null clears descriptions", full, `{"description_localizations":null}`, strings.Replace(full, `{"de":"Würfle"}`, `null`, 1)},
		{
			"options replace the list", full, `{"options":[{"type":5,"name":"hidden","description":"Hide"}]}`,
			`{"options":[{"type":5,"name":"hidden","description":"Hide"}],` + fullButOptions,
		},
		{"null clears options", full, `{"options":null}`, `{` + fullButOptions},
		{"empty list clears options", full, `{"options":[]}`, `{` + fullButOptions},
		{"null clears permissions", full, `{"default_member_permissions":null}`, strings.Replace(full, `"32"`, `null`, 1)},
		{"administrators only", full, `{"default_member_permissions":"0"}`, strings.Replace(full, `"32"`, `"0"`, 1)},
		{"nsfw null", full, `{"nsfw":null}`, strings.Replace(full, `"nsfw":true`, `"nsfw":false`, 1)},
		{"default_permission null", full, `{"default_permission":null}`, strings.Replace(full, `"default_permission":true`, `"default_permission":null`, 1)},
		{"integration types null", full, `{"integration_types":null}`, full},
		{"integration types", full, `{"integration_types":[1]}`, strings.Replace(full, `"integration_types":[0,1]`, `"integration_types":[1]`, 1)},
		{"type is ignored", full, `{"type":2}`, full},
		{"type of no kind is ignored", full, `{"type":"x"}`, full},
		{"handler", entry, `{"handler":1}`, `{"type":4,"name":"Launch","handler":1}`},
		{"handler null", entry, `{"handler":null}`, `{"type":4,"name":"Launch","handler":1}`},
		{"handler stays", entry, `{"name":"Start"}`, `{"type":4,"name":"Start","handler":2}`},
		{"description of a menu", menu, `{"description":""}`, menu},
		{"null description of a menu", menu, `{"description":null}`, menu},
		{"case of a menu's name", menu, `{"name":"card"}`, `{"type":2,"name":"card"}`},

		{"contexts recompute the flag", full, `{"contexts":[0,1]}`, strings.Replace(full, `"contexts":[0,2]`, `"contexts":[0,1]`, 1)},
		{"contexts null keeps the flag", full, `{"contexts":null}`, strings.Replace(full, `"contexts":[0,2]`, `"contexts":null`, 1)},
		{
			"contexts null keeps the computed flag", chat(`"contexts":[1]`), `{"contexts":null}`, chat(`"dm_permission":true`),
		},
		{"contexts null with a flag", chat(`"contexts":[1]`), `{"contexts":null,"dm_permission":false}`, chat(`"dm_permission":false`)},
		{"flag adds bot DMs", chat(`"contexts":[0,2]`), `{"dm_permission":true}`, chat(`"contexts":[0,1,2]`)},
		{"flag removes bot DMs", chat(`"contexts":[0,1,2]`), `{"dm_permission":false}`, chat(`"contexts":[0,2]`)},
		{"flag null adds bot DMs", chat(`"contexts":[0]`), `{"dm_permission":null}`, chat(`"contexts":[0,1]`)},
		{"flag without effect", chat(`"contexts":[0]`), `{"dm_permission":false}`, chat(`"contexts":[0]`)},
		{"contexts win over the flag", chat(`"contexts":[0]`), `{"contexts":[0,2],"dm_permission":true}`, chat(`"contexts":[0,2]`)},
		{"flag without contexts", chat(`"x":1`), `{"dm_permission":false}`, chat(`"dm_permission":false`)},
		{"flag null without contexts", chat(`"dm_permission":false`), `{"dm_permission":null}`, chat(`"x":1`)},

		{"older flag closes", chat(`"x":1`), `{"default_permission":false}`, chat(`"default_permission":false`)},
		{
			"older flag beside stored permissions", chat(`"default_member_permissions":"8"`), `{"default_permission":false}`,
			chat(`"default_permission":false,"default_member_permissions":"8"`),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := parse(t, tt.old, anyApp).Amend([]byte(tt.give), anyApp)
			if err != nil {
				t.Fatalf("States and transitions: Amend() = %v", err)
			}
			if diff := cmp.Diff(parse(t, tt.want, anyApp), got); diff != "" {
				t.Errorf("States and transitions: definition differs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAmendDefaultPermission checks that the permissions "0" which default_permission false has set end with it, and
// that the permissions "0" of a request stay.
func TestAmendDefaultPermission(t *testing.T) {
	t.Parallel()
	const closed, zero = `"default_permission":false`, `"default_permission":false,"default_member_permissions":"0"`
	for _, tt := range []struct{ name, old, give, want string }{
		{"true undoes the 0", closed, `{"default_permission":true}`, `"default_permission":true`},
		{"null undoes the 0", closed, `{"default_permission":null}`, `"x":1`},
		{"another change keeps the 0", closed, `{"nsfw":true}`, closed + `,"nsfw":true`},
		{"permissions replace the 0", closed, `{"default_member_permissions":"8"}`, closed + `,"default_member_permissions":"8"`},
		{"null permissions keep the 0", closed, `{"default_member_permissions":null}`, closed},
		{"an explicit 0 takes the place of the 0", closed, `{"default_member_permissions":"0"}`, zero},
		{"null permissions take the place of an explicit 0", zero, `{"default_member_permissions":null}`, closed},
		{"null permissions leave the older flag", closed + `,"default_member_permissions":"8"`, `{"default_member_permissions":null}`, closed},
		{"true keeps an explicit 0", zero, `{"default_permission":true}`, `"default_permission":true,"default_member_permissions":"0"`},
		{"null keeps an explicit 0", zero, `{"default_permission":null}`, `"default_member_permissions":"0"`},
	} {
		for scope, env := range map[string]command.Env{"global": anyApp, "guild": inGuild} {
			t.Run(tt.name+", "+scope, func(t *testing.T) {
				t.Parallel()
				got, err := parse(t, chat(tt.old), env).Amend([]byte(tt.give), env)
				if err != nil {
					t.Fatalf("Application command object: Amend() = %v", err)
				}
				if diff := cmp.Diff(parse(t, chat(tt.want), env), got); diff != "" {
					t.Errorf("Application command object: definition differs (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestAmendRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, old, give string
		want            faults
	}{
		{"no object", full, `[]`, faults{"": {jsonbody.ModelConvert}}},
		{"name null", full, `{"name":null}`, faults{"name": {jsonbody.Required}}},
		{"name empty", full, `{"name":""}`, faults{"name": {jsonbody.BadLength}}},
		{"name pattern", full, `{"name":"a b"}`, faults{"name": {jsonbody.StringRegex, invalidName}}},
		{"description null", full, `{"description":null}`, faults{"description": {jsonbody.Required}}},
		{"description empty", full, `{"description":""}`, faults{"description": {jsonbody.BadLength}}},
		{"description of a menu", `{"type":3,"name":"A"}`, `{"description":"x"}`, faults{"description": {menuDescriptionInvalid}}},
		{"options of a menu", `{"type":3,"name":"A"}`, `{"options":[{}]}`, faults{"options": {menuOptionsInvalid}}},
		{"permissions empty", full, `{"default_member_permissions":""}`, faults{"default_member_permissions": {jsonbody.NumberCoerce}}},
		{"integration types empty", full, `{"integration_types":[]}`, faults{"integration_types": {jsonbody.MinLength}}},
		{"contexts empty", full, `{"contexts":[]}`, faults{"contexts": {jsonbody.MinLength}}},
		{"flag would leave no contexts", chat(`"contexts":[1]`), `{"dm_permission":false}`, faults{"contexts": {jsonbody.MinLength}}},
		{"handler of CHAT_INPUT", full, `{"handler":1}`, faults{"handler": {handlerInvalid}}},
		{"all at once", full, `{"name":"","nsfw":7,"contexts":[9]}`, faults{
			"name": {jsonbody.BadLength}, "nsfw": {jsonbody.BooleanConvert}, "contexts.0": {jsonbody.Choices},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := parse(t, tt.old, anyApp).Amend([]byte(tt.give), anyApp)
			if diff := cmp.Diff(tt.want, faultsOf(t, err)); diff != "" {
				t.Errorf("States and transitions: findings differ (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAmendKeepsIntegrationTypes checks that commands keep integration types that the application no longer supports.
func TestAmendKeepsIntegrationTypes(t *testing.T) {
	t.Parallel()
	old := parse(t, chat(`"integration_types":[0,1]`), anyApp)
	d, err := old.Amend([]byte(`{"nsfw":true}`), plainApp)
	if err != nil {
		t.Fatalf("%s: Amend() = %v", contextRule, err)
	}
	if diff := cmp.Diff(old.IntegrationTypes, d.IntegrationTypes); diff != "" {
		t.Errorf("%s: integration types differ (-want +got):\n%s", contextRule, diff)
	}
	_, err = old.Amend([]byte(`{"integration_types":[0,1]}`), plainApp)
	if diff := cmp.Diff(faults{"integration_types.1": {jsonbody.Choices}}, faultsOf(t, err)); diff != "" {
		t.Errorf("%s: findings differ (-want +got):\n%s", contextRule, diff)
	}
	d, err = old.Amend([]byte(`{"integration_types":null}`), plainApp)
	if err != nil || len(d.IntegrationTypes) != 1 {
		t.Errorf("%s: null gives %v, %v, want what the application supports", contextRule, d.IntegrationTypes, err)
	}
}

func TestAmendWithoutBody(t *testing.T) {
	t.Parallel()
	old := parse(t, full, anyApp)
	d, err := old.Amend(nil, anyApp)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(old, d); diff != "" {
		t.Errorf("Amend() without a body changes the definition (-old +new):\n%s", diff)
	}
}

// TestAmendEntryPointOfHiddenActivities checks that an entry point can be amended while the application has no
// activities.
func TestAmendEntryPointOfHiddenActivities(t *testing.T) {
	t.Parallel()
	d, err := parse(t, `{"type":4,"name":"Launch","handler":2}`, anyApp).Amend([]byte(`{"name":"Start"}`), plainApp)
	if err != nil || d.Name != "Start" || d.Type != command.PrimaryEntryPoint {
		t.Errorf("Entry point: Amend() = %v, %v", d, err)
	}
}

// TestAvailabilityInGuild checks that guild commands keep contexts, integration_types and dm_permission, which have no
// effect there.
func TestAvailabilityInGuild(t *testing.T) {
	t.Parallel()
	const given = `"contexts":[2,1],"dm_permission":false,"integration_types":[1]`
	for _, tt := range []struct{ name, old, give, want string }{
		{"as given", given, `{}`, `,"dm_permission":false,"contexts":[1,2],"integration_types":[1]`},
		{"no defaults", `"dm_permission":true`, `{}`, ``},
		{"changed", given, `{"contexts":[0],"integration_types":[0,1],"dm_permission":true}`, `,"contexts":[0],"integration_types":[0,1]`},
		{"the older flag leaves contexts alone", `"contexts":[0,1]`, `{"dm_permission":false}`, `,"dm_permission":false,"contexts":[0,1]`},
		{"null clears", given, `{"contexts":null,"dm_permission":null,"integration_types":null}`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, err := parse(t, chat(tt.old), inGuild).Amend([]byte(tt.give), inGuild)
			if err != nil {
				t.Fatal(err)
			}
			want := `{"default_member_permissions":null,"type":1,"name":"do","description":"does it"` + tt.want + `,"nsfw":false}`
			if got := string(d.Doc()); got != want {
				t.Errorf("%s: Doc() = %s, want %s", contextRule, got, want)
			}
			if !d.AvailableIn(command.InGuild) || d.AvailableIn(command.InBotDM) || d.AvailableIn(command.InPrivateChannel) {
				t.Errorf("%s: the command is not available exactly in its guild", contextRule)
			}
		})
	}
}
