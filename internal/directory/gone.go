package directory

import (
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Gone holds the deletions whose dependent rows are still being removed. Reads leave those rows out. A nil Gone is empty.
type Tombstones map[store.Tombstone]bool

// ReadGone returns the deletions that a snapshot has.
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

// User reports whether a user, or the application whose bot has the id, was deleted.
func (g Tombstones) User(id snowflake.User) bool {
	return len(g) > 0 && (g[store.Tombstone{Kind: store.KindUser, ID: uint64(id)}] || g.Application(snowflake.Application(id)))
}

// Application reports whether an application was deleted.
func (g Tombstones) Application(id snowflake.Application) bool {
	return len(g) > 0 && g[store.Tombstone{Kind: store.KindApplication, ID: uint64(id)}]
}

// Guild reports whether a guild was deleted.
func (g Tombstones) Guild(id snowflake.Guild) bool {
	return len(g) > 0 && g[store.Tombstone{Kind: store.KindGuild, ID: uint64(id)}]
}

// Channel reports whether a channel went with its guild or with one of its recipients.
func (g Tombstones) Channel(c store.Channel) bool {
	return len(g) > 0 && (g.Guild(c.Guild) || slices.ContainsFunc(c.Recipients, g.User))
}

// Install reports whether an install went with its application, guild or user.
func (g Tombstones) Install(i store.Install) bool {
	return len(g) > 0 && (g.Application(i.Application) || g.Guild(i.Guild) || g.User(i.User))
}

// Member reports whether a member went with its guild or user.
func (g Tombstones) Member(m store.Member) bool {
	return len(g) > 0 && (g.Guild(m.Guild) || g.User(m.User))
}

// Roles returns a member without roles that were deleted.
func (g Tombstones) Roles(m store.Member) store.Member {
	gone := func(r snowflake.Role) bool {
		return g[store.Tombstone{Kind: store.KindRole, ID: uint64(r), Guild: m.Guild}]
	}
	if len(g) > 0 && slices.ContainsFunc(m.Roles, gone) {
		m.Roles = slices.DeleteFunc(slices.Clone(m.Roles), gone)
	}
	return m
}

// Members returns the members of a list that are left, without roles that were deleted. It may change the list.
func (g Tombstones) Members(list []store.Member) []store.Member {
	if len(g) == 0 {
		return list
	}
	list = slices.DeleteFunc(list, g.Member)
	for i := range list {
		list[i] = g.Roles(list[i])
	}
	return list
}
