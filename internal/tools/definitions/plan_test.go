package definitions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// planTime is when the plans are made.
var planTime = snowflake.Command(1200000000000000000).Time()

// parseDefinitions parses a YAML file.
func parseDefinitions(t *testing.T, text string) *command.File {
	t.Helper()
	f, syntax := command.ParseFile("f.yaml", []byte(text))
	if syntax != nil {
		t.Fatal(syntax)
	}
	return f
}

// registeredAs returns the commands of a file as a service shows them. Their ids count from first.
func registeredAs(t *testing.T, file string, first snowflake.Command) []Registered {
	t.Helper()
	return registeredIn(t, command.Scope{Application: 100}, file, first)
}

// registeredIn is like registeredAs in a scope.
func registeredIn(t *testing.T, scope command.Scope, file string, first snowflake.Command) []Registered {
	t.Helper()
	items, findings := parseDefinitions(t, file).Items(Permissive(!scope.Global()))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	list := make([]Registered, len(items))
	for i, item := range items {
		c := command.Command{
			ID: first + snowflake.Command(i), Scope: scope, Version: 1, Type: item.Type, Name: item.Name, Doc: effective(item.Definition).Doc(),
		}
		list[i] = Registered{Command: c, Raw: c.AppendJSON(nil)}
	}
	return list
}

// oldID is the id of a command that was created long before planTime.
const oldID = snowflake.Command(1100000000000000900)

func TestCompare(t *testing.T) {
	t.Parallel()
	const have = `
- {name: roll, description: Roll dice, options: [{type: 4, name: sides, description: How many}, {type: 4, name: count, description: x}]}
- {type: 2, name: Show Card}
`
	for _, tt := range []struct {
		name, have, file string
		options          Options
		losses           Losses
		want             string
		list             string
		losers           int
	}{
		{
			name: "nothing to do", have: have, file: have,
			want: "Nothing to change: 2 commands match the file.\n",
		},
		{
			name: "create, and the daily limit", have: "[]", file: `[{name: roll, description: x}]`,
			want: "  + /roll\n\nPlan: 1 to create, 0 to change, 0 to delete, 0 unchanged.\nDaily limit: 1 of 200 creates.\n",
			list: `[{"name":"roll","description":"x"}]`,
		},
		{
			name: "differences", have: have,
			file: `
- {name: roll, description: Roll many, nsfw: true, options: [{type: 4, name: sides, description: How many, max_value: 6}, {type: 3, name: why, description: y}]}
- {type: 2, name: Show Card}
`,
			want: `  ~ /roll (1100000000000000900)
      ~ description: "Roll dice" -> "Roll many"
      + options.sides.max_value: 6
      - options.count: {type: 4, name: "count", description: "x"}
      + options.why: {type: 3, name: "why", description: "y"}
      ~ nsfw: false -> true

Plan: 0 to create, 1 to change, 0 to delete, 1 unchanged.
`,
		},
		{
			name: "order of options", have: have,
			file: `
- {name: roll, description: Roll dice, options: [{type: 4, name: count, description: x}, {type: 4, name: sides, description: How many}]}
- {type: 2, name: Show Card}
`,
			want: "  ~ /roll (1100000000000000900)\n      ~ options.order: sides, count -> count, sides\n\nPlan: 0 to create, 1 to change, 0 to delete, 1 unchanged.\n",
		},
		{
			name: "a rename by id deletes permissions", have: have,
			file:   `[{id: "1100000000000000901", type: 2, name: Card}]`,
			losses: Losses{Lost: []Loss{{Guild: 300, Command: oldID + 1, Entries: 3}}},
			want: `  ~ user command "Show Card" becomes user command "Card" (1100000000000000901)
      ~ name: "Show Card" -> "Card"
      ! deletes its permissions in guild 300: 3 entries

Plan: 0 to create, 1 to change, 0 to delete, 0 unchanged.
Permissions: 3 entries of renamed and deleted commands will be deleted.
Not in the file, not changed: /roll
`,
			losers: 1,
		},
		{
			name: "without prune other commands stay and are sent along", have: `[{name: other, description: x, contexts: [0]}]`, file: `[{name: roll, description: y}]`,
			want: "  + /roll\n\nPlan: 1 to create, 0 to change, 0 to delete, 0 unchanged.\nDaily limit: 1 of 200 creates.\nNot in the file, not changed: /other\n",
			list: `[{"name":"roll","description":"y"},{"id":"1100000000000000900","default_member_permissions":null,"type":1,"name":"other","name_localizations":null,"description":"x","description_localizations":null,"dm_permission":false,"contexts":[0],"integration_types":[0,1],"nsfw":false}]`,
		},
		{
			name: "prune deletes the others", have: have, file: `[]`, options: Options{Prune: true},
			losses: Losses{Unread: "no guilds can be listed"},
			want: `  - /roll (1100000000000000900)
  - user command "Show Card" (1100000000000000901)

Plan: 0 to create, 0 to change, 2 to delete, 0 unchanged.
Permissions: renamed and deleted commands lose theirs. Not all could be read: no guilds can be listed.
`,
			losers: 2,
		},
		{
			name: "prune keeps the entry point", have: `[{type: 4, name: Launch, handler: 2}]`, file: `[]`, options: Options{Prune: true},
			want: "Nothing to change: 0 commands match the file.\nNot in the file, not changed: entry point \"Launch\"\n",
		},
		{
			name: "unknown integration types stay", have: `[{name: roll, description: x, integration_types: [1]}]`,
			file: `[{name: roll, description: x}]`, options: Options{SupportUnknown: true},
			want: "Nothing to change: 1 command matches the file.\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.options.Env, tt.options.Now = Permissive(false), planTime
			p, findings, err := Compare(parseDefinitions(t, tt.file), registeredAs(t, tt.have, oldID), tt.options)
			if err != nil || len(findings) > 0 {
				t.Fatalf("Compare() = %v, %v", findings, err)
			}
			var shown strings.Builder
			if err := p.Show(&shown, tt.losses); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, shown.String()); diff != "" {
				t.Errorf("the plan differs:\n%s", diff)
			}
			if got := p.Losers(); len(got) != tt.losers {
				t.Errorf("%d commands lose permissions, want %d", len(got), tt.losers)
			}
			if got := fmt.Sprintf("%s", p.List); tt.list != "" && strings.ReplaceAll(got, "} {", "},{") != tt.list {
				t.Errorf("sends %s, want %s", got, tt.list)
			}
		})
	}
}

