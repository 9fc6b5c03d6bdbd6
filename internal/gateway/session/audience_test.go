package session_test

import (
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/snowflake"
)

// Who and what the tests speak of.
const (
	echo  snowflake.Application = 1300000000000000001
	lab   snowflake.Guild       = 900000000000000001 // on the second of two shards
	attic snowflake.Guild       = 900000000004194304 // on the first
	ada   snowflake.User        = 700000000000000001
	bob   snowflake.User        = 700000000000000002
)

// begin makes a session known and lets it begin in guilds.
func begin(x *session.Index, who session.Who, intents uint32, guilds ...snowflake.Guild) *session.Session {
	s := session.New()
	who.Session = s.Session
	if who.Shard.Count == 0 {
		who.Shard.Count = 1
	}
	s.Who, s.Intents = who, intents
	k := &session.Link{}
	x.Enter(s, k)
	x.Settle(s, guilds)
	s.Part(k, forever) // so that nothing is written
	s.Started(&bounds)
	return s
}

const forever = 1 << 62

var bounds = session.Bounds{ReplayEvents: 10, ReplayBytes: 1 << 10}

// TestAudience finds who hears an event by the index, as events are handed out, and by asking each session, as they are counted
// when one comes from another node. Both have to say the same.
func TestAudience(t *testing.T) {
	t.Parallel()
	x := session.NewIndex(true)
	bot := session.Who{Kind: session.Bot, Application: echo, User: snowflake.User(echo)}
	shard := func(id uint32) session.Who { w := bot; w.Shard = session.Shard{ID: id, Count: 2}; return w }
	all := map[string]*session.Session{
		"bot":       begin(x, bot, events.Guilds, lab, attic),
		"deaf bot":  begin(x, bot, 0, lab, attic),
		"shard 0":   begin(x, shard(0), events.Guilds, attic),
		"shard 1":   begin(x, shard(1), events.Guilds, lab),
		"ada":       begin(x, session.Who{Kind: session.Person, User: ada}, 0, lab),
		"bob":       begin(x, session.Who{Kind: session.Person, User: bob}, 0, attic),
		"ada plays": begin(x, session.Who{Kind: session.Client, Application: echo, User: ada}, 0),
		"ada asks":  begin(x, session.Who{Kind: session.Client, Application: echo, User: ada}, events.Lobbies),
		"bob plays": begin(x, session.Who{Kind: session.Client, Application: echo + 1, User: bob}, 0),
	}
	for _, tt := range []struct {
		name string
		to   events.Audience
		want []string
	}{
		{"nobody", events.Audience{}, nil},
		{"a guild", events.Audience{Guild: lab}, []string{"ada", "bot", "deaf bot", "shard 1"}},
		{"a guild, for an intent", events.Audience{Guild: lab, Intents: events.Guilds}, []string{"ada", "bot", "shard 1"}},
		{"a guild but for somebody", events.Audience{Guild: lab, Except: []snowflake.User{ada}}, []string{"bot", "deaf bot", "shard 1"}},
		{"the bots of a guild", events.Audience{Guild: attic, Kinds: events.Bots}, []string{"bot", "deaf bot", "shard 0"}},
		{"the people of a guild", events.Audience{Guild: attic, Kinds: events.People}, []string{"bob"}},
		{"a bot", events.Audience{Application: echo}, []string{"bot", "deaf bot", "shard 0"}},
		{"a bot, of a guild", events.Audience{Application: echo, Guild: lab}, []string{"bot", "deaf bot", "shard 1"}},
		{"people", events.Audience{Users: []snowflake.User{ada, bob}}, []string{"ada", "bob"}},
		{"clients", events.Audience{Application: echo, Users: []snowflake.User{ada, bob}}, []string{"ada asks", "ada plays"}},
		{"clients, for another intent", events.Audience{Application: echo, Users: []snowflake.User{ada}, Intents: events.Guilds}, []string{"ada plays"}},
		{"one session", events.Audience{Application: echo, Users: []snowflake.User{ada}, Session: all["ada asks"].Session}, []string{"ada asks"}},
		{"a session of another node", events.Audience{Application: echo, Users: []snowflake.User{ada}, Session: "elsewhere"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			found := x.Audience(nil, &tt.to)
			var got []string
			for name, s := range all {
				heard := slices.Contains(found, s)
				if heard {
					got = append(got, name)
				}
				if belongs := s.Belongs(&tt.to, tt.to.Guild != 0 && x.IsIn(s, tt.to.Guild)); belongs != heard {
					t.Errorf("%s: Belongs() = %v, and in the audience: %v", name, belongs, heard)
				}
			}
			if slices.Sort(got); !slices.Equal(got, tt.want) {
				t.Errorf("heard by %q, want %q", got, tt.want)
			}
		})
	}
}

// TestAudienceAlone hands an event for a session that is nowhere to all of that person, where there are no other nodes.
func TestAudienceAlone(t *testing.T) {
	t.Parallel()
	x := session.NewIndex(false)
	s := begin(x, session.Who{Kind: session.Client, Application: echo, User: ada}, 0)
	got := x.Audience(nil, &events.Audience{Application: echo, Users: []snowflake.User{ada}, Session: "nowhere"})
	if !slices.Equal(got, []*session.Session{s}) {
		t.Errorf("Audience() = %v, want the only session", got)
	}
}

// TestHearsReduced has a message that is read whole by those alone who may.
func TestHearsReduced(t *testing.T) {
	t.Parallel()
	bot := func(intents uint32) *session.Session {
		return &session.Session{Who: session.Who{Kind: session.Bot, Application: echo}, Intents: intents}
	}
	reduced := events.Event{Reduced: []byte(`{}`)}
	own := events.Event{Reduced: []byte(`{}`), Full: []snowflake.Application{echo}}
	for _, tt := range []struct {
		name string
		s    *session.Session
		e    *events.Event
		want bool
	}{
		{"a bot", bot(events.Guilds), &reduced, true},
		{"a bot with the intent", bot(events.MessageContent), &reduced, false},
		{"a bot whose message it is", bot(events.Guilds), &own, false},
		{"a person", &session.Session{Who: session.Who{Kind: session.Person, User: ada}}, &reduced, false},
		{"an event that has one form", bot(events.Guilds), &events.Event{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.s.HearsReduced(tt.e); got != tt.want {
				t.Errorf("HearsReduced() = %v, want %v", got, tt.want)
			}
		})
	}
}
