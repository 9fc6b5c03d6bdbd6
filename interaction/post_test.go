package interaction_test

import (
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/interaction"
	"github.com/bellhop/bellhop/snowflake"
)

// TestSource is the rows type and message_reference of section 10.
func TestSource(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rule string
		give       interaction.Source
		kind       interaction.MessageType
		reference  snowflake.Message
	}{
		{"slash command", "10 type", interaction.Source{Command: command.ChatInput}, 20, 0},
		{"entry point", "10 type", interaction.Source{Command: command.PrimaryEntryPoint}, 20, 0},
		{"USER command", "10 type", interaction.Source{Command: command.User}, 23, 0},
		{"MESSAGE command", "10 message_reference", interaction.Source{Command: command.Message, Target: 5}, 23, 5},
		{"component answer", "10 message_reference", interaction.Source{Component: 6}, 19, 6},
		{"modal opened by a command", "10 type", interaction.Source{Command: command.ChatInput}, 20, 0},
		{"modal opened by a component", "10 type", interaction.Source{Component: 6}, 19, 6},
		{"follow-up", "10 message_reference", interaction.Source{Command: command.ChatInput, Original: 7}, 19, 7},
		{"follow-up to a MESSAGE command", "10 message_reference", interaction.Source{Command: command.Message, Target: 5, Original: 7}, 19, 7},
		{"follow-up to a component answer", "10 message_reference", interaction.Source{Component: 6, Original: 7}, 19, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if kind, ref := tt.give.Type(), tt.give.Reference(); kind != tt.kind || ref != tt.reference {
				t.Errorf("%s: type %d, reference %d, want %d, %d", tt.rule, kind, ref, tt.kind, tt.reference)
			}
		})
	}
}

func TestPostGolden(t *testing.T) {
	t.Parallel()
	created := time.Date(2026, 1, 2, 3, 4, 5, 678000000, time.UTC)
	rich, err := interaction.ReadMessage(parse(t, `{"content":"Hi <@42>","tts":true,"embeds":[{"title":"e","color":255.0,"timestamp":"2026-01-02T05:04:05+02:00","image":{"url":"attachment://Cat.PNG"},
		"footer":{"text":"f","icon_url":"attachment://gone.png"}}],"components":[{"type":1,"components":[{"type":2,"style":1,"label":"<b>","custom_id":"b","emoji":{"name":"👍"}}]}],
		"attachments":[{"id":0,"description":"A cat"}]}`), uploads[:1])
	if err != nil {
		t.Fatal(err)
	}
	v2, err := interaction.ReadMessage(parse(t, `{"flags":32832,"components":[{"type":13,"file":{"url":"attachment://Cat.PNG"}}]}`), uploads[:1])
	if err != nil {
		t.Fatal(err)
	}
	poll, err := interaction.ReadMessage(parse(t, `{"poll":{"question":{"text":"q"},"answers":[{"poll_media":{"text":"a","emoji":{"id":5}}},{"poll_media":{"text":"b"}}],"duration":48,"allow_multiselect":true}}`), nil)
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
	post := func(c interaction.Content, from interaction.Source, m *interaction.Metadata) interaction.Post {
		return interaction.Post{
			ID: 960, Type: from.Type(), Channel: ops.ID, Application: 1200000000000000001, Author: helper, Content: c,
			Created: created, Reference: from.Reference(), Metadata: m,
		}
	}
	slash := post(rich, interaction.Source{Command: command.ChatInput}, command2)
	slash.Command = &interaction.CommandUsed{ID: bornID, Type: interaction.ApplicationCommand, Path: "deploy start", User: rhea}
	slash.Mentions, slash.Roles, slash.Everyone = []interaction.User{theo}, []snowflake.Role{301}, true
	withGuild := func(p interaction.Post) interaction.Post {
		p.Guild = 300
		return p
	}
	slash.Guild, slash.Member, slash.Nonce, slash.Edited = 300, &member, "n1", created.Add(time.Minute)
	withTarget := post(interaction.Content{Text: "Saved"}, interaction.Source{Command: command.Message, Target: 5}, &onMessage)
	withTarget.Referenced = post(interaction.Content{Text: "target"}, interaction.Source{Command: command.ChatInput}, nil).AppendJSON(nil)
	noBot := post(interaction.Content{Flags: interaction.Loading | interaction.Ephemeral}, interaction.Source{Command: command.ChatInput}, command2)
	noBot.Author = interaction.User{ID: 1200000000000000001, Username: "Helper", Discriminator: "0000", Bot: true}
	for _, tt := range []struct {
		name string
		give interaction.Post
	}{
		{"post_slash", slash},
		{"post_user_command", post(interaction.Content{Text: "a"}, interaction.Source{Command: command.User}, &onUser)},
		{"post_message_command", withTarget},
		{"post_component", post(v2, interaction.Source{Component: 6}, &component)},
		{"post_modal", post(poll, interaction.Source{Component: 6}, modal)},
		{"post_follow_up", withGuild(post(interaction.Content{Text: "more"}, interaction.Source{Command: command.ChatInput, Original: 950}, &followUp))},
		{"post_loading_without_bot", noBot},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			golden(t, tt.name, tt.give.AppendJSON(nil))
		})
	}
}

