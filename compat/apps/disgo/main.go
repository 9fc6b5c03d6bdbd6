// Command disgo is an app that receives interactions over HTTP with github.com/disgoorg/disgo.
package main

import (
	"encoding/hex"
	"log/slog"
	"net/http"

	"github.com/bellhop/bellhop/compat/apps/serve"
	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/httpserver"
)

func main() {
	serve.Main(serve.App{Name: "disgo", Module: "github.com/disgoorg/disgo", Handler: handler})
}

func handler(publicKey string) (http.Handler, error) {
	key, err := hex.DecodeString(publicKey)
	if err != nil {
		return nil, err
	}
	return httpserver.HandleInteraction(httpserver.DefaultVerifier{}, key, slog.New(slog.DiscardHandler),
		func(respond httpserver.RespondFunc, event httpserver.EventInteractionCreate) {
			answer := discord.InteractionResponse{Type: discord.InteractionResponseTypePong}
			if command, ok := event.Interaction.(discord.ApplicationCommandInteraction); ok && command.Data.CommandName() == "soup" {
				answer = discord.InteractionResponse{
					Type: discord.InteractionResponseTypeCreateMessage, Data: discord.MessageCreate{Content: serve.Content},
				}
			}
			_ = respond(answer)
		}), nil
}
