package command

import (
	"slices"

	"github.com/bellhop/bellhop/permission"
)

// Definition describes a command. It is immutable: definitions may share lists and maps, and texts share the memory
// of the document that they were read from.
//
// The functions of this package return definitions in a normal form: lists that are sets are in ascending order and
// have no duplicates, and empty lists and maps are nil.
type Definition struct {
	Type                     Type
	Name                     string
	NameLocalizations        map[string]string
	Description              string
	DescriptionLocalizations map[string]string
	Options                  []Option
	// MemberPermissions are the permissions that a member needs to use the command; nil: none. If it is 0, only
	// administrators can use the command.
	MemberPermissions *permission.Bits
	// DefaultPermission is the deprecated member default_permission. Clients expect to read it back as they sent it.
	DefaultPermission *bool
	// Closed reports whether MemberPermissions is 0 only because DefaultPermission is false. Documents do not show it.
	Closed bool
	NSFW   bool

	// Guild reports whether the command is a guild command. Then the next three fields are kept as they are given, and
	// have no effect.
	Guild bool
	// NoDM is the opposite of dm_permission. If a global command has Contexts, NoDM is true if InBotDM is not among them.
	NoDM             bool
	Contexts         []Context         // nil: not given
	IntegrationTypes []IntegrationType // nil: all that the application supports, or, in a guild, not given

	// Handler is set only for entry points.
	Handler Handler
}

// Env holds the properties of the scope and the application that the rules depend on.
type Env struct {
	Guild     bool              // the definitions are for guild commands
	Supported []IntegrationType // how the application can be installed; none: GuildInstall
	Embedded  bool              // the application has activities and so can have an entry point
}

// anyApplication returns the Env of an application that supports everything.
func anyApplication(guild bool) Env {
	return Env{Guild: guild, Supported: integrationTypes, Embedded: true}
}

// normal returns e with Supported in normal form. Definitions share the list.
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

// AvailableIn reports whether the command is available in a context. Without Contexts a command is available in guilds
// and, unless dm_permission is false, in direct messages with the bot. In private channels a command must support
// UserInstall. A guild command is available only in its guild.
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

// Localized reports whether the definition has any localization.
func (d Definition) Localized() bool {
	return len(d.NameLocalizations) > 0 || len(d.DescriptionLocalizations) > 0 ||
		slices.ContainsFunc(d.Options, Option.localized)
}

func (o Option) localized() bool {
	return len(o.NameLocalizations) > 0 || len(o.DescriptionLocalizations) > 0 ||
		slices.ContainsFunc(o.Choices, func(c Choice) bool { return len(c.NameLocalizations) > 0 }) ||
		slices.ContainsFunc(o.Options, Option.localized)
}
