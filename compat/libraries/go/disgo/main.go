// Command disgo is a bot with the library github.com/disgoorg/disgo, written for Discord alone.
package main

import (
	"context"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/disgoorg/disgo"
	"github.com/disgoorg/disgo/bot"
	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/events"
	"github.com/disgoorg/disgo/gateway"
	"github.com/disgoorg/disgo/rest"
	"github.com/disgoorg/snowflake/v2"
)

const channel snowflake.ID = 1300000000000000310

var commands = []discord.ApplicationCommandCreate{
	discord.SlashCommandCreate{Name: "ping", Description: "Answer"},
	discord.SlashCommandCreate{Name: "find", Description: "Suggest", Options: []discord.ApplicationCommandOption{
		discord.ApplicationCommandOptionString{Name: "what", Description: "What", Required: true, Autocomplete: true},
	}},
	discord.SlashCommandCreate{Name: "form", Description: "Ask back"},
	discord.SlashCommandCreate{Name: "write", Description: "Write"},
	discord.SlashCommandCreate{Name: "role", Description: "Change a role"},
	discord.SlashCommandCreate{Name: "seen", Description: "List events"},
}

// seen has the names of the events that have arrived.
var seen = struct {
	mu    sync.Mutex
	names map[string]bool
}{names: map[string]bool{}}

// on returns a listener that notes an event.
func on[E bot.Event](name string) bot.ConfigOpt {
	return bot.WithEventListenerFunc(func(E) {
		seen.mu.Lock()
		defer seen.mu.Unlock()
		seen.names[name] = true
	})
}

func noted() string {
	seen.mu.Lock()
	defer seen.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Keys(seen.names)), " ")
}

func main() {
	client, err := disgo.New(os.Getenv("DISCORD_TOKEN"),
		bot.WithGatewayConfigOpts(gateway.WithIntents(gateway.IntentGuilds, gateway.IntentGuildMessages, gateway.IntentGuildMessageReactions)),
		on[*events.GuildMessageCreate]("MESSAGE_CREATE"),
		on[*events.GuildMessageUpdate]("MESSAGE_UPDATE"),
		on[*events.GuildMessageReactionAdd]("MESSAGE_REACTION_ADD"),
		on[*events.RoleUpdate]("GUILD_ROLE_UPDATE"),
		bot.WithEventListenerFunc(func(e *events.Ready) {
			_, err := e.Client().Rest.SetGlobalCommands(e.Client().ApplicationID, commands)
			report(err)
		}),
		bot.WithEventListenerFunc(func(e *events.Resumed) {
			_, err := e.Client().Rest.CreateMessage(channel, discord.MessageCreate{Content: "resumed"})
			report(err)
		}),
		bot.WithEventListenerFunc(func(e *events.AutocompleteInteractionCreate) {
			text := e.Data.String("what")
			report(e.AutocompleteResult([]discord.AutocompleteChoice{discord.AutocompleteChoiceString{Name: "found " + text, Value: text + "!"}}))
		}),
		bot.WithEventListenerFunc(func(e *events.ComponentInteractionCreate) {
			report(e.CreateMessage(discord.MessageCreate{Content: "more pong"}))
		}),
		bot.WithEventListenerFunc(func(e *events.ModalSubmitInteractionCreate) {
			report(e.CreateMessage(discord.MessageCreate{Content: "hello " + e.Data.Text("name")}))
		}),
		bot.WithEventListenerFunc(func(e *events.ApplicationCommandInteractionCreate) { report(use(e)) }),
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

func use(e *events.ApplicationCommandInteractionCreate) error {
	reply := func(text string) error { return e.CreateMessage(discord.MessageCreate{Content: text}) }
	switch e.Data.CommandName() {
	case "ping":
		row := discord.NewActionRow(discord.NewPrimaryButton("More", "more"))
		return e.CreateMessage(discord.MessageCreate{Content: "pong", Components: []discord.LayoutComponent{row}})
	case "find":
		return reply("chose " + e.SlashCommandInteractionData().String("what"))
	case "form":
		return e.Modal(discord.NewModalCreate("form", "Form", discord.NewLabel("Name", discord.NewShortTextInput("name"))))
	case "write":
		if err := write(e.Client().Rest, e.Channel().ID()); err != nil {
			return err
		}
		return reply("written")
	case "role":
		if err := rename(e.Client().Rest, *e.GuildID()); err != nil {
			return err
		}
		return reply("changed")
	default:
		return reply(noted())
	}
}

func write(r rest.Rest, in snowflake.ID) error {
	m, err := r.CreateMessage(in, discord.MessageCreate{Content: "one"})
	if err != nil {
		return err
	}
	two := "two"
	if _, err := r.UpdateMessage(in, m.ID, discord.MessageUpdate{Content: &two}); err != nil {
		return err
	}
	return r.AddReaction(in, m.ID, "👍")
}

func rename(r rest.Rest, guild snowflake.ID) error {
	roles, err := r.GetRoles(guild)
	if err != nil {
		return err
	}
	name := "regulars"
	for _, role := range roles {
		if role.Name != "guests" {
			continue
		}
		if _, err := r.UpdateRole(guild, role.ID, discord.RoleUpdate{Name: &name}); err != nil {
			return err
		}
	}
	return nil
}
