package messages_test

import (
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// The users of openLab.
var (
	ada  = directory.Viewer{User: 200} // owns the guild 300
	bob  = directory.Viewer{User: 201} // a member
	echo = directory.Viewer{User: 100, Bot: true}
)

// openLab returns a service with the guild 300, its channel 310, and the direct messages 400 of bob and the bot.
func openLab(t *testing.T) *service {
	t.Helper()
	return openLabOver(t, lab.OpenStore(t))
}

// openLabOver is openLab over an empty store.
func openLabOver(t *testing.T, db store.Store) *service {
	t.Helper()
	s := openServiceOver(t, db, messages.Quota{})
	const everyone = permission.ViewChannel | permission.SendMessages | permission.ReadMessageHistory | permission.AddReactions |
		permission.UseExternalEmojis
	err := store.Decide(t.Context(), s.Cache.Store(), func(tx *store.Tx) error {
		return tx.Put(
			store.User{ID: 200, Username: "ada"}, store.User{ID: 201, Username: "bob"},
			store.Application{ID: 100, Name: "Echo", Owner: 200},
			store.Guild{ID: 300, Name: "Lab", Owner: 200, Everyone: everyone},
			store.Member{Guild: 300, User: 200}, store.Member{Guild: 300, User: 201}, store.Member{Guild: 300, User: 100},
			store.Channel{ID: 400, Type: 1, Recipients: []snowflake.User{100, 201}},
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.sent, s.events = nil, nil
	return s
}

// parse parses a JSON text.
func parse(t *testing.T, text []byte) jsonbody.Value {
	t.Helper()
	v, err := jsonbody.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// say creates a message and returns its id.
func (s *service) say(t *testing.T, by directory.Viewer, channel snowflake.Channel, text string) snowflake.Message {
	t.Helper()
	made, err := s.Create(t.Context(), by, channel, messages.Request{Body: parse(t, []byte(text))})
	if err != nil {
		t.Fatal(err)
	}
	id, err := snowflake.Parse[snowflake.Message](parse(t, made).Get("id").Text())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// wantEvents checks the events since the last call: each is a name, the intents of the audience in guilds or of bots, and
// the data.
func (s *service) wantEvents(t *testing.T, when string, want ...sentEvent) {
	t.Helper()
	var got []sentEvent
	for _, e := range s.sent {
		got = append(got, sentEvent{e.Name, e.To.Intents, string(e.Data)})
	}
	s.sent = nil
	if len(got) != len(want) {
		t.Errorf("%s: events %v, want %v", when, got, want)
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%s: event %d is\n%v, want\n%v", when, i, got[i], want[i])
		}
	}
}

// sentEvent is an event that was sent.
type sentEvent struct {
	name    string
	intents uint32
	data    string
}
