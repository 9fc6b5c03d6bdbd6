package commandfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/commandfile"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

var now = snowflake.Command(1200000000000000000).Time()

// registered returns the commands of a file as a service would have them, with ids that count from first.
func registered(t *testing.T, file string, first snowflake.Command) []commandfile.Registered {
	t.Helper()
	f, fault := commandfile.Read("have.yaml", []byte(file))
	if fault != nil {
		t.Fatal(fault)
	}
	entries, faults := f.Entries(anywhere)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	list := make([]commandfile.Registered, len(entries))
	for i, e := range entries {
		c := command.Command{
			ID: first + snowflake.Command(i), Scope: command.Scope{Application: 100}, Version: 1, Type: e.Type, Name: e.Name, Doc: e.Doc(),
		}
		list[i] = commandfile.Registered{Command: c, Raw: c.AppendJSON(nil)}
	}
	return list
}

// old is the id of a command that was made long before now.
const old = snowflake.Command(1100000000000000900)

func TestPlan(t *testing.T) {
	t.Parallel()
	const have = `
- {name: roll, description: Roll dice, options: [{type: 4, name: sides, description: How many}, {type: 4, name: count, description: x}]}
- {type: 2, name: Show Card}
`
	for _, tt := range []struct {
		name, have, file string
		order            commandfile.Order
		price            commandfile.Price
		want             string
		list             string
		losers           int
	}{
		{
			name: "nothing to do", have: have, file: have,
			want: "Nothing to change: 2 commands are as the file has them.\n",
		},
		{
			name: "create, and the quota", have: "[]", file: `[{name: roll, description: x}]`,
			want: "  + /roll\n\nPlan: 1 to create, 0 to change, 0 to delete, 0 unchanged.\nDay quota: 1 of the 200 creates of a day.\n",
			list: `[{"name":"roll","description":"x"}]`,
		},
		{
			name: "field by field", have: have,
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
			name: "rename by id, and the permissions that go with it", have: have,
			file:  `[{id: "1100000000000000901", type: 2, name: Card}]`,
			price: commandfile.Price{Lost: []commandfile.Lost{{Guild: 300, Command: old + 1, Entries: 3}}},
			want: `  ~ user command "Show Card" becomes user command "Card" (1100000000000000901)
      ~ name: "Show Card" -> "Card"
      ! its permissions in guild 300 are lost: 3 entries

Plan: 0 to create, 1 to change, 0 to delete, 0 unchanged.
Permissions: 3 entries of renamed and deleted commands are lost for good.
Not in the file, and left as they are: /roll
`,
			losers: 1,
		},
		{
			name: "without prune others stay, and are sent along", have: `[{name: other, description: x, contexts: [0]}]`, file: `[{name: roll, description: y}]`,
			want: "  + /roll\n\nPlan: 1 to create, 0 to change, 0 to delete, 0 unchanged.\nDay quota: 1 of the 200 creates of a day.\nNot in the file, and left as they are: /other\n",
			list: `[{"name":"roll","description":"y"},{"id":"1100000000000000900","default_member_permissions":null,"type":1,"name":"other","name_localizations":null,"description":"x","description_localizations":null,"dm_permission":false,"contexts":[0],"integration_types":[0,1],"nsfw":false}]`,
		},
		{
			name: "with prune they go", have: have, file: `[]`, order: commandfile.Order{Prune: true},
			price: commandfile.Price{Unread: "no guilds can be listed"},
			want: `  - /roll (1100000000000000900)
  - user command "Show Card" (1100000000000000901)

Plan: 0 to create, 0 to change, 2 to delete, 0 unchanged.
Permissions: of renamed and deleted commands they are lost for good; which ones cannot be told: no guilds can be listed
`,
			losers: 2,
		},
		{
			name: "an entry point stays even so", have: `[{type: 4, name: Launch, handler: 2}]`, file: `[]`, order: commandfile.Order{Prune: true},
			want: "Nothing to change: 0 commands are as the file has them.\nNot in the file, and left as they are: entry point \"Launch\"\n",
		},
		{
			name: "what is not known of the app is left as it is", have: `[{name: roll, description: x, integration_types: [1]}]`,
			file: `[{name: roll, description: x}]`, order: commandfile.Order{Unsure: true},
			want: "Nothing to change: 1 commands are as the file has them.\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, fault := commandfile.Read("f.yaml", []byte(tt.file))
			if fault != nil {
				t.Fatal(fault)
			}
			tt.order.Env, tt.order.Now = anywhere, now
			p, faults, err := f.Plan(registered(t, tt.have, old), tt.order)
			if err != nil || len(faults) > 0 {
				t.Fatalf("Plan() = %v, %v", faults, err)
			}
			var shown strings.Builder
			if err := p.Show(&shown, tt.price); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, shown.String()); diff != "" {
				t.Errorf("the plan differs:\n%s", diff)
			}
			if len(p.Losers) != tt.losers {
				t.Errorf("%d commands lose permissions, want %d", len(p.Losers), tt.losers)
			}
			if got := fmt.Sprintf("%s", p.List); tt.list != "" && strings.ReplaceAll(got, "} {", "},{") != tt.list {
				t.Errorf("sends %s, want %s", got, tt.list)
			}
		})
	}
}

