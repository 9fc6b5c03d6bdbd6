// Package world reads and writes world files. A world file lists the users, applications, guilds and installs of a
// directory. The package parses a file, sets default values, and reports all problems with their positions. It performs
// no I/O.
package world

import (
	"github.com/bellhop/bellhop/internal/jsonbody"
)

// World is the content of a world file. All members are optional.
type World struct {
	Users        []User        `json:"users,omitzero"`
	Applications []Application `json:"applications,omitzero"`
	Guilds       []Guild       `json:"guilds,omitzero"`
	UserInstalls []UserInstall `json:"user_installs,omitzero"`
}

func (w *World) read(o *object) {
	w.Users = list[User](o, "users", MaxUsers)
	w.Applications = list[Application](o, "applications", MaxApplications)
	w.Guilds = list[Guild](o, "guilds", MaxGuilds)
	w.UserInstalls = list[UserInstall](o, "user_installs", MaxUsers)
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
	w.checkUsers(t)
	w.checkGuilds(t)
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

// checkUsers reports duplicate ids, tokens and installs of users and applications. A bot has the id of its application,
// so a user and an application cannot have the same id.
func (w *World) checkUsers(t *jsonbody.Tree) {
	ids, tokens := seen[uint64]{}, seen[string]{}
	for i, u := range w.Users {
		at := location{list: "users", i: i}
		ids.note(uint64(u.ID), at, func() *jsonbody.Tree { return t.At("users").Index(i).At("id") })
		tokens.note(u.Token, at, func() *jsonbody.Tree { return t.At("users").Index(i).At("token") })
	}
	for i, a := range w.Applications {
		at := location{list: "applications", i: i}
		ids.note(uint64(a.ID), at, func() *jsonbody.Tree { return t.At("applications").Index(i).At("id") })
		tokens.note(a.BotToken, at, func() *jsonbody.Tree { return t.At("applications").Index(i).At("bot_token") })
	}
	installs := seen[[2]uint64]{}
	for i, in := range w.UserInstalls {
		installs.note([2]uint64{uint64(in.User), uint64(in.Application)}, location{list: "user_installs", i: i},
			func() *jsonbody.Tree { return t.At("user_installs").Index(i) })
	}
}

// checkGuilds reports duplicate ids of guilds and channels. Clients name a channel without its guild, so channel ids
// are unique across guilds.
func (w *World) checkGuilds(t *jsonbody.Tree) {
	guilds, channels := seen[uint64]{}, seen[uint64]{}
	for i, g := range w.Guilds {
		at := func() *jsonbody.Tree { return t.At("guilds").Index(i) }
		guilds.note(uint64(g.ID), location{list: "guilds", i: i}, func() *jsonbody.Tree { return at().At("id") })
		for j, c := range g.Channels {
			if first, twice := channels[uint64(c.ID)]; twice && first.i == i {
				continue // Guild.checkParts reports it
			}
			channels.note(uint64(c.ID), location{"guilds", i, "channels", j},
				func() *jsonbody.Tree { return at().At("channels").Index(j).At("id") })
		}
	}
}
