// Command disgo is a bot with the library github.com/disgoorg/disgo. It writes in a channel and prints the events that it gets. It knows
// nothing of Bellhop: "bellhop run" starts it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/disgoorg/disgo"
	"github.com/disgoorg/disgo/bot"
	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/events"
	"github.com/disgoorg/disgo/gateway"
	"github.com/disgoorg/disgo/rest"
	"github.com/disgoorg/snowflake/v2"
)

var channel = snowflake.MustParse(os.Getenv("CHANNEL_ID"))

func main() {
	client, err := disgo.New(os.Getenv("DISCORD_TOKEN"),
		bot.WithGatewayConfigOpts(gateway.WithIntents(gateway.IntentGuilds, gateway.IntentGuildMessages, gateway.IntentGuildMessageReactions, gateway.IntentGuildWebhooks)),
		bot.WithEventListenerFunc(func(e *events.GuildMessageCreate) { seen(e.ChannelID, "MESSAGE_CREATE") }),
		bot.WithEventListenerFunc(func(e *events.GuildMessageUpdate) { seen(e.ChannelID, "MESSAGE_UPDATE") }),
		// The library turns an event of a bulk deletion into one event for each message.
		bot.WithEventListenerFunc(func(e *events.GuildMessageDelete) { seen(e.ChannelID, "MESSAGE_DELETE_BULK") }),
		bot.WithEventListenerFunc(func(e *events.GuildMessageReactionAdd) { seen(e.ChannelID, "MESSAGE_REACTION_ADD") }),
		bot.WithEventListenerFunc(func(e *events.ThreadCreate) { seen(*e.Thread.ParentID(), "THREAD_CREATE") }),
		bot.WithEventListenerFunc(func(e *events.WebhooksUpdate) { seen(e.ChannelID, "WEBHOOKS_UPDATE") }),
		bot.WithEventListenerFunc(func(e *events.Ready) {
			go func() {
				if err := write(e.Client().Rest); err != nil {
					log.Fatal(err)
				}
				fmt.Println("written")
			}()
		}),
	)
	if err != nil {
		log.Fatal(err)
	}
	if err := client.OpenGateway(context.Background()); err != nil {
		log.Fatal(err)
	}
	select {}
}

// seen prints an event of the channel.
func seen(in snowflake.ID, name string) {
	if in == channel {
		fmt.Println("event", name)
	}
}

func write(r rest.Rest) error {
	one, err := r.CreateMessage(channel, discord.MessageCreate{Content: "one"})
	if err != nil {
		return err
	}
	two := "two"
	if _, err := r.UpdateMessage(channel, one.ID, discord.MessageUpdate{Content: &two}); err != nil {
		return err
	}
	if _, err := r.CreateMessage(channel, discord.MessageCreate{Content: "reply", MessageReference: &discord.MessageReference{MessageID: &one.ID}}); err != nil {
		return err
	}
	if err := r.AddReaction(channel, one.ID, "👍"); err != nil {
		return err
	}
	file := discord.NewFile("notes.txt", "", strings.NewReader("hello"))
	if _, err := r.CreateMessage(channel, discord.MessageCreate{Content: "file", Files: []*discord.File{file}}); err != nil {
		return err
	}
	var doomed []snowflake.ID
	for _, text := range []string{"x", "y"} {
		m, err := r.CreateMessage(channel, discord.MessageCreate{Content: text})
		if err != nil {
			return err
		}
		doomed = append(doomed, m.ID)
	}
	if err := r.BulkDeleteMessages(channel, doomed); err != nil {
		return err
	}
	thread, err := r.CreateThreadFromMessage(channel, one.ID, discord.ThreadCreateFromMessage{Name: "talk"})
	if err != nil {
		return err
	}
	if _, err := r.CreateMessage(thread.ID(), discord.MessageCreate{Content: "in thread"}); err != nil {
		return err
	}
	hook, err := r.CreateWebhook(channel, discord.WebhookCreate{Name: "hook"})
	if err != nil {
		return err
	}
	_, err = r.CreateWebhookMessage(hook.ID(), hook.Token, discord.WebhookMessageCreate{Content: "hooked"}, rest.CreateWebhookMessageParams{Wait: true})
	return err
}
