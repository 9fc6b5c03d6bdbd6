package messages_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// TestReactionEvents checks the events about reactions in a guild and in direct messages.
func TestReactionEvents(t *testing.T) {
	t.Parallel()
	s := openLab(t)
	id := s.say(t, bob, 310, `{"content":"hi"}`)
	s.sent = nil
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	at := messages.ReactionPath{Channel: 310, Message: id, Emoji: "🔥"}
	cat := messages.ReactionPath{Channel: 310, Message: id, Emoji: "a:cat:55"}
	where := fmt.Sprintf(`"channel_id":"310","message_id":"%v","guild_id":"300"`, id)
	must(s.React(t.Context(), ada, at))
	must(s.React(t.Context(), ada, at))
	s.wantEvents(t, "a reaction, and again", sentEvent{"MESSAGE_REACTION_ADD", events.GuildReactions, `{"user_id":"200",` + where +
		`,"member":{"user":{"id":"200","username":"ada","discriminator":"0","global_name":null,"avatar":null,"public_flags":0,"flags":0,"primary_guild":null},` +
		`"nick":null,"avatar":null,"avatar_decoration_data":null,"banner":null,"roles":[],"joined_at":null,"premium_since":null,"pending":false,` +
		`"mute":false,"deaf":false,"flags":0,"communication_disabled_until":null}` +
		`,"emoji":{"id":null,"name":"🔥"},"message_author_id":"201","burst":false,"burst_colors":[],"type":0}`})
	must(s.React(t.Context(), bob, cat))
	must(s.React(t.Context(), bob, at))
	s.sent = nil
	text, err := s.Render(t.Context(), s.find(t, id), 201)
	if want := `"reactions":[{"emoji":{"id":null,"name":"🔥"},"count":2,"count_details":{"burst":0,"normal":2},"burst_colors":[],"me_burst":false,"me":true},` +
		`{"emoji":{"id":"55","name":"cat","animated":true},"count":1,`; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("the message is %s, %v, want %s in it", text, err, want)
	}
	if text, err = s.Render(t.Context(), s.find(t, id), 100); err != nil || strings.Contains(string(text), `"me":true`) {
		t.Errorf("the bot sees %s, %v, and it did not react", text, err)
	}
	must(s.Unreact(t.Context(), bob, at, 201))
	must(s.Unreact(t.Context(), bob, at, 201))
	s.wantEvents(t, "a removed reaction, and again", sentEvent{
		"MESSAGE_REACTION_REMOVE", events.GuildReactions,
		`{"user_id":"201",` + where + `,"emoji":{"id":null,"name":"🔥"},"burst":false,"type":0}`,
	})
	must(s.ClearEmoji(t.Context(), ada, messages.ReactionPath{Channel: 310, Message: id, Emoji: "old_name:55"}))
	s.wantEvents(t, "an emoji cleared", sentEvent{
		"MESSAGE_REACTION_REMOVE_EMOJI", events.GuildReactions, `{` + where + `,"emoji":{"id":"55","name":"cat","animated":true}}`,
	})
	must(s.ClearReactions(t.Context(), ada, 310, id))
	must(s.ClearReactions(t.Context(), ada, 310, id))
	s.wantEvents(t, "all cleared, and again", sentEvent{"MESSAGE_REACTION_REMOVE_ALL", events.GuildReactions, `{` + where + `}`})

	direct := s.say(t, bob, 400, `{"content":"hi"}`)
	s.sent = nil
	must(s.React(t.Context(), echo, messages.ReactionPath{Channel: 400, Message: direct, Emoji: "👍"}))
	data := fmt.Sprintf(`{"user_id":"100","channel_id":"400","message_id":"%v","emoji":{"id":null,"name":"👍"},"message_author_id":"201","burst":false,"burst_colors":[],"type":0}`, direct)
	s.wantEvents(t, "a direct message", sentEvent{"MESSAGE_REACTION_ADD", 0, data}, sentEvent{"MESSAGE_REACTION_ADD", events.DirectReactions, data})
}

// find returns a stored message.
func (s *service) find(t *testing.T, id snowflake.Message) *store.Message {
	t.Helper()
	m, err := s.Find(t.Context(), id)
	if err != nil || m == nil {
		t.Fatalf("message %v: %v, %v", id, m, err)
	}
	return m
}

