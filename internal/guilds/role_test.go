package guilds_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/snowflake"
)

func TestRoles(t *testing.T) {
	t.Parallel()
	s := open(t)
	const entry = " GUILD_AUDIT_LOG_ENTRY_CREATE"
	created, err := s.CreateRole(t.Context(), game, lab, parse(t, `{"name":"team"}`))
	if got := s.take(); err != nil || got != "GUILD_ROLE_CREATE"+entry {
		t.Errorf("create: events %q, %v", got, err)
	}
	_, err = s.EditRole(t.Context(), game, lab, created.ID, parse(t, `{"hoist":true}`))
	if got := s.take(); err != nil || got != "GUILD_ROLE_UPDATE"+entry {
		t.Errorf("edit: events %q, %v", got, err)
	}
	_, err = s.EditRole(t.Context(), game, lab, created.ID, parse(t, `{"hoist":true}`))
	if got := s.take(); err != nil || got != "" {
		t.Errorf("the same edit: events %q, %v", got, err)
	}
	_, err = s.EditRole(t.Context(), game, lab, snowflake.Role(lab), parse(t, `{"permissions":"1024"}`))
	if got := s.take(); err != nil || got != "GUILD_UPDATE GUILD_ROLE_UPDATE"+entry {
		t.Errorf("edit of everyone: events %q, %v", got, err)
	}
	all, err := s.MoveRoles(t.Context(), game, lab, parse(t, `[{"id":"`+created.ID.String()+`","position":4}]`))
	var order []string
	for _, r := range all {
		order = append(order, r.Name)
	}
	if err != nil || len(all) != 6 || !strings.Contains(s.take(), "GUILD_ROLE_UPDATE") {
		t.Errorf("move: roles %v, %v", order, err)
	}
	if err := s.DeleteRole(t.Context(), game, lab, 301); err != nil {
		t.Fatal(err)
	}
	if got := s.take(); got != "GUILD_ROLE_DELETE"+entry { // no event for each member
		t.Errorf("delete: events %q", got)
	}
	if m, err := s.Directory.Guilds.Member(t.Context(), lab, 202); err != nil || slices.Contains(m.Roles, 301) {
		t.Errorf("after the deletion the member has the roles %v, %v", m.Roles, err)
	}
	if err := s.DeleteRole(t.Context(), game, lab, 302); err == nil {
		t.Error("deleted a role above the bot")
	}
}
