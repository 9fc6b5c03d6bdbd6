package gateway

import (
	"slices"

	"github.com/bellhop/bellhop/internal/rules/presence"
)

// userStatuses are the presences of the sessions of a user on this node.
type userStatuses struct {
	list []sessionStatus // that set last is last
	best int             // the index of the one that others see: of equally strong ones that set last
}

// sessionStatus is the presence of a session.
type sessionStatus struct {
	session string
	shown   presence.Presence
}

// shown returns the presence that others see; offline for nil.
func (u *userStatuses) shown() (p presence.Presence) {
	if u != nil {
		p = u.list[u.best].shown
	}
	return p
}

// set sets the presence of a session.
func (u *userStatuses) set(session string, p presence.Presence) {
	u.remove(session)
	u.list = append(u.list, sessionStatus{session, p})
	if !presence.Stronger(&u.list[u.best].shown, &p) {
		u.best = len(u.list) - 1
	}
}

// remove removes the presence of a session. It takes longer only for the session whose presence others see.
func (u *userStatuses) remove(session string) {
	i := slices.IndexFunc(u.list, func(s sessionStatus) bool { return s.session == session })
	if i < 0 {
		return
	}
	u.list = slices.Delete(u.list, i, i+1)
	if i != u.best {
		if i < u.best {
			u.best--
		}
		return
	}
	u.best = 0
	for k := range u.list {
		if !presence.Stronger(&u.list[u.best].shown, &u.list[k].shown) {
			u.best = k
		}
	}
}
