// Command discordgo checks the library github.com/bwmarrin/discordgo against a running Bellhop.
package main

import (
	"errors"

	"github.com/bellhop/bellhop/compat/catalog"
	"github.com/bellhop/bellhop/compat/probe"
	"github.com/bwmarrin/discordgo"
)

func main() {
	probe.Main(probe.Library{
		Name:    "discordgo",
		Module:  "github.com/bwmarrin/discordgo",
		Connect: connect,
		Line:    probe.Line,

		BotTokenRefused: probe.NoBots,
	})
}

// setEndpoints sets the addresses of the library to the service at origin. The library computes these package variables
// when the program starts, so the program has to set each of them.
func setEndpoints(origin string) {
	discordgo.EndpointDiscord = origin + "/"
	discordgo.EndpointAPI = discordgo.EndpointDiscord + "api/v" + discordgo.APIVersion + "/"
	discordgo.EndpointApplications = discordgo.EndpointAPI + "applications"
	discordgo.EndpointChannels = discordgo.EndpointAPI + "channels/"
	discordgo.EndpointGateway = discordgo.EndpointAPI + "gateway"
	discordgo.EndpointGatewayBot = discordgo.EndpointGateway + "/bot"
	discordgo.EndpointGuilds = discordgo.EndpointAPI + "guilds/"
	discordgo.EndpointOAuth2 = discordgo.EndpointAPI + "oauth2/"
	discordgo.EndpointOAuth2Applications = discordgo.EndpointOAuth2 + "applications"
	discordgo.EndpointUsers = discordgo.EndpointAPI + "users/"
	discordgo.EndpointWebhooks = discordgo.EndpointAPI + "webhooks/"
}

func connect(c probe.Config, authorization string) (probe.Client, error) {
	setEndpoints(c.Origin)
	session, err := discordgo.New(authorization)
	if err != nil {
		return nil, err
	}
	return &client{session, c.Application}, nil
}

type client struct {
	session     *discordgo.Session
	application string
}

// Overwrite replaces all commands.
func (c *client) Overwrite(guild string, commands []catalog.Command) ([]catalog.Command, error) {
	var list []*discordgo.ApplicationCommand // nil if there are no commands; the library sends null
	for _, d := range commands {
		var command discordgo.ApplicationCommand
		if err := d.Write(&command); err != nil {
			return nil, err
		}
		list = append(list, &command)
	}
	return catalog.ReadAll(c.session.ApplicationCommandBulkOverwrite(c.application, guild, list))
}

// Create creates a command or overwrites one.
func (c *client) Create(guild string, d catalog.Command) (catalog.Command, error) {
	var command discordgo.ApplicationCommand
	if err := d.Write(&command); err != nil {
		return catalog.Command{}, err
	}
	return catalog.Read(c.session.ApplicationCommandCreate(c.application, guild, &command))
}

// Edit changes a command. The library sends all of it.
func (c *client) Edit(guild, id string, d catalog.Command) (catalog.Command, error) {
	var command discordgo.ApplicationCommand
	if err := d.Write(&command); err != nil {
		return catalog.Command{}, err
	}
	return catalog.Read(c.session.ApplicationCommandEdit(c.application, guild, id, &command))
}

// Delete deletes a command.
func (c *client) Delete(guild, id string) error {
	return c.session.ApplicationCommandDelete(c.application, guild, id)
}

// Get reads a command.
func (c *client) Get(guild, id string) (catalog.Command, error) {
	return catalog.Read(c.session.ApplicationCommand(c.application, guild, id))
}

// List reads all commands. The library always requests all languages.
func (c *client) List(guild, _ string) ([]catalog.Command, error) {
	return catalog.ReadAll(c.session.ApplicationCommands(c.application, guild))
}

// Permit replaces the permissions of a command. The library does not return the response.
func (c *client) Permit(guild, id string, list []catalog.Permission) (catalog.Permissions, error) {
	asked := catalog.Permissions{ID: id, ApplicationID: c.application, GuildID: guild, Permissions: list}
	var permissions discordgo.ApplicationCommandPermissionsList
	if err := catalog.Write(asked, &permissions); err != nil {
		return catalog.Permissions{}, err
	}
	return asked, c.session.ApplicationCommandPermissionsEdit(c.application, guild, id, &permissions)
}

// Permissions reads the permissions of a command.
func (c *client) Permissions(guild, id string) (catalog.Permissions, error) {
	return catalog.ReadAs[catalog.Permissions](c.session.ApplicationCommandPermissions(c.application, guild, id))
}

// AllPermissions reads the permissions of all commands of a guild.
func (c *client) AllPermissions(guild string) ([]catalog.Permissions, error) {
	return catalog.ReadAs[[]catalog.Permissions](c.session.GuildApplicationCommandsPermissions(c.application, guild))
}

// Failure reads an error. The library returns the error tree as a raw body.
func (c *client) Failure(err error) (probe.Failure, bool) {
	failed, ok := errors.AsType[*discordgo.RESTError](err)
	if !ok || failed.Message == nil {
		return probe.Failure{}, false
	}
	return probe.Failure{
		Status: failed.Response.StatusCode,
		Code:   failed.Message.Code,
		Lines:  probe.BodyLines(failed.ResponseBody),
	}, true
}