// TestCompareInGuild checks that members without an effect on guild commands are no difference: Discord does not show
// them.
func TestCompareInGuild(t *testing.T) {
	t.Parallel()
	const bare, given = `[{name: roll, description: x}]`, `[{name: roll, description: x, contexts: [0, 1], integration_types: [0], dm_permission: false}]`
	for have, file := range map[string]string{bare: given, given: bare} {
		commands := registeredIn(t, command.Scope{Application: 100, Guild: 300}, have, oldID)
		p, findings, err := Compare(parseDefinitions(t, file), commands, Options{Env: Permissive(true), Now: planTime})
		if err != nil || len(findings) > 0 {
			t.Fatalf("Compare() = %v, %v", findings, err)
		}
		if len(p.Changes) != 1 || !p.Changes[0].Kept() {
			t.Errorf("%s registered, %s in the file: the plan changes the command", have, file)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("- {type: 2, name: NAME, id: \"1\"}\n", 16)
	for i := range 16 {
		many = strings.Replace(many, "NAME", fmt.Sprintf("n%d", i), 1)
	}
	for _, tt := range []struct{ name, file, want string }{
		{"an id of another type", `[{id: "1100000000000000900", type: 2, name: Roll}]`, "1:36: "},
		{"too many of a type", many, "maximum number of application commands reached (15)"},
		{"an invalid definition", `[{name: Roll, description: x}]`, "1:9: name: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			have := registeredAs(t, `[{name: roll, description: x}]`, oldID)
			_, findings, err := Compare(parseDefinitions(t, tt.file), have, Options{Env: Permissive(false), Now: planTime})
			if got := fmt.Sprint(findings, err); !strings.Contains(got, tt.want) {
				t.Errorf("Compare() = %s, want %q", got, tt.want)
			}
		})
	}
}

func TestPlanDailyLimit(t *testing.T) {
	t.Parallel()
	var have strings.Builder
	for i := range 99 {
		fmt.Fprintf(&have, "- {name: h%d, description: x}\n", i)
	}
	recent := snowflake.Command(uint64(planTime.Add(-time.Hour).UnixMilli()-snowflake.Epoch) << 22)
	file := parseDefinitions(t, `[{name: roll, description: x}]`)
	p, _, err := Compare(file, registeredAs(t, have.String(), recent), Options{Env: Permissive(false), Now: planTime})
	if err != nil || p.used != 99 {
		t.Fatalf("Compare() has %d creates used, %v, want 99", p.used, err)
	}
	p.used = 200
	var shown strings.Builder
	if err := p.Show(&shown, Losses{}); err != nil || !strings.Contains(shown.String(), "; at least 200 are used already.\n  ! This exceeds the daily limit") {
		t.Errorf("shown:\n%s", shown.String())
	}
}

// TestFormatDefinitions checks that a pulled file matches the service.
func TestFormatDefinitions(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../command/testdata/good/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		for asYAML, file := range map[bool]string{false: "f.json", true: "f.yaml"} {
			t.Run(filepath.Base(name)+" as "+file, func(t *testing.T) {
				t.Parallel()
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				have := registeredAs(t, string(data), oldID)
				text, err := Format(have, asYAML)
				if err != nil {
					t.Fatal(err)
				}
				f, syntax := command.ParseFile(file, text)
				if syntax != nil {
					t.Fatalf("%v in\n%s", syntax, text)
				}
				p, findings, err := Compare(f, have, Options{Env: Permissive(false), Now: planTime, Prune: true})
				if err != nil || len(findings) > 0 || !p.Empty() || p.Counts().Kept != len(have) {
					t.Errorf("%v %v %+v of\n%s", findings, err, p, text)
				}
				if strings.Contains(string(text), "application_id") || strings.Contains(string(text), "null") {
					t.Errorf("the file has unnecessary members:\n%s", text)
				}
			})
		}
	}
}
