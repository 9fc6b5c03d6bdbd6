// Package world is the world file: the people, places and apps of a directory as a person writes them down. It reads the
// file, fills in what was left out, reports everything that is wrong with it and where, and writes a world back. It
// performs no I/O and stores nothing.
package world

import (
	"github.com/bellhop/bellhop/internal/jsonbody"
)

// World is a world file, or part of one. Nothing in it is required.
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

// Complete returns the world with everything that was left out in its place, or an error that names every rule it breaks
// as a *problem.Tree. Whether what it refers to exists is not judged here. Completing twice is completing once.
func (w World) Complete() (World, error) { return completed(w) }

func (w *World) complete(t *jsonbody.Tree) {
	w.Applications, w.Guilds = own(w.Applications), own(w.Guilds)
	w.giveOwners()
	completeAll(t.At("users"), &w.Users, MaxUsers)
	completeAll(t.At("applications"), &w.Applications, MaxApplications)
	completeAll(t.At("guilds"), &w.Guilds, MaxGuilds)
	completeAll(t.At("user_installs"), &w.UserInstalls, MaxUsers)
	w.judgePeople(t)
	w.judgePlaces(t)
}

// giveOwners gives applications and guilds without an owner the first user of the file.
func (w *World) giveOwners() {
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

// judgePeople reports ids, tokens and installs that stand twice. A bot has its application's id, so users and
// applications share their ids.
func (w *World) judgePeople(t *jsonbody.Tree) {
	ids, tokens := seen[uint64]{}, seen[string]{}
	for i, u := range w.Users {
		at := spot{list: "users", i: i}
		ids.note(uint64(u.ID), at, func() *jsonbody.Tree { return t.At("users").Index(i).At("id") })
		tokens.note(u.Token, at, func() *jsonbody.Tree { return t.At("users").Index(i).At("token") })
	}
	for i, a := range w.Applications {
		at := spot{list: "applications", i: i}
		ids.note(uint64(a.ID), at, func() *jsonbody.Tree { return t.At("applications").Index(i).At("id") })
		tokens.note(a.BotToken, at, func() *jsonbody.Tree { return t.At("applications").Index(i).At("bot_token") })
	}
	installs := seen[[2]uint64]{}
	for i, in := range w.UserInstalls {
		installs.note([2]uint64{uint64(in.User), uint64(in.Application)}, spot{list: "user_installs", i: i},
			func() *jsonbody.Tree { return t.At("user_installs").Index(i) })
	}
}

// judgePlaces reports ids of guilds and channels that stand twice. Channels are asked for without their guild, so their
// ids are distinct over all guilds.
func (w *World) judgePlaces(t *jsonbody.Tree) {
	guilds, channels := seen[uint64]{}, seen[uint64]{}
	for i, g := range w.Guilds {
		at := func() *jsonbody.Tree { return t.At("guilds").Index(i) }
		guilds.note(uint64(g.ID), spot{list: "guilds", i: i}, func() *jsonbody.Tree { return at().At("id") })
		for j, c := range g.Channels {
			if first, twice := channels[uint64(c.ID)]; twice && first.i == i {
				continue // the guild says so itself
			}
			channels.note(uint64(c.ID), spot{"guilds", i, "channels", j},
				func() *jsonbody.Tree { return at().At("channels").Index(j).At("id") })
		}
	}
}
