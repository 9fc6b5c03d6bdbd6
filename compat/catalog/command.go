package catalog

import "slices"

// Command types.
const (
	ChatInput = 1
	User      = 2
	Message   = 3
)

// Command is a definition, or a command as a library shows it, in the words of the wire. What a library does not show is
// the zero value.
type Command struct {
	ID                       string            `json:"id"`
	ApplicationID            string            `json:"application_id"`
	GuildID                  string            `json:"guild_id"`
	Version                  string            `json:"version"`
	Type                     int               `json:"type"`
	Name                     string            `json:"name"`
	NameLocalizations        map[string]string `json:"name_localizations"`
	NameLocalized            string            `json:"name_localized"`
	Description              string            `json:"description"`
	DescriptionLocalizations map[string]string `json:"description_localizations"`
	DescriptionLocalized     string            `json:"description_localized"`
	DefaultMemberPermissions string            `json:"default_member_permissions"` // "" is null
	DefaultPermission        *bool             `json:"default_permission"`
	DMPermission             *bool             `json:"dm_permission"`
	NSFW                     bool              `json:"nsfw"`
	Contexts                 []int             `json:"contexts"`
	IntegrationTypes         []int             `json:"integration_types"`
	Options                  []Option          `json:"options"`
}

// Option is an option of a command, a subcommand or a group of them.
type Option struct {
	Type                     int               `json:"type"`
	Name                     string            `json:"name"`
	NameLocalizations        map[string]string `json:"name_localizations"`
	NameLocalized            string            `json:"name_localized"`
	Description              string            `json:"description"`
	DescriptionLocalizations map[string]string `json:"description_localizations"`
	DescriptionLocalized     string            `json:"description_localized"`
	Required                 bool              `json:"required"`
	Autocomplete             bool              `json:"autocomplete"`
	Choices                  []Choice          `json:"choices"`
	ChannelTypes             []int             `json:"channel_types"`
	MinValue                 *float64          `json:"min_value"`
	MaxValue                 *float64          `json:"max_value"`
	MinLength                *int              `json:"min_length"`
	MaxLength                *int              `json:"max_length"`
	Options                  []Option          `json:"options"`
}

// Choice is a value that an option offers. Numbers are float64.
type Choice struct {
	Name              string            `json:"name"`
	NameLocalizations map[string]string `json:"name_localizations"`
	NameLocalized     string            `json:"name_localized"`
	Value             any               `json:"value"`
}

// In returns what is to be seen of the definition once it is registered by an application that supports both
// installation types: globally, or in a guild when one is named. Id and version are the service's to give.
func (c Command) In(application, guild string) Command {
	c.ApplicationID = application
	c.GuildID = guild
	c.DMPermission = nil
	if guild != "" {
		c.Contexts, c.IntegrationTypes = nil, nil
		return c
	}
	if c.IntegrationTypes == nil {
		c.IntegrationTypes = []int{0, 1}
	}
	private := c.Contexts == nil || slices.Contains(c.Contexts, 1)
	c.DMPermission = &private
	return c
}

// Localized returns what a list shows of the command in one language: the text of that language in place of the
// dictionaries.
func (c Command) Localized(locale string) Command {
	c.NameLocalized, c.NameLocalizations = c.NameLocalizations[locale], nil
	c.DescriptionLocalized, c.DescriptionLocalizations = c.DescriptionLocalizations[locale], nil
	c.Options = localized(c.Options, locale)
	return c
}

func localized(options []Option, locale string) []Option {
	options = slices.Clone(options)
	for i := range options {
		o := &options[i]
		o.NameLocalized, o.NameLocalizations = o.NameLocalizations[locale], nil
		o.DescriptionLocalized, o.DescriptionLocalizations = o.DescriptionLocalizations[locale], nil
		o.Options = localized(o.Options, locale)
		o.Choices = slices.Clone(o.Choices)
		for j := range o.Choices {
			choice := &o.Choices[j]
			choice.NameLocalized, choice.NameLocalizations = choice.NameLocalizations[locale], nil
		}
	}
	return options
}
