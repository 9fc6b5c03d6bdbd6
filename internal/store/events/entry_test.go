package events_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/store/events"
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
		{To: events.Audience{Guild: 300, Needs: 1<<63 | 1<<7, Intents: events.GuildModeration}},
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

// TestEntry writes events and reads them again.
func TestEntry(t *testing.T) {
	t.Parallel()
	var reader events.EntryReader
	for i, want := range everyPart() {
		want.Position = events.Position{History: 1, Transaction: 7, Number: uint64(i)}
		got, err := reader.Read(events.AppendEntry(nil, &want), want.Position)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("event %d: %v (-want +got):\n%s", i, err, diff)
		}
	}
}

// TestEntryRefused checks that an incomplete or changed entry is refused.
func TestEntryRefused(t *testing.T) {
	t.Parallel()
	cases := map[string][]byte{
		"empty":                        {},
		"of another form":              events.Sealed([]byte{1, 0, 0}),
		"with an unknown part":         events.Sealed([]byte{2, 0, 0x40}),
		"with an unknown change":       events.Sealed([]byte{2, 0, 0x10, 0x40}),
		"with more than an event":      events.Sealed([]byte{2, 0, 0, 0}),
		"a text longer than there is":  events.Sealed([]byte{2, 1, 0, 200, 'x'}),
		"more users than there are":    events.Sealed([]byte{2, 16, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1}),
		"a length of too many bytes":   events.Sealed(append([]byte{2, 1, 0}, bytes.Repeat([]byte{255}, 11)...)),
		"intents of more than 32 bits": events.Sealed([]byte{2, 0, 0x08, 0x80, 0x80, 0x80, 0x80, 0x10}),
	}
	for i, e := range everyPart() {
		if e.Size() > 1000 {
			continue
		}
		whole := events.AppendEntry(nil, &e)
		for n := range whole {
			cases[fmt.Sprintf("event %d, cut off after %d bytes", i, n)] = whole[:n]
			flipped := bytes.Clone(whole)
			flipped[n] ^= 4
			cases[fmt.Sprintf("event %d, byte %d changed", i, n)] = flipped
		}
	}
	for name, entry := range cases {
		if got, err := new(events.EntryReader).Read(entry, events.Position{Transaction: 1}); !errors.Is(err, events.ErrEntry) {
			t.Errorf("%q: read %v, %v", name, got, err)
		}
	}
}

// TestEntryReaderKeeps checks that reading another entry does not change earlier events.
func TestEntryReaderKeeps(t *testing.T) {
	t.Parallel()
	var reader events.EntryReader
	var list []events.Event
	for i := range snowflake.User(600) {
		users := []snowflake.User{i, i + 1}
		e, err := reader.Read(events.AppendEntry(nil, &events.Event{Name: "N", To: events.Audience{Users: users, Except: users}}), events.Position{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	list[0].To.Users = append(list[0].To.Users, 9) // appending must not write into another list
	for i, e := range list {
		want := []snowflake.User{snowflake.User(i), snowflake.User(i + 1)}
		if !slices.Equal(e.To.Users[:2], want) || !slices.Equal(e.To.Except, want) {
			t.Fatalf("event %d is for %v except %v, want %v", i, e.To.Users, e.To.Except, want)
		}
	}
}

func TestPositionBefore(t *testing.T) {
	t.Parallel()
	order := []events.Position{
		{}, {Number: 1}, {Transaction: 1}, {Transaction: 1, Number: 1}, {Transaction: 1, Number: 2}, {Transaction: 2},
	}
	for i, p := range order {
		for j, o := range order {
			if got := p.Before(o); got != (i < j) {
				t.Errorf("%v before %v: %v", p, o, got)
			}
		}
	}
}

// FuzzEntry reads any bytes with a correct checksum. They are refused, or the event is the same after writing and reading
// it again.
func FuzzEntry(f *testing.F) {
	for _, e := range everyPart() {
		if e.Size() < 1000 {
			entry := events.AppendEntry(nil, &e)
			f.Add(entry[:len(entry)-4])
		}
	}
	f.Add([]byte{})
	f.Add([]byte{2, 16, 0, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		var reader events.EntryReader
		at := events.Position{Transaction: 5}
		e, err := reader.Read(events.Sealed(body), at)
		if err != nil {
			if !errors.Is(err, events.ErrEntry) {
				t.Fatal(err)
			}
			return
		}
		again, err := reader.Read(events.AppendEntry(nil, &e), at)
		if diff := cmp.Diff(e, again, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%v (-first +again):\n%s", err, diff)
		}
	})
}

// BenchmarkEntry writes and reads the event of a member who joins a lobby.
func BenchmarkEntry(b *testing.B) {
	e := events.Event{
		Name: "LOBBY_MEMBER_ADD", Data: bytes.Repeat([]byte("member.."), 30),
		To: events.Audience{Users: many(8), Application: 1300000000000000001, Intents: events.Lobbies},
	}
	entry := events.AppendEntry(nil, &e)
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			events.AppendEntry(make([]byte, 0, len(entry)), &e)
		}
	})
	b.Run("read", func(b *testing.B) {
		var reader events.EntryReader
		b.ReportAllocs()
		for b.Loop() {
			if _, err := reader.Read(entry, events.Position{Transaction: 1}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
