package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// Command types.
const (
	ChatInput = 1
	User      = 2
	Message   = 3
)

// Command is a definition, or a command as a library returns it, with the names of the API. Fields that a library does not
// return are zero.
type Command struct {
	ID                       string            `json:"id,omitempty"`
	ApplicationID            string            `json:"application_id,omitempty"`
	GuildID                  string            `json:"guild_id,omitempty"`
	Version                  string            `json:"version,omitempty"`
	Type                     int               `json:"type,omitempty"`
	Name                     string            `json:"name,omitempty"`
	NameLocalizations        map[string]string `json:"name_localizations,omitempty"`
	NameLocalized            string            `json:"name_localized,omitempty"`
	Description              string            `json:"description,omitempty"`
	DescriptionLocalizations map[string]string `json:"description_localizations,omitempty"`
	DescriptionLocalized     string            `json:"description_localized,omitempty"`
	DefaultMemberPermissions string            `json:"default_member_permissions,omitempty"` // "" is null
	DefaultPermission        *bool             `json:"default_permission,omitempty"`
	DMPermission             *bool             `json:"dm_permission,omitempty"`
	NSFW                     bool              `json:"nsfw,omitempty"`
	Contexts                 []int             `json:"contexts,omitempty"`
	IntegrationTypes         []int             `json:"integration_types,omitempty"`
	Options                  []Option          `json:"options,omitempty"`
}

// Option is an option of a command, a subcommand or a group of them.
type Option struct {
	Type                     int               `json:"type,omitempty"`
	Name                     string            `json:"name,omitempty"`
	NameLocalizations        map[string]string `json:"name_localizations,omitempty"`
	NameLocalized            string            `json:"name_localized,omitempty"`
	Description              string            `json:"description,omitempty"`
	DescriptionLocalizations map[string]string `json:"description_localizations,omitempty"`
	DescriptionLocalized     string            `json:"description_localized,omitempty"`
	Required                 bool              `json:"required,omitempty"`
	Autocomplete             bool              `json:"autocomplete,omitempty"`
	Choices                  []Choice          `json:"choices,omitempty"`
	ChannelTypes             []int             `json:"channel_types,omitempty"`
	MinValue                 *float64          `json:"min_value,omitempty"`
	MaxValue                 *float64          `json:"max_value,omitempty"`
	MinLength                *int              `json:"min_length,omitempty"`
	MaxLength                *int              `json:"max_length,omitempty"`
	Options                  []Option          `json:"options,omitempty"`
}

// Choice is a choice of an option. Numbers are float64.
type Choice struct {
	Name              string            `json:"name,omitempty"`
	NameLocalizations map[string]string `json:"name_localizations,omitempty"`
	NameLocalized     string            `json:"name_localized,omitempty"`
	Value             any               `json:"value"`
}

// Write converts a definition to a type of the library.
func (c Command) Write(into any) error {
	if err := Write(c, into); err != nil {
		return fmt.Errorf("%s: %w", c.Name, err)
	}
	return nil
}

// Write converts a value to a type of the library, as if the library had decoded it.
func Write(value, into any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("as %T: %w", into, err)
	}
	return nil
}

// Read converts a command of a library: it encodes the library's value, which has all fields that the library decoded. Its
// parameters are the results of a library call; it returns the error of the call.
func Read[T any](shown T, err error) (Command, error) { return ReadAs[Command](shown, err) }

// ReadAll is Read for a list.
func ReadAll[T any](shown []T, err error) ([]Command, error) {
	if err != nil {
		return nil, err
	}
	list := make([]Command, len(shown))
	for i := range shown {
		if list[i], err = Read(&shown[i], nil); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ReadAs is like Read for other types.
func ReadAs[C, T any](shown T, err error) (C, error) {
	var c C
	if err == nil {
		err = Write(shown, &c)
	}
	return c, err
}

// In returns the expected command after an application that supports both installation types has registered the
// definition, in a guild or, if guild is empty, globally. It has no id and no version.
func (c Command) In(application, guild string) Command {
	c.ApplicationID = application
	c.GuildID = guild
	c.DMPermission = nil
	if guild != "" {
		return c
	}
	if c.IntegrationTypes == nil {
		c.IntegrationTypes = []int{0, 1}
	}
	private := c.Contexts == nil || slices.Contains(c.Contexts, 1)
	c.DMPermission = &private
	return c
}

// Localized returns the command as a list in one language contains it: with the text of that language instead of the
// dictionaries. Without a translation it is the default text.
func (c Command) Localized(locale string) Command {
	c.NameLocalized = cmp.Or(c.NameLocalizations[locale], c.Name)
	c.DescriptionLocalized = cmp.Or(c.DescriptionLocalizations[locale], c.Description)
	c.NameLocalizations, c.DescriptionLocalizations = nil, nil
	c.Options = localized(c.Options, locale)
	return c
}

// text returns a localized text of an option or a choice: none without translations.
func text(translations map[string]string, locale, text string) string {
	if len(translations) == 0 {
		return ""
	}
	return cmp.Or(translations[locale], text)
}

func localized(options []Option, locale string) []Option {
	options = slices.Clone(options)
	for i := range options {
		o := &options[i]
		o.NameLocalized, o.NameLocalizations = text(o.NameLocalizations, locale, o.Name), nil
		o.DescriptionLocalized, o.DescriptionLocalizations = text(o.DescriptionLocalizations, locale, o.Description), nil
		o.Options = localized(o.Options, locale)
		o.Choices = slices.Clone(o.Choices)
		for j := range o.Choices {
			choice := &o.Choices[j]
			choice.NameLocalized, choice.NameLocalizations = text(choice.NameLocalizations, locale, choice.Name), nil
		}
	}
	return options
}
