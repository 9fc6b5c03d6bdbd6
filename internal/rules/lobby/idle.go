package lobby

import "time"

// Activity says what counts as activity in a lobby.
type Activity uint8

// What counts as activity.
const (
	// ConnectionsAndWrites counts connected clients and every write to the lobby.
	ConnectionsAndWrites Activity = iota
	// Connections counts connected clients only.
	Connections
)

// Touch returns l after a write at now.
func (a Activity) Touch(l Lobby, now time.Time) Lobby {
	if a == ConnectionsAndWrites {
		l.IdleSince = now
	}
	return l
}

// Retime returns l after a request at now has set its idle timeout. The deadline is never closer than MinIdleTimeout.
func (a Activity) Retime(l Lobby, now time.Time) Lobby {
	l = a.Touch(l, now)
	if earliest := now.Add(MinIdleTimeout - l.IdleTimeout); l.IdleSince.Before(earliest) {
		l.IdleSince = earliest
	}
	return l
}

// Deadline returns when the lobby is deleted if nothing happens. Time before started, when the service was not running,
// does not count. A linked lobby is not deleted: its deadline is the zero Time.
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
