// Command arikawa is an app that receives interactions over HTTP with github.com/diamondburned/arikawa.
package main

import (
	"net/http"

	"github.com/bellhop/bellhop/compat/apps/serve"
	"github.com/diamondburned/arikawa/v3/api"
	"github.com/diamondburned/arikawa/v3/api/webhook"
	"github.com/diamondburned/arikawa/v3/discord"
	"github.com/diamondburned/arikawa/v3/utils/json/option"
)

func main() {
	serve.Main(serve.App{Name: "arikawa", Module: "github.com/diamondburned/arikawa/v3", Handler: handler})
}

func handler(publicKey string) (http.Handler, error) {
	return webhook.NewInteractionServer(publicKey, webhook.InteractionHandlerFunc(func(e *discord.InteractionEvent) *api.InteractionResponse {
		if command, ok := e.Data.(*discord.CommandInteraction); ok && command.Name == "soup" {
			return &api.InteractionResponse{
				Type: api.MessageInteractionWithSource, Data: &api.InteractionResponseData{Content: option.NewNullableString(serve.Content)},
			}
		}
		return nil // the library answers PINGs itself
	}))
}
