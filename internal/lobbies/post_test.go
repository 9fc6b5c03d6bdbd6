package lobbies_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/lobbies"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// TestLinkedMessages checks that what is said in a lobby stands in the linked channel, and the other way round.
func TestLinkedMessages(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.furnish()
	var told []store.Message
	h.Posted = func(_ context.Context, m *store.Message) { told = append(told, *m) }
	id := h.make(everybody)
	say := func(text string) snowflake.Message {
		t.Helper()
		m, err := h.Send(t.Context(), game, id, eve, body(t, fmt.Sprintf(`{"content":%q,"metadata":{"a":"b"}}`, text)))
		if err != nil {
			t.Fatal(err)
		}
		return m.ID
	}
	alone := say("before it is linked")
	h.wantErr(h.link(id, ada, general), nil)
	both := say("hi <@700000000000000001>")
	if len(told) != 1 || told[0].ID != both || told[0].Guild != lab || told[0].Author() != eve || len(told[0].Mentions) != 1 {
		t.Errorf("told of %+v", told)
	}
	answer := store.Message{
		ID: snowflake.Message(h.ids.Next()), Channel: general, Guild: lab, Application: other, Interaction: 5, User: ada,
		Content: []byte(`{"content":"from an app","tts":false,"flags":0,"attachments":[]}`),
	}
	h.put(answer)
	last := say("after it")
	h.wantMessages(id, 50, last, answer.ID, both, alone)
	h.wantMessages(id, 2, last, answer.ID)

	list, err := h.Messages(t.Context(), game, id, ada, 50)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := h.MessagesBody(t.Context(), list[1:2])
	if err != nil || !strings.Contains(string(shown), `"content":"from an app"`) || strings.Contains(string(shown), "application_id") {
		t.Errorf("MessagesBody() = %s, %v", shown, err)
	}

	h.wantErr(h.dir.DeleteChannel(t.Context(), lab, general), nil)
	say("the channel is gone")
	if len(told) != 2 {
		t.Errorf("told of %d messages, want those two in the channel", len(told))
	}
}

// wantMessages checks which messages a member sees.
func (h *hall) wantMessages(id snowflake.Lobby, limit int, want ...snowflake.Message) {
	h.t.Helper()
	list, err := h.Messages(h.t.Context(), game, id, ada, limit)
	if err != nil {
		h.t.Fatal(err)
	}
	var got []snowflake.Message
	for _, m := range list {
		got = append(got, m.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		h.t.Errorf("messages are %v, want %v", got, want)
	}
}

// TestLinkedApplications checks that members hear what applications do in the linked channel.
func TestLinkedApplications(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.furnish()
	h.told.arrive(ada, bob)
	id := h.make(everybody)
	h.told.take()
	answer := store.Message{
		ID: snowflake.Message(h.ids.Next()), Channel: general, Guild: lab, Application: other, Interaction: 5, User: ada,
		Content: []byte(`{"content":"from an app","tts":false,"flags":0,"attachments":[]}`),
	}
	edited := answer
	edited.Edited = noon.Add(time.Second)
	own := answer
	own.Interaction = 0 // was said in the lobby, and told there
	elsewhere := answer
	elsewhere.Channel = second
	var got strings.Builder
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"not linked", func() { h.Written(t.Context(), "MESSAGE_CREATE", &answer) }},
		{"linked", func() { h.wantErr(h.link(id, ada, general), nil); h.told.take() }},
		{"made", func() { h.Written(t.Context(), "MESSAGE_CREATE", &answer) }},
		{"changed", func() { h.Written(t.Context(), "MESSAGE_UPDATE", &edited) }},
		{"deleted", func() { h.Written(t.Context(), "MESSAGE_DELETE", &answer) }},
		{"said in the lobby", func() { h.Written(t.Context(), "MESSAGE_CREATE", &own) }},
		{"in another channel", func() { h.Written(t.Context(), "MESSAGE_CREATE", &elsewhere) }},
		{"linked with another", func() {
			h.wantErr(h.link(id, ada, second), nil)
			h.told.take()
			h.Written(t.Context(), "MESSAGE_CREATE", &answer)
		}},
		{"in that", func() { h.Written(t.Context(), "MESSAGE_DELETE", &elsewhere) }},
		{"the lobby is gone", func() {
			h.wantErr(h.Delete(t.Context(), game, id), nil)
			h.told.take()
			h.Written(t.Context(), "MESSAGE_DELETE", &elsewhere)
		}},
	} {
		step.do()
		fmt.Fprintf(&got, "-- %s --\n", step.name)
		for _, e := range h.told.take() {
			got.WriteString(line(t, e))
		}
	}
	golden(t, "testdata/linked.txt", got.String())
}

// TestChannelFails checks that a message that cannot be posted to the linked channel is kept in the lobby alone, told and
// answered, and that nothing of it is in the channel.
func TestChannelFails(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.furnish()
	h.told.arrive(ada)
	h.Posted = func(_ context.Context, m *store.Message) { t.Errorf("told of %+v in the channel", m) }
	id := h.make(everybody)
	h.wantErr(h.link(id, ada, general), nil)
	h.told.take()
	h.sql(`CREATE TRIGGER broken BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'broken'); END`)
	m, err := h.Send(t.Context(), game, id, eve, body(t, `{"content":"hi"}`))
	if err != nil || m.Channel != 0 {
		t.Fatalf("Send() = %+v, %v", m, err)
	}
	wantLines(t, "a message", h.heard(t), "LOBBY_MESSAGE_CREATE to 1")
	h.wantMessages(id, 50, m.ID)
	h.sql(`CREATE TRIGGER worse BEFORE INSERT ON lobby_messages BEGIN SELECT RAISE(ABORT, 'worse'); END`)
	if m, err := h.Send(t.Context(), game, id, eve, body(t, `{"content":"lost"}`)); err == nil {
		t.Errorf("Send() = %+v, but it is kept nowhere", m)
	}
	wantLines(t, "no message", h.heard(t))
}

// sql runs a statement on the database behind the back of the store.
func (h *hall) sql(statement string) {
	h.t.Helper()
	db, err := sql.Open("sqlite", h.path)
	if err != nil {
		h.t.Fatal(err)
	}
	_, err = db.ExecContext(h.t.Context(), statement)
	if err := errors.Join(err, db.Close()); err != nil {
		h.t.Fatal(err)
	}
}
