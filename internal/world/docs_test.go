package world_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/world"
	"github.com/google/go-cmp/cmp"
)

// TestDocumentedKeys compares the keys in docs/world.md with the keys of the records.
func TestDocumentedKeys(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/world.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := regexp.MustCompile(`(?m)^##+ (\w+)$`).Split(string(text), -1)
	names := regexp.MustCompile(`(?m)^##+ (\w+)$`).FindAllStringSubmatch(string(text), -1)
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\|")
	want := map[string]reflect.Type{
		"users": reflect.TypeFor[world.User](), "applications": reflect.TypeFor[world.Application](), "guilds": reflect.TypeFor[world.Guild](),
		"roles": reflect.TypeFor[world.Role](), "channels": reflect.TypeFor[world.Channel](), "members": reflect.TypeFor[world.Member](),
		"installs": reflect.TypeFor[world.GuildInstall](), "user_installs": reflect.TypeFor[world.UserInstall](),
		"scheduled_events": reflect.TypeFor[world.ScheduledEvent](), "emojis": reflect.TypeFor[world.Emoji](), "commands": reflect.TypeFor[world.Commands](), "command_permissions": reflect.TypeFor[world.CommandPermissions](),
	}
	for i, name := range names {
		record, ok := want[name[1]]
		if !ok {
			t.Errorf("docs/world.md describes %s, but a world file has no such record", name[1])
			continue
		}
		delete(want, name[1])
		var documented []string
		for _, m := range row.FindAllStringSubmatch(sections[i+1], -1) {
			documented = append(documented, m[1])
		}
		if diff := cmp.Diff(keysOf(record), documented); diff != "" {
			t.Errorf("keys of %s (-package +docs):\n%s", name[1], diff)
		}
	}
	for name := range want {
		t.Errorf("docs/world.md does not describe %s", name)
	}
}

// keysOf returns the keys of a record, in order.
func keysOf(record reflect.Type) []string {
	var keys []string
	for _, field := range reflect.VisibleFields(record) {
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		keys = append(keys, key)
	}
	return keys
}

// TestDocumentedExample reads the example of docs/world.md.
func TestDocumentedExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/world.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```yaml world.yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if w, err := world.Parse("docs/world.md", []byte(example)); err != nil || len(w.Guilds) != 1 {
		t.Errorf("Parse() = %d guilds, %v", len(w.Guilds), err)
	}
}
