package directory_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/snowflake"
)

// manyUsers is a world with n users, from id 1000 on, and two applications.
func manyUsers(n int) string {
	var b strings.Builder
	b.WriteString("users:\n")
	for i := range n {
		id := strconv.Itoa(1000 + i)
		b.WriteString("  - {id: " + id + ", username: user-" + id + ", token: t" + id + "}\n")
	}
	b.WriteString("applications:\n  - {id: 100, name: Echo, bot_token: b1, client_secret: s}\n  - {id: 101, name: Dice, bot_token: b2, client_secret: s}\n")
	return b.String()
}

// userIDs returns n ids.
func userIDs(first, n int) []snowflake.User {
	var ids []snowflake.User
	for i := range n {
		ids = append(ids, snowflake.User(first+i))
	}
	return ids
}

func TestOpenDirect(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, manyUsers(12))
	for _, tt := range []struct {
		name   string
		user   snowflake.User
		others []snowflake.User
		want   int // type of the channel
		err    error
	}{
		{"two users", 1000, userIDs(1001, 1), wire.DM, nil},
		{"a user and a bot", 1000, []snowflake.User{100}, wire.DM, nil},
		{"a bot and a user", 100, userIDs(1001, 1), wire.DM, nil},
		{"duplicate recipient", 1000, []snowflake.User{1002, 1002}, wire.DM, nil},
		{"three users", 1000, userIDs(1001, 2), wire.GroupDM, nil},
		{"the user among the others", 1000, userIDs(1000, 3), wire.GroupDM, nil},
		{"ten users", 1000, userIDs(1001, 9), wire.GroupDM, nil},
		{"eleven users", 1000, userIDs(1001, 10), 0, directory.ErrNoConversation},
		{"no others", 1000, nil, 0, directory.ErrNoConversation},
		{"only the user", 1000, userIDs(1000, 1), 0, directory.ErrNoConversation},
		{"two bots", 100, []snowflake.User{101}, 0, directory.ErrNoConversation},
		{"a bot in a group", 1000, []snowflake.User{1001, 100}, 0, directory.ErrNoConversation},
		{"unknown user", 1000, []snowflake.User{5}, 0, directory.ErrUnknownUser},
		{"group with an unknown user", 1000, []snowflake.User{1001, 5}, 0, directory.ErrUnknownUser},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := d.Channels.OpenDirect(t.Context(), tt.user, tt.others)
			if !errors.Is(err, tt.err) || s.Channel.Type != tt.want {
				t.Fatalf("OpenDirect() = type %d, %v, want type %d, %v", s.Channel.Type, err, tt.want, tt.err)
			}
			if err != nil {
				return
			}
			if !slices.IsSorted(s.Channel.Recipients) || len(s.Others) != len(s.Channel.Recipients)-1 {
				t.Errorf("recipients %v with %d others", s.Channel.Recipients, len(s.Others))
			}
			for _, u := range s.Others {
				if u.ID == tt.user {
					t.Error("Others contains the user")
				}
			}
			for _, id := range s.Channel.Recipients {
				others := slices.DeleteFunc(slices.Clone(s.Channel.Recipients), func(o snowflake.User) bool { return o == id })
				if again := lab.Get[directory.ChannelView](t)(d.Channels.OpenDirect(t.Context(), id, others)); again.Channel.ID != s.Channel.ID {
					t.Errorf("user %d gets channel %d, want %d", id, again.Channel.ID, s.Channel.ID)
				}
			}
		})
	}
}

func TestConcurrentOpenDirect(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, manyUsers(2))
	ids := make([]snowflake.Channel, 8)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			s, err := d.Channels.OpenDirect(t.Context(), snowflake.User(1000+i%2), []snowflake.User{snowflake.User(1000 + (i+1)%2)})
			if err != nil {
				t.Error(err)
			}
			ids[i] = s.Channel.ID
		})
	}
	wg.Wait()
	if slices.Max(ids) != slices.Min(ids) {
		t.Errorf("two users have the channels %v", ids)
	}
}

func TestTooManyGroups(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, manyUsers(4))
	var groups []store.Record
	for i := range directory.MaxGroups {
		groups = append(groups, store.Channel{ID: snowflake.Channel(50000 + i), Type: wire.GroupDM, Recipients: userIDs(1000, 3)})
	}
	d.Seed(t, groups...)
	if _, err := d.Channels.OpenDirect(t.Context(), 1000, []snowflake.User{1001, 1003}); !errors.Is(err, directory.ErrTooManyGroups) {
		t.Errorf("OpenDirect() = %v, want ErrTooManyGroups", err)
	}
	if _, err := d.Channels.OpenDirect(t.Context(), 1000, userIDs(1001, 2)); err != nil {
		t.Errorf("OpenDirect() = %v for an existing group", err)
	}
	if _, err := d.Channels.OpenDirect(t.Context(), 1000, userIDs(1003, 1)); err != nil {
		t.Errorf("OpenDirect() = %v for two users", err)
	}
}

func TestDirects(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, manyUsers(3))
	for _, others := range [][]snowflake.User{{100}, {1001}, {1001, 1002}} {
		if _, err := d.Channels.OpenDirect(t.Context(), 1000, others); err != nil {
			t.Fatal(err)
		}
	}
	count := func(user snowflake.User) int {
		return len(lab.Get[[]directory.ChannelView](t)(d.Channels.Directs(t.Context(), user)))
	}
	if a, b, c := count(1000), count(1001), count(1002); a != 3 || b != 2 || c != 1 {
		t.Errorf("Directs() = %d, %d and %d channels, want 3, 2 and 1", a, b, c)
	}
	if _, err := d.Channels.Directs(t.Context(), 5); !errors.Is(err, directory.ErrUnknownUser) {
		t.Errorf("Directs() = %v for an unknown user", err)
	}
	if err := d.Applications.Delete(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	if n := count(1000); n != 2 {
		t.Errorf("Directs() = %d channels after the bot was deleted, want 2", n)
	}
}
