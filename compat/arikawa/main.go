// Command arikawa checks the library github.com/diamondburned/arikawa against a running Bellhop.
package main

import (
	"errors"

	"github.com/bellhop/bellhop/compat/catalog"
	"github.com/bellhop/bellhop/compat/probe"
	"github.com/diamondburned/arikawa/v3/api"
	"github.com/diamondburned/arikawa/v3/discord"
	"github.com/diamondburned/arikawa/v3/utils/httputil"
)

func main() {
	probe.Main(probe.Library{
		Name:            "arikawa",
		Module:          "github.com/diamondburned/arikawa/v3",
		Connect:         connect,
		Sends:           sends,
		Shows:           shows,
		ShowsInLanguage: func(c catalog.Command) catalog.Command { return c },
		NoDictionaries:  true,
		BotTokenRefused: probe.NoBots,
		Line:            probe.Line,
	})
}

// sends removes the fields that the library cannot send: contexts, integration types and nsfw. The library always sends the
// two deprecated flags.
func sends(c catalog.Command) catalog.Command {
	c.Contexts, c.IntegrationTypes, c.NSFW = nil, nil, false
	c.DefaultPermission, c.DMPermission = new(true), new(true)
	return c
}

// shows adapts a command to the library, which returns false for the flag that guild commands do not have.
func shows(c catalog.Command) catalog.Command {
	shown := sends(c)
	shown.DMPermission = new(c.GuildID == "")
	return shown
}

// setEndpoints sets the addresses of the library to the service at origin. The library computes these package variables
// when the program starts, so the program has to set each of them.
func setEndpoints(origin string) {
	api.BaseEndpoint = origin
	api.Endpoint = api.BaseEndpoint + api.Path + "/"
	api.EndpointApplications = api.Endpoint + "applications/"
	api.EndpointChannels = api.Endpoint + "channels/"
	api.EndpointGateway = api.Endpoint + "gateway"
	api.EndpointGatewayBot = api.EndpointGateway + "/bot"
	api.EndpointGuilds = api.Endpoint + "guilds/"
	api.EndpointInteractions = api.Endpoint + "interactions/"
	api.EndpointUsers = api.Endpoint + "users/"
	api.EndpointMe = api.EndpointUsers + "@me"
	api.EndpointWebhooks = api.Endpoint + "webhooks/"
}

func connect(c probe.Config, authorization string) (probe.Client, error) {
	setEndpoints(c.Origin)
	application, err := discord.ParseSnowflake(c.Application)
	if err != nil {
		return nil, err
	}
	return &client{api.NewClient(authorization), discord.AppID(application)}, nil
}

type client struct {
	api         *api.Client
	application discord.AppID
}

// Overwrite replaces all commands.
func (c *client) Overwrite(guild string, commands []catalog.Command) ([]catalog.Command, error) {
	var list []api.CreateCommandData
	for _, d := range commands {
		var data api.CreateCommandData
		if err := d.Write(&data); err != nil {
			return nil, err
		}
		list = append(list, data)
	}
	if guild == "" {
		return catalog.ReadAll(c.api.BulkOverwriteCommands(c.application, list))
	}
	return catalog.ReadAll(c.api.BulkOverwriteGuildCommands(c.application, id[discord.GuildID](guild), list))
}

// Create creates a command or overwrites one.
func (c *client) Create(guild string, d catalog.Command) (catalog.Command, error) {
	var data api.CreateCommandData
	if err := d.Write(&data); err != nil {
		return catalog.Command{}, err
	}
	if guild == "" {
		return catalog.Read(c.api.CreateCommand(c.application, data))
	}
	return catalog.Read(c.api.CreateGuildCommand(c.application, id[discord.GuildID](guild), data))
}

// Edit changes a command. The library sends all of it.
func (c *client) Edit(guild, command string, d catalog.Command) (catalog.Command, error) {
	var data api.CreateCommandData
	if err := d.Write(&data); err != nil {
		return catalog.Command{}, err
	}
	if guild == "" {
		return catalog.Read(c.api.EditCommand(c.application, id[discord.CommandID](command), data))
	}
	return catalog.Read(c.api.EditGuildCommand(c.application, id[discord.GuildID](guild), id[discord.CommandID](command), data))
}

// Delete deletes a command.
func (c *client) Delete(guild, command string) error {
	if guild == "" {
		return c.api.DeleteCommand(c.application, id[discord.CommandID](command))
	}
	return c.api.DeleteGuildCommand(c.application, id[discord.GuildID](guild), id[discord.CommandID](command))
}

// Get reads a command.
func (c *client) Get(guild, command string) (catalog.Command, error) {
	if guild == "" {
		return catalog.Read(c.api.Command(c.application, id[discord.CommandID](command)))
	}
	return catalog.Read(c.api.GuildCommand(c.application, id[discord.GuildID](guild), id[discord.CommandID](command)))
}

// List reads all commands, always in one language.
func (c *client) List(guild, locale string) ([]catalog.Command, error) {
	localized := c.api
	if locale != "" {
		localized = localized.WithLocale(discord.Language(locale))
	}
	if guild == "" {
		return catalog.ReadAll(localized.Commands(c.application))
	}
	return catalog.ReadAll(localized.GuildCommands(c.application, id[discord.GuildID](guild)))
}

// Permit replaces the permissions of a command.
func (c *client) Permit(guild, command string, list []catalog.Permission) (catalog.Permissions, error) {
	var permissions []discord.CommandPermissions
	if err := catalog.Write(list, &permissions); err != nil {
		return catalog.Permissions{}, err
	}
	return catalog.ReadAs[catalog.Permissions](
		c.api.EditCommandPermissions(c.application, id[discord.GuildID](guild), id[discord.CommandID](command), permissions))
}

// Permissions reads the permissions of a command.
func (c *client) Permissions(guild, command string) (catalog.Permissions, error) {
	return catalog.ReadAs[catalog.Permissions](
		c.api.CommandPermissions(c.application, id[discord.GuildID](guild), id[discord.CommandID](command)))
}

// AllPermissions reads the permissions of all commands of a guild.
func (c *client) AllPermissions(guild string) ([]catalog.Permissions, error) {
	return catalog.ReadAs[[]catalog.Permissions](c.api.GuildCommandPermissions(c.application, id[discord.GuildID](guild)))
}

// Failure reads an error. The library returns the error tree unchanged.
func (c *client) Failure(err error) (probe.Failure, bool) {
	failed, ok := errors.AsType[*httputil.HTTPError](err)
	if !ok {
		return probe.Failure{}, false
	}
	return probe.Failure{Status: failed.Status, Code: int(failed.Code), Lines: probe.Lines(failed.Errors)}, true
}

// id parses an id.
func id[T ~uint64](text string) T {
	number, err := discord.ParseSnowflake(text)
	if err != nil {
		panic(err)
	}
	return T(number)
}