// TestReceipt is the table of 8.3.
func TestReceipt(t *testing.T) {
	t.Parallel()
	base := interaction.Receipt{Interaction: 101, Type: interaction.ApplicationCommand, Channel: 10, Guild: 1}
	const head = `{"interaction":{"id":"101","type":2,`
	const tail = `"channel_id":"10","guild_id":"1"}`
	for _, tt := range []struct {
		name   string
		change func(r *interaction.Receipt)
		want   string
	}{
		{"4", func(r *interaction.Receipt) {
			r.Answer, r.Message, r.JSON, r.Flags = interaction.ChannelMessage, 102, []byte(`{}`), interaction.Ephemeral
		}, head + `"response_message_id":"102","response_message_loading":false,"response_message_ephemeral":true,` + tail + `,"resource":{"type":4,"message":{}}}`},
		{"5", func(r *interaction.Receipt) {
			r.Answer, r.Message, r.JSON, r.Flags = interaction.DeferredChannelMessage, 102, []byte(`{}`), interaction.Loading
		}, head + `"response_message_id":"102","response_message_loading":true,"response_message_ephemeral":false,` + tail + `,"resource":{"type":5,"message":{}}}`},
		{
			"6", func(r *interaction.Receipt) { r.Answer, r.Message = interaction.DeferredUpdateMessage, 6 },
			head + `"response_message_id":"6","response_message_loading":false,"response_message_ephemeral":false,` + tail + `}`,
		},
		{
			"7", func(r *interaction.Receipt) { r.Answer, r.Message, r.JSON = interaction.UpdateMessage, 6, []byte(`{}`) },
			head + `"response_message_id":"6","response_message_loading":false,"response_message_ephemeral":false,` + tail + `,"resource":{"type":7,"message":{}}}`,
		},
		{"8", func(r *interaction.Receipt) { r.Answer = interaction.AutocompleteResult }, head + tail + `}`},
		{"9", func(r *interaction.Receipt) { r.Answer, r.Guild = interaction.OpenModal, 0 }, head + `"channel_id":"10"}}`},
		{
			"12", func(r *interaction.Receipt) { r.Answer, r.Instance = interaction.LaunchActivity, "i-1-gc-1-10" },
			head + `"activity_instance_id":"i-1-gc-1-10",` + tail + `,"resource":{"type":12,"activity_instance":{"id":"i-1-gc-1-10"}}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := base
			tt.change(&r)
			got := r.AppendJSON(nil)
			wantJS(t, got)
			if string(got) != tt.want {
				t.Errorf("callback %s:\n%s, want\n%s", tt.name, got, tt.want)
			}
		})
	}
}
