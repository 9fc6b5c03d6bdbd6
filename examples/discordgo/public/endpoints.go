//go:build public

package main

import (
	"os"

	"github.com/bwmarrin/discordgo"
)

// init makes the library use Bellhop. The bot itself stays as it is.
func init() {
	api := os.Getenv("BELLHOP_BASE_URL") + "/"
	discordgo.EndpointAPI = api
	discordgo.EndpointApplications = api + "applications"
	discordgo.EndpointGateway = api + "gateway"
	discordgo.EndpointGatewayBot = discordgo.EndpointGateway + "/bot"
	discordgo.EndpointWebhooks = api + "webhooks/"
}
