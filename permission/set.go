package permission

import (
	"cmp"
	"slices"

	"github.com/bellhop/bellhop/snowflake"
)

// EntryType is the kind of target that an entry has, by its number in the API.
type EntryType uint8

// The types of entries.
const (
	ForRole    EntryType = 1
	ForUser    EntryType = 2
	ForChannel EntryType = 3
)

// String returns "role", "user" or "channel".
func (t EntryType) String() string {
	switch t {
	case ForRole:
		return "role"
	case ForUser:
		return "user"
	case ForChannel:
		return "channel"
	default:
		return "nothing"
	}
}

// Entry allows or denies a command, or all commands of an application, for a role, for a user or in a channel.
type Entry struct {
	ID    snowflake.Target
	Type  EntryType
	Allow bool
}

// Everyone returns the id of the role entry that applies to all members of a guild.
func Everyone(g snowflake.Guild) snowflake.Target { return snowflake.Target(g) }

// AllChannels returns the id of the channel entry that applies to all channels of a guild.
func AllChannels(g snowflake.Guild) snowflake.Target { return snowflake.Target(g - 1) }

// Set holds the entries of a command or of an application in a guild. It is immutable. A nil *Set is empty.
type Set struct {
	entries []Entry // by type, then by id
	starts  [ForChannel + 2]int
}

// NewSet returns a set of entries. If several entries have the same type and id, the last one counts. Entries of
// unknown types are left out.
func NewSet(entries []Entry) *Set {
	kept := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Type < ForRole || e.Type > ForChannel })
	slices.SortStableFunc(kept, compareEntries)
	s := &Set{entries: kept[:0]}
	for i, e := range kept {
		if i+1 < len(kept) && compareEntries(e, kept[i+1]) == 0 {
			continue
		}
		s.entries = append(s.entries, e)
		s.starts[e.Type+1] = len(s.entries)
	}
	for t := 1; t < len(s.starts); t++ { // a type without entries starts where the type before it ends
		s.starts[t] = max(s.starts[t], s.starts[t-1])
	}
	return s
}

func compareEntries(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID))
}

// Len returns the number of entries.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.entries)
}

// Entries returns a copy of the entries, by type and then by id.
func (s *Set) Entries() []Entry {
	if s == nil {
		return nil
	}
	return slices.Clone(s.entries)
}

// Lookup returns the entry with a type and id.
func (s *Set) Lookup(t EntryType, id snowflake.Target) (Entry, bool) {
	list := s.of(t)
	i, found := slices.BinarySearchFunc(list, id, func(e Entry, id snowflake.Target) int { return cmp.Compare(e.ID, id) })
	if !found {
		return Entry{}, false
	}
	return list[i], true
}

// of returns the entries of a type.
func (s *Set) of(t EntryType) []Entry {
	if s == nil || t < ForRole || t > ForChannel {
		return nil
	}
	return s.entries[s.starts[t]:s.starts[t+1]]
}

// forChannel returns the entry that applies to a channel.
func (s *Set) forChannel(guild snowflake.Guild, channel snowflake.Target) (Entry, bool) {
	if e, ok := s.Lookup(ForChannel, channel); ok {
		return e, true
	}
	return s.Lookup(ForChannel, AllChannels(guild))
}

// forMember returns the entry that applies to a member.
func (s *Set) forMember(m *Member) (Entry, bool) {
	if e, ok := s.Lookup(ForUser, snowflake.Target(m.User)); ok {
		return e, true
	}
	if e, ok := s.forRoles(m.roles); ok {
		return e, true
	}
	return s.Lookup(ForRole, Everyone(m.guild))
}

// forRoles returns the first entry that allows one of the roles, else the first entry that denies one. Both lists are
// sorted, so it walks them together.
func (s *Set) forRoles(roles []snowflake.Role) (denied Entry, found bool) {
	list := s.of(ForRole)
	i := 0
	for _, role := range roles {
		for i < len(list) && list[i].ID < snowflake.Target(role) {
			i++
		}
		if i == len(list) {
			break
		}
		switch e := list[i]; {
		case e.ID != snowflake.Target(role):
		case e.Allow:
			return e, true
		case !found:
			denied, found = e, true
		}
	}
	return denied, found
}

// Affected returns the entries that change when next replaces s: the added and changed entries of next, then the
// removed entries of s.
func (s *Set) Affected(next *Set) []Entry {
	var list []Entry
	for _, e := range next.Entries() {
		if old, ok := s.Lookup(e.Type, e.ID); !ok || old != e {
			list = append(list, e)
		}
	}
	for _, e := range s.Entries() {
		if _, kept := next.Lookup(e.Type, e.ID); !kept {
			list = append(list, e)
		}
	}
	return list
}
