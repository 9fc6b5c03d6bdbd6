package events_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// everyPart returns an event for each part, and some with several parts.
func everyPart() []events.Event {
	return []events.Event{
		{},
		{Name: "MESSAGE_CREATE"},
		{Name: "MESSAGE_CREATE", Data: []byte(`{"content":"<&>\u2028"}`), Reduced: []byte(`{}`), Full: []snowflake.Application{7, 8}},
		{Data: []byte{}, Reduced: []byte{}},
		{Data: bytes.Repeat([]byte("x"), 70_000)},
		{To: events.Audience{Users: []snowflake.User{1, 1 << 63}}},
		{To: events.Audience{Users: many(2000), Session: strings.Repeat("0f", 16)}},
		{To: events.Audience{Application: 1300000000000000001, Intents: 1<<32 - 1}},
		{To: events.Audience{Guild: 300, Channel: 310, Except: []snowflake.User{5}, Kinds: events.Bots | events.People}},
		{Lost: true},
		{Change: &events.Change{}},
		{Change: &events.Change{Guild: 300, Joined: 200}},
		{Change: &events.Change{Guild: 300, Left: 200, Closed: true}},
		{Change: &events.Change{Everything: true}},
		{Name: "GUILD_DELETE", To: events.Audience{Guild: 300}, Change: &events.Change{Guild: 300, Closed: true}},
	}
}

func many(n int) []snowflake.User {
	list := make([]snowflake.User, n)
	for i := range list {
		list[i] = snowflake.User(i + 1)
	}
	return list
}

// TestEntry writes events and reads them again, one by one and together, with their positions.
func TestEntry(t *testing.T) {
	t.Parallel()
	var reader events.EntryReader
	at := events.Position{Time: 1_700_000_000_000, Count: 3}
	runs := [][]events.Event{everyPart()}
	for _, e := range everyPart() {
		runs = append(runs, []events.Event{e})
	}
	var got, want []events.Event
	for _, run := range runs {
		at.Count++
		var err error
		if got, err = reader.Read(got, events.AppendEntry(nil, run), at); err != nil {
			t.Fatal(err)
		}
		for i, e := range run {
			e.Position = events.Position{Time: at.Time, Count: at.Count, Index: uint32(i)}
			want = append(want, e)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEntryRefused checks that an incomplete or changed entry is refused.
func TestEntryRefused(t *testing.T) {
	t.Parallel()
	whole := events.AppendEntry(nil, slices.DeleteFunc(everyPart(), func(e events.Event) bool { return e.Size() > 1000 }))
	cases := map[string][]byte{
		"of another form":              append([]byte{2}, whole[1:]...),
		"without events":               {1, 0},
		"fewer events than it says":    append([]byte{1, whole[1] + 1}, whole[2:]...),
		"more events than it says":     append([]byte{1, whole[1] - 1}, whole[2:]...),
		"with an unknown part":         {1, 1, 0, 0x40},
		"with an unknown change":       {1, 1, 0, 0x10, 0x40},
		"a text longer than there is":  {1, 1, 1, 0, 200, 'x'},
		"more users than there are":    {1, 1, 16, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1},
		"a length of too many bytes":   append([]byte{1, 1, 1, 0}, bytes.Repeat([]byte{255}, 11)...),
		"a number of too many events":  append([]byte{1}, bytes.Repeat([]byte{255}, 9)...),
		"intents of more than 32 bits": {1, 1, 0, 0x08, 0x80, 0x80, 0x80, 0x80, 0x10},
	}
	for n := range whole {
		cases["cut off after "+string(whole[:n])] = whole[:n]
	}
	held := []events.Event{{Name: "BEFORE"}}
	for name, entry := range cases {
		got, err := new(events.EntryReader).Read(held, entry, events.Position{Time: 1})
		if !errors.Is(err, events.ErrEntry) || !cmp.Equal(got, held) {
			t.Errorf("%q: read %v, %v", name, got, err)
		}
	}
}

// TestEntryReaderKeeps checks that reading another entry does not change earlier events.
func TestEntryReaderKeeps(t *testing.T) {
	t.Parallel()
	var reader events.EntryReader
	read := func(first snowflake.User) []events.Event {
		var run []events.Event
		for i := range 300 {
			users := []snowflake.User{first, snowflake.User(i)}
			run = append(run, events.Event{Name: "N", To: events.Audience{Users: users, Except: users}})
		}
		list, err := reader.Read(nil, events.AppendEntry(nil, run), events.Position{Time: uint64(first)})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	before := read(1)
	after := read(2)
	before[0].To.Users = append(before[0].To.Users, 9) // appending must not write into another list
	for i := range before {
		for first, e := range map[snowflake.User]events.Event{1: before[i], 2: after[i]} {
			want := []snowflake.User{first, snowflake.User(i)}
			if !slices.Equal(e.To.Users[:2], want) || !slices.Equal(e.To.Except, want) {
				t.Fatalf("event %d is for %v except %v, want %v", i, e.To.Users, e.To.Except, want)
			}
		}
	}
}

func TestPositionBefore(t *testing.T) {
	t.Parallel()
	order := []events.Position{
		{}, {Count: 1}, {Time: 1}, {Time: 1, Index: 1}, {Time: 1, Index: 2}, {Time: 1, Count: 1}, {Time: 1, Count: 1, Index: 7}, {Time: 2},
	}
	for i, p := range order {
		for j, o := range order {
			if got := p.Before(o); got != (i < j) {
				t.Errorf("%v before %v: %v", p, o, got)
			}
		}
	}
}

// FuzzEntry reads any bytes. They are refused, or the events are the same after writing and reading them again.
func FuzzEntry(f *testing.F) {
	for _, e := range everyPart() {
		if e.Size() < 1000 {
			f.Add(events.AppendEntry(nil, []events.Event{e, e}))
		}
	}
	f.Add([]byte{})
	f.Add([]byte{1, 1, 16, 0, 0})
	f.Fuzz(func(t *testing.T, entry []byte) {
		var reader events.EntryReader
		at := events.Position{Time: 5}
		list, err := reader.Read(nil, entry, at)
		if err != nil {
			if !errors.Is(err, events.ErrEntry) || len(list) > 0 {
				t.Fatalf("read %v, %v", list, err)
			}
			return
		}
		again, err := reader.Read(nil, events.AppendEntry(nil, list), at)
		if diff := cmp.Diff(list, again, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%v (-first +again):\n%s", err, diff)
		}
	})
}

// BenchmarkEntry writes and reads entries with events of members who join lobbies. An operation is an event.
func BenchmarkEntry(b *testing.B) {
	const together = 100
	run := make([]events.Event, together)
	for i := range run {
		run[i] = events.Event{
			Name: "LOBBY_MEMBER_ADD", Data: bytes.Repeat([]byte("member.."), 30),
			To: events.Audience{Users: many(8), Application: 1300000000000000001, Intents: events.Lobbies},
		}
	}
	entry := events.AppendEntry(nil, run)
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N/together + 1 {
			events.AppendEntry(make([]byte, 0, len(entry)), run)
		}
	})
	b.Run("read", func(b *testing.B) {
		var reader events.EntryReader
		var list []events.Event
		b.ReportAllocs()
		for range b.N/together + 1 {
			var err error
			if list, err = reader.Read(list[:0], entry, events.Position{Time: 1}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
