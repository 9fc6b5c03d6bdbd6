package wire_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/testkit/rules"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

var joined = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func members(t *testing.T, doc []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(doc, &m); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return m
}

// TestPrint compares what Print writes with what struct tags write: each member of the shorter form is in the longer
// form, with the same value.
func TestPrint(t *testing.T) {
	t.Parallel()
	ada := wire.User{ID: 200, Username: "ada", Discriminator: "0", GlobalName: "Ada"}
	echo := wire.User{ID: 100, Username: "Echo", Discriminator: "0", Bot: true}
	member := wire.Member{
		User: ada, Nick: "Countess", Roles: []snowflake.Role{301}, JoinedAt: wire.Time(joined), Pending: true,
		TimeoutUntil: wire.Time(joined.Add(time.Hour)),
	}
	role := wire.Role{ID: 301, Name: "Echo", Color: 7, Colors: wire.Colors{Primary: 7}, Permissions: 8, Managed: true, Tags: &wire.RoleTags{BotID: 100}}
	for _, tt := range []struct {
		name  string
		value any
		print func(*wire.Printer)
		extra []string // members that only Print writes
	}{
		{"user", ada, func(p *wire.Printer) { ada.Print(p, "") }, nil},
		{"bot", echo, func(p *wire.Printer) { echo.Print(p, "") }, nil},
		{"invoking member", member, func(p *wire.Printer) { member.Print(p, "", wire.InvokingMember) }, []string{"permissions"}},
		{"resolved member", member, func(p *wire.Printer) { member.Print(p, "", wire.ResolvedMember) }, []string{"permissions"}},
		{"author", member, func(p *wire.Printer) { member.Print(p, "", wire.AuthorMember) }, nil},
		{"role", role, role.Print, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var p wire.Printer
			tt.print(&p)
			rules.WantJS(t, p.Out)
			short := members(t, p.Out)
			for _, name := range tt.extra {
				delete(short, name)
			}
			doc, err := json.Marshal(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			wantWithin(t, short, members(t, doc))
		})
	}
}

// wantWithin checks that long has every member of short, with the same value.
func wantWithin(t *testing.T, short, long map[string]any) {
	t.Helper()
	for name, value := range short {
		if inner, ok := value.(map[string]any); ok {
			below, _ := long[name].(map[string]any)
			wantWithin(t, inner, below)
			continue
		}
		if diff := cmp.Diff(long[name], value); diff != "" {
			t.Errorf("%s (-struct tags +Print):\n%s", name, diff)
		}
	}
}