func TestPlanRefuses(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("- {type: 2, name: NAME, id: \"1\"}\n", 16)
	for i := range 16 {
		many = strings.Replace(many, "NAME", fmt.Sprintf("n%d", i), 1)
	}
	for _, tt := range []struct{ name, file, want string }{
		{"an id of another type", `[{id: "1100000000000000900", type: 2, name: Roll}]`, "f.yaml:1:"},
		{"too many of a type", many, "maximum number of application commands reached (15)"},
		{"a fault", `[{name: Roll, description: x}]`, "f.yaml:1:9: name: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, fault := commandfile.Read("f.yaml", []byte(tt.file))
			if fault != nil {
				t.Fatal(fault)
			}
			_, faults, err := f.Plan(registered(t, `[{name: roll, description: x}]`, old), commandfile.Order{Env: anywhere, Now: now})
			if said := fmt.Sprint(faults, err); !strings.Contains(said, tt.want) {
				t.Errorf("Plan() = %s, want %q", said, tt.want)
			}
		})
	}
}

func TestQuota(t *testing.T) {
	t.Parallel()
	var have strings.Builder
	for i := range 99 {
		fmt.Fprintf(&have, "- {name: h%d, description: x}\n", i)
	}
	recent := snowflake.Command(uint64(now.Add(-time.Hour).UnixMilli()-snowflake.Epoch) << 22)
	f, _ := commandfile.Read("f.yaml", []byte(`[{name: roll, description: x}]`))
	p, _, err := f.Plan(registered(t, have.String(), recent), commandfile.Order{Env: anywhere, Now: now})
	if err != nil || p.Used != 99 {
		t.Fatalf("Plan() has %d creates used, %v, want 99", p.Used, err)
	}
	p.Used = 200
	var shown strings.Builder
	if err := p.Show(&shown, commandfile.Price{}); err != nil || !strings.Contains(shown.String(), "of which at least 200 are used.\n  ! that is more than are left") {
		t.Errorf("shown:\n%s", shown.String())
	}
}

// TestWrite writes what a service has and finds no difference between that and the service.
func TestWrite(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/good/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		for format, file := range map[commandfile.Format]string{commandfile.JSON: "f.json", commandfile.YAML: "f.yaml"} {
			t.Run(name+" as "+file, func(t *testing.T) {
				t.Parallel()
				data, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				have := registered(t, string(data), old)
				text, err := commandfile.Write(have, format)
				if err != nil {
					t.Fatal(err)
				}
				f, fault := commandfile.Read(file, text)
				if fault != nil {
					t.Fatalf("%v in\n%s", fault, text)
				}
				p, faults, err := f.Plan(have, commandfile.Order{Env: anywhere, Now: now, Prune: true})
				if err != nil || len(faults) > 0 || !p.Empty() || p.Count(commandfile.Keep) != len(have) {
					t.Errorf("%v %v %+v of\n%s", faults, err, p, text)
				}
				if strings.Contains(string(text), "application_id") || strings.Contains(string(text), "null") {
					t.Errorf("the file says what need not be said:\n%s", text)
				}
			})
		}
	}
}
