package interaction

import (
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// References are the ids of users, roles, channels and a message in the values of an invocation.
type References struct {
	list    []reference
	message snowflake.Message
	soft    bool          // Check accepts ids that do not exist
	code    jsonbody.Code // of the error for an id that does not exist
}

// reference is one id and the kinds of records that it may name.
type reference struct {
	id    uint64
	kinds referenceKind
	types []command.ChannelType // allowed types of a channel; empty: all
}

type referenceKind uint8

const (
	toUser referenceKind = 1 << iota
	toRole
	toChannel
)

func (r *References) user(id snowflake.User) {
	r.list = append(r.list, reference{id: uint64(id), kinds: toUser})
}

func (r *References) role(id snowflake.Role) {
	r.list = append(r.list, reference{id: uint64(id), kinds: toRole})
}

func (r *References) channel(id snowflake.Channel, types []command.ChannelType) {
	r.list = append(r.list, reference{id: uint64(id), kinds: toChannel, types: types})
}

// mentionable adds the id of a user or, in a guild, of a user or a role.
func (r *References) mentionable(id uint64, guild bool) {
	kinds := toUser
	if guild {
		kinds |= toRole
	}
	r.list = append(r.list, reference{id: id, kinds: kinds})
}

// Wanted lists the records to look up. An id that may be a user or a role is in both lists.
type Wanted struct {
	Users    []snowflake.User
	Roles    []snowflake.Role
	Channels []snowflake.Channel
	Message  snowflake.Message // 0: none
}

// Wanted returns the ids in ascending order without duplicates.
func (r References) Wanted() Wanted {
	w := Wanted{Message: r.message}
	for _, ref := range r.list {
		if ref.kinds&toUser != 0 {
			w.Users = append(w.Users, snowflake.User(ref.id))
		}
		if ref.kinds&toRole != 0 {
			w.Roles = append(w.Roles, snowflake.Role(ref.id))
		}
		if ref.kinds&toChannel != 0 {
			w.Channels = append(w.Channels, snowflake.Channel(ref.id))
		}
	}
	w.Users, w.Roles, w.Channels = set(w.Users), set(w.Roles), set(w.Channels)
	return w
}

func set[T ~uint64](ids []T) []T {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Check checks that found contains all references: users that exist, roles of the guild, and channels that the user
// sees. The error is a *jsonbody.Tree.
func (r References) Check(found Resolved) error {
	if r.soft {
		return nil
	}
	missing := r.message != 0 && !slices.ContainsFunc(found.Messages, func(m ResolvedMessage) bool { return m.ID == r.message })
	for i := range r.list {
		missing = missing || !r.list[i].in(&found)
	}
	switch {
	case !missing:
		return nil
	case r.code != OptionInvalid:
		return Refuse(r.code)
	}
	var t jsonbody.Tree
	t.At("data").At("options").Add(OptionInvalid, "An option refers to a user, role or channel that does not exist here")
	return t.Err()
}

// in reports whether found contains the reference.
func (r *reference) in(found *Resolved) bool {
	if r.kinds&toUser != 0 && slices.ContainsFunc(found.Users, func(u wire.User) bool { return uint64(u.ID) == r.id }) {
		return true
	}
	if r.kinds&toRole != 0 && slices.ContainsFunc(found.Roles, func(o wire.Role) bool { return uint64(o.ID) == r.id }) {
		return true
	}
	return r.kinds&toChannel != 0 && slices.ContainsFunc(found.Channels, func(c wire.PartialChannel) bool {
		return uint64(c.ID) == r.id && (len(r.types) == 0 || slices.Contains(r.types, command.ChannelType(c.Type)))
	})
}
