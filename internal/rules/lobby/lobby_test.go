package lobby_test

import (
	"flag"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var (
	noon   = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	update = flag.Bool("update", false, "rewrite the golden files")
)

// full returns a lobby with all properties.
func full() lobby.Lobby {
	return lobby.Lobby{
		ID: 1310000000000000001, Application: 1200000000000000001, Metadata: `{"map":"dust"}`, Flags: 1,
		IdleTimeout: time.Hour, IdleSince: noon, WebhooksURL: "https://game.example/hook",
		Members: []*lobby.Member{
			{ID: 700000000000000001, Flags: lobby.CanLinkLobby},
			{ID: 700000000000000002, Metadata: `{"team":"red"}`, AdditionalName: `Vex "the" <one>`},
		},
	}
}

func TestWireForms(t *testing.T) {
	t.Parallel()
	l := full()
	bare := lobby.New(5, 6, noon)
	m := lobby.Message{ID: 1, Lobby: 2, Application: 3, Author: 4, Content: "hi\n", AdditionalName: "Vex", Metadata: `{"a":"b"}`, Moderation: `{"c":"d"}`}
	var got []byte
	for _, line := range [][]byte{
		l.AppendJSON(nil, nil), l.AppendJSON(nil, []byte(`{"id":"9"}`)), bare.AppendJSON(nil, nil),
		l.Members[1].AppendJSON(nil), l.Members[0].AppendEvent(nil, true), lobby.AppendMembers(nil, l.Members), lobby.AppendMembers(nil, nil),
		l.AppendEvent(nil, nil, func(m *lobby.Member) bool { return m.Flags != 0 }), bare.AppendEvent(nil, []byte(`{"id":"9"}`), nil),
		m.AppendJSON(nil, []byte(`{"id":"4"}`)), m.AppendUpdate(nil, []byte(`{"id":"4"}`)), (&lobby.Message{ID: 1, Lobby: 2, Channel: 9, Application: 3}).AppendJSON(nil, []byte(`{}`)),
		(&lobby.Message{ID: 1, Lobby: 2, Channel: 9, Content: "hi"}).AppendJSON(nil, []byte(`{}`)),
		(&lobby.Message{ID: 1, Lobby: 2, Channel: 9, Edited: noon}).AppendUpdate(nil, []byte(`{}`)),
	} {
		got = append(append(got, line...), '\n')
	}
	const file = "testdata/wire.jsonl"
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("wire forms differ (-want +got):\n%s", diff)
	}
}

