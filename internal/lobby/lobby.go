// Package lobby knows what a lobby is: its members, metadata and flags, how requests change them, when it is idle, and how
// it goes on the wire. It performs no I/O and reads no clock.
package lobby

import (
	"slices"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json/jsontext"
)

// What a lobby can hold.
const (
	MaxMembers        = 1000 // of a lobby
	MaxPerRequest     = 25   // members that one request names
	MaxLobbiesPerUser = 100  // of one application, unless it is set otherwise
)

// How long a lobby stays when nobody is there.
const (
	DefaultIdleTimeout = 300 * time.Second
	MinIdleTimeout     = 5 * time.Second
	MaxIdleTimeout     = 604800 * time.Second
)

// SecretLife is how long a secret leads to the lobby that was made with it.
const SecretLife = 30 * 24 * time.Hour

// Flags are those of a lobby.
type Flags uint32

// RequireApplicationAuthorization is the one flag of a lobby.
const RequireApplicationAuthorization Flags = 1 << 0

// Lobby is a lobby of an application. It is immutable once it is shared.
type Lobby struct {
	ID          snowflake.Lobby
	Application snowflake.Application
	Metadata    Metadata
	Flags       Flags
	IdleTimeout time.Duration
	// IdleSince is the moment from which the time without anybody there is counted.
	IdleSince time.Time
	// WebhooksURL is where events of the lobby are posted instead of the application's address; empty: there.
	WebhooksURL string
	// Secret says that the lobby was made by a secret: people come and go by themselves.
	Secret bool
	// Channel is the linked channel, 0 for none.
	Channel snowflake.Channel
	Members []*Member // in the order in which they joined
}

// New returns a lobby as it is before a request says anything about it.
func New(id snowflake.Lobby, app snowflake.Application, now time.Time) Lobby {
	return Lobby{ID: id, Application: app, IdleTimeout: DefaultIdleTimeout, IdleSince: now}
}

// SameSettings reports whether two states of a lobby differ in nothing but their members and when somebody was last active.
func (l *Lobby) SameSettings(o *Lobby) bool {
	return l.Metadata == o.Metadata && l.Flags == o.Flags && l.IdleTimeout == o.IdleTimeout && l.WebhooksURL == o.WebhooksURL &&
		l.Secret == o.Secret && l.Channel == o.Channel
}

// Member returns a member, or nil when the user is none.
func (l *Lobby) Member(id snowflake.User) *Member {
	if i := l.index(id); i >= 0 {
		return l.Members[i]
	}
	return nil
}

func (l *Lobby) index(id snowflake.User) int {
	return slices.IndexFunc(l.Members, func(m *Member) bool { return m.ID == id })
}

// With returns the members with m in the place of the one with the same id, or at the end when there is none.
func (l *Lobby) With(m *Member) []*Member {
	if i := l.index(m.ID); i >= 0 {
		members := slices.Clone(l.Members)
		members[i] = m
		return members
	}
	return append(slices.Clip(l.Members), m)
}

// Without returns the members without one. They are the same when the user is none.
func (l *Lobby) Without(id snowflake.User) []*Member {
	i := l.index(id)
	if i < 0 {
		return l.Members
	}
	return slices.Concat(l.Members[:i], l.Members[i+1:])
}

// AppendJSON appends the lobby as it goes on the wire. linked is the linked channel in its own form, empty for none.
func (l *Lobby) AppendJSON(b, linked []byte) []byte {
	b = AppendMembers(append(l.open(b), `,"members":`...), l.Members)
	if len(linked) > 0 {
		b = append(append(b, `,"linked_channel":`...), linked...)
	}
	if l.WebhooksURL != "" {
		b = appendText(append(b, `,"override_event_webhooks_url":`...), l.WebhooksURL)
	}
	return append(b, '}')
}

// AppendEvent appends the lobby as events show it: with who has a client there. Nobody talks in a lobby, so there are no
// voice states.
func (l *Lobby) AppendEvent(b, linked []byte, connected func(*Member) bool) []byte {
	b = append(l.open(b), `,"members":[`...)
	for i, m := range l.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b = m.AppendEvent(b, connected(m))
	}
	b = append(b, ']')
	if len(linked) > 0 {
		b = append(append(b, `,"linked_channel":`...), linked...)
	}
	return append(b, `,"voice_states":[],"region":null}`...)
}

// open appends what every form of a lobby begins with.
func (l *Lobby) open(b []byte) []byte {
	b = append(b, `{"id":"`...)
	b = l.ID.Append(b)
	b = append(b, `","application_id":"`...)
	b = l.Application.Append(b)
	b = append(b, `","metadata":`...)
	b = l.Metadata.AppendJSON(b)
	b = append(b, `,"flags":`...)
	b = strconv.AppendUint(b, uint64(l.Flags), 10)
	return b
}

// appendText appends a string as JSON. Text that comes from a request is UTF-8, so quoting it does not fail.
func appendText(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}
