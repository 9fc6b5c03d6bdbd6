package directory

import (
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// What is what a change is about.
type What uint8

// What changes.
const (
	Everything What = iota + 1 // whoever hears of it looks at everything again
	ThisUser
	ThisGuild
	ThisRole
	ThisChannel
	ThisMember
	ThisInstall // in a guild
)

// How is what happened to it.
type How uint8

// What happens.
const (
	Made How = iota + 1
	Altered
	Gone
)

// Change is something that others may want to hear of. Except for what is gone it names the record alone: how it is, the
// directory says.
type Change struct {
	What        What
	How         How
	Guild       snowflake.Guild // of all but users and channels between people
	User        snowflake.User  // of users, also of bots, and of members
	Role        snowflake.Role
	Channel     snowflake.Channel
	Application snowflake.Application // of installs
	// Was is a channel that is gone.
	Was *store.Channel
}

// news collects what a unit of work changes. Of several changes to one record it keeps what they come to.
type news struct {
	list  []Change
	at    map[Change]int // of the record, without what happened to it
	roles map[snowflake.Guild]map[snowflake.Role]bool
}

// note adds a change. A nil news takes none: nobody wants to hear.
func (n *news) note(c Change) {
	if n == nil {
		return
	}
	if n.at == nil {
		n.at = map[Change]int{}
	}
	key := c
	key.How, key.Was = 0, nil
	i, before := n.at[key]
	if !before {
		n.at[key] = len(n.list)
		n.list = append(n.list, c)
		return
	}
	old := &n.list[i]
	switch {
	case old.How == Made && c.How == Gone:
		old.What = 0 // never was
		delete(n.at, key)
	case old.How == Made:
	case old.How == Gone && c.How == Made:
		*old = key
		old.How = Altered
	default:
		*old = c
	}
}

// put notes that a record is written, which is there already where found is nil.
func (n *news) put(c Change, found error) {
	c.How = Altered
	if errors.Is(found, store.ErrNotFound) {
		c.How = Made
	}
	n.note(c)
}

// took returns what was noted.
func (n *news) took() []Change {
	if n == nil {
		return nil
	}
	list := n.list[:0]
	for _, c := range n.list {
		if c.What != 0 {
			list = append(list, c)
		}
	}
	return list
}

// hasRole reports whether a guild has a role, and notes that it does from now on. Guilds are read once.
func (n *news) hasRole(r store.DirectoryReader, guild snowflake.Guild, id snowflake.Role) (bool, error) {
	have, known := n.roles[guild]
	if !known {
		roles, err := r.Roles(guild)
		if err != nil {
			return false, err
		}
		have = make(map[snowflake.Role]bool, len(roles))
		for _, role := range roles {
			have[role.ID] = true
		}
		if n.roles == nil {
			n.roles = map[snowflake.Guild]map[snowflake.Role]bool{}
		}
		n.roles[guild] = have
	}
	there := have[id]
	have[id] = true
	return there, nil
}
