package lobby

import "time"

// Activity says what keeps a lobby from being idle.
type Activity uint8

// What counts as activity.
const (
	// ConnectionsAndWrites counts clients that are there, and every write to the lobby.
	ConnectionsAndWrites Activity = iota
	// Connections counts clients that are there alone.
	Connections
)

// Touch returns l after a write at now.
func (a Activity) Touch(l Lobby, now time.Time) Lobby {
	if a == ConnectionsAndWrites {
		l.IdleSince = now
	}
	return l
}

// Retime returns the idle-since moment of l, whose timeout a request has just set at now: the deadline that follows from
// it is never closer than MinIdleTimeout.
func (a Activity) Retime(l Lobby, now time.Time) Lobby {
	l = a.Touch(l, now)
	if earliest := now.Add(MinIdleTimeout - l.IdleTimeout); l.IdleSince.Before(earliest) {
		l.IdleSince = earliest
	}
	return l
}

// Deadline returns when the lobby shuts down unless something happens. The service has been running since started: time
// before that does not count, for nobody could be there. A linked lobby stays: its deadline is the zero Time.
func (l *Lobby) Deadline(started time.Time) time.Time {
	if l.Channel != 0 {
		return time.Time{}
	}
	since := l.IdleSince
	if since.Before(started) {
		since = started
	}
	return since.Add(l.IdleTimeout)
}
