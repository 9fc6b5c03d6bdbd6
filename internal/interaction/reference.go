package interaction

import (
	"slices"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/snowflake"
)

// References are what an invocation speaks of: people, roles, channels and a message that have to exist.
type References struct {
	list    []reference
	message snowflake.Message
	soft    bool          // what does not exist is no fault
	code    jsonbody.Code // of the fault
}

// reference is one id and what it may be. Several bits: any of them will do.
type reference struct {
	id    uint64
	kinds referenceKind
	types []command.ChannelType // that a channel may have; none: any
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

// mentionable is a user or, in a guild, a role.
func (r *References) mentionable(id uint64, guild bool) {
	kinds := toUser
	if guild {
		kinds |= toRole
	}
	r.list = append(r.list, reference{id: id, kinds: kinds})
}

// Wanted lists what has to be looked up. What may be a user or a role stands under both.
type Wanted struct {
	Users    []snowflake.User
	Roles    []snowflake.Role
	Channels []snowflake.Channel
	Message  snowflake.Message // 0: none
}

// Wanted returns what the invocation speaks of, each once and in ascending order.
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

// Check reports whether everything that the invocation speaks of is among what was found: users that exist, roles of
// the guild, channels of the guild or the conversation that the caller sees. An error is a *problem.Tree.
func (r References) Check(found Resolved) error {
	if r.soft {
		return nil
	}
	missing := r.message != 0 && !slices.ContainsFunc(found.Messages, func(m FoundMessage) bool { return m.ID == r.message })
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
	t.At("data").At("options").Add(OptionInvalid, "An option names something that is not here")
	return t.Err()
}

// in reports whether what was found holds the reference.
func (r *reference) in(found *Resolved) bool {
	if r.kinds&toUser != 0 && slices.ContainsFunc(found.Users, func(u payload.User) bool { return uint64(u.ID) == r.id }) {
		return true
	}
	if r.kinds&toRole != 0 && slices.ContainsFunc(found.Roles, func(o payload.Role) bool { return uint64(o.ID) == r.id }) {
		return true
	}
	return r.kinds&toChannel != 0 && slices.ContainsFunc(found.Channels, func(c payload.Channel) bool {
		return uint64(c.ID) == r.id && (len(r.types) == 0 || slices.Contains(r.types, c.Type))
	})
}
