package bellhoptest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/bellhoptest"
	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/snowflake"
)

// TestSay acts as people, and waits for what a bot does.
func TestSay(t *testing.T) {
	t.Parallel()
	const in = "Lab/general"
	const echo = snowflake.Application(1100000000000000100)
	srv := bellhoptest.Start(t, bellhoptest.DemoWorld())
	asked := srv.Say(t, "bob", in, "ping")
	bot := func(method, path string, body any) {
		t.Helper()
		path = "/channels/" + asked.Channel.String() + "/messages" + path
		answer, err := srv.Bot(echo).Do(t.Context(), client.Request{Method: method, Path: path, Body: body})
		if err != nil || answer.Status >= http.StatusBadRequest {
			t.Fatalf("%s %s: %v %s", method, path, err, answer.Body)
		}
	}
	bot(http.MethodPost, "", map[string]any{"content": "pong"})
	pong := srv.WaitFor(t, "ada", in, func(m client.Message) bool { return m.Content == "pong" })
	bot(http.MethodPut, "/"+asked.ID.String()+"/reactions/%F0%9F%91%8D/@me", nil)
	srv.WaitFor(t, "bob", in, func(m client.Message) bool { return m.ID == asked.ID && slices.Contains(m.Reactions(), "👍") })
	bot(http.MethodPatch, "/"+pong.ID.String(), map[string]any{"content": "pong 2"})
	if edited := srv.WaitFor(t, "bob", in, client.Message.Edited); edited.Content != "pong 2" {
		t.Errorf("the edited message says %q, want pong 2", edited.Content)
	}

	act := func(a client.PersonAction) client.Message {
		t.Helper()
		a.As, a.In = "ada", in
		return *srv.Act(t, a).Message
	}
	if m := act(client.PersonAction{Content: "me too", ReplyTo: asked.ID}); !strings.Contains(string(m.Rest), `"type":19`) {
		t.Errorf("the reply is %s", m.Rest)
	}
	if m := act(client.PersonAction{Files: []client.UploadedFile{{Name: "a.txt", Content: []byte("abc")}}}); !strings.Contains(string(m.Rest), `"filename":"a.txt"`) {
		t.Errorf("the message with a file is %s", m.Rest)
	}
	if m := act(client.PersonAction{Message: pong.ID, React: "🔥"}); !slices.Equal(m.Reactions(), []string{"🔥"}) {
		t.Errorf("the reactions are %v", m.Reactions())
	}
	mine := srv.Say(t, "ada", in, "mine")
	if m := act(client.PersonAction{Message: mine.ID, Edit: "yours"}); m.Content != "yours" || !m.Edited() {
		t.Errorf("the edited message is %+v", m)
	}
	if said := srv.Act(t, client.PersonAction{As: "ada", In: in, Message: mine.ID, Delete: true}); said.Message != nil {
		t.Errorf("the deleted message is %+v", said.Message)
	}
	bot(http.MethodPost, "", map[string]any{"poll": map[string]any{
		"question": map[string]any{"text": "Tea?"}, "answers": []any{map[string]any{"poll_media": map[string]any{"text": "Yes"}}},
	}})
	poll := srv.WaitFor(t, "ada", in, func(m client.Message) bool { return strings.Contains(string(m.Rest), `"poll":`) })
	if m := act(client.PersonAction{Message: poll.ID, Vote: []int{1}}); !strings.Contains(string(m.Rest), `"me_voted":true`) {
		t.Errorf("the message after the vote is %s", m.Rest)
	}
	srv.Act(t, client.PersonAction{As: "ada", In: in, Typing: true})
}
