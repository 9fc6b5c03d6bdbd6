package main

import (
	"fmt"
	"log"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"
)

// Bot rolls dice.
type Bot struct {
	Roll func(sides int) int
}

// Start registers the bot's commands and connects to the gateway.
func (b Bot) Start(s *discordgo.Session, application string) error {
	least := 2.0
	_, err := s.ApplicationCommandBulkOverwrite(application, "", []*discordgo.ApplicationCommand{{
		Name: "roll", Description: "Roll dice",
		Options: []*discordgo.ApplicationCommandOption{
			{Type: discordgo.ApplicationCommandOptionInteger, Name: "sides", Description: "How many sides", MinValue: &least, MaxValue: 100},
			{Type: discordgo.ApplicationCommandOptionInteger, Name: "dice", Description: "How many dice", MaxValue: 10},
		},
	}})
	if err != nil {
		return err
	}
	s.AddHandler(b.answer)
	return s.Open()
}

func (b Bot) answer(s *discordgo.Session, i *discordgo.InteractionCreate) {
	if i.Type != discordgo.InteractionApplicationCommand {
		return
	}
	sides, dice := 6, 1
	for _, o := range i.ApplicationCommandData().Options {
		switch o.Name {
		case "sides":
			sides = int(o.IntValue())
		case "dice":
			dice = int(o.IntValue())
		}
	}
	var err error
	if dice > 1 {
		err = b.rollMany(s, i.Interaction, sides, dice)
	} else {
		err = s.InteractionRespond(i.Interaction, &discordgo.InteractionResponse{
			Type: discordgo.InteractionResponseChannelMessageWithSource,
			Data: &discordgo.InteractionResponseData{Content: fmt.Sprintf("You rolled a %d.", b.Roll(sides))},
		})
	}
	if err != nil {
		log.Print(err)
	}
}

// rollMany defers its answer and completes it later.
func (b Bot) rollMany(s *discordgo.Session, i *discordgo.Interaction, sides, dice int) error {
	err := s.InteractionRespond(i, &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource})
	if err != nil {
		return err
	}
	var rolls []string
	for range dice {
		rolls = append(rolls, strconv.Itoa(b.Roll(sides)))
	}
	text := "You rolled " + strings.Join(rolls, ", ") + "."
	_, err = s.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &text})
	return err
}
