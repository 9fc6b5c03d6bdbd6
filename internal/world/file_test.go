package world_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

const many = 2500 // records of a list, which is more than a part has

// largeFile returns a file with many users and members. Blanks make it so large that it is read in parts.
func largeFile(user, member func(i int) string) string {
	list := func(item func(int) string) string {
		all := make([]string, many)
		for i := range all {
			all[i] = item(i) + strings.Repeat(" ", 500)
		}
		return strings.Join(all, ",\n")
	}
	return `{"guilds": [{"id": "300", "roles": [{"id": "301"}],
"channels": [{"id": "310", "permission_overwrites": [{"id": "3400", "type": 1}]}],
"members": [` + list(member) + `]}, {"id": "400"}],
"users": [` + list(user) + `],
"applications": [{"id": "100", "name": "Echo"}],
"user_installs": [{"user": "1000", "application": "100"}]}`
}

func userItem(i int) string   { return fmt.Sprintf(`{"id": "%d", "username": "u"}`, 1000+i) }
func memberItem(i int) string { return fmt.Sprintf(`{"user": "%d", "roles": ["301"]}`, 1000+i) }

func openFile(t *testing.T, text string) *world.File {
	t.Helper()
	f, err := world.Open("world.json", []byte(text))
	if err != nil || f.Whole() != nil {
		t.Fatalf("Open() = %v, %v, want a large file", f, err)
	}
	return f
}

func TestLargeFileIsReadInParts(t *testing.T) {
	t.Parallel()
	text := largeFile(userItem, memberItem)
	want := parse(t, strings.ReplaceAll(text, strings.Repeat(" ", 500), ""))
	if got := parse(t, text); !cmp.Equal(want, got) {
		t.Errorf("Parse() of the large file = %s", cmp.Diff(want, got))
	}
	f := openFile(t, text)
	users := map[snowflake.User]bool{}
	members, channels, records := 0, 0, 0
	err := f.Check(func(p world.Part) error {
		records += p.Size()
		if p.Size() > 1010 {
			t.Errorf("a part has %d records", p.Size())
		}
		for _, u := range p.Users {
			users[u.ID] = true
		}
		for _, g := range p.Guilds {
			if len(users) != many || g.Owner != 1000 {
				t.Errorf("guild %s with owner %s comes after %d users", g.ID, g.Owner, len(users))
			}
			members += len(g.Members)
			if channels += len(g.Channels); len(g.Channels) > 0 && members != many {
				t.Errorf("the channels come after %d members", members)
			}
		}
		return nil
	})
	if err != nil || members != many || channels != 1 || records != f.Records() {
		t.Errorf("Check() = %v with %d members, %d channels, %d of %d records", err, members, channels, records, f.Records())
	}
}

func TestProblemsOfLargeFiles(t *testing.T) {
	t.Parallel()
	replace := func(item func(int) string, at int, with string) func(int) string {
		return func(i int) string {
			if i == at {
				return with
			}
			return item(i)
		}
	}
	for _, tt := range []struct {
		name         string
		user, member func(int) string
		want         string
	}{
		{"a user twice", replace(userItem, 2400, `{"id": "1000", "username": "u"}`), memberItem, "world.json:4903:2: users.2400.id: Duplicate of users.0."},
		{"a user and an application", replace(userItem, 1200, `{"id": "100", "username": "u"}`), memberItem, "applications.0.id: Duplicate of users.1200."},
		{"a wrong user", replace(userItem, 1200, `{"id": "99", "usename": "u"}`), memberItem, `users.1200.usename: Unknown key "usename": did you mean "username"?`},
		{"a member twice", userItem, replace(memberItem, 2400, `{"user": "1000"}`), "guilds.0.members.2400.user: Duplicate of members.0."},
		{"a wrong member", userItem, replace(memberItem, 2400, `{"user": "x"}`), "guilds.0.members.2400.user: "},
		{"an item that is no mapping", userItem, replace(memberItem, 1, `[]`), "guilds.0.members.1: Must be a mapping of keys to values."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := openFile(t, largeFile(tt.user, tt.member)).Check(func(world.Part) error { return nil })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Check() = %v, want %s", err, tt.want)
			}
		})
	}
	t.Run("an unknown key", func(t *testing.T) {
		t.Parallel()
		text := strings.Replace(largeFile(userItem, memberItem), `"applications":`, `"aplications":`, 1)
		err := openFile(t, text).Check(func(world.Part) error { return nil })
		if want := `aplications: Unknown key "aplications": did you mean "applications"?`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check() = %v, want %s", err, want)
		}
	})
}
