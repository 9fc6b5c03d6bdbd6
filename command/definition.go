package command

import (
	"slices"

	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/permission"
)

// Definition is what an application says about a command. Parse, ParseList, Amend and ParseDoc return definitions in
// their normal form: lists that are sets in ascending order, what is empty nil. A definition is not changed once made;
// its lists and maps may be shared, and its texts are parts of the document that they were read from.
type Definition struct {
	Type                     Type
	Name                     string
	NameLocalizations        locale.Map
	Description              string
	DescriptionLocalizations locale.Map
	Options                  []Option
	// MemberPermissions is what a member needs in order to use the command; nil: nothing. With no bits at all it is
	// for administrators alone.
	MemberPermissions *permission.Bits
	// DefaultPermission is the older flag. It is kept because clients compare what they get with what they sent.
	DefaultPermission *bool
	NSFW              bool

	// Guild says that the command belongs to one guild. Then the three members below have no meaning.
	Guild bool
	// NoDM is set when dm_permission is false. With contexts it says whether they lack InBotDM.
	NoDM             bool
	Contexts         []Context         // nil: none were given
	IntegrationTypes []IntegrationType // nil, in definitions made by hand: what the application supports

	// Handler is of entry points only.
	Handler Handler
}

// Env is what a definition is judged in.
type Env struct {
	Guild     bool              // the scope is a guild, not the application
	Supported []IntegrationType // how the application can be installed; none: GuildInstall, as of a new application
	Embedded  bool              // the application has Activities
}

// everything is an Env in which only the definition itself can be wrong.
func everything(guild bool) Env {
	return Env{Guild: guild, Supported: integrationTypes, Embedded: true}
}

// normal returns e with how the application can be installed in ascending order, in a list that definitions can share.
func (e Env) normal() Env {
	if len(e.Supported) == 0 {
		e.Supported = integrationTypes[:1:1] // GuildInstall
		return e
	}
	set := slices.Clone(e.Supported)
	slices.Sort(set)
	e.Supported = slices.Compact(set)
	return e
}

// AvailableIn reports whether the command is offered in a kind of place: in those of its contexts, or without contexts
// in guilds and, unless dm_permission is false, in DMs with the bot. A private channel needs a command that users can
// install. The command of a guild is offered in guilds alone.
func (d Definition) AvailableIn(c Context) bool {
	switch {
	case d.Guild:
		return c == InGuild
	case d.Contexts == nil:
		return c == InGuild || c == InBotDM && !d.NoDM
	case c == InPrivateChannel && !slices.Contains(d.IntegrationTypes, UserInstall):
		return false
	}
	return slices.Contains(d.Contexts, c)
}

// Localized reports whether the definition reads differently in any language.
func (d Definition) Localized() bool {
	return len(d.NameLocalizations) > 0 || len(d.DescriptionLocalizations) > 0 ||
		slices.ContainsFunc(d.Options, Option.localized)
}

func (o Option) localized() bool {
	return len(o.NameLocalizations) > 0 || len(o.DescriptionLocalizations) > 0 ||
		slices.ContainsFunc(o.Choices, func(c Choice) bool { return len(c.NameLocalizations) > 0 }) ||
		slices.ContainsFunc(o.Options, Option.localized)
}

// LaunchCommand returns the entry point that an application gets together with its Activities.
func LaunchCommand(supported []IntegrationType) Definition {
	return Definition{
		Type: PrimaryEntryPoint, Name: "Launch", Handler: LaunchActivity,
		IntegrationTypes: Env{Supported: supported}.normal().Supported,
	}
}
