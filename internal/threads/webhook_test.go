package threads_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// TestWebhooks checks that a webhook creates a post, and that its message unarchives a thread (channels.md, section 14.1). The
// webhook does not become a member.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	s := open(t)
	hook := store.Webhook{ID: 900, Type: 1, Guild: guild, Channel: forum, Application: snowflake.Application(asBot.User), Name: "CI"}
	execute := func(thread snowflake.Channel, text string) snowflake.Message {
		t.Helper()
		answer, err := s.Messages.Execute(t.Context(), messages.WebhookRequest{
			Request: messages.Request{Body: body(t, text)}, Thread: thread,
			Open: func(context.Context) (*store.Webhook, error) { return &hook, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		return idOf[snowflake.Message](t, answer)
	}
	id := snowflake.Channel(execute(0, `{"content":"first","thread_name":"News","applied_tags":["1"]}`))
	in := fmt.Sprintf("channel %d", id)
	if created := string(s.events[0].Data); !strings.Contains(created, `"owner_id":"900"`) || !strings.Contains(created, `"member_count":0`) {
		t.Errorf("THREAD_CREATE is %s", created)
	}
	want(t, "a post", s.heard(), []string{"THREAD_CREATE " + in, "MESSAGE_CREATE " + in})
	if _, err := s.Edit(t.Context(), asAda, id, body(t, `{"archived":true}`)); err != nil {
		t.Fatal(err)
	}
	s.heard()
	execute(id, `{"content":"hi <@202>"}`)
	want(t, "a message unarchives, and adds the mentioned user", s.heard(), []string{
		"THREAD_UPDATE " + in, "THREAD_CREATE user 202", "THREAD_MEMBERS_UPDATE " + in, "THREAD_MEMBERS_UPDATE user 202", "MESSAGE_CREATE " + in,
	})
	if c := s.thread(t, id); c.Archived || c.Name != "News" {
		t.Errorf("the post is %+v", c)
	}
}
