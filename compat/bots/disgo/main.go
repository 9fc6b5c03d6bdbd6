// Command disgo is a bot with the library github.com/disgoorg/disgo, which uses a zstd stream by default.
package main

import (
	"context"
	"encoding/json"
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
)

func main() {
	origin, token := os.Getenv("BELLHOP_URL"), os.Getenv("BELLHOP_BOT_TOKEN")
	client, err := disgo.New(token,
		bot.WithRestClientConfigOpts(rest.WithURL(origin+"/api/v10")),
		bot.WithGatewayConfigOpts(gateway.WithIntents(gateway.IntentGuilds)),
		bot.WithEventListenerFunc(func(*events.Ready) { fmt.Println("ready") }),
		bot.WithEventListenerFunc(func(*events.Resumed) { fmt.Println("resumed") }),
		bot.WithEventListenerFunc(printPermissions),
		bot.WithEventListenerFunc(func(e *events.AutocompleteInteractionCreate) { report(suggest(e)) }),
		bot.WithEventListenerFunc(func(e *events.ApplicationCommandInteractionCreate) { report(runCommand(e)) }),
		bot.WithEventListenerFunc(func(e *events.ModalSubmitInteractionCreate) {
			report(e.CreateMessage(discord.MessageCreate{Content: "hello " + e.Data.Text("name")}))
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

func report(err error) {
	if err != nil {
		log.Print(err)
	}
}

// printPermissions prints the new permissions of a command.
func printPermissions(e *events.GuildApplicationCommandPermissionsUpdate) {
	var list []string
	for _, p := range e.Permissions.Permissions {
		text, err := json.Marshal(p)
		report(err)
		var entry struct{ Permission bool }
		report(json.Unmarshal(text, &entry)) // each kind of entry has its own Go type; all have this field
		list = append(list, fmt.Sprintf("%d/%s/%v", p.Type(), p.ID(), entry.Permission))
	}
	fmt.Println("permissions", e.Permissions.ID, strings.Join(list, ","))
}

func suggest(e *events.AutocompleteInteractionCreate) error {
	text := e.Data.String("what")
	return e.AutocompleteResult([]discord.AutocompleteChoice{
		discord.AutocompleteChoiceString{Name: "found " + text, Value: text + "!"},
	})
}

func runCommand(e *events.ApplicationCommandInteractionCreate) error {
	reply := func(text string) error { return e.CreateMessage(discord.MessageCreate{Content: text}) }
	switch e.Data.CommandName() {
	case "ping":
		return reply("pong")
	case "find":
		return reply("chose " + e.SlashCommandInteractionData().String("what"))
	case "Greet":
		return reply("greeted " + e.UserCommandInteractionData().TargetUser().Username)
	case "Quote":
		return reply("quoted " + e.MessageCommandInteractionData().TargetMessage().Content)
	case "slow":
		if err := e.DeferCreateMessage(false); err != nil {
			return err
		}
		done := "done"
		client := e.Client().Rest
		if _, err := client.UpdateInteractionResponse(e.ApplicationID(), e.Token(), discord.MessageUpdate{Content: &done}); err != nil {
			return err
		}
		_, err := client.CreateFollowupMessage(e.ApplicationID(), e.Token(), discord.MessageCreate{Content: "and more"})
		return err
	default:
		return e.Modal(discord.NewModalCreate("form", "Form", discord.NewLabel("Name", discord.NewShortTextInput("name"))))
	}
}
