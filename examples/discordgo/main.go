// Command discordgo is a bot that rolls dice. It receives interactions through the gateway, and defers its answer when a user
// rolls many dice. Its tests run it against Bellhop in process, and "bellhop test scenarios.yaml" from the outside.
//
//	BELLHOP_BASE_URL=… BELLHOP_BOT_TOKEN=… BELLHOP_APPLICATION_ID=… discordgo
package main

import (
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"

	"github.com/bwmarrin/discordgo"
)

func main() {
	if base := os.Getenv("BELLHOP_BASE_URL"); base != "" {
		setEndpoints(base + "/")
	}
	session, err := discordgo.New("Bot " + os.Getenv("BELLHOP_BOT_TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	bot := Bot{Roll: func(sides int) int { return rand.IntN(sides) + 1 }}
	if err := bot.Start(session, os.Getenv("BELLHOP_APPLICATION_ID")); err != nil {
		log.Fatal(err)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	<-stop
	if err := session.Close(); err != nil {
		log.Fatal(err)
	}
}

// setEndpoints sets the addresses that the library uses.
func setEndpoints(api string) {
	discordgo.EndpointAPI = api
	discordgo.EndpointApplications = api + "applications"
	discordgo.EndpointGateway = api + "gateway"
	discordgo.EndpointGatewayBot = discordgo.EndpointGateway + "/bot"
	discordgo.EndpointWebhooks = api + "webhooks/"
}
