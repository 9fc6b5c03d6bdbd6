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

// TestLinkedMessages checks that a lobby's messages are stored in the linked channel, and that the channel's messages
// are in the lobby's list.
func TestLinkedMessages(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.addGuild()
	var posted []store.Message
	h.posted = func(_ context.Context, m *store.Message) { posted = append(posted, *m) }
	id := h.create(everybody)
	say := func(text string) snowflake.Message {
		t.Helper()
		m, err := h.Messages.Send(t.Context(), game, id, eve, body(t, fmt.Sprintf(`{"content":%q,"metadata":{"a":"b"}}`, text)))
		if err != nil {
			t.Fatal(err)
		}
		return m.ID
	}
	alone := say("before it is linked")
	h.wantErr(h.link(id, ada, general), nil)
	both := say("hi <@700000000000000001>")
	if len(posted) != 1 || posted[0].ID != both || posted[0].Guild != lab || posted[0].Author() != eve || len(posted[0].Mentions) != 1 {
		t.Errorf("posted %+v", posted)
	}
	answer := store.Message{
		ID: snowflake.Message(h.ids.Next()), Channel: general, Guild: lab, Application: other, Interaction: 5, User: ada,
		Content: []byte(`{"content":"from an app","tts":false,"flags":0,"attachments":[]}`),
	}
	h.put(answer)
	last := say("after it")
	h.wantMessages(id, 50, last, answer.ID, both, alone)
	h.wantMessages(id, 2, last, answer.ID)

	list, err := h.Messages.List(t.Context(), game, id, ada, 50)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := h.Messages.ListBody(t.Context(), list[1:2])
	if err != nil || !strings.Contains(string(shown), `"content":"from an app"`) || strings.Contains(string(shown), "application_id") {
		t.Errorf("MessagesBody() = %s, %v", shown, err)
	}

	h.wantErr(h.dir.Guilds.DeleteChannel(t.Context(), lab, general), nil)
	say("the channel was deleted")
	if len(posted) != 2 {
		t.Errorf("posted %d messages, want 2", len(posted))
	}
}

// wantMessages checks which messages a member sees.
func (h *harness) wantMessages(id snowflake.Lobby, limit int, want ...snowflake.Message) {
	h.t.Helper()
	list, err := h.Messages.List(h.t.Context(), game, id, ada, limit)
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

// TestLinkedApplications checks that members get events about applications' messages in the linked channel.
func TestLinkedApplications(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.addGuild()
	h.events.connect(ada, bob)
	id := h.create(everybody)
	h.events.take()
	answer := store.Message{
		ID: snowflake.Message(h.ids.Next()), Channel: general, Guild: lab, Application: other, Interaction: 5, User: ada,
		Content: []byte(`{"content":"from an app","tts":false,"flags":0,"attachments":[]}`),
	}
	edited := answer
	edited.Edited = noon.Add(time.Second)
	own := answer
	own.Interaction = 0 // a user or a bot wrote it in the channel
	hook := own
	hook.Webhook = &store.WebhookAuthor{ID: 77, Name: "CI"}
	elsewhere := answer
	elsewhere.Channel = second
	var got strings.Builder
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"not linked", func() { h.channelEvent("MESSAGE_CREATE", &answer) }},
		{"linked", func() { h.wantErr(h.link(id, ada, general), nil); h.events.take() }},
		{"created", func() { h.channelEvent("MESSAGE_CREATE", &answer) }},
		{"edited", func() { h.channelEvent("MESSAGE_UPDATE", &edited) }},
		{"deleted", func() { h.channelEvent("MESSAGE_DELETE", &answer) }},
		{"written in the channel", func() { h.channelEvent("MESSAGE_CREATE", &own) }},
		{"written by a webhook", func() { h.channelEvent("MESSAGE_CREATE", &hook) }},
		{"in another channel", func() { h.channelEvent("MESSAGE_CREATE", &elsewhere) }},
		{"linked with another", func() {
			h.wantErr(h.link(id, ada, second), nil)
			h.events.take()
			h.channelEvent("MESSAGE_CREATE", &answer)
		}},
		{"in that", func() { h.channelEvent("MESSAGE_DELETE", &elsewhere) }},
		{"the lobby was deleted", func() {
			h.wantErr(h.Delete(t.Context(), game, id), nil)
			h.events.take()
			h.channelEvent("MESSAGE_DELETE", &elsewhere)
		}},
	} {
		step.do()
		fmt.Fprintf(&got, "-- %s --\n", step.name)
		for _, e := range h.events.take() {
			got.WriteString(line(t, e))
		}
	}
	golden(t, "testdata/linked.txt", got.String())
}

// channelEvent passes a message of a channel to the linked lobby, and records the events.
func (h *harness) channelEvent(name string, m *store.Message) {
	h.t.Helper()
	var c store.Change
	h.wantErr(h.Messages.ChannelEvent(h.t.Context(), &c, name, m), nil)
	h.events.committed(&c)
}

// TestChannelFails checks that a message that cannot be stored in the linked channel is stored in the lobby only, with
// its event.
func TestChannelFails(t *testing.T) {
	t.Parallel()
	h := open(t, lobbies.Settings{})
	h.addGuild()
	h.events.connect(ada)
	h.posted = func(_ context.Context, m *store.Message) { t.Errorf("posted %+v", m) }
	id := h.create(everybody)
	h.wantErr(h.link(id, ada, general), nil)
	h.events.take()
	h.sql(`CREATE TRIGGER broken BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'broken'); END`)
	m, err := h.Messages.Send(t.Context(), game, id, eve, body(t, `{"content":"hi"}`))
	if err != nil || m.Channel != 0 {
		t.Fatalf("Send() = %+v, %v", m, err)
	}
	wantLines(t, "a message", h.eventLines(t), "LOBBY_MESSAGE_CREATE to 1")
	h.wantMessages(id, 50, m.ID)
	h.sql(`CREATE TRIGGER worse BEFORE INSERT ON lobby_messages BEGIN SELECT RAISE(ABORT, 'worse'); END`)
	if m, err := h.Messages.Send(t.Context(), game, id, eve, body(t, `{"content":"lost"}`)); err == nil {
		t.Errorf("Send() = %+v, but it is kept nowhere", m)
	}
	wantLines(t, "no message", h.eventLines(t))
}

// sql runs a statement directly on the database.
func (h *harness) sql(statement string) {
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
