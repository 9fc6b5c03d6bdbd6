package channelhook_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/channelhook"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// messagesIn returns the messages of a channel, the newest first.
func (s *service) messagesIn(t *testing.T, id snowflake.Channel) (list []store.Message) {
	t.Helper()
	err := s.db.Read(t.Context(), func(r store.Reader) (err error) {
		list, err = r.Messages.Before(id, snowflake.Max, 99)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// copied waits until no copies have to change.
func (s *service) copied(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		var left []store.DueRecord[snowflake.Message]
		err := s.db.Read(t.Context(), func(r store.Reader) (err error) {
			left, err = r.Messages.DueCrossposts(99)
			return err
		})
		switch {
		case err != nil:
			t.Fatal(err)
		case len(left) == 0:
			return
		case time.Now().After(deadline):
			t.Fatalf("waited 30 s for the copies of published messages, left are %v", left)
		}
		time.Sleep(time.Millisecond)
	}
}

// TestCrosspost checks that the channels that follow get copies of published messages, and that edits and deletions reach the
// copies (channels.md, sections 5 and 12.3).
func TestCrosspost(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.run(t)
	const news, general, other = 312, 310, 311
	var hooks []snowflake.Webhook
	for _, target := range []string{"310", "311", "310"} {
		followed, err := s.Follow(t.Context(), ada, news, value(t, `{"webhook_channel_id":"`+target+`"}`))
		if err != nil || followed.ChannelID != news {
			t.Fatalf("Follow() = %+v, %v", followed, err)
		}
		hooks = append(hooks, followed.WebhookID)
	}
	if got := s.take(); strings.Count(got, "WEBHOOKS_UPDATE to") != 3 || strings.Count(got, `"type":12`) != 3 {
		t.Errorf("events of Follow() are\n%s", got)
	}
	if err := s.Delete(t.Context(), channelhook.Caller{Viewer: ada}, hooks[2]); err != nil { // it follows no more
		t.Fatal(err)
	}
	answer, err := s.Messages.Create(t.Context(), ada, news, messages.Request{Body: value(t, `{"content":"out <@200>"}`)})
	if err != nil {
		t.Fatal(err)
	}
	id, err := snowflake.Parse[snowflake.Message](value(t, string(answer)).Get("id").Text())
	if err != nil {
		t.Fatal(err)
	}
	if answer, err = s.Messages.Publish(t.Context(), ada, news, id); err != nil || !strings.Contains(string(answer), `"flags":1,`) {
		t.Fatalf("Publish() = %s, %v", answer, err)
	}
	s.copied(t)
	events := s.take()
	reference := fmt.Sprintf(`"message_reference":{"type":0,"channel_id":"312","message_id":"%d","guild_id":"300"}`, id)
	for i, channel := range []snowflake.Channel{general, other} {
		m := s.messagesIn(t, channel)[0]
		if m.Webhook == nil || m.Webhook.ID != hooks[i] || m.Webhook.Name != "Lab #news" || len(m.Mentions) > 0 {
			t.Errorf("the copy in %d is %+v", channel, m)
		}
		want := fmt.Sprintf(`MESSAGE_CREATE to 300/%d `, channel)
		line := lineWith(events, want)
		if !strings.Contains(line, reference) || !strings.Contains(line, `"flags":2,`) {
			t.Errorf("the event of the copy is %q", line)
		}
	}
	if n := len(s.messagesIn(t, general)); n != 3 { // two notices and a copy
		t.Errorf("the channel has %d messages, want 3", n)
	}

	if _, err := s.Messages.Edit(t.Context(), ada, news, id, messages.Request{Body: value(t, `{"content":"corrected"}`)}); err != nil {
		t.Fatal(err)
	}
	s.copied(t)
	if line := lineWith(s.take(), "MESSAGE_UPDATE to 300/311 "); !strings.Contains(line, `"content":"corrected"`) || !strings.Contains(line, `"flags":2,`) {
		t.Errorf("the event of the edited copy is %q", line)
	}

	// A moderator deletes a copy. The other one tells that the message was deleted.
	if err := s.Messages.DeleteOne(t.Context(), ada, other, s.messagesIn(t, other)[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := s.Messages.DeleteOne(t.Context(), ada, news, id); err != nil {
		t.Fatal(err)
	}
	s.copied(t)
	if line := lineWith(s.take(), "MESSAGE_UPDATE to 300/310 "); !strings.Contains(line, `"content":"[Original Message Deleted]"`) || !strings.Contains(line, `"flags":10,`) {
		t.Errorf("the event of the copy of a deleted message is %q", line)
	}
	err = s.db.Read(t.Context(), func(r store.Reader) error {
		list, err := r.Messages.Copies(id, 0, 9)
		if len(list) > 0 {
			t.Errorf("copies %v of a deleted message are left", list)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// lineWith returns the first line that contains a text.
func lineWith(lines, text string) string {
	for line := range strings.Lines(lines) {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

// TestFollowerIsNotExecuted checks that a follower has no token.
func TestFollowerIsNotExecuted(t *testing.T) {
	t.Parallel()
	s := open(t)
	followed, err := s.Follow(t.Context(), ada, 312, value(t, `{"webhook_channel_id":"310"}`))
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := s.Holds(t.Context(), followed.WebhookID, ""); ok || err != nil {
		t.Errorf("Holds() = %v, %v", ok, err)
	}
	_, err = s.Edit(t.Context(), channelhook.Caller{Viewer: ada}, followed.WebhookID, value(t, `{"channel_id":"311"}`))
	if !errors.Is(err, apierror.SystemWebhook) {
		t.Errorf("the follower can be moved: %v", err)
	}
}

// run copies published messages until the test ends.
func (s *service) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
