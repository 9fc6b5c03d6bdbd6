package messages_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// TestDeleteOf deletes the messages of a user in small pieces, without those of others and those that are older.
func TestDeleteOf(t *testing.T) {
	t.Parallel()
	s := openLab(t)
	old := s.say(t, bob, 310, `{"content":"old"}`)
	since := s.Clock.Now().Add(time.Hour)
	s.IDs.Observe(uint64(since.UnixMilli()-snowflake.Epoch) << 22) // ids of an hour later
	kept := s.say(t, ada, 310, `{"content":"hello"}`)
	for i := range 130 {
		s.say(t, bob, 310, fmt.Sprintf(`{"content":"spam %d"}`, i))
	}
	s.sent = nil
	if err := s.DeleteOf(t.Context(), 300, []snowflake.User{bob.User}, since); err != nil {
		t.Fatal(err)
	}
	var deleted []int
	for _, e := range s.sent {
		if e.Name != "MESSAGE_DELETE_BULK" {
			t.Errorf("event %s", e.Name)
		}
		deleted = append(deleted, strings.Count(string(e.Data), `"`)/2-5) // the ids; the rest has 3 names and 2 ids
	}
	if got := fmt.Sprint(deleted); got != "[99 31]" {
		t.Errorf("events with %s messages, want [99 31]: a page has one message of another user", got)
	}
	var left []snowflake.Message
	err := s.Cache.Store().Read(t.Context(), func(r store.Reader) (err error) {
		left, err = r.Messages.InChannel(310, 9)
		return err
	})
	if want := []snowflake.Message{old, kept}; err != nil || fmt.Sprint(left) != fmt.Sprint(want) {
		t.Errorf("left are %v, %v; want %v", left, err, want)
	}
}
