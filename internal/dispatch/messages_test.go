package dispatch_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/snowflake"
)

func viewer(user snowflake.User) directory.Viewer { return directory.Viewer{User: user} }

// TestChannelMessages lists the messages of a channel in pages.
func TestChannelMessages(t *testing.T) {
	t.Parallel()
	d := open(t)
	token := answeredPing(d, hello)
	original, err := d.Message(t.Context(), echo, token, dispatch.Original)
	if err != nil {
		t.Fatal(err)
	}
	ids := []snowflake.Message{messageID(t, original)}
	for range 4 {
		id, _ := followUp(d, token, `{"content":"more"}`)
		ids = append(ids, id)
	}
	hiddenID, _ := followUp(d, token, `{"content":"psst","flags":64}`)
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
		text, err := d.config.Messages.List(t.Context(), viewer(bob), general, tt.page)
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
	one, err := d.config.Messages.Message(t.Context(), viewer(bob), general, ids[0])
	if err != nil || string(one) != string(original) {
		t.Errorf("one message: %s, %v", one, err)
	}
	if _, err := d.config.Messages.Message(t.Context(), viewer(ada), general, hiddenID); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("an ephemeral message in its channel: %v", err)
	}
	if _, err := d.config.Messages.Message(t.Context(), viewer(ada), thread, ids[0]); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("a message in another channel: %v", err)
	}
}

// TestChannelMessagesAccess checks who may read the messages of a channel.
func TestChannelMessagesAccess(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, token := invokePingIn(d, ada, 0, withEcho)
	if err := d.callback(id, token, hello); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		who     directory.Viewer
		channel snowflake.Channel
		want    error
	}{
		{"a participant", viewer(ada), withEcho, nil},
		{"the bot", directory.Viewer{User: snowflake.User(echo), Bot: true}, withEcho, nil},
		{"another user", viewer(bob), withEcho, apierror.MissingAccess},
		{"a member", viewer(bob), general, nil},
		{"a member in a hidden channel", viewer(bob), hidden, apierror.MissingAccess},
		{"the owner in a hidden channel", viewer(cleo), hidden, nil},
		{"a bot of the guild", directory.Viewer{User: snowflake.User(echo), Bot: true}, general, nil},
		{"a bot that is not a member", directory.Viewer{User: snowflake.User(tool), Bot: true}, general, apierror.MissingAccess},
		{"an unknown channel", viewer(ada), 999, directory.ErrUnknownChannel},
	} {
		if _, err := d.config.Messages.List(t.Context(), tt.who, tt.channel, messages.Page{}); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

// TestMessageCommand uses a command on a message.
func TestMessageCommand(t *testing.T) {
	t.Parallel()
	d := open(t)
	token := answeredPing(d, hello)
	text, err := d.Message(t.Context(), echo, token, dispatch.Original)
	if err != nil {
		t.Fatal(err)
	}
	target := messageID(t, text).String()
	c := d.register(echo, 0, `{"name":"Quote","type":3}`)
	d.invoke(bob, invokeBody(c, guild, general, `,"target_id":"`+target+`"`))
	id, token := d.newestToken()
	received := string(reversed(d.waitEvents("INTERACTION_CREATE", 1))[0].Data)
	if !strings.Contains(received, `"resolved":{"messages":{"`+target+`":{"id":"`+target) || !strings.Contains(received, `"target_id":"`+target) {
		t.Errorf("the app received %s", received)
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
	_, err = d.Invoke(t.Context(), dispatch.InvokeRequest{User: bob, Body: parse(t, invokeBody(c, guild, general, `,"target_id":"9"`))})
	if !isError(err, finding{"data", interaction.CommandInvalid}) {
		t.Errorf("an unknown target: %v", err)
	}
}
