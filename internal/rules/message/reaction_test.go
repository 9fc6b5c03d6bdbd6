package message_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/message"
)

func TestParseEmoji(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]message.Emoji{
		"👍": {Name: "👍"}, "❤️": {Name: "❤️"}, "❤": {Name: "❤"}, "1️⃣": {Name: "1️⃣"}, "👨‍👩‍👧": {Name: "👨‍👩‍👧"}, "👍🏽": {Name: "👍🏽"}, "🇩🇪": {Name: "🇩🇪"}, "🏴󠁧󠁢󠁳󠁣󠁴󠁿": {Name: "🏴󠁧󠁢󠁳󠁣󠁴󠁿"},
		"cat:55": {ID: 55, Name: "cat"}, "a:cat:55": {ID: 55, Name: "cat", Animated: true}, ":cat:55": {ID: 55, Name: "cat"}, ":55": {ID: 55},
	} {
		if got, err := message.ParseEmoji(give); err != nil || got != want {
			t.Errorf("7.1 ParseEmoji(%q) = %+v, %v, want %+v", give, got, err, want)
		}
	}
	for _, give := range []string{"", "cat", "1", "cat:", "cat:x", "b:cat:55", "a:b:c:55", "👍👎", "%F0%9F%91%8D", "\xff", "👍x", "cat:0", "c-t:55", strings.Repeat("x", 33) + ":55"} {
		if got, err := message.ParseEmoji(give); !errors.Is(err, apierror.UnknownReaction) {
			t.Errorf("7.1 ParseEmoji(%q) = %+v, %v, want UnknownReaction", give, got, err)
		}
	}
	heart, plain := message.Emoji{Name: "❤️"}, message.Emoji{Name: "❤"}
	if heart.Key() != plain.Key() || (message.Emoji{ID: 5, Name: "a"}).Key() != (message.Emoji{ID: 5, Name: "b"}).Key() {
		t.Error("7.1 equal emojis have different keys")
	}
}

func FuzzParseEmoji(f *testing.F) {
	for _, s := range []string{"👍", "a:cat:55", "1️⃣"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := message.ParseEmoji(s)
		if err == nil && (e.Key() == "" || e.ID == 0 && e.Name != s) {
			t.Errorf("ParseEmoji(%q) = %+v", s, e)
		}
	})
}

func TestPostOfChannel(t *testing.T) {
	t.Parallel()
	post := message.Post{
		ID: 5, Channel: 10, Guild: 3, Application: 7, Webhook: 8,
		Reference: message.Reference{Forward: true, Message: 1, Channel: 2}, Referenced: []byte("null"),
		Reactions:    []message.Reaction{{Emoji: message.Emoji{Name: "👍"}, Count: 2, Me: true}, {Emoji: message.Emoji{ID: 55, Name: "cat", Animated: true}, Count: 1}},
		StickerItems: []message.StickerItem{{ID: 9, Name: "s", Format: 1}}, ThreadChannel: []byte(`{"id":"5"}`),
	}
	got := string(post.AppendJSON(nil))
	wantJS(t, []byte(got))
	for _, want := range []string{
		`"application_id":"7","webhook_id":"8"`,
		`"message_reference":{"type":1,"channel_id":"2","message_id":"1","guild_id":"3"},"referenced_message":null`,
		`"reactions":[{"emoji":{"id":null,"name":"👍"},"count":2,"count_details":{"burst":0,"normal":2},"burst_colors":[],"me_burst":false,"me":true},` +
			`{"emoji":{"id":"55","name":"cat","animated":true},"count":1,"count_details":{"burst":0,"normal":1},"burst_colors":[],"me_burst":false,"me":false}]`,
		`"sticker_items":[{"id":"9","name":"s","format_type":1}]`, `"thread":{"id":"5"}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("2 message %s, want %s in it", got, want)
		}
	}
	plain := string((&message.Post{ID: 5, Channel: 10, Reference: message.Reference{Channel: 4, Guild: 6}}).AppendJSON(nil))
	for _, unwanted := range []string{"application_id", "webhook_id", "reactions", "sticker_items", "thread\"", "snapshots", "message_id", "nonce"} {
		if strings.Contains(plain, unwanted) {
			t.Errorf("2 the message of a bot is %s, want no %s", plain, unwanted)
		}
	}
	if want := `"message_reference":{"type":0,"channel_id":"4","guild_id":"6"}`; !strings.Contains(plain, want) {
		t.Errorf("13.1 the notice of a thread is %s, want %s in it", plain, want)
	}
}
