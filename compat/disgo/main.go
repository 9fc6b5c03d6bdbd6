// Command disgo checks the library github.com/disgoorg/disgo against a running Bellhop.
package main

import (
	"errors"
	"net/http"
	"strings"

	"github.com/bellhop/bellhop/compat/catalog"
	"github.com/bellhop/bellhop/compat/probe"
	"github.com/disgoorg/disgo"
	"github.com/disgoorg/disgo/bot"
	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/rest"
	"github.com/disgoorg/snowflake/v2"
)

func main() {
	probe.Main(probe.Library{
		Name:            "disgo",
		Module:          "github.com/disgoorg/disgo",
		Connect:         connect,
		Shows:           shows,
		ShowsInLanguage: showsInLanguage,
		NoGet:           true,
		BotTokenRefused: probe.Failure{Status: http.StatusUnauthorized}, // the library sends no bot token here
		Line: func(f catalog.Fault) string {
			return strings.ReplaceAll(f.Path, ".", " -> ") + " -> " + f.Code + ": " + f.Message
		},
	})
}

// shows adapts a command to the library, which returns zero values for absent fields.
func shows(c catalog.Command) catalog.Command {
	if c.DefaultMemberPermissions == "" {
		c.DefaultMemberPermissions = "0"
	}
	if c.DMPermission == nil {
		c.DMPermission = new(false)
	}
	return c
}

// showsInLanguage removes the localized texts of options and choices, because the library's types have no fields for them.
func showsInLanguage(c catalog.Command) catalog.Command {
	c.Options = withoutLanguage(c.Options)
	return c
}

func withoutLanguage(options []catalog.Option) []catalog.Option {
	var list []catalog.Option
	for _, o := range options {
		o.NameLocalized, o.DescriptionLocalized = "", ""
		o.Options = withoutLanguage(o.Options)
		var choices []catalog.Choice
		for _, choice := range o.Choices {
			choice.NameLocalized = ""
			choices = append(choices, choice)
		}
		o.Choices = choices
		list = append(list, o)
	}
	return list
}

// connect creates a client with the bot token, because the library reads the application's id from it. A bearer token is
// an option of each request.
func connect(c probe.Config, authorization string) (probe.Client, error) {
	kind, secret, _ := strings.Cut(authorization, " ")
	origin, token := c.Origin, c.BotToken
	if kind == "Bot" {
		token = secret
	}
	made, err := disgo.New(token, bot.WithRestClientConfigOpts(rest.WithURL(origin+"/api/v10")))
	if err != nil {
		return nil, err
	}
	application, err := snowflake.Parse(c.Application)
	if err != nil {
		return nil, err
	}
	connected := &client{rest: made.Rest, application: application}
	if kind == "Bearer" {
		connected.options = []rest.RequestOpt{rest.WithToken(discord.TokenTypeBearer, secret)}
	}
	return connected, nil
}

type client struct {
	rest        rest.Rest
	application snowflake.ID
	options     []rest.RequestOpt
}

// Overwrite replaces all commands.
func (c *client) Overwrite(guild string, commands []catalog.Command) ([]catalog.Command, error) {
	var list []discord.ApplicationCommandCreate
	for _, d := range commands {
		command, err := definition(d)
		if err != nil {
			return nil, err
		}
		list = append(list, command)
	}
	if guild == "" {
		return catalog.ReadAll(c.rest.SetGlobalCommands(c.application, list, c.options...))
	}
	return catalog.ReadAll(c.rest.SetGuildCommands(c.application, snowflake.MustParse(guild), list, c.options...))
}

// Create creates a command or overwrites one.
func (c *client) Create(guild string, d catalog.Command) (catalog.Command, error) {
	command, err := definition(d)
	if err != nil {
		return catalog.Command{}, err
	}
	if guild == "" {
		return catalog.Read(c.rest.CreateGlobalCommand(c.application, command, c.options...))
	}
	return catalog.Read(c.rest.CreateGuildCommand(c.application, snowflake.MustParse(guild), command, c.options...))
}

// Edit changes name, description and permissions of a command.
func (c *client) Edit(guild, id string, d catalog.Command) (catalog.Command, error) {
	var change discord.SlashCommandUpdate
	d = catalog.Command{Name: d.Name, Description: d.Description, DefaultMemberPermissions: d.DefaultMemberPermissions}
	if err := d.Write(&change); err != nil {
		return catalog.Command{}, err
	}
	if guild == "" {
		return catalog.Read(c.rest.UpdateGlobalCommand(c.application, snowflake.MustParse(id), change, c.options...))
	}
	return catalog.Read(c.rest.UpdateGuildCommand(c.application, snowflake.MustParse(guild), snowflake.MustParse(id), change, c.options...))
}

