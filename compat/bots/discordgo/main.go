// Command discordgo is a bot with the library github.com/bwmarrin/discordgo. The test waits for the lines that it prints.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/bwmarrin/discordgo"
)

func main() {
	setEndpoints(os.Getenv("BELLHOP_URL"))
	session, err := discordgo.New("Bot " + os.Getenv("BELLHOP_BOT_TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	session.Identify.Intents = discordgo.IntentsGuilds
	session.AddHandler(func(*discordgo.Session, *discordgo.Ready) { fmt.Println("ready") })
	session.AddHandler(func(*discordgo.Session, *discordgo.Resumed) { fmt.Println("resumed") })
	session.AddHandler(func(_ *discordgo.Session, e *discordgo.ApplicationCommandPermissionsUpdate) {
		var list []string
		for _, p := range e.Permissions {
			list = append(list, fmt.Sprintf("%d/%s/%v", p.Type, p.ID, p.Permission))
		}
		fmt.Println("permissions", e.ID, strings.Join(list, ","))
	})
	session.AddHandler(func(s *discordgo.Session, i *discordgo.InteractionCreate) {
		if err := answer(s, i.Interaction); err != nil {
			log.Print(err)
		}
	})
	if err := session.Open(); err != nil {
		log.Fatal(err)
	}
	select {}
}

// setEndpoints sets the addresses of the library to the service at origin. The library computes these package variables
// when the program starts, so the program has to set each of them.
func setEndpoints(origin string) {
	discordgo.EndpointDiscord = origin + "/"
	discordgo.EndpointAPI = discordgo.EndpointDiscord + "api/v" + discordgo.APIVersion + "/"
	discordgo.EndpointGateway = discordgo.EndpointAPI + "gateway"
	discordgo.EndpointGatewayBot = discordgo.EndpointGateway + "/bot"
	discordgo.EndpointWebhooks = discordgo.EndpointAPI + "webhooks/"
}

func answer(s *discordgo.Session, i *discordgo.Interaction) error {
	switch i.Type {
	case discordgo.InteractionApplicationCommandAutocomplete:
		text := i.ApplicationCommandData().Options[0].StringValue()
		return s.InteractionRespond(i, &discordgo.InteractionResponse{
			Type: discordgo.InteractionApplicationCommandAutocompleteResult,
			Data: &discordgo.InteractionResponseData{
				Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: "found " + text, Value: text + "!"}},
			},
		})
	case discordgo.InteractionModalSubmit:
		row := i.ModalSubmitData().Components[0].(*discordgo.ActionsRow)
		return reply(s, i, "hello "+row.Components[0].(*discordgo.TextInput).Value)
	default:
		return runCommand(s, i, i.ApplicationCommandData())
	}
}

func runCommand(s *discordgo.Session, i *discordgo.Interaction, data discordgo.ApplicationCommandInteractionData) error {
	switch data.Name {
	case "ping":
		return reply(s, i, "pong")
	case "find":
		return reply(s, i, "chose "+data.Options[0].StringValue())
	case "Greet":
		return reply(s, i, "greeted "+data.Resolved.Users[data.TargetID].Username)
	case "Quote":
		return reply(s, i, "quoted "+data.Resolved.Messages[data.TargetID].Content)
	case "slow":
		if err := s.InteractionRespond(i, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}); err != nil {
			return err
		}
		done := "done"
		if _, err := s.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &done}); err != nil {
			return err
		}
		_, err := s.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "and more"})
		return err
	default:
		return s.InteractionRespond(i, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseModal,
			Data: &discordgo.InteractionResponseData{CustomID: "form", Title: "Form", Components: []discordgo.MessageComponent{
				discordgo.ActionsRow{Components: []discordgo.MessageComponent{
					discordgo.TextInput{CustomID: "name", Label: "Name", Style: discordgo.TextInputShort},
				}},
			}},
		})
	}
}

func reply(s *discordgo.Session, i *discordgo.Interaction, text string) error {
	return s.InteractionRespond(i, &discordgo.InteractionResponse{
		Type: discordgo.InteractionResponseChannelMessageWithSource, Data: &discordgo.InteractionResponseData{Content: text},
	})
}
