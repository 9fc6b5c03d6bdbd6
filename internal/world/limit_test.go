package world_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

// firstProblem parses an invalid file and returns its first problem.
func firstProblem(t *testing.T, data []byte) string {
	t.Helper()
	_, err := world.Parse("world.yaml", data)
	wrong, ok := errors.AsType[*world.FileError](err)
	if !ok {
		t.Fatalf("Parse() = %v, want a *FileError", err)
	}
	first, _, _ := strings.Cut(wrong.Error(), "\n")
	return first
}

func TestSize(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		give []byte
		want string
	}{
		{"large file", make([]byte, world.MaxSize+1), "world.yaml:1:1: The file is larger than 64 MiB."},
		{"YAML", bytes.Repeat([]byte("#"), world.MaxYAML+1), "world.yaml:1:1: The YAML file is larger than 16 MiB: use JSON for a file of this size."},
		{
			"truncated JSON", append([]byte("{\n\"users\":"), bytes.Repeat([]byte(" "), world.MaxYAML)...),
			"world.yaml:2:16777225: The file is not JSON: unexpected EOF.",
		},
		{"text that is not UTF-8", []byte("users:\n  - \xff"), "world.yaml:2:5: The file is not UTF-8."},
		{"nested lists", []byte(strings.Repeat("[", 200_000)), "world.yaml:1:65: Is nested too deeply."},
		{"nested list entries", []byte(strings.Repeat("- ", 200_000)), "world.yaml:1:129: Is nested too deeply."},
		{"nested mappings", []byte(strings.Repeat("{a: ", 100_000)), "world.yaml:1:257: Is nested too deeply."},
		{"nested keys", []byte("[" + strings.Repeat("? ", 100_000)), "world.yaml:1:128: Is nested too deeply."},
		{"list with a large indent", []byte("a:\n" + strings.Repeat(" ", 600) + "- b"), "world.yaml:2:601: Is nested too deeply."},
		{"recursive anchor", []byte("users: &a [*a]"), "world.yaml:1:11: Is nested too deeply."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := firstProblem(t, tt.give); got != tt.want {
				t.Errorf("Parse() = %s, want %s", got, tt.want)
			}
		})
	}

	t.Run("large JSON is read", func(t *testing.T) {
		t.Parallel()
		w := parse(t, `{"users":[{"id":"200","username":"ada"}]`+strings.Repeat(" ", world.MaxYAML)+"}")
		if len(w.Users) != 1 {
			t.Errorf("Parse() = %d users, want 1", len(w.Users))
		}
	})

	t.Run("expanded aliases are limited", func(t *testing.T) {
		t.Parallel()
		var b strings.Builder
		fmt.Fprintf(&b, "a0: &a0 %q\n", strings.Repeat("x", 1000))
		for i := range 8 {
			fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
		}
		if got := firstProblem(t, []byte(b.String())); !strings.HasSuffix(got, "The file is too large after its aliases are expanded.") {
			t.Errorf("Parse() = %s", got)
		}
	})
}

func TestListLimits(t *testing.T) {
	t.Parallel()
	list := func(n int, item string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, item+",", 1000+i)
		}
		return "[" + strings.TrimSuffix(b.String(), ",") + "]"
	}
	guild := func(key, list string) string {
		return `{"users":[{"id":"1","username":"ada"}],"guilds":[{"id":"300","` + key + `":` + list + `}]}`
	}
	for _, tt := range []struct {
		name  string
		limit int
		give  func(n int) string
	}{
		{"guilds.0.roles", world.MaxRoles, func(n int) string { return guild("roles", list(n, `{"id":"%d"}`)) }},
		{"guilds.0.channels", world.MaxChannels, func(n int) string { return guild("channels", list(n, `{"id":"%d"}`)) }},
		{"guilds.0.installs", world.MaxInstalls, func(n int) string { return guild("installs", list(n, `{"application":"%d"}`)) }},
		{"guilds.0.channels.0.permission_overwrites", world.MaxOverwrites, func(n int) string {
			return guild("channels", `[{"id":"9","permission_overwrites":`+list(n, `{"id":"%d"}`)+`}]`)
		}},
		{"applications.0.redirect_uris", world.MaxRedirects, func(n int) string {
			return `{"users":[{"id":"1","username":"ada"}],"applications":[{"id":"2","name":"Echo","redirect_uris":` + list(n, `"a:/%d"`) + `}]}`
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			parse(t, tt.give(tt.limit))
			want := fmt.Sprintf("%s: Must be %d or fewer in length.", tt.name, tt.limit)
			if got := firstProblem(t, []byte(tt.give(tt.limit+1))); !strings.HasSuffix(got, want) {
				t.Errorf("Parse() = %s, want %s", got, want)
			}
		})
	}
}

func TestManyProblems(t *testing.T) {
	t.Parallel()
	_, err := world.Parse("world.yaml", []byte("users: ["+strings.Repeat("{},", jsonbody.MaxFindings)+"]"))
	wrong, ok := errors.AsType[*world.FileError](err)
	if !ok || len(wrong.Problems) != jsonbody.MaxFindings {
		t.Fatalf("Parse() lists %d problems, want %d", len(wrong.Problems), jsonbody.MaxFindings)
	}
	if !strings.HasSuffix(wrong.Error(), "\nworld.yaml: there may be more") {
		t.Error("the list does not say that it is incomplete")
	}
}

