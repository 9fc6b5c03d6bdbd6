// Command arikawa is a bot with the library github.com/diamondburned/arikawa, written for Discord alone.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/diamondburned/arikawa/v3/api"
	"github.com/diamondburned/arikawa/v3/discord"
	"github.com/diamondburned/arikawa/v3/gateway"
	"github.com/diamondburned/arikawa/v3/state"
	"github.com/diamondburned/arikawa/v3/utils/json/option"
)

const channel discord.ChannelID = 1300000000000000310

var commands = []api.CreateCommandData{
	{Name: "ping", Description: "Answer"},
	{Name: "find", Description: "Suggest", Options: discord.CommandOptions{
		&discord.StringOption{OptionName: "what", Description: "What", Required: true, Autocomplete: true},
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

// on notes the events of a type.
func on[E any](s *state.State, name string) {
	s.AddHandler(func(*E) {
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
	s := state.New("Bot " + os.Getenv("DISCORD_TOKEN"))
	s.AddIntents(gateway.IntentGuilds | gateway.IntentGuildMessages | gateway.IntentGuildMessageReactions)
	on[gateway.MessageCreateEvent](s, "MESSAGE_CREATE")
	on[gateway.MessageUpdateEvent](s, "MESSAGE_UPDATE")
	on[gateway.MessageReactionAddEvent](s, "MESSAGE_REACTION_ADD")
	on[gateway.GuildRoleUpdateEvent](s, "GUILD_ROLE_UPDATE")
	s.AddHandler(func(e *gateway.ReadyEvent) {
		_, err := s.BulkOverwriteCommands(e.Application.ID, commands)
		report(err)
	})
	s.AddHandler(func(*gateway.ResumedEvent) {
		_, err := s.SendMessage(channel, "resumed")
		report(err)
	})
	s.AddHandler(func(e *gateway.InteractionCreateEvent) { report(answer(s, &e.InteractionEvent)) })
	if err := s.Connect(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func report(err error) {
	if err != nil {
		log.Print(err)
	}
}

// reply returns an answer with a text.
func reply(text string) api.InteractionResponse {
	return api.InteractionResponse{Type: api.MessageInteractionWithSource, Data: &api.InteractionResponseData{Content: option.NewNullableString(text)}}
}

func answer(s *state.State, e *discord.InteractionEvent) error {
	var r api.InteractionResponse
	var err error
	switch data := e.Data.(type) {
	case *discord.AutocompleteInteraction:
		text := data.Options[0].String()
		r = api.InteractionResponse{Type: api.AutocompleteResult, Data: &api.InteractionResponseData{
			Choices: api.AutocompleteStringChoices{{Name: "found " + text, Value: text + "!"}},
		}}
	case *discord.ButtonInteraction:
		r = reply("more pong")
	case *discord.ModalInteraction:
		r = reply("hello " + fieldOf(data))
	case *discord.CommandInteraction:
		r, err = use(s, e, data)
	default:
		err = fmt.Errorf("unexpected interaction data: %T", e.Data)
	}
	if err != nil {
		return err
	}
	return s.RespondInteraction(e.ID, e.Token, r)
}

func use(s *state.State, e *discord.InteractionEvent, data *discord.CommandInteraction) (api.InteractionResponse, error) {
	switch data.Name {
	case "ping":
		r := reply("pong")
		r.Data.Components = discord.ComponentsPtr(&discord.ButtonComponent{CustomID: "more", Label: "More", Style: discord.PrimaryButtonStyle()})
		return r, nil
	case "find":
		return reply("chose " + data.Options[0].String()), nil
	case "form":
		return api.InteractionResponse{Type: api.ModalResponse, Data: &api.InteractionResponseData{
			CustomID: option.NewNullableString("form"), Title: option.NewNullableString("Form"),
			Components: discord.ComponentsPtr(&discord.TextInputComponent{CustomID: "name", Label: "Name", Style: discord.TextInputShortStyle}),
		}}, nil
	case "write":
		return reply("written"), write(s, e.ChannelID)
	case "role":
		return reply("changed"), rename(s, e.GuildID)
	default:
		return reply(noted()), nil
	}
}

func write(s *state.State, in discord.ChannelID) error {
	m, err := s.SendMessage(in, "one")
	if err != nil {
		return err
	}
	if _, err := s.EditText(in, m.ID, "two"); err != nil {
		return err
	}
	return s.React(in, m.ID, "👍")
}

func rename(s *state.State, guild discord.GuildID) error {
	roles, err := s.Roles(guild)
	if err != nil {
		return err
	}
	for _, r := range roles {
		if r.Name != "guests" {
			continue
		}
		if _, err := s.ModifyRole(guild, r.ID, api.ModifyRoleData{Name: option.NewNullableString("regulars")}); err != nil {
			return err
		}
	}
	return nil
}

// fieldOf returns the value of the only field of the form.
func fieldOf(m *discord.ModalInteraction) string {
	text, err := json.Marshal(m.Components)
	report(err)
	var rows []struct {
		Components []struct {
			Value string `json:"value"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) == 0 || len(rows[0].Components) == 0 {
		log.Printf("%s: %v", text, err)
		return ""
	}
	return rows[0].Components[0].Value
}
