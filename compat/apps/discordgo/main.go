// Command discordgo is an app that receives interactions over HTTP with github.com/bwmarrin/discordgo.
package main

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/bellhop/bellhop/compat/apps/serve"
	"github.com/bwmarrin/discordgo"
)

func main() {
	serve.Main(serve.App{Name: "discordgo", Module: "github.com/bwmarrin/discordgo", Handler: handler})
}

func handler(publicKey string) (http.Handler, error) {
	key, err := hex.DecodeString(publicKey)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !discordgo.VerifyInteraction(r, ed25519.PublicKey(key)) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var interaction discordgo.Interaction
		if err := json.NewDecoder(r.Body).Decode(&interaction); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer := discordgo.InteractionResponse{Type: discordgo.InteractionResponsePong}
		if interaction.Type == discordgo.InteractionApplicationCommand && interaction.ApplicationCommandData().Name == "soup" {
			answer.Type = discordgo.InteractionResponseChannelMessageWithSource
			answer.Data = &discordgo.InteractionResponseData{Content: serve.Content}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	}), nil
}
