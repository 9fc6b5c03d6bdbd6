package interaction_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/testkit/rules"
	"github.com/bellhop/bellhop/snowflake"
)

func TestPostGolden(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 1, 2, 3, 4, 5, 678000000, time.UTC)
	rich, err := message.Read(parse(t, `{"content":"Hi <@42>","tts":true,"embeds":[{"title":"e","color":255.0,"timestamp":"2026-01-02T05:04:05+02:00","image":{"url":"attachment://Cat.PNG"},
		"footer":{"text":"f","icon_url":"attachment://gone.png"}}],"components":[{"type":1,"components":[{"type":2,"style":1,"label":"<b>","custom_id":"b","emoji":{"name":"👍"}}]}],
		"attachments":[{"id":0,"description":"A cat"}]}`), uploads[:1])
	if err != nil {
		t.Fatal(err)
	}
	v2, err := message.Read(parse(t, `{"flags":32832,"components":[{"type":13,"file":{"url":"attachment://Cat.PNG"}}]}`), uploads[:1])
	if err != nil {
		t.Fatal(err)
	}
	poll, err := message.Read(parse(t, `{"poll":{"question":{"text":"q"},"answers":[{"poll_media":{"text":"a","emoji":{"id":5}}},{"poll_media":{"text":"b"}}],"duration":48,"allow_multiselect":true}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	command2 := &interaction.Metadata{ID: bornID, Type: interaction.ApplicationCommand, User: rhea, Owners: interaction.Owners{ByGuild: true, Guild: 300, User: rhea.ID}}
	onUser, onMessage, followUp, component := *command2, *command2, *command2, *command2
	onUser.TargetUser = &theo
	onMessage.TargetMessage = 5
	followUp.Original = 950
	component.Type, component.Interacted = interaction.MessageComponent, 6
	modal := &interaction.Metadata{ID: bornID + 1, Type: interaction.ModalSubmit, User: rhea, Owners: interaction.Owners{User: rhea.ID}, Triggering: &component}
	post := func(c message.Content, from interaction.Source, m message.Cause) *message.Post {
		return &message.Post{
			ID: 960, Type: from.Type(), Channel: ops.ID, Application: 1200000000000000001, Author: helper, Content: c,
			Created: created, Reference: message.Reference{Message: from.Reference()}, Webhook: 1200000000000000001, Cause: m,
		}
	}
	named := *command2
	named.Command = &interaction.CommandUsed{ID: bornID, Type: interaction.ApplicationCommand, Path: "deploy start", User: rhea}
	slash := post(rich, interaction.Source{Command: command.ChatInput}, &named)
	slash.Mentions, slash.Roles, slash.Everyone = []wire.User{theo}, []snowflake.Role{301}, true
	withGuild := func(p *message.Post) *message.Post {
		p.Guild = 300
		return p
	}
	slash.Guild, slash.Member, slash.Nonce, slash.Edited = 300, &member, message.TextNonce("n1"), created.Add(time.Minute)
	withTarget := post(message.Content{Text: "Saved"}, interaction.Source{Command: command.Message, Target: 5}, &onMessage)
	withTarget.Referenced = post(message.Content{Text: "target"}, interaction.Source{Command: command.ChatInput}, nil).AppendJSON(nil)
	noBot := post(message.Content{Flags: message.Loading | message.Ephemeral}, interaction.Source{Command: command.ChatInput}, command2)
	noBot.Author = wire.User{ID: 1200000000000000001, Username: "Helper", Discriminator: "0000", Bot: true}
	for _, tt := range []struct {
		name string
		give *message.Post
	}{
		{"post_slash", slash},
		{"post_user_command", post(message.Content{Text: "a"}, interaction.Source{Command: command.User}, &onUser)},
		{"post_message_command", withTarget},
		{"post_component", post(v2, interaction.Source{Component: 6}, &component)},
		{"post_modal", post(poll, interaction.Source{Component: 6}, modal)},
		{"post_follow_up", withGuild(post(message.Content{Text: "more"}, interaction.Source{Command: command.ChatInput, Original: 950}, &followUp))},
		{"post_loading_without_bot", noBot},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rules.Golden(t, tt.name, tt.give.AppendJSON(nil), *update)
		})
	}
}
