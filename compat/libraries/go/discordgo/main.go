// Command discordgo is a bot with the library github.com/bwmarrin/discordgo, written for Discord alone.
package main

import (
	"log"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/bwmarrin/discordgo"
)

const channel = "1300000000000000310"

var commands = []*discordgo.ApplicationCommand{
	{Name: "ping", Description: "Answer"},
	{Name: "find", Description: "Suggest", Options: []*discordgo.ApplicationCommandOption{
		{Type: discordgo.ApplicationCommandOptionString, Name: "what", Description: "What", Required: true, Autocomplete: true},
	}},
	{Name: "form", Description: "Ask back"},
	{Name: "write", Description: "Write"},
	{Name: "role", Description: "Change a role"},
	{Name: "seen", Description: "List events"},
}

// seen has the names of the events that have arrived.
var seen = struct {
	mu    sync.Mutex
	names map[string]bool
}{names: map[string]bool{}}

func note(name string) {
	seen.mu.Lock()
	defer seen.mu.Unlock()
	seen.names[name] = true
}

func noted() string {
	seen.mu.Lock()
	defer seen.mu.Unlock()
	return strings.Join(slices.Sorted(maps.Keys(seen.names)), " ")
}

func main() {
	session, err := discordgo.New("Bot " + os.Getenv("DISCORD_TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	session.Identify.Intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentsGuildMessageReactions
	session.AddHandler(func(*discordgo.Session, *discordgo.MessageCreate) { note("MESSAGE_CREATE") })
	session.AddHandler(func(*discordgo.Session, *discordgo.MessageUpdate) { note("MESSAGE_UPDATE") })
	session.AddHandler(func(*discordgo.Session, *discordgo.MessageReactionAdd) { note("MESSAGE_REACTION_ADD") })
	session.AddHandler(func(*discordgo.Session, *discordgo.GuildRoleUpdate) { note("GUILD_ROLE_UPDATE") })
	session.AddHandler(func(s *discordgo.Session, e *discordgo.Ready) {
		_, err := s.ApplicationCommandBulkOverwrite(e.Application.ID, "", commands)
		report(err)
	})
	session.AddHandler(func(s *discordgo.Session, _ *discordgo.Resumed) {
		_, err := s.ChannelMessageSend(channel, "resumed")
		report(err)
	})
	session.AddHandler(func(s *discordgo.Session, i *discordgo.InteractionCreate) { report(answer(s, i.Interaction)) })
	if err := session.Open(); err != nil {
		log.Fatal(err)
	}
	select {}
}

func report(err error) {
	if err != nil {
		log.Print(err)
	}
}

func answer(s *discordgo.Session, i *discordgo.Interaction) error {
	switch i.Type {
	case discordgo.InteractionApplicationCommandAutocomplete:
		text := i.ApplicationCommandData().Options[0].StringValue()
		choice := &discordgo.ApplicationCommandOptionChoice{Name: "found " + text, Value: text + "!"}
		return respond(s, i, discordgo.InteractionApplicationCommandAutocompleteResult, &discordgo.InteractionResponseData{Choices: []*discordgo.ApplicationCommandOptionChoice{choice}})
	case discordgo.InteractionMessageComponent:
		return reply(s, i, "more pong")
	case discordgo.InteractionModalSubmit:
		row := i.ModalSubmitData().Components[0].(*discordgo.ActionsRow)
		return reply(s, i, "hello "+row.Components[0].(*discordgo.TextInput).Value)
	default:
		return use(s, i, i.ApplicationCommandData())
	}
}

func use(s *discordgo.Session, i *discordgo.Interaction, data discordgo.ApplicationCommandInteractionData) error {
	switch data.Name {
	case "ping":
		return reply(s, i, "pong", discordgo.Button{CustomID: "more", Label: "More", Style: discordgo.PrimaryButton})
	case "find":
		return reply(s, i, "chose "+data.Options[0].StringValue())
	case "form":
		name := discordgo.TextInput{CustomID: "name", Label: "Name", Style: discordgo.TextInputShort}
		return respond(s, i, discordgo.InteractionResponseModal, &discordgo.InteractionResponseData{CustomID: "form", Title: "Form", Components: row(name)})
	case "write":
		if err := write(s, i.ChannelID); err != nil {
			return err
		}
		return reply(s, i, "written")
	case "role":
		if err := rename(s, i.GuildID); err != nil {
			return err
		}
		return reply(s, i, "changed")
	default:
		return reply(s, i, noted())
	}
}

func write(s *discordgo.Session, in string) error {
	m, err := s.ChannelMessageSend(in, "one")
	if err != nil {
		return err
	}
	if _, err := s.ChannelMessageEdit(in, m.ID, "two"); err != nil {
		return err
	}
	return s.MessageReactionAdd(in, m.ID, "👍")
}

func rename(s *discordgo.Session, guild string) error {
	roles, err := s.GuildRoles(guild)
	if err != nil {
		return err
	}
	for _, r := range roles {
		if r.Name != "guests" {
			continue
		}
		if _, err := s.GuildRoleEdit(guild, r.ID, &discordgo.RoleParams{Name: "regulars"}); err != nil {
			return err
		}
	}
	return nil
}

func reply(s *discordgo.Session, i *discordgo.Interaction, text string, components ...discordgo.MessageComponent) error {
	data := &discordgo.InteractionResponseData{Content: text}
	if len(components) > 0 {
		data.Components = row(components...)
	}
	return respond(s, i, discordgo.InteractionResponseChannelMessageWithSource, data)
}

func respond(s *discordgo.Session, i *discordgo.Interaction, kind discordgo.InteractionResponseType, data *discordgo.InteractionResponseData) error {
	return s.InteractionRespond(i, &discordgo.InteractionResponse{Type: kind, Data: data})
}

func row(components ...discordgo.MessageComponent) []discordgo.MessageComponent {
	return []discordgo.MessageComponent{discordgo.ActionsRow{Components: components}}
}
