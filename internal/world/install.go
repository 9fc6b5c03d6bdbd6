package world

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// The scopes of installs.
const (
	BotScope      = "bot"
	CommandsScope = "applications.commands"
)

// GuildInstall is the install of an application in a guild. With the scope bot, its bot is a member of the guild.
type GuildInstall struct {
	Application snowflake.Application `json:"application"`
	Scopes      []string              `json:"scopes"` // ascending; default: applications.commands, which bot includes
	Permissions permission.Bits       `json:"permissions"`
	// InstalledAt is zero to keep the stored time, or to use the time at which the world is applied.
	InstalledAt time.Time `json:"installed_at,omitzero"`
}

// UserInstall is the install of an application for a user.
type UserInstall struct {
	User        snowflake.User        `json:"user"`
	Application snowflake.Application `json:"application"`
	Scopes      []string              `json:"scopes"` // default: applications.commands
	// InstalledAt is zero to keep the stored time, or to use the time at which the world is applied.
	InstalledAt time.Time `json:"installed_at,omitzero"`
}

func (in *GuildInstall) read(o *object) {
	in.Application = id[snowflake.Application](o, "application")
	in.Scopes = o.texts("scopes", 1, 2)
	if b := o.bits("permissions"); b != nil {
		in.Permissions = *b
	}
	in.InstalledAt = o.time("installed_at")
}

// Complete returns the install with default values for absent members, or a *jsonbody.Tree with its problems.
func (in GuildInstall) Complete() (GuildInstall, error) { return completed(in) }

func (in *GuildInstall) complete(t *jsonbody.Tree) {
	required(t, "application", in.Application != 0)
	scopes(t, &in.Scopes, BotScope, CommandsScope)
	allowed(t, "permissions", in.Permissions)
	normalizeTime(t, "installed_at", &in.InstalledAt)
}

func (in *UserInstall) read(o *object) {
	in.User = id[snowflake.User](o, "user")
	in.Application = id[snowflake.Application](o, "application")
	in.Scopes = o.texts("scopes", 1, 1)
	in.InstalledAt = o.time("installed_at")
}

// Complete returns the install with default values for absent members, or a *jsonbody.Tree with its problems.
func (in UserInstall) Complete() (UserInstall, error) { return completed(in) }

func (in *UserInstall) complete(t *jsonbody.Tree) {
	required(t, "user", in.User != 0)
	required(t, "application", in.Application != 0)
	scopes(t, &in.Scopes, CommandsScope)
	normalizeTime(t, "installed_at", &in.InstalledAt)
}

// scopes checks and sorts a list of scopes and adds applications.commands.
func scopes(t *jsonbody.Tree, list *[]string, known ...string) {
	for i, s := range *list {
		if !slices.Contains(known, s) && !t.At("scopes").Index(i).Failed() {
			t.At("scopes").Index(i).NotOneOf(known...)
		}
	}
	ascending(t, "scopes", list)
	if !slices.Contains(*list, CommandsScope) {
		*list = append([]string{CommandsScope}, *list...)
	}
}