// TestPatch checks what an absent property, null and a value mean.
func TestPatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		change     func(*lobby.Lobby)
	}{
		{"absent keeps", `{}`, func(*lobby.Lobby) {}},
		{"null metadata clears", `{"metadata":null}`, func(l *lobby.Lobby) { l.Metadata = "" }},
		{"metadata replaces, does not merge", `{"metadata":{"mode":"ctf"}}`, func(l *lobby.Lobby) { l.Metadata = `{"mode":"ctf"}` }},
		{"empty metadata is not null", `{"metadata":{}}`, func(l *lobby.Lobby) { l.Metadata = `{}` }},
		{"null flags are 0", `{"flags":null}`, func(l *lobby.Lobby) { l.Flags = 0 }},
		{"null timeout keeps", `{"idle_timeout_seconds":null}`, func(*lobby.Lobby) {}},
		{"timeout sets", `{"idle_timeout_seconds":"60"}`, func(l *lobby.Lobby) { l.IdleTimeout = time.Minute }},
		{"null address clears", `{"override_event_webhooks_url":null}`, func(l *lobby.Lobby) { l.WebhooksURL = "" }},
		{"null members keep", `{"members":null}`, func(*lobby.Lobby) {}},
		{"empty members remove all", `{"members":[]}`, func(l *lobby.Lobby) { l.Members = nil }},
		{"members replace", `{"members":[{"id":"3"}]}`, func(l *lobby.Lobby) { l.Members = []*lobby.Member{{ID: 3}} }},
		{"a remaining member keeps its place, properties and name", `{"members":[{"id":"3"},{"id":"700000000000000002"}]}`, func(l *lobby.Lobby) {
			l.Members = []*lobby.Member{l.Members[1], {ID: 3}}
		}},
		{"nulls in an entry clear", `{"members":[{"id":"700000000000000002","metadata":null,"flags":null}]}`, func(l *lobby.Lobby) {
			l.Members = []*lobby.Member{{ID: 700000000000000002, AdditionalName: l.Members[1].AdditionalName}}
		}},
		{"of the same id the last counts", `{"members":[{"id":"3","flags":1},{"id":"4"},{"id":"3","metadata":{}}]}`, func(l *lobby.Lobby) {
			l.Members = []*lobby.Member{{ID: 4}, {ID: 3, Metadata: "{}"}}
		}},
		{"a name does not come with a list", `{"members":[{"id":"3","additional_name":"x"}]}`, func(l *lobby.Lobby) { l.Members = []*lobby.Member{{ID: 3}} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, err := lobby.ReadPatch(parse(t, tt.give))
			if err != nil {
				t.Fatal(err)
			}
			before, want := full(), full()
			tt.change(&want)
			got := p.Apply(before)
			if list, ok := p.Members.Get(); ok {
				got.Members = got.Replace(list)
			}
			if len(got.Members) == 0 {
				got.Members = nil
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("patched lobby differs (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(full(), before); diff != "" {
				t.Errorf("the old lobby changed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAmendMember checks PUT of a member: what the request does not contain stays.
func TestAmendMember(t *testing.T) {
	t.Parallel()
	old := &lobby.Member{ID: 7, Metadata: `{"a":"b"}`, Flags: 1, AdditionalName: "Vex"}
	for _, tt := range []struct {
		name, give string
		old        *lobby.Member
		want       lobby.Member
	}{
		{"new and bare", `{}`, nil, lobby.Member{ID: 7}},
		{"absent keeps", `{}`, old, *old},
		{"only flags keep the metadata", `{"flags":0}`, old, lobby.Member{ID: 7, Metadata: `{"a":"b"}`, AdditionalName: "Vex"}},
		{"only metadata keeps the flags", `{"metadata":{"c":"d"}}`, old, lobby.Member{ID: 7, Metadata: `{"c":"d"}`, Flags: 1, AdditionalName: "Vex"}},
		{"null clears", `{"metadata":null,"flags":null,"additional_name":null}`, old, lobby.Member{ID: 7}},
		{"values set", `{"metadata":{"c":"d"},"flags":1,"additional_name":"Rex"}`, old, lobby.Member{ID: 7, Metadata: `{"c":"d"}`, Flags: 1, AdditionalName: "Rex"}},
	} {
		e, err := lobby.ReadMember(7, parse(t, tt.give))
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Amend(tt.old); *got != tt.want {
			t.Errorf("%s: Amend() = %+v, want %+v", tt.name, *got, tt.want)
		}
	}
	e, err := lobby.ReadMember(7, parse(t, `{"metadata":{"a":"b"},"flags":1}`))
	if err != nil || e.Amend(old) != old {
		t.Errorf("what changes nothing makes a new member, %v", err)
	}
}

func TestIdle(t *testing.T) {
	t.Parallel()
	at := func(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }
	for _, tt := range []struct {
		name     string
		activity lobby.Activity
		timeout  time.Duration // new timeout; 0: a write without a timeout
		want     int           // deadline in seconds after noon
	}{
		{"a write restarts the time", lobby.ConnectionsAndWrites, 0, 100 + 300},
		{"a write does not count", lobby.Connections, 0, 300},
		{"a new timeout counts from now", lobby.ConnectionsAndWrites, time.Minute, 100 + 60},
		{"a new timeout counts from the same moment", lobby.Connections, 2 * time.Minute, 120},
		{"a shorter one is not over at once", lobby.Connections, time.Minute, 100 + 5},
		{"the shortest", lobby.Connections, 5 * time.Second, 100 + 5},
	} {
		l := lobby.New(1, 2, noon)
		if tt.timeout == 0 {
			l = tt.activity.Touch(l, at(100))
		} else {
			l.IdleTimeout = tt.timeout
			l = tt.activity.Retime(l, at(100))
		}
		if got := l.Deadline(time.Time{}); !got.Equal(at(tt.want)) {
			t.Errorf("%s: Deadline() = %v, want %v", tt.name, got, at(tt.want))
		}
	}
	l := lobby.New(1, 2, noon)
	if got := l.Deadline(at(1000)); !got.Equal(at(1300)) {
		t.Errorf("after a restart Deadline() = %v, want a full time from then", got)
	}
	l.Channel = 9
	if got := l.Deadline(noon); !got.IsZero() {
		t.Errorf("of a linked lobby Deadline() = %v, want none", got)
	}
}

func TestMetadataMap(t *testing.T) {
	t.Parallel()
	dict := map[string]string{"b": "1", "a": "\"\u2028"}
	if diff := cmp.Diff(dict, lobby.MetadataOf(dict).Map()); diff != "" {
		t.Errorf("Map() differs (-want +got):\n%s", diff)
	}
	if lobby.Metadata("").Map() != nil {
		t.Error("null has a map")
	}
}

// TestMembersModel compares the list of members with a simple model.
func TestMembersModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var l lobby.Lobby
		var model []snowflake.User
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			id := snowflake.User(rapid.Uint64Range(1, 8).Draw(t, "id"))
			before := slices.Clone(l.Members)
			old := l.Members
			if rapid.Bool().Draw(t, "put") {
				l.Members = l.With(&lobby.Member{ID: id})
				if !slices.Contains(model, id) {
					model = append(model, id)
				}
			} else {
				l.Members = l.Without(id)
				model = slices.DeleteFunc(model, func(u snowflake.User) bool { return u == id })
			}
			if !slices.Equal(before, old) {
				t.Fatal("a shared list changed")
			}
			got := make([]snowflake.User, 0, len(l.Members))
			for _, m := range l.Members {
				got = append(got, m.ID)
			}
			if !slices.Equal(got, model) {
				t.Fatalf("members are %v, want %v", got, model)
			}
		}
	})
}
