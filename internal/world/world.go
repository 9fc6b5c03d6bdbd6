// Package world reads and writes world files. A world file lists the users, applications, guilds and installs of a
// directory, and may list commands. The package parses a file, sets default values, and reports all problems with their positions. It performs
// no I/O.
package world

import (
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
)

// World is the content of a world file. All members are optional.
type World struct {
	Users        []User        `json:"users,omitzero"`
	Applications []Application `json:"applications,omitzero"`
	Guilds       []Guild       `json:"guilds,omitzero"`
	UserInstalls []UserInstall `json:"user_installs,omitzero"`
	// Commands and CommandPermissions are applied with the world. Directory.Export leaves them out.
	Commands           []Commands           `json:"commands,omitzero"`
	CommandPermissions []CommandPermissions `json:"command_permissions,omitzero"`
}

func (w *World) read(o *object) {
	w.Users = list[User](o, "users", MaxUsers)
	w.Applications = list[Application](o, "applications", MaxApplications)
	w.Guilds = list[Guild](o, "guilds", MaxGuilds)
	w.UserInstalls = list[UserInstall](o, "user_installs", MaxUsers)
	w.Commands = list[Commands](o, "commands", MaxCommandLists)
	w.CommandPermissions = list[CommandPermissions](o, "command_permissions", MaxCommandPermissions)
}

// Complete returns the world with default values for absent members, or a *jsonbody.Tree with its problems. It does not
// check references between records. Completing a completed world changes nothing.
func (w World) Complete() (World, error) { return completed(w) }

func (w *World) complete(t *jsonbody.Tree) {
	w.Applications, w.Guilds = clone(w.Applications), clone(w.Guilds)
	w.setOwners()
	completeAll(t.At("users"), &w.Users, MaxUsers)
	completeAll(t.At("applications"), &w.Applications, MaxApplications)
	completeAll(t.At("guilds"), &w.Guilds, MaxGuilds)
	completeAll(t.At("user_installs"), &w.UserInstalls, MaxUsers)
	completeAll(t.At("commands"), &w.Commands, MaxCommandLists)
	completeAll(t.At("command_permissions"), &w.CommandPermissions, MaxCommandPermissions)
	w.checkUnique(t)
}

// setOwners makes the first user the owner of applications and guilds without an owner.
func (w *World) setOwners() {
	if len(w.Users) == 0 {
		return
	}
	first := w.Users[0].ID
	for i := range w.Applications {
		if a := &w.Applications[i]; a.Owner == 0 {
			a.Owner = first
		}
	}
	for i := range w.Guilds {
		if g := &w.Guilds[i]; g.Owner == 0 {
			g.Owner = first
		}
	}
}

// checkUnique reports ids, tokens and installs that occur twice.
func (w *World) checkUnique(t *jsonbody.Tree) {
	all := newUnique()
	for i, u := range w.Users {
		all.user(t, i, u)
	}
	for i, a := range w.Applications {
		all.application(t, i, a)
	}
	for i, g := range w.Guilds {
		all.guild(t, i, g)
	}
	for i, in := range w.UserInstalls {
		all.userInstall(t, i, in)
	}
	for i, c := range w.Commands {
		all.commandList(t, i, c)
	}
	for i, p := range w.CommandPermissions {
		all.commandPermissions(t, i, p)
	}
}
