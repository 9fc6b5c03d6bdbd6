// Command discordgo is a bot with the library github.com/bwmarrin/discordgo. It writes in a channel and prints the events that it gets.
// It knows nothing of Bellhop: "bellhop run" starts it.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/bwmarrin/discordgo"
)

func main() {
	session, err := discordgo.New("Bot " + os.Getenv("DISCORD_TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	channel := os.Getenv("CHANNEL_ID")
	session.Identify.Intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentsGuildMessageReactions | discordgo.IntentGuildWebhooks
	session.AddHandler(func(_ *discordgo.Session, e *discordgo.MessageCreate) { seen(channel, e.ChannelID, "MESSAGE_CREATE") })
	session.AddHandler(func(_ *discordgo.Session, e *discordgo.MessageUpdate) { seen(channel, e.ChannelID, "MESSAGE_UPDATE") })
	session.AddHandler(func(_ *discordgo.Session, e *discordgo.MessageDeleteBulk) {
		seen(channel, e.ChannelID, "MESSAGE_DELETE_BULK")
	})
	session.AddHandler(func(_ *discordgo.Session, e *discordgo.MessageReactionAdd) {
		seen(channel, e.ChannelID, "MESSAGE_REACTION_ADD")
	})
	session.AddHandler(func(_ *discordgo.Session, e *discordgo.ThreadCreate) { seen(channel, e.ParentID, "THREAD_CREATE") })
	session.AddHandler(func(_ *discordgo.Session, e *discordgo.WebhooksUpdate) { seen(channel, e.ChannelID, "WEBHOOKS_UPDATE") })
	session.AddHandler(func(s *discordgo.Session, _ *discordgo.Ready) {
		if err := write(s, channel); err != nil {
			log.Fatal(err)
		}
		fmt.Println("written")
	})
	if err := session.Open(); err != nil {
		log.Fatal(err)
	}
	select {}
}

// seen prints an event of the channel.
func seen(channel, in, name string) {
	if in == channel {
		fmt.Println("event", name)
	}
}

func write(s *discordgo.Session, channel string) error {
	one, err := s.ChannelMessageSend(channel, "one")
	if err != nil {
		return err
	}
	if _, err := s.ChannelMessageEdit(channel, one.ID, "two"); err != nil {
		return err
	}
	if _, err := s.ChannelMessageSendReply(channel, "reply", one.Reference()); err != nil {
		return err
	}
	if err := s.MessageReactionAdd(channel, one.ID, "👍"); err != nil {
		return err
	}
	if _, err := s.ChannelFileSendWithMessage(channel, "file", "notes.txt", strings.NewReader("hello")); err != nil {
		return err
	}
	var doomed []string
	for _, text := range []string{"x", "y"} {
		m, err := s.ChannelMessageSend(channel, text)
		if err != nil {
			return err
		}
		doomed = append(doomed, m.ID)
	}
	if err := s.ChannelMessagesBulkDelete(channel, doomed); err != nil {
		return err
	}
	thread, err := s.MessageThreadStart(channel, one.ID, "talk", 60)
	if err != nil {
		return err
	}
	if _, err := s.ChannelMessageSend(thread.ID, "in thread"); err != nil {
		return err
	}
	hook, err := s.WebhookCreate(channel, "hook", "")
	if err != nil {
		return err
	}
	_, err = s.WebhookExecute(hook.ID, hook.Token, true, &discordgo.WebhookParams{Content: "hooked"})
	return err
}
