// Command discordgo is a bot that rolls dice. It receives interactions through the gateway, and defers its answer when a user
// rolls many dice. Its tests run it against Bellhop in process.
package main

import (
	"log"
	"math/rand/v2"
	"os"
	"os/signal"

	"github.com/bwmarrin/discordgo"
)

func main() {
	session, err := discordgo.New("Bot " + os.Getenv("BOT_TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	bot := Bot{Roll: func(sides int) int { return rand.IntN(sides) + 1 }}
	if err := bot.Start(session, os.Getenv("APPLICATION_ID")); err != nil {
		log.Fatal(err)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	<-stop
	if err := session.Close(); err != nil {
		log.Fatal(err)
	}
}
