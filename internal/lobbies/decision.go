package lobbies

import (
	"time"

	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// decision is the state of a lobby after a decision, with the members that changed.
type decision struct {
	deleted bool            // the lobby is deleted
	next    lobby.Lobby     // the lobby with its members after the change
	joined  []*lobby.Member // the last members of next
	changed []*lobby.Member
	left    []*lobby.Member
	due     *time.Time     // when to check for idleness; nil: follows from the rest
	message *lobby.Message // to store
	edited  bool           // message was stored before
	posted  *store.Message // message in the linked channel; nil: none
	records []store.Record // stored with the change, not part of the lobby
}

// edit applies a patch, with its list of members if it has one.
func edit(base *State, p lobby.Patch, activity lobby.Activity, now time.Time) decision {
	d := decision{next: applyPatch(&base.Lobby.Lobby, p, activity, now)}
	if list, given := p.Members.Get(); given {
		d.next.Members = d.next.Replace(list)
		d.compareMembers(&base.Lobby.Lobby)
	}
	return d
}

// applyPatch returns a lobby after a request. A new idle timeout restarts the idle time; otherwise the activity setting
// decides.
func applyPatch(l *lobby.Lobby, p lobby.Patch, activity lobby.Activity, now time.Time) lobby.Lobby {
	next := p.Apply(*l)
	if p.IdleTimeout.IsZero() {
		return activity.Touch(next, now)
	}
	return activity.Retime(next, now)
}

// join makes a user a member of a lobby, or changes the user's member.
func join(base *State, user snowflake.User, j lobby.Join, activity lobby.Activity, now time.Time) decision {
	d := decision{next: applyPatch(&base.Lobby.Lobby, j.Lobby, activity, now)}
	old := base.Member(user)
	if m := (lobby.Entry{ID: user, Metadata: j.Metadata}).Amend(old); m != old {
		d.next.Members = d.next.With(m)
		d.compareMembers(&base.Lobby.Lobby)
	}
	return d
}

// putMember adds a member, or changes it, and returns it.
func putMember(base *State, e lobby.Entry, activity lobby.Activity, now time.Time) (decision, *lobby.Member) {
	d := decision{next: activity.Touch(base.Lobby.Lobby, now)}
	old := base.Member(e.ID)
	m := e.Amend(old)
	if m == old {
		return d, m
	}
	d.next.Members = d.next.With(m)
	if old == nil {
		d.joined = []*lobby.Member{m}
	} else {
		d.changed = []*lobby.Member{m}
	}
	return d, m
}

// removeMember removes a member. It is no activity if the user is not a member.
func removeMember(base *State, user snowflake.User, activity lobby.Activity, now time.Time) decision {
	d := decision{next: base.Lobby.Lobby}
	if m := base.Member(user); m != nil {
		d.next = activity.Touch(d.next, now)
		d.next.Members = base.Without(user)
		d.left = []*lobby.Member{m}
	}
	return d
}

// compareMembers sets joined, changed and left from the members before and after the change.
func (d *decision) compareMembers(old *lobby.Lobby) {
	before := make(map[snowflake.User]*lobby.Member, len(old.Members))
	for _, m := range old.Members {
		before[m.ID] = m
	}
	for _, m := range d.next.Members {
		switch before[m.ID] {
		case nil:
			d.joined = append(d.joined, m)
		case m:
		default:
			d.changed = append(d.changed, m)
		}
		delete(before, m.ID)
	}
	for _, m := range old.Members {
		if before[m.ID] != nil {
			d.left = append(d.left, m)
		}
	}
}

// checkSize checks the number of members of a lobby.
func checkSize(l *lobby.Lobby) error {
	if len(l.Members) > lobby.MaxMembers {
		return &LimitError{"members", lobby.MaxMembers}
	}
	return nil
}
