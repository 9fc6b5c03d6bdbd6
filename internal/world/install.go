package world

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// The scopes that an install can have.
const (
	BotScope      = "bot"
	CommandsScope = "applications.commands"
)

// GuildInstall is an application's permission to be used in a guild. With the scope bot its bot is a member there.
type GuildInstall struct {
	Application snowflake.Application `json:"application"`
	Scopes      []string              `json:"scopes"` // ascending; bot brings applications.commands along; default: that alone
	Permissions permission.Bits       `json:"permissions"`
	// InstalledAt is when that was; zero: as it is kept, or the moment at which the world is applied.
	InstalledAt time.Time `json:"installed_at,omitzero"`
}

// UserInstall is an application's permission to be used by a user.
type UserInstall struct {
	User        snowflake.User        `json:"user"`
	Application snowflake.Application `json:"application"`
	Scopes      []string              `json:"scopes"` // default: applications.commands
	// InstalledAt is when that was; zero: as it is kept, or the moment at which the world is applied.
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

// Complete returns the install with everything that was left out in its place, or what is wrong with it.
func (in GuildInstall) Complete() (GuildInstall, error) { return completed(in) }

func (in *GuildInstall) complete(t *jsonbody.Tree) {
	required(t, "application", in.Application != 0)
	scopes(t, &in.Scopes, BotScope, CommandsScope)
	allowed(t, "permissions", in.Permissions)
	moment(t, "installed_at", &in.InstalledAt)
}

func (in *UserInstall) read(o *object) {
	in.User = id[snowflake.User](o, "user")
	in.Application = id[snowflake.Application](o, "application")
	in.Scopes = o.texts("scopes", 1, 1)
	in.InstalledAt = o.time("installed_at")
}

// Complete returns the install with everything that was left out in its place, or what is wrong with it.
func (in UserInstall) Complete() (UserInstall, error) { return completed(in) }

func (in *UserInstall) complete(t *jsonbody.Tree) {
	required(t, "user", in.User != 0)
	required(t, "application", in.Application != 0)
	scopes(t, &in.Scopes, CommandsScope)
	moment(t, "installed_at", &in.InstalledAt)
}

// scopes completes a list of scopes. Whoever installs a bot installs its commands.
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