func TestProblemsContainNoSecrets(t *testing.T) {
	t.Parallel()
	_, err := world.Parse("world.yaml", []byte(`
users: [{id: 1, username: ada, token: 777000}, {id: 2, username: bob, token: "777 000"}, {id: 3, username: cy, token: same777}]
applications: [{id: 4, name: Echo, bot_token: same777, client_secret: [777]}]
`))
	if err == nil || strings.Contains(err.Error(), "777") {
		t.Errorf("Parse() = %v, want problems without the token", err)
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()

	t.Run("does not change its receiver", func(t *testing.T) {
		t.Parallel()
		fresh := func() world.World {
			return world.World{
				Users:        []world.User{{ID: 200, Username: "ada"}},
				Applications: []world.Application{{ID: 100, Name: "Echo", IntegrationTypes: []int{1, 0}}},
				Guilds: []world.Guild{{
					ID: 300, Roles: []world.Role{{ID: 301}}, Channels: []world.Channel{{ID: 310}},
					Members:  []world.Member{{User: 200, Roles: []snowflake.Role{302, 301, 300}}},
					Installs: []world.GuildInstall{{Application: 100, Scopes: []string{"bot"}}},
				}},
			}
		}
		w := fresh()
		if _, err := w.Complete(); err != nil {
			t.Fatalf("Complete() = %v", err)
		}
		if diff := cmp.Diff(fresh(), w); diff != "" {
			t.Errorf("Complete() changed its receiver (-before +after):\n%s", diff)
		}
	})

	t.Run("reports problems of worlds from Go code", func(t *testing.T) {
		t.Parallel()
		_, err := world.World{
			Users:        []world.User{{Username: "a\xffb"}},
			Applications: []world.Application{{ID: 1, Name: "E", RequestsPerSecond: -1, IntegrationTypes: []int{7}, RedirectURIs: make([]string, 11)}},
			Guilds:       []world.Guild{{ID: 2, Owner: 3, Roles: make([]world.Role, world.MaxRoles+1)}},
		}.Complete()
		tree, ok := errors.AsType[*jsonbody.Tree](err)
		if !ok {
			t.Fatalf("Complete() = %v, want a *jsonbody.Tree", err)
		}
		flat := tree.Flat()
		for path, code := range map[string]jsonbody.Code{
			"users.0.id": jsonbody.Required, "users.0.username": world.BadText,
			"applications.0.requests_per_second": jsonbody.NumberMin, "applications.0.integration_types": jsonbody.NumberMax,
			"applications.0.redirect_uris": jsonbody.MaxLength, "guilds.0.roles": jsonbody.MaxLength, "guilds.0.roles.7.id": jsonbody.Required,
		} {
			if diff := cmp.Diff([]jsonbody.Code{code}, flat[path]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
	})
}

func TestCompleteRole(t *testing.T) {
	t.Parallel()
	role, err := world.Role{ID: 301, Permissions: 8}.Complete(300)
	if want := (world.Role{ID: 301, Name: "role-301", Permissions: 8, Position: 1}); err != nil || role != want {
		t.Errorf("Complete() = %+v, %v, want %+v", role, err, want)
	}
	if _, err := role.Complete(301); err == nil {
		t.Error("Complete() accepted a role with the id of its guild")
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	var tree jsonbody.Tree
	tree.At("guilds").Index(0).At("members").Index(1).At("user").Add("X", "There is no such user.")
	tree.At("guilds").Index(7).At("id").Add("X", "There is no such guild.")
	const text = "users: []\nguilds:\n  - id: 300\n    members:\n      - user: 1\n      - user: 2\n"
	const want = "w.yaml:2:1: guilds.7.id: There is no such guild.\nw.yaml:6:9: guilds.0.members.1.user: There is no such user."
	if err := world.Locate("w.yaml", []byte(text), fmt.Errorf("apply: %w", tree.Err())); err.Error() != want {
		t.Errorf("Locate() = %v, want %s", err, want)
	}
	other := errors.New("disk full")
	if err := world.Locate("w.yaml", []byte(text), other); !errors.Is(err, other) {
		t.Errorf("Locate() = %v, want the error unchanged", err)
	}
}

func BenchmarkParse(b *testing.B) {
	var yaml, json strings.Builder
	yaml.WriteString("users:\n")
	json.WriteString(`{"users":[`)
	for i := range 1000 {
		fmt.Fprintf(&yaml, "  - {id: \"%d\", username: user%d, locale: de}\n", 1100000000000000000+i, i)
		fmt.Fprintf(&json, `{"id":"%d","username":"user%d","locale":"de"},`, 1100000000000000000+i, i)
	}
	for name, text := range map[string]string{"yaml": yaml.String(), "json": strings.TrimSuffix(json.String(), ",") + "]}"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := world.Parse("world.yaml", []byte(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
