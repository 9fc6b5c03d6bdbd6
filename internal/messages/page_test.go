package messages_test

import (
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
)

// TestNewestMessages reads the newest messages of a channel, whose JSON is kept, after each of the changes that it depends on.
func TestNewestMessages(t *testing.T) {
	t.Parallel()
	s := openLab(t)
	id := s.say(t, bob, 310, `{"content":"first"}`)
	list := func(by directory.Viewer) string {
		text, err := s.List(t.Context(), by, 310, messages.Page{})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := func(when string, by directory.Viewer, parts ...string) {
		t.Helper()
		for range 2 { // the second time it is kept, if it can be
			text := list(by)
			for _, part := range parts {
				absent := strings.HasPrefix(part, "!")
				if strings.Contains(text, strings.TrimPrefix(part, "!")) == absent {
					t.Errorf("%s: %s, want %s", when, text, part)
				}
			}
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	want("a message", bob, `"first"`, `"bob"`)
	want("another viewer", ada, `"first"`)
	want("a bot without the intent", echo, `"content":""`, `!"first"`)
	s.say(t, ada, 310, `{"content":"second"}`)
	want("another message", bob, `"second"`, `"first"`)
	must(store.Decide(t.Context(), s.Cache.Store(), func(tx *store.Tx) error {
		return tx.Put(store.User{ID: 201, Username: "robert"})
	}))
	want("the author has a new name", ada, `"robert"`, `!"bob"`)
	must(s.React(t.Context(), bob, messages.ReactionPath{Channel: 310, Message: id, Emoji: "🔥"}))
	want("a reaction", bob, `"me":true`)
	want("a reaction of another user", ada, `"me":false`, `!"me":true`)
	must(s.Unreact(t.Context(), bob, messages.ReactionPath{Channel: 310, Message: id, Emoji: "🔥"}, 201))
	want("no reaction", ada, `!"reactions"`)
}
