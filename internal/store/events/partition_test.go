package events_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

func TestPartitions(t *testing.T) {
	t.Parallel()
	everyone := []events.Partition{events.Everyone}
	guild, account := events.GuildPartition(300), events.AccountPartition(200)
	for _, tt := range []struct {
		name string
		give events.Event
		want []events.Partition
	}{
		{"of a guild", events.Event{Name: "N", To: events.Audience{Guild: 300, Channel: 310}}, []events.Partition{guild}},
		{"of a user", events.Event{Name: "N", To: events.Audience{Users: []snowflake.User{200}, Guild: 300}}, []events.Partition{account}},
		{"of a bot", events.Event{Name: "N", To: events.Audience{Application: 200, Guild: 300}}, []events.Partition{account}},
		{
			"of users in the clients of an application",
			events.Event{Name: "N", To: events.Audience{Application: 1, Users: []snowflake.User{200, 201}}},
			[]events.Partition{account, events.AccountPartition(201)},
		},
		{
			"of many users in the clients of an application",
			events.Event{Name: "N", To: events.Audience{Application: 1, Users: many(33)}},
			[]events.Partition{events.ClientsPartition(1)},
		},
		{"of many users", events.Event{Name: "N", To: events.Audience{Users: many(33)}}, everyone},
		{
			"a user joins a guild",
			events.Event{Name: "N", To: events.Audience{Guild: 300}, Change: &events.Change{Guild: 300, Joined: 200}},
			[]events.Partition{guild, account},
		},
		{
			"a bot joins a guild, without an audience",
			events.Event{Change: &events.Change{Guild: 300, Joined: 200}},
			[]events.Partition{guild, account},
		},
		{"a token is revoked, of anyone", events.Event{Change: &events.Change{Recheck: true}}, everyone},
		{"a user leaves a guild", events.Event{Name: "N", To: events.Audience{Guild: 300}, Change: &events.Change{Guild: 300, Left: 200}}, everyone},
		{"a guild is deleted", events.Event{Name: "N", To: events.Audience{Guild: 300}, Change: &events.Change{Guild: 300, Closed: true}}, everyone},
		{"a channel is deleted", events.Event{Name: "CHANNEL_DELETE", To: events.Audience{Guild: 300}}, everyone},
		{"a token is revoked", events.Event{To: events.Audience{Application: 200}, Change: &events.Change{Recheck: true}}, []events.Partition{account}},
		{"anything may have changed", events.Event{Change: &events.Change{Everything: true}}, everyone},
		{"nodes tell each other", events.Event{Data: []byte("{}")}, everyone},
		{"lost events", events.Event{Lost: true}, everyone},
	} {
		if got := tt.give.Partitions(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestPartitionStays pins hashes: nodes of all versions must compute the same ones.
func TestPartitionStays(t *testing.T) {
	t.Parallel()
	got := []events.Partition{events.GuildPartition(1300000000000000300), events.AccountPartition(1300000000000000001), events.ClientsPartition(1)}
	if want := []events.Partition{1451447666, 2068821926, 2085212535}; !slices.Equal(got, want) {
		t.Errorf("the partitions are %v, want %v", got, want)
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 8, 1000, 20_000} {
		var list []events.Partition
		for id := range n {
			list = append(list, events.GuildPartition(snowflake.Guild(id+1)))
		}
		f := events.NewFilter(list)
		if !f.Selects(events.Everyone) || slices.ContainsFunc(list, func(p events.Partition) bool { return !f.Selects(p) }) {
			t.Errorf("a filter for %d partitions does not select all of them", n)
		}
		others := 0
		for id := range 10_000 {
			if p := events.GuildPartition(snowflake.Guild(1<<40 + id)); f.Selects(p) {
				others++
			}
		}
		if most := max(100, n/10); others > most || len(f.Bits) > 1<<14 {
			t.Errorf("a filter for %d partitions has %d bytes and selects %d of 10000 others", n, len(f.Bits), others)
		}
	}
}

// reader is the reader of a history with an interest.
type reader struct {
	*events.Interest

	at events.Position
}

func newReader() *reader { return &reader{Interest: events.NewInterest()} }

// read reads events, and returns the names of those that are selected.
func (r *reader) read(list ...events.Event) (names string, pause bool) {
	r.Next(r.at)
	for i := range list {
		r.at.Number++
		list[i].Position = r.at
	}
	list, pause = r.Select(list)
	var read strings.Builder
	for _, e := range list {
		read.WriteString(e.Name)
		r.at = e.Position
	}
	return read.String(), pause
}

func guildEvent(name string, id snowflake.Guild) events.Event {
	return events.Event{Name: name, To: events.Audience{Guild: id}}
}

func TestInterest(t *testing.T) {
	t.Parallel()
	t.Run("only wanted partitions are read, and those for everyone", func(t *testing.T) {
		t.Parallel()
		r := newReader()
		r.Add(events.GuildPartition(1))
		if got, _ := r.read(guildEvent("a", 1), guildEvent("b", 2), events.Event{Data: []byte("{}")}, guildEvent("c", 1)); got != "ac" {
			t.Errorf("read %q", got)
		}
	})
	t.Run("a partition is dropped once the gateway has handled what was read", func(t *testing.T) {
		t.Parallel()
		r := newReader()
		r.Add(events.GuildPartition(1))
		r.read(guildEvent("a", 1))
		r.Remove(events.GuildPartition(1))
		if got, _ := r.read(guildEvent("b", 1)); got != "b" {
			t.Errorf("read %q before the gateway has handled the event before", got)
		}
		r.Handled(r.at)
		if got, _ := r.read(guildEvent("c", 1)); got != "" {
			t.Errorf("read %q after the last session has gone", got)
		}
	})
	t.Run("an event that makes sessions follow a partition ends the read", func(t *testing.T) {
		t.Parallel()
		r := newReader()
		r.Add(events.AccountPartition(200))
		join := events.Event{Name: "j", To: events.Audience{Guild: 1}, Change: &events.Change{Guild: 1, Joined: 200}}
		got, pause := r.read(join, guildEvent("a", 1))
		if got != "j" || !pause || r.HasHandled(r.at) {
			t.Errorf("read %q, pause %t", got, pause)
		}
		r.Add(events.GuildPartition(1)) // the gateway handles it
		r.Handled(r.at)
		if got, pause = r.read(join, guildEvent("a", 1)); got != "ja" || pause || !r.HasHandled(events.Position{Number: 1}) {
			t.Errorf("read %q, pause %t", got, pause)
		}
	})
	t.Run("anything may have changed: the read ends", func(t *testing.T) {
		t.Parallel()
		if _, pause := newReader().read(events.Event{Change: &events.Change{Everything: true}}); !pause {
			t.Error("the read goes on")
		}
	})
	t.Run("Since is the position from which all partitions are read", func(t *testing.T) {
		t.Parallel()
		r := newReader()
		one, two := events.GuildPartition(1), events.GuildPartition(2)
		r.Add(one)
		r.read(guildEvent("a", 1))
		r.Add(two)
		if _, reading := r.Since([]events.Partition{one, two}); reading {
			t.Error("a partition is read before the next read")
		}
		r.read(guildEvent("b", 2))
		if at, reading := r.Since([]events.Partition{one, two}); !reading || at.Number != 1 {
			t.Errorf("read since %v, %t", at, reading)
		}
		if at, reading := r.Since([]events.Partition{one}); !reading || at.Number != 0 {
			t.Errorf("the first partition is read since %v, %t", at, reading)
		}
		r.Restart(events.Position{Number: 9})
		if at, _ := r.Since([]events.Partition{one}); at.Number != 9 {
			t.Errorf("after a new start it is read since %v", at)
		}
	})
	t.Run("a hint concerns the node if it reads a partition", func(t *testing.T) {
		t.Parallel()
		r := newReader()
		r.Add(events.GuildPartition(1))
		r.read()
		for _, tt := range []struct {
			list []events.Partition
			want bool
		}{
			{nil, true},
			{[]events.Partition{events.Everyone}, true},
			{[]events.Partition{events.GuildPartition(2)}, false},
			{[]events.Partition{events.GuildPartition(2), events.GuildPartition(1)}, true},
		} {
			if got := r.Concerns(tt.list); got != tt.want {
				t.Errorf("Concerns(%v) = %t", tt.list, got)
			}
		}
	})
	t.Run("nil reads everything", func(t *testing.T) {
		t.Parallel()
		r := &reader{}
		if got, pause := r.read(guildEvent("a", 1), events.Event{Name: "b", Change: &events.Change{Everything: true}}); got != "ab" || pause {
			t.Errorf("read %q, pause %t", got, pause)
		}
		if err := r.Wait(t.Context()); err != nil || !r.HasHandled(events.Position{Number: 5}) || !r.Concerns([]events.Partition{7}) {
			t.Errorf("Wait() = %v", err)
		}
	})
}

// TestInterestWait checks that a session waits for the next read, and only if a partition of it is new.
func TestInterestWait(t *testing.T) {
	t.Parallel()
	r, woken := newReader(), make(chan struct{}, 1)
	r.Wake = func() { woken <- struct{}{} }
	r.Add(events.GuildPartition(1))
	<-woken
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := r.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait() before the next read = %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- r.Wait(t.Context()) }()
	for waiting := true; waiting; {
		r.Next(r.at)
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
			waiting = false
		default:
		}
	}
	r.Add(events.GuildPartition(1)) // is read already: nothing to wake, nothing to wait for
	if err := r.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}
