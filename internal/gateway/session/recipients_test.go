package session_test

import (
	"slices"
	"testing"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// Ids in the tests.
const (
	echo  snowflake.Application = 1300000000000000001
	lab   snowflake.Guild       = 900000000000000001 // on the second of two shards
	attic snowflake.Guild       = 900000000004194304 // on the first
	ada   snowflake.User        = 700000000000000001
	bob   snowflake.User        = 700000000000000002
)

// addSession adds a session that is in guilds.
func addSession(x *session.Index, owner session.Owner, intents uint32, guilds ...snowflake.Guild) *session.Session {
	s := session.New()
	owner.Session = s.Session
	if owner.Shard.Count == 0 {
		owner.Shard.Count = 1
	}
	s.Owner, s.Intents = owner, intents
	k := &session.Conn{}
	x.Add(s, k)
	x.AddGuilds(s, guilds)
	s.Detach(k, forever) // so that nothing is written
	s.SetReady(&bounds)
	return s
}

const forever = 1 << 62

var bounds = session.Bounds{ReplayEvents: 10, ReplayBytes: 1 << 10}

// TestRecipients finds the recipients of an event in the index, and by asking each session as a restore does. Both must
// agree.
func TestRecipients(t *testing.T) {
	t.Parallel()
	x := session.NewIndex(true)
	bot := session.Owner{Kind: session.Bot, Application: echo, User: snowflake.User(echo)}
	shard := func(id uint32) session.Owner { w := bot; w.Shard = session.Shard{ID: id, Count: 2}; return w }
	all := map[string]*session.Session{
		"bot":       addSession(x, bot, events.Guilds, lab, attic),
		"deaf bot":  addSession(x, bot, 0, lab, attic),
		"shard 0":   addSession(x, shard(0), events.Guilds, attic),
		"shard 1":   addSession(x, shard(1), events.Guilds, lab),
		"ada":       addSession(x, session.Owner{Kind: session.User, User: ada}, 0, lab),
		"bob":       addSession(x, session.Owner{Kind: session.User, User: bob}, 0, attic),
		"ada plays": addSession(x, session.Owner{Kind: session.Client, Application: echo, User: ada}, 0),
		"ada asks":  addSession(x, session.Owner{Kind: session.Client, Application: echo, User: ada}, events.Lobbies),
		"bob plays": addSession(x, session.Owner{Kind: session.Client, Application: echo + 1, User: bob}, 0),
	}
	for _, tt := range []struct {
		name string
		to   events.Audience
		want []string
	}{
		{"nobody", events.Audience{}, nil},
		{"a guild", events.Audience{Guild: lab}, []string{"ada", "bot", "deaf bot", "shard 1"}},
		{"a guild, for an intent", events.Audience{Guild: lab, Intents: events.Guilds}, []string{"ada", "bot", "shard 1"}},
		{"a guild except one user", events.Audience{Guild: lab, Except: []snowflake.User{ada}}, []string{"bot", "deaf bot", "shard 1"}},
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
			found := x.Recipients(nil, &tt.to)
			var got []string
			for name, s := range all {
				received := slices.Contains(found, s)
				if received {
					got = append(got, name)
				}
				if belongs := s.Receives(&tt.to, tt.to.Guild != 0 && x.IsIn(s, tt.to.Guild)); belongs != received {
					t.Errorf("%s: Receives() = %v, in Recipients(): %v", name, belongs, received)
				}
			}
			if slices.Sort(got); !slices.Equal(got, tt.want) {
				t.Errorf("recipients %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRecipientsOneNode checks that, with one node, an event for an unknown session goes to all sessions of its user.
func TestRecipientsOneNode(t *testing.T) {
	t.Parallel()
	x := session.NewIndex(false)
	s := addSession(x, session.Owner{Kind: session.Client, Application: echo, User: ada}, 0)
	got := x.Recipients(nil, &events.Audience{Application: echo, Users: []snowflake.User{ada}, Session: "nowhere"})
	if !slices.Equal(got, []*session.Session{s}) {
		t.Errorf("Recipients() = %v, want the only session", got)
	}
}

// TestGetsReduced checks which sessions get the reduced form of a message.
func TestGetsReduced(t *testing.T) {
	t.Parallel()
	bot := func(intents uint32) *session.Session {
		return &session.Session{Owner: session.Owner{Kind: session.Bot, Application: echo}, Intents: intents}
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
		{"a person", &session.Session{Owner: session.Owner{Kind: session.User, User: ada}}, &reduced, false},
		{"an event that has one form", bot(events.Guilds), &events.Event{}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.s.GetsReduced(tt.e); got != tt.want {
				t.Errorf("GetsReduced() = %v, want %v", got, tt.want)
			}
		})
	}
}
