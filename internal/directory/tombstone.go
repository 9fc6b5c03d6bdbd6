package directory

import (
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Tombstones are the deletions whose dependent records are still being removed. Reads leave those records out. A nil
// map is empty.
type Tombstones map[store.Tombstone]bool

// ReadTombstones returns the tombstones in a snapshot.
func ReadTombstones(r store.DirectoryQueries) (Tombstones, error) {
	list, err := r.Tombstones()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	g := make(Tombstones, len(list))
	for _, t := range list {
		g[t] = true
	}
	return g, nil
}

// user reports whether a user, or the application whose bot has the id, was deleted.
func (g Tombstones) user(id snowflake.User) bool {
	return len(g) > 0 && (g[store.Tombstone{Kind: store.KindUser, ID: uint64(id)}] || g.application(snowflake.Application(id)))
}

// application reports whether an application was deleted.
func (g Tombstones) application(id snowflake.Application) bool {
	return len(g) > 0 && g[store.Tombstone{Kind: store.KindApplication, ID: uint64(id)}]
}

// guild reports whether a guild was deleted.
func (g Tombstones) guild(id snowflake.Guild) bool {
	return len(g) > 0 && g[store.Tombstone{Kind: store.KindGuild, ID: uint64(id)}]
}

// channel reports whether the guild or a recipient of a channel was deleted.
func (g Tombstones) channel(c store.Channel) bool {
	return len(g) > 0 && (g.guild(c.Guild) || slices.ContainsFunc(c.Recipients, g.user))
}

// Install reports whether the application, guild or user of an install was deleted.
func (g Tombstones) Install(i store.Install) bool {
	return len(g) > 0 && (g.application(i.Application) || g.guild(i.Guild) || g.user(i.User))
}

// Member reports whether the guild or user of a member was deleted.
func (g Tombstones) Member(m store.Member) bool {
	return len(g) > 0 && (g.guild(m.Guild) || g.user(m.User))
}

// WithoutRoles returns a member without deleted roles.
func (g Tombstones) WithoutRoles(m store.Member) store.Member {
	gone := func(r snowflake.Role) bool {
		return g[store.Tombstone{Kind: store.KindRole, ID: uint64(r), Guild: m.Guild}]
	}
	if len(g) > 0 && slices.ContainsFunc(m.Roles, gone) {
		m.Roles = slices.DeleteFunc(slices.Clone(m.Roles), gone)
	}
	return m
}

// members returns the members of a list that were not deleted, without deleted roles. It may change the list.
func (g Tombstones) members(list []store.Member) []store.Member {
	if len(g) == 0 {
		return list
	}
	list = slices.DeleteFunc(list, g.Member)
	for i := range list {
		list[i] = g.WithoutRoles(list[i])
	}
	return list
}
