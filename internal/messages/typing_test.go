package messages_test

import (
	"fmt"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
)

// publisher records the events that no change records.
type publisher struct{ sent []store.Event }

func (p *publisher) Publish(e events.Event) { p.sent = append(p.sent, store.Event{Event: e}) }

// TestTyping checks the events of typing in a guild and in direct messages. Nothing is stored.
func TestTyping(t *testing.T) {
	t.Parallel()
	s := openLab(t)
	var out publisher
	s.Events = &out
	now := s.Clock.Now().Unix()
	if _, err := s.StartTyping(t.Context(), bob, 310); err != nil {
		t.Fatal(err)
	}
	if len(s.sent) > 0 {
		t.Errorf("8 a change recorded %v", s.sent)
	}
	s.sent, out.sent = out.sent, nil
	s.wantEvents(t, "in a guild", sentEvent{"TYPING_START", events.GuildTyping, fmt.Sprintf(
		`{"channel_id":"310","guild_id":"300","user_id":"201","timestamp":%d`, now) +
		`,"member":{"user":{"id":"201","username":"bob","discriminator":"0","global_name":null,"avatar":null,"public_flags":0,"flags":0,"primary_guild":null},` +
		`"nick":null,"avatar":null,"avatar_decoration_data":null,"banner":null,"roles":[],"joined_at":null,"premium_since":null,"pending":false,` +
		`"mute":false,"deaf":false,"flags":0,"communication_disabled_until":null}}`})
	if _, err := s.StartTyping(t.Context(), echo, 400); err != nil {
		t.Fatal(err)
	}
	s.sent = out.sent
	data := fmt.Sprintf(`{"channel_id":"400","user_id":"100","timestamp":%d}`, now)
	s.wantEvents(t, "in direct messages", sentEvent{"TYPING_START", 0, data}, sentEvent{"TYPING_START", events.DirectTyping, data})
}
