// Command arikawa is a bot with the library github.com/diamondburned/arikawa. It writes in a channel and prints the events that it gets.
// It knows nothing of Bellhop: "bellhop run" starts it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/diamondburned/arikawa/v3/api"
	"github.com/diamondburned/arikawa/v3/api/webhook"
	"github.com/diamondburned/arikawa/v3/discord"
	"github.com/diamondburned/arikawa/v3/gateway"
	"github.com/diamondburned/arikawa/v3/state"
	"github.com/diamondburned/arikawa/v3/utils/sendpart"
)

func main() {
	id, err := discord.ParseSnowflake(os.Getenv("CHANNEL_ID"))
	if err != nil {
		log.Fatal(err)
	}
	channel := discord.ChannelID(id)
	seen := func(in discord.ChannelID, name string) {
		if in == channel {
			fmt.Println("event", name)
		}
	}
	s := state.New("Bot " + os.Getenv("DISCORD_TOKEN"))
	s.AddIntents(gateway.IntentGuilds | gateway.IntentGuildMessages | gateway.IntentGuildMessageReactions | gateway.IntentGuildWebhooks)
	s.AddHandler(func(e *gateway.MessageCreateEvent) { seen(e.ChannelID, "MESSAGE_CREATE") })
	s.AddHandler(func(e *gateway.MessageUpdateEvent) { seen(e.ChannelID, "MESSAGE_UPDATE") })
	s.AddHandler(func(e *gateway.MessageDeleteBulkEvent) { seen(e.ChannelID, "MESSAGE_DELETE_BULK") })
	s.AddHandler(func(e *gateway.MessageReactionAddEvent) { seen(e.ChannelID, "MESSAGE_REACTION_ADD") })
	s.AddHandler(func(e *gateway.ThreadCreateEvent) { seen(e.ParentID, "THREAD_CREATE") })
	s.AddHandler(func(e *gateway.WebhooksUpdateEvent) { seen(e.ChannelID, "WEBHOOKS_UPDATE") })
	s.AddHandler(func(*gateway.ReadyEvent) {
		if err := write(s, channel); err != nil {
			log.Fatal(err)
		}
		fmt.Println("written")
	})
	if err := s.Connect(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func write(s *state.State, channel discord.ChannelID) error {
	one, err := s.SendMessage(channel, "one")
	if err != nil {
		return err
	}
	if _, err := s.EditText(channel, one.ID, "two"); err != nil {
		return err
	}
	if _, err := s.SendTextReply(channel, "reply", one.ID); err != nil {
		return err
	}
	if err := s.React(channel, one.ID, "👍"); err != nil {
		return err
	}
	file := sendpart.File{Name: "notes.txt", Reader: strings.NewReader("hello")}
	if _, err := s.SendMessageComplex(channel, api.SendMessageData{Content: "file", Files: []sendpart.File{file}}); err != nil {
		return err
	}
	var doomed []discord.MessageID
	for _, text := range []string{"x", "y"} {
		m, err := s.SendMessage(channel, text)
		if err != nil {
			return err
		}
		doomed = append(doomed, m.ID)
	}
	if err := s.DeleteMessages(channel, doomed, ""); err != nil {
		return err
	}
	thread, err := s.StartThreadWithMessage(channel, one.ID, api.StartThreadData{Name: "talk", AutoArchiveDuration: discord.OneHourArchive})
	if err != nil {
		return err
	}
	if _, err := s.SendMessage(thread.ID, "in thread"); err != nil {
		return err
	}
	hook, err := s.CreateWebhook(channel, api.CreateWebhookData{Name: "hook"})
	if err != nil {
		return err
	}
	_, err = webhook.New(hook.ID, hook.Token).ExecuteAndWait(webhook.ExecuteData{Content: "hooked"})
	return err
}
