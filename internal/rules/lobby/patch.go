package lobby

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
)

// Patch holds the properties of a lobby that a request contains; the others keep their values.
type Patch struct {
	Metadata    optional.Value[Metadata]      // null clears it
	Flags       optional.Value[Flags]         // null clears them
	IdleTimeout optional.Value[time.Duration] // never null
	WebhooksURL optional.Value[string]        // null clears it
	Members     optional.Value[[]Entry]       // never null; the complete list of members
}

// Entry is one member in a request.
type Entry struct {
	ID             snowflake.User
	Metadata       optional.Value[Metadata]
	Flags          optional.Value[MemberFlags]
	AdditionalName optional.Value[string]
	Remove         bool // in a bulk request: remove the member
	Index          int  // index in the request
}

// Apply returns l with the properties of p, except the members.
func (p Patch) Apply(l Lobby) Lobby {
	l.Metadata = p.Metadata.Or(l.Metadata)
	l.Flags = p.Flags.Or(l.Flags)
	l.IdleTimeout = p.IdleTimeout.Or(l.IdleTimeout)
	l.WebhooksURL = p.WebhooksURL.Or(l.WebhooksURL)
	return l
}

// Amend returns a member changed by an entry: properties that the entry does not contain stay, null clears them. old is
// nil for a new member. If nothing changes, it returns old itself.
func (e Entry) Amend(old *Member) *Member {
	m := Member{ID: e.ID}
	if old != nil {
		m = *old
	}
	m.Metadata = e.Metadata.Or(m.Metadata)
	m.Flags = e.Flags.Or(m.Flags)
	m.AdditionalName = e.AdditionalName.Or(m.AdditionalName)
	return unless(old, m)
}

// unless returns old if it equals m.
func unless(old *Member, m Member) *Member {
	if old != nil && *old == m {
		return old
	}
	return &m
}

// Replace returns the members after the list has replaced them: remaining members in their order, then new ones in the
// order of the list.
func (l *Lobby) Replace(list []Entry) []*Member {
	members := make([]*Member, 0, len(list))
	for _, old := range l.Members {
		if i := slices.IndexFunc(list, func(e Entry) bool { return e.ID == old.ID }); i >= 0 {
			members = append(members, list[i].Amend(old))
		}
	}
	for _, e := range list {
		if l.Member(e.ID) == nil {
			members = append(members, e.Amend(nil))
		}
	}
	return members
}

// drop removes the entry of a user from a list.
func drop(entries []Entry, id snowflake.User) []Entry {
	return slices.DeleteFunc(entries, func(e Entry) bool { return e.ID == id })
}