// TestDeletedMessageLosesReactions deletes messages with reactions: no reaction stays, and no event is about one.
func TestDeletedMessageLosesReactions(t *testing.T) {
	t.Parallel()
	s := openLab(t)
	id := s.say(t, bob, 310, `{"content":"hi"}`)
	if err := s.React(t.Context(), ada, messages.ReactionPath{Channel: 310, Message: id, Emoji: "👍"}); err != nil {
		t.Fatal(err)
	}
	s.sent = nil
	if err := s.DeleteOne(t.Context(), bob, 310, id); err != nil {
		t.Fatal(err)
	}
	s.wantEvents(t, "deleted", sentEvent{messages.Deleted, events.GuildMessages, fmt.Sprintf(`{"id":"%v","channel_id":"310","guild_id":"300"}`, id)})
	err := s.Cache.Store().Read(t.Context(), func(r store.Reader) error {
		left, err := r.Messages.Reactors(id, "👍", 0, 10)
		if len(left) > 0 {
			t.Errorf("users %v still react to the deleted message", left)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestReactionRules checks the limit of kinds, timeouts, and archived threads.
func TestReactionRules(t *testing.T) {
	t.Parallel()
	s := openLab(t)
	err := store.Decide(t.Context(), s.Cache.Store(), func(tx *store.Tx) error {
		return tx.Put(
			store.User{ID: 202, Username: "eve"}, store.Member{Guild: 300, User: 202, TimeoutUntil: s.Clock.Now().Add(time.Hour)},
			store.Channel{ID: 311, Guild: 300, Type: 11, Parent: 310, Archived: true, Name: "old"},
			store.Message{ID: 50, Channel: 311, Guild: 300, User: 201, Content: []byte(`{"text":"x"}`)},
			store.CustomEmoji{ID: 60, Guild: 300, Name: "cat"}, store.CustomEmoji{ID: 61, Application: 100, Name: "dog"},
			store.CustomEmoji{ID: 62, Guild: 399, Name: "cow"},
			store.Channel{ID: 312, Guild: 300, Name: "strict", Overwrites: []store.ChannelOverwrite{{ID: 300, Deny: permission.UseExternalEmojis}}},
			store.Message{ID: 51, Channel: 312, Guild: 300, User: 201, Content: []byte(`{"text":"x"}`)},
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	id := s.say(t, bob, 310, `{"content":"hi"}`)
	for i := range 20 {
		if err := s.React(t.Context(), bob, messages.ReactionPath{Channel: 310, Message: id, Emoji: string(rune(0x1f400 + i))}); err != nil {
			t.Fatal(err)
		}
	}
	eve := directory.Viewer{User: 202}
	for _, tt := range []struct {
		name string
		by   directory.Viewer
		at   messages.ReactionPath
		want error
	}{
		{"kind 21", bob, messages.ReactionPath{Channel: 310, Message: id, Emoji: "🔥"}, apierror.TooManyReactions},
		{"one of the 20", ada, messages.ReactionPath{Channel: 310, Message: id, Emoji: "\U0001f400"}, nil},
		{"a member in a timeout", eve, messages.ReactionPath{Channel: 310, Message: id, Emoji: "\U0001f400"}, apierror.MissingPermission},
		{"an archived thread", ada, messages.ReactionPath{Channel: 311, Message: 50, Emoji: "🔥"}, apierror.ThreadArchived},
		{"an emoji of the guild", bob, messages.ReactionPath{Channel: 312, Message: 51, Emoji: "old:60"}, nil},
		{"an emoji of the bot", directory.Viewer{User: 100, Bot: true}, messages.ReactionPath{Channel: 312, Message: 51, Emoji: "dog:61"}, nil},
		{"an emoji of another guild", bob, messages.ReactionPath{Channel: 312, Message: 51, Emoji: "cow:62"}, apierror.UnknownReaction},
		{"an unknown emoji", bob, messages.ReactionPath{Channel: 312, Message: 51, Emoji: "pig:63"}, apierror.UnknownReaction},
		{"no emoji", bob, messages.ReactionPath{Channel: 310, Message: id, Emoji: "cat"}, apierror.UnknownReaction},
		{"a message of another channel", bob, messages.ReactionPath{Channel: 310, Message: 50, Emoji: "🔥"}, interaction.ErrUnknownMessage},
	} {
		if err := s.React(t.Context(), tt.by, tt.at); !errors.Is(err, tt.want) {
			t.Errorf("7 %s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if got := s.find(t, 51).Reactions[0].Emoji.Name; got != "cat" {
		t.Errorf("7 the reaction has the name %q, which the emoji does not have", got)
	}
}
