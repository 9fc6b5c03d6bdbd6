package dispatch_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/snowflake"
)

func visitor(user snowflake.User) directory.Visitor { return directory.Visitor{User: user} }

// TestChannelMessages reads a channel page by page.
func TestChannelMessages(t *testing.T) {
	t.Parallel()
	d := open(t)
	token := answered(d, hello)
	original, err := d.Message(t.Context(), echo, token, dispatch.Original)
	if err != nil {
		t.Fatal(err)
	}
	ids := []snowflake.Message{messageID(t, original)}
	for range 4 {
		id, _ := follow(d, token, `{"content":"more"}`)
		ids = append(ids, id)
	}
	hiddenID, _ := follow(d, token, `{"content":"psst","flags":64}`)
	for _, tt := range []struct {
		name string
		page messages.Page
		want []int // indexes into ids
	}{
		{"newest first", messages.Page{}, []int{4, 3, 2, 1, 0}},
		{"limit", messages.Page{Limit: 2}, []int{4, 3}},
		{"before", messages.Page{Before: ids[2]}, []int{1, 0}},
		{"after", messages.Page{After: ids[1], Limit: 2}, []int{3, 2}},
		{"around", messages.Page{Around: ids[2], Limit: 3}, []int{3, 2, 1}},
		{"around the first", messages.Page{Around: ids[0], Limit: 3}, []int{1, 0}},
	} {
		text, err := d.Messages().List(t.Context(), visitor(bob), general, tt.page)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, m := range parse(t, string(text)).Items() {
			id, _ := snowflake.Parse[snowflake.Message](m.Get("id").Text())
			got = append(got, slices.Index(ids, id))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	one, err := d.Messages().One(t.Context(), visitor(bob), general, ids[0])
	if err != nil || string(one) != string(original) {
		t.Errorf("one message: %s, %v", one, err)
	}
	if _, err := d.Messages().One(t.Context(), visitor(ada), general, hiddenID); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("an ephemeral message in its channel: %v", err)
	}
	if _, err := d.Messages().One(t.Context(), visitor(ada), thread, ids[0]); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("a message in another channel: %v", err)
	}
}

// TestChannelMessagesAreSeen shows messages to those who may read them.
func TestChannelMessagesAreSeen(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, token := used(d, ada, 0, withEcho)
	if err := d.callback(id, token, hello); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		who     directory.Visitor
		channel snowflake.Channel
		want    error
	}{
		{"one of the two", visitor(ada), withEcho, nil},
		{"the bot", directory.Visitor{User: snowflake.User(echo), Bot: true}, withEcho, nil},
		{"somebody else", visitor(bob), withEcho, directory.ErrHidden},
		{"a member", visitor(bob), general, nil},
		{"a member in a hidden channel", visitor(bob), hidden, directory.ErrHidden},
		{"the owner in a hidden channel", visitor(cleo), hidden, nil},
		{"a bot of the guild", directory.Visitor{User: snowflake.User(echo), Bot: true}, general, nil},
		{"a bot from elsewhere", directory.Visitor{User: snowflake.User(tool), Bot: true}, general, directory.ErrHidden},
		{"nowhere", visitor(ada), 999, directory.ErrUnknownChannel},
	} {
		if _, err := d.Messages().List(t.Context(), tt.who, tt.channel, messages.Page{}); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestMessageCommand uses a command on a message.
func TestMessageCommand(t *testing.T) {
	t.Parallel()
	d := open(t)
	token := answered(d, hello)
	text, err := d.Message(t.Context(), echo, token, dispatch.Original)
	if err != nil {
		t.Fatal(err)
	}
	target := messageID(t, text).String()
	c := d.register(echo, 0, `{"name":"Quote","type":3}`)
	d.invoke(bob, uses(c, guild, general, `,"target_id":"`+target+`"`))
	id, token := d.token()
	told := string(backward(d.hear("INTERACTION_CREATE", 1))[0].Data)
	if !strings.Contains(told, `"resolved":{"messages":{"`+target+`":{"id":"`+target) || !strings.Contains(told, `"target_id":"`+target) {
		t.Errorf("the app received %s", told)
	}
	if err := d.callback(id, token, hello); err != nil {
		t.Fatal(err)
	}
	text, err = d.Message(t.Context(), echo, token, dispatch.Original)
	for _, part := range []string{`"type":23`, `"target_message_id":"` + target, `"referenced_message":{"id":"` + target, `"name":"Quote"`} {
		if err != nil || !strings.Contains(string(text), part) {
			t.Errorf("%s lacks %s, %v", text, part, err)
		}
	}
	_, err = d.Invoke(t.Context(), dispatch.Call{User: bob, Body: parse(t, uses(c, guild, general, `,"target_id":"9"`))})
	if !refused(err, finding{"data", interaction.CommandInvalid}) {
		t.Errorf("a target that is not there: %v", err)
	}
}
