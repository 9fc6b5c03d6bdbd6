package threads_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/threads"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

const mods snowflake.Role = 350

// update runs a transaction of the directory and returns the events about threads, with their data.
func (s *service) update(t *testing.T, decide func(tx *directory.Tx) error) []string {
	t.Helper()
	s.events = nil
	if err := s.Directory.Update(t.Context(), decide); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range s.events {
		if strings.HasPrefix(e.Name, "THREAD_") {
			list = append(list, fmt.Sprint(e.Name, " ", e.To.Users, " ", uint64(e.To.Application), " ", string(e.Data)))
		}
	}
	s.events = nil
	return list
}

// expectSync checks the only event: THREAD_LIST_SYNC with threads for an audience.
func expectSync(t *testing.T, what string, got []string, to string, has ...string) {
	t.Helper()
	if len(got) != 1 || !strings.HasPrefix(got[0], "THREAD_LIST_SYNC "+to+" ") {
		t.Errorf("%s: events %q, want THREAD_LIST_SYNC %s", what, got, to)
		return
	}
	for _, part := range has {
		if !strings.Contains(got[0], part) {
			t.Errorf("%s: %s, want %s in it", what, got[0], part)
		}
	}
}

// hiddenThreads creates a public thread with cleo in it and a private one in a channel that only the owner sees.
func (s *service) hiddenThreads(t *testing.T) (public, private snowflake.Channel) {
	t.Helper()
	public = s.start(t, asAda, hidden, `{"name":"a","type":11}`)
	private = s.start(t, asAda, hidden, `{"name":"b","type":12}`)
	s.put(t, store.ThreadMember{Thread: public, User: cleo, Joined: s.clock.Now()})
	return public, private
}

// TestListSync checks who gets THREAD_LIST_SYNC, with which threads (channels.md, section 15).
func TestListSync(t *testing.T) {
	t.Parallel()
	s := open(t)
	public, _ := s.hiddenThreads(t)
	s.put(t, store.Role{ID: mods, Guild: guild, Name: "mods"})
	channel, err := s.Directory.Channels.Channel(t.Context(), hidden)
	if err != nil {
		t.Fatal(err)
	}
	opened := *channel
	opened.Overwrites = append(opened.Overwrites[:1:1], store.ChannelOverwrite{ID: snowflake.Target(mods), Allow: permission.ViewChannel})
	if got := s.update(t, func(tx *directory.Tx) error { return directory.ChannelKind.Put(tx, opened) }); len(got) > 0 {
		t.Errorf("opened for a role without members: %q", got)
	}
	id := fmt.Sprintf(`"id":"%d"`, public)
	got := s.update(t, func(tx *directory.Tx) error {
		return directory.MemberKind.Put(tx, store.Member{Guild: guild, User: cleo, Roles: []snowflake.Role{mods}})
	})
	expectSync(t, "a member gets the role", got, "[202] 0",
		`"guild_id":"300"`, `"channel_ids":["312"]`, `"threads":[{`+id, `"members":[{`+id+`,"user_id":"202"`)
	if strings.Count(got[0], `"parent_id"`) != 1 {
		t.Errorf("the private thread is shown: %s", got[0])
	}
	got = s.update(t, func(tx *directory.Tx) error {
		return directory.MemberKind.Put(tx, store.Member{Guild: guild, User: app, Roles: []snowflake.Role{mods}})
	})
	expectSync(t, "a bot gets the role", got, "[] 100", `"members":[]`)
	if got := s.update(t, func(tx *directory.Tx) error {
		return directory.MemberKind.Put(tx, store.Member{Guild: guild, User: app})
	}); len(got) > 0 {
		t.Errorf("a bot loses the role: %q", got)
	}
	open := opened
	open.Overwrites = nil
	got = s.update(t, func(tx *directory.Tx) error { return directory.ChannelKind.Put(tx, open) })
	if len(got) != 2 || !strings.HasPrefix(got[0], "THREAD_LIST_SYNC [] 100") || !strings.HasPrefix(got[1], "THREAD_LIST_SYNC [201] 0") {
		t.Errorf("opened for all: %q, want it for the bot and for bob", got)
	}
	closed := s.update(t, func(tx *directory.Tx) error { return directory.ChannelKind.Put(tx, *channel) })
	if len(closed) > 0 {
		t.Errorf("closed: %q", closed)
	}
	got = s.update(t, func(tx *directory.Tx) error {
		return directory.RoleKind.Put(tx, store.Role{ID: mods, Guild: guild, Name: "mods", Permissions: permission.Administrator})
	})
	expectSync(t, "the role gets a permission", got, "[202] 0")
}

// TestListSyncInLargeGuild checks that a change for all members of a large guild reads no members, and that a member whose
// roles change gets the event.
func TestListSyncInLargeGuild(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.hiddenThreads(t)
	for i := range threads.MaxSynced {
		s.put(t, store.Member{Guild: guild, User: snowflake.User(100000 + i)})
	}
	s.put(t, store.Role{ID: mods, Guild: guild, Name: "mods", Permissions: permission.Administrator})
	if got := s.update(t, func(tx *directory.Tx) error {
		return directory.ChannelKind.Put(tx, store.Channel{ID: hidden, Guild: guild, Name: "hidden"})
	}); len(got) > 0 {
		t.Errorf("opened for all: %d events", len(got))
	}
	s.update(t, func(tx *directory.Tx) error {
		return directory.ChannelKind.Put(tx, store.Channel{ID: hidden, Guild: guild, Name: "hidden", Overwrites: []store.ChannelOverwrite{
			{ID: snowflake.Target(guild), Deny: permission.ViewChannel},
		}})
	})
	got := s.update(t, func(tx *directory.Tx) error {
		return directory.MemberKind.Put(tx, store.Member{Guild: guild, User: bob, Roles: []snowflake.Role{mods}})
	})
	expectSync(t, "a member gets the role", got, "[201] 0")
}

// TestLeaveThreads checks that a user who leaves a guild leaves its threads.
func TestLeaveThreads(t *testing.T) {
	t.Parallel()
	s := open(t)
	id := s.start(t, asBob, general, `{"name":"a","type":11}`)
	archived := s.start(t, asBob, general, `{"name":"b","type":11}`)
	if _, err := s.Edit(t.Context(), asAda, archived, body(t, `{"archived":true}`)); err != nil {
		t.Fatal(err)
	}
	got := s.update(t, func(tx *directory.Tx) error { return directory.Leave(tx, guild, bob) })
	want(t, "bob leaves", got, []string{
		fmt.Sprintf(`THREAD_MEMBERS_UPDATE [] 0 {"id":"%d","guild_id":"300","member_count":0,"removed_member_ids":["201"]}`, id),
	})
	for _, thread := range []snowflake.Channel{id, archived} {
		members, err := s.Directory.Channels.ThreadMembers(t.Context(), thread)
		if err != nil || len(members) > 0 {
			t.Errorf("members of %d = %v, %v", thread, members, err)
		}
	}
}
