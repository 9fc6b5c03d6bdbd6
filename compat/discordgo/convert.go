package main

import (
	"strconv"

	"github.com/bellhop/bellhop/compat/catalog"
	"github.com/bwmarrin/discordgo"
)

// write returns a command in the library's types.
func write(c catalog.Command) (*discordgo.ApplicationCommand, error) {
	command := &discordgo.ApplicationCommand{
		ID:                       c.ID,
		ApplicationID:            c.ApplicationID,
		GuildID:                  c.GuildID,
		Version:                  c.Version,
		Type:                     discordgo.ApplicationCommandType(c.Type),
		Name:                     c.Name,
		NameLocalizations:        pointer(locales(c.NameLocalizations)),
		NSFW:                     &c.NSFW,
		DMPermission:             c.DMPermission,
		Contexts:                 numbers[discordgo.InteractionContextType](c.Contexts),
		IntegrationTypes:         numbers[discordgo.ApplicationIntegrationType](c.IntegrationTypes),
		Description:              c.Description,
		DescriptionLocalizations: pointer(locales(c.DescriptionLocalizations)),
		Options:                  writeOptions(c.Options),
	}
	if c.DefaultMemberPermissions != "" {
		bits, err := strconv.ParseInt(c.DefaultMemberPermissions, 10, 64)
		if err != nil {
			return nil, err
		}
		command.DefaultMemberPermissions = &bits
	}
	return command, nil
}

func writeOptions(options []catalog.Option) []*discordgo.ApplicationCommandOption {
	var list []*discordgo.ApplicationCommandOption
	for _, o := range options {
		option := &discordgo.ApplicationCommandOption{
			Type:                     discordgo.ApplicationCommandOptionType(o.Type),
			Name:                     o.Name,
			NameLocalizations:        locales(o.NameLocalizations),
			Description:              o.Description,
			DescriptionLocalizations: locales(o.DescriptionLocalizations),
			Required:                 o.Required,
			Options:                  writeOptions(o.Options),
			Autocomplete:             o.Autocomplete,
			MinValue:                 o.MinValue,
			MinLength:                o.MinLength,
		}
		for _, t := range o.ChannelTypes {
			option.ChannelTypes = append(option.ChannelTypes, discordgo.ChannelType(t))
		}
		for _, choice := range o.Choices {
			option.Choices = append(option.Choices, &discordgo.ApplicationCommandOptionChoice{
				Name: choice.Name, NameLocalizations: locales(choice.NameLocalizations), Value: choice.Value,
			})
		}
		if o.MaxValue != nil {
			option.MaxValue = *o.MaxValue
		}
		if o.MaxLength != nil {
			option.MaxLength = *o.MaxLength
		}
		list = append(list, option)
	}
	return list
}

func readAll(commands []*discordgo.ApplicationCommand, err error) ([]catalog.Command, error) {
	list := make([]catalog.Command, len(commands))
	for i, c := range commands {
		list[i], _ = read(c, nil)
	}
	return list, err
}

// read returns what the library shows of a command.
func read(c *discordgo.ApplicationCommand, err error) (catalog.Command, error) {
	if err != nil {
		return catalog.Command{}, err
	}
	command := catalog.Command{
		ID:                c.ID,
		ApplicationID:     c.ApplicationID,
		GuildID:           c.GuildID,
		Version:           c.Version,
		Type:              int(c.Type),
		Name:              c.Name,
		Description:       c.Description,
		DefaultPermission: c.DefaultPermission,
		DMPermission:      c.DMPermission,
		NSFW:              *c.NSFW,
		Contexts:          plain(c.Contexts),
		IntegrationTypes:  plain(c.IntegrationTypes),
		Options:           readOptions(c.Options),
	}
	if c.NameLocalizations != nil {
		command.NameLocalizations = texts(*c.NameLocalizations)
	}
	if c.DescriptionLocalizations != nil {
		command.DescriptionLocalizations = texts(*c.DescriptionLocalizations)
	}
	if c.DefaultMemberPermissions != nil {
		command.DefaultMemberPermissions = strconv.FormatInt(*c.DefaultMemberPermissions, 10)
	}
	return command, nil
}

func readOptions(options []*discordgo.ApplicationCommandOption) []catalog.Option {
	var list []catalog.Option
	for _, o := range options {
		option := catalog.Option{
			Type:                     int(o.Type),
			Name:                     o.Name,
			NameLocalizations:        texts(o.NameLocalizations),
			Description:              o.Description,
			DescriptionLocalizations: texts(o.DescriptionLocalizations),
			Required:                 o.Required,
			Autocomplete:             o.Autocomplete,
			MinValue:                 o.MinValue,
			MinLength:                o.MinLength,
			Options:                  readOptions(o.Options),
		}
		for _, t := range o.ChannelTypes {
			option.ChannelTypes = append(option.ChannelTypes, int(t))
		}
		for _, choice := range o.Choices {
			option.Choices = append(option.Choices, catalog.Choice{
				Name: choice.Name, NameLocalizations: texts(choice.NameLocalizations), Value: choice.Value,
			})
		}
		if o.MaxValue != 0 {
			option.MaxValue = &o.MaxValue
		}
		if o.MaxLength != 0 {
			option.MaxLength = &o.MaxLength
		}
		list = append(list, option)
	}
	return list
}

func locales(from map[string]string) map[discordgo.Locale]string {
	var to map[discordgo.Locale]string
	for code, text := range from {
		if to == nil {
			to = map[discordgo.Locale]string{}
		}
		to[discordgo.Locale(code)] = text
	}
	return to
}

func texts(from map[discordgo.Locale]string) map[string]string {
	to := map[string]string{}
	for code, text := range from {
		to[string(code)] = text
	}
	return to
}

// pointer returns nil for no texts, which the library leaves out.
func pointer(texts map[discordgo.Locale]string) *map[discordgo.Locale]string {
	if texts == nil {
		return nil
	}
	return &texts
}

func numbers[T ~uint](from []int) *[]T {
	if from == nil {
		return nil
	}
	to := make([]T, len(from))
	for i, n := range from {
		to[i] = T(n)
	}
	return &to
}

func plain[T ~uint](from *[]T) []int {
	if from == nil {
		return nil
	}
	to := make([]int, len(*from))
	for i, n := range *from {
		to[i] = int(n)
	}
	return to
}
