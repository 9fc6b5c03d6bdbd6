package guilds_test

import (
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
)

// parse returns the value of a JSON body.
func parse(t *testing.T, text string) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEditMember(t *testing.T) {
	t.Parallel()
	s := open(t)
	const updated = "GUILD_MEMBER_UPDATE GUILD_MEMBER_UPDATE" // to others and to the member
	const entry = "GUILD_AUDIT_LOG_ENTRY_CREATE"
	for _, tt := range []struct{ name, body, events string }{
		{"nick and roles", `{"nick":"Karl","roles":[]}`, updated + " " + entry + " " + entry},
		{"the same again", `{"nick":"Karl","roles":[]}`, ""},
		{"a timeout", `{"communication_disabled_until":"2026-05-02T12:00:00Z"}`, updated + " " + entry},
		{"no member of the body", `{}`, ""},
	} {
		if _, err := s.EditMember(t.Context(), game, lab, 202, parse(t, tt.body)); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(s.wrote, store.GuildSubject(lab)) {
			t.Errorf("%s: wrote the guild, which all nodes cache", tt.name)
		}
		if got := s.take(); got != tt.events {
			t.Errorf("%s: events %q, want %q", tt.name, got, tt.events)
		}
	}
	want := []string{
		`24 100 202 [{"key":"nick","new_value":"Karl"}] map[] `,
		`25 100 202 [{"key":"$remove","new_value":[{"id":"301","name":"helpers"}]}] map[] `,
		`24 100 202 [{"key":"communication_disabled_until","new_value":"2026-05-02T12:00:00.000000+00:00"}] map[] `,
	}
	if got := s.log(t); !slices.Equal(got, want) {
		t.Errorf("audit log %q, want %q", got, want)
	}
}

func TestSetRole(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, give := range []bool{false, false, true, true} {
		if err := s.SetRole(t.Context(), game, lab, 202, 301, give); err != nil {
			t.Fatal(err)
		}
	}
	const once = "GUILD_MEMBER_UPDATE GUILD_MEMBER_UPDATE GUILD_AUDIT_LOG_ENTRY_CREATE"
	if got := s.take(); got != once+" "+once {
		t.Errorf("events %q, want one for each change", got)
	}
	if err := s.SetRole(t.Context(), game, lab, 202, 302, true); err == nil {
		t.Error("gave a role above the bot")
	}
}

// TestEditMemberWithDeletedRole edits a member whose role is being deleted: its record still has the role.
func TestEditMemberWithDeletedRole(t *testing.T) {
	t.Parallel()
	s := open(t)
	err := store.Decide(t.Context(), s.db, func(tx *store.Tx) error {
		tx.Delete(store.RoleKey(lab, 301))
		return tx.Put(store.Tombstone{Kind: store.KindRole, ID: 301, Guild: lab})
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.EditMember(t.Context(), game, lab, 202, parse(t, `{"nick":"Karl"}`))
	if err != nil || len(m.Roles) != 0 {
		t.Errorf("the edited member has the roles %v, %v", m.Roles, err)
	}
	if _, err := s.EditMember(t.Context(), game, lab, 202, parse(t, `{"roles":[]}`)); err != nil {
		t.Errorf("an edit of the roles: %v", err)
	}
}
