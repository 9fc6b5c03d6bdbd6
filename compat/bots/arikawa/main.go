// Command arikawa is a bot with the library github.com/diamondburned/arikawa.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	"github.com/diamondburned/arikawa/v3/api"
	"github.com/diamondburned/arikawa/v3/api/webhook"
	"github.com/diamondburned/arikawa/v3/discord"
	"github.com/diamondburned/arikawa/v3/gateway"
	"github.com/diamondburned/arikawa/v3/state"
	"github.com/diamondburned/arikawa/v3/utils/json/option"
)

func main() {
	setEndpoints(os.Getenv("BELLHOP_URL"))
	s := state.New("Bot " + os.Getenv("BELLHOP_BOT_TOKEN"))
	s.AddIntents(gateway.IntentGuilds)
	s.AddHandler(func(*gateway.ReadyEvent) { fmt.Println("ready") })
	s.AddHandler(func(*gateway.ResumedEvent) { fmt.Println("resumed") })
	s.AddHandler(func(e *gateway.InteractionCreateEvent) {
		if err := answer(s, &e.InteractionEvent); err != nil {
			log.Print(err)
		}
	})
	if err := s.Connect(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// setEndpoints sets the addresses of the library to the service at origin. The library computes these package variables
// when the program starts, so the program has to set each of them.
func setEndpoints(origin string) {
	api.BaseEndpoint = origin
	api.Endpoint = api.BaseEndpoint + api.Path + "/"
	api.EndpointGateway = api.Endpoint + "gateway"
	api.EndpointGatewayBot = api.EndpointGateway + "/bot"
	api.EndpointInteractions = api.Endpoint + "interactions/"
	api.EndpointUsers = api.Endpoint + "users/"
	api.EndpointMe = api.EndpointUsers + "@me"
	api.EndpointWebhooks = api.Endpoint + "webhooks/"
}

func answer(s *state.State, e *discord.InteractionEvent) error {
	respond := func(r api.InteractionResponse) error { return s.RespondInteraction(e.ID, e.Token, r) }
	reply := func(text string) error {
		return respond(api.InteractionResponse{
			Type: api.MessageInteractionWithSource, Data: &api.InteractionResponseData{Content: option.NewNullableString(text)},
		})
	}
	switch data := e.Data.(type) {
	case *discord.AutocompleteInteraction:
		text := data.Options[0].String()
		return respond(api.InteractionResponse{Type: api.AutocompleteResult, Data: &api.InteractionResponseData{
			Choices: api.AutocompleteStringChoices{{Name: "found " + text, Value: text + "!"}},
		}})
	case *discord.ModalInteraction:
		return reply("hello " + fieldOf(data))
	case *discord.CommandInteraction:
		return runCommand(s, e, data, respond, reply)
	}
	return fmt.Errorf("unexpected interaction data: %T", e.Data)
}

func runCommand(
	s *state.State, e *discord.InteractionEvent, data *discord.CommandInteraction,
	respond func(api.InteractionResponse) error, reply func(string) error,
) error {
	switch data.Name {
	case "ping":
		return reply("pong")
	case "find":
		return reply("chose " + data.Options[0].String())
	case "Greet":
		user := data.Resolved.Users[discord.UserID(data.TargetID)]
		return reply("greeted " + user.Username)
	case "Quote":
		message := data.Resolved.Messages[discord.MessageID(data.TargetID)]
		return reply("quoted " + message.Content)
	case "slow":
		if err := respond(api.InteractionResponse{Type: api.DeferredMessageInteractionWithSource}); err != nil {
			return err
		}
		if _, err := s.EditInteractionResponse(e.AppID, e.Token, api.EditInteractionResponseData{Content: option.NewNullableString("done")}); err != nil {
			return err
		}
		_, err := webhook.New(discord.WebhookID(e.AppID), e.Token).ExecuteAndWait(webhook.ExecuteData{Content: "and more"})
		return err
	default:
		return respond(api.InteractionResponse{Type: api.ModalResponse, Data: &api.InteractionResponseData{
			CustomID: option.NewNullableString("form"), Title: option.NewNullableString("Form"),
			Components: discord.ComponentsPtr(&discord.TextInputComponent{CustomID: "name", Label: "Name", Style: discord.TextInputShortStyle}),
		}})
	}
}

// fieldOf returns the value of the only field of the modal.
func fieldOf(m *discord.ModalInteraction) string {
	text, err := json.Marshal(m.Components)
	if err != nil {
		log.Print(err)
	}
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
