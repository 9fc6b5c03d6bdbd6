package guilds_test

import (
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// TestPrune verifies who counts as inactive as time passes, the events, and the one entry of the audit log.
func TestPrune(t *testing.T) {
	t.Parallel()
	s := open(t)
	seen := online{}
	s.Presence = seen
	if err := s.Join(t.Context(), lab, 203); err != nil {
		t.Fatal(err)
	}
	count := func(roles ...snowflake.Role) int {
		n, err := s.CountInactive(t.Context(), game, lab, guild.Prune{Days: 7, Roles: roles}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != 0 {
		t.Errorf("%d members are inactive at once", n)
	}
	s.clock.Advance(8 * 24 * time.Hour)
	for _, tt := range []struct {
		name  string
		roles []snowflake.Role
		want  int
	}{{"without roles", nil, 1}, {"with helpers", []snowflake.Role{301}, 2}, {"not with mods, who are higher", []snowflake.Role{301, 302}, 2}} {
		if n := count(tt.roles...); n != tt.want {
			t.Errorf("%s: %d members, want %d", tt.name, n, tt.want)
		}
	}
	seen[203] = true
	if n := count(); n != 0 {
		t.Errorf("a member who is online is inactive")
	}
	delete(seen, 203)
	s.Activity.Note(203)
	s.Activity.Note(299) // no user
	if n := count(); n != 0 {
		t.Errorf("a member who was active today is inactive")
	}
	s.clock.Advance(8 * 24 * time.Hour)
	s.take()
	ctx := audit.WithActor(t.Context(), &audit.Actor{Application: 100, Reason: "clean"})
	body, err := jsonbody.Parse([]byte(`{"include_roles":["301"],"reason":"other"}`))
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.Prune(ctx, game, lab, body)
	if err != nil || n == nil || *n != 2 {
		t.Fatalf("Prune() = %v, %v, want 2", n, err)
	}
	if got := s.take(); got != "CHANNEL_UPDATE GUILD_MEMBER_REMOVE GUILD_MEMBER_REMOVE GUILD_AUDIT_LOG_ENTRY_CREATE" {
		t.Errorf("events %s", got)
	}
	if got := s.log(t); !slices.Equal(got, []string{"21 100 0  map[delete_member_days:7 members_removed:2] clean"}) {
		t.Errorf("audit log %q", got)
	}
	if err := s.Directory.Users.Delete(t.Context(), 203); err != nil {
		t.Fatal(err)
	}
	err = s.db.Read(t.Context(), func(r store.Reader) error {
		for _, user := range []snowflake.User{203, 299} {
			if last, err := r.Directory.LastDay(user); err == nil {
				t.Errorf("the day %v of a user who does not exist is stored", last)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestActivityWritesOnceADay counts the commits of active users.
func TestActivityWritesOnceADay(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.take()
	writes := func() int {
		if err := s.Activity.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		n := len(s.wrote)
		s.take()
		return n
	}
	for range 3 {
		s.Activity.Note(200)
	}
	if n := writes(); n != 1 {
		t.Errorf("%d writes for the first day, want 1", n)
	}
	s.Activity.Note(200)
	if n := writes(); n != 0 {
		t.Errorf("%d more writes on the same day", n)
	}
	s.clock.Advance(24 * time.Hour)
	s.Activity.Note(200)
	if n := writes(); n != 1 {
		t.Errorf("%d writes for the second day, want 1", n)
	}
}