// Delete deletes a command.
func (c *client) Delete(guild, id string) error {
	if guild == "" {
		return c.rest.DeleteGlobalCommand(c.application, snowflake.MustParse(id), c.options...)
	}
	return c.rest.DeleteGuildCommand(c.application, snowflake.MustParse(guild), snowflake.MustParse(id), c.options...)
}

// Get reads a command.
func (c *client) Get(guild, id string) (catalog.Command, error) {
	if guild == "" {
		return catalog.Read(c.rest.GetGlobalCommand(c.application, snowflake.MustParse(id), c.options...))
	}
	return catalog.Read(c.rest.GetGuildCommand(c.application, snowflake.MustParse(guild), snowflake.MustParse(id), c.options...))
}

// List reads all commands.
func (c *client) List(guild, locale string) ([]catalog.Command, error) {
	options := c.options
	if locale != "" {
		options = append(options[:len(options):len(options)], rest.WithDiscordLocale(discord.Locale(locale)))
	}
	if guild == "" {
		return catalog.ReadAll(c.rest.GetGlobalCommands(c.application, locale == "", options...))
	}
	return catalog.ReadAll(c.rest.GetGuildCommands(c.application, snowflake.MustParse(guild), locale == "", options...))
}

// Permit replaces the permissions of a command. The library has an endpoint and types for the request, but no method.
func (c *client) Permit(guild, id string, list []catalog.Permission) (catalog.Permissions, error) {
	var body discord.ApplicationCommandPermissions // decodes the entries of ApplicationCommandPermissionsSet
	if err := catalog.Write(catalog.Permissions{ID: id, ApplicationID: id, GuildID: guild, Permissions: list}, &body); err != nil {
		return catalog.Permissions{}, err
	}
	set := discord.ApplicationCommandPermissionsSet{ID: snowflake.MustParse(id), Permissions: body.Permissions}
	request := rest.SetGuildCommandPermissions.Compile(nil, c.application, guild, id)
	var answer discord.ApplicationCommandPermissions
	err := c.rest.Do(request, set, &answer, c.options...)
	return catalog.ReadAs[catalog.Permissions](answer, err)
}

// Permissions reads the permissions of a command.
func (c *client) Permissions(guild, id string) (catalog.Permissions, error) {
	return catalog.ReadAs[catalog.Permissions](
		c.rest.GetGuildCommandPermissions(c.application, snowflake.MustParse(guild), snowflake.MustParse(id), c.options...))
}

// AllPermissions reads the permissions of all commands of a guild.
func (c *client) AllPermissions(guild string) ([]catalog.Permissions, error) {
	return catalog.ReadAs[[]catalog.Permissions](
		c.rest.GetGuildCommandsPermissions(c.application, snowflake.MustParse(guild), c.options...))
}

// Failure reads an error. It takes the error tree from the library's error text.
func (c *client) Failure(err error) (probe.Failure, bool) {
	failed, ok := errors.AsType[*rest.Error](err)
	if !ok {
		return probe.Failure{}, false
	}
	failure := probe.Failure{Status: failed.Response.StatusCode, Code: int(failed.Code)}
	if failed.Errors != nil {
		failure.Lines = strings.Split(failed.Error(), "\n")[1:]
	}
	return failure, true
}

// definition converts a definition to the library's type for its command type.
func definition(d catalog.Command) (discord.ApplicationCommandCreate, error) {
	switch d.Type {
	case catalog.User:
		var command discord.UserCommandCreate
		err := d.Write(&command)
		return command, err
	case catalog.Message:
		var command discord.MessageCommandCreate
		err := d.Write(&command)
		return command, err
	}
	var command struct {
		discord.SlashCommandCreate

		Options []discord.UnmarshalApplicationCommandOption `json:"options"` // selects the library's type for each option
	}
	err := d.Write(&command)
	for _, o := range command.Options {
		command.SlashCommandCreate.Options = append(command.SlashCommandCreate.Options, o.ApplicationCommandOption)
	}
	return command.SlashCommandCreate, err
}
