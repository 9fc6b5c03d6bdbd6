package lobbies_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

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
	if err := h.db.Update(t.Context(), func(tx store.Tx) error { return tx.PutMessage(answer) }); err != nil {
		t.Fatal(err)
	}
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
