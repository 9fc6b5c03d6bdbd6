package directory

import (
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// What is the kind of record that a change is about.
type What uint8

// The kinds of records.
const (
	ThisUser What = iota + 1 // or a bot
	ThisGuild
	ThisRole
	ThisChannel
	ThisMember
	ThisInstall // in a guild
)

// How is what happened to a record.
type How uint8

// What happens to records.
const (
	Made How = iota + 1
	Altered
	Gone
)

// Change is what a decision does to one record. Users that are deleted have none.
type Change struct {
	What        What
	How         How
	Guild       snowflake.Guild // of all but users and direct-message channels
	User        snowflake.User  // of users, also of bots, and of members
	Role        snowflake.Role
	Channel     snowflake.Channel
	Application snowflake.Application // of installs
	// Was is a channel that is gone.
	Was *store.Channel
}

// changes returns what the decision does to the records that it wrote to. Records that it made and removed again are left
// out.
func (w *work) changes() ([]Change, error) {
	var list []Change
	for _, c := range w.noted {
		before, err := exists(w.tx.Before.Directory, c)
		if err != nil {
			return nil, err
		}
		after, err := exists(w.tx.Directory, c)
		if err != nil {
			return nil, err
		}
		switch {
		case before && after:
			c.How = Altered
		case after:
			c.How = Made
		case before:
			c.How = Gone
		default:
			continue
		}
		if c.How == Gone && c.What == ThisChannel {
			was, err := w.tx.Before.Directory.Channel(c.Channel)
			if err != nil {
				return nil, err
			}
			c.Was = &was
		}
		list = append(list, c)
	}
	return list, nil
}

// exists reports whether the record that a change is about exists.
func exists(r store.DirectoryQueries, c Change) (bool, error) {
	switch c.What {
	case ThisGuild:
		return found(r.Guild(c.Guild))
	case ThisRole:
		return found(r.Role(c.Guild, c.Role))
	case ThisChannel:
		return found(r.Channel(c.Channel))
	case ThisMember:
		return found(r.Member(c.Guild, c.User))
	case ThisInstall:
		return found(r.GuildInstall(c.Guild, c.Application))
	case ThisUser: // counts as changed when it is new
	}
	return true, nil
}
