// Package lobby defines lobbies: members, metadata and flags, how requests change them, when a lobby is idle, and its
// JSON. It performs no I/O and reads no clock.
package lobby

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

// Limits of lobbies.
const (
	MaxMembers        = 1000 // of a lobby
	MaxPerRequest     = 25   // members in one request
	MaxLobbiesPerUser = 100  // of one application; the operator can change it
)

// Limits of the idle timeout.
const (
	DefaultIdleTimeout = 300 * time.Second
	MinIdleTimeout     = 5 * time.Second
	MaxIdleTimeout     = 604800 * time.Second
)

// SecretLife is the time for which a secret belongs to the lobby that was created with it.
const SecretLife = 30 * 24 * time.Hour

// Flags are the flags of a lobby.
type Flags uint32

// RequireApplicationAuthorization is the only flag of a lobby.
const RequireApplicationAuthorization Flags = 1 << 0

// Lobby is a lobby of an application. It is immutable once it is shared.
type Lobby struct {
	ID          snowflake.Lobby
	Application snowflake.Application
	Metadata    Metadata
	Flags       Flags
	IdleTimeout time.Duration
	// IdleSince is when the idle time began.
	IdleSince time.Time
	// WebhooksURL is the address to which events of the lobby are posted; empty means the application's URL.
	WebhooksURL string
	// Secret means that the lobby was created with a secret: users join and leave by themselves.
	Secret bool
	// Channel is the linked channel, 0 for none.
	Channel snowflake.Channel
	Members []*Member // in the order of joining
}

// New returns a lobby with the defaults.
func New(id snowflake.Lobby, app snowflake.Application, now time.Time) Lobby {
	return Lobby{ID: id, Application: app, IdleTimeout: DefaultIdleTimeout, IdleSince: now}
}

// SameSettings reports whether two states of a lobby differ at most in their members and the idle time.
func (l *Lobby) SameSettings(o *Lobby) bool {
	return l.Metadata == o.Metadata && l.Flags == o.Flags && l.IdleTimeout == o.IdleTimeout && l.WebhooksURL == o.WebhooksURL &&
		l.Secret == o.Secret && l.Channel == o.Channel
}

// Member returns a member, or nil if the user is not a member.
func (l *Lobby) Member(id snowflake.User) *Member {
	if i := l.index(id); i >= 0 {
		return l.Members[i]
	}
	return nil
}

func (l *Lobby) index(id snowflake.User) int {
	return slices.IndexFunc(l.Members, func(m *Member) bool { return m.ID == id })
}

// With returns the members with m, which replaces the member with the same id or is added at the end.
func (l *Lobby) With(m *Member) []*Member {
	if i := l.index(m.ID); i >= 0 {
		members := slices.Clone(l.Members)
		members[i] = m
		return members
	}
	return append(slices.Clip(l.Members), m)
}

// Without returns the members without a user. It returns the same slice if the user is not a member.
func (l *Lobby) Without(id snowflake.User) []*Member {
	i := l.index(id)
	if i < 0 {
		return l.Members
	}
	return slices.Concat(l.Members[:i], l.Members[i+1:])
}

// AppendJSON appends the lobby as REST responses contain it. linked is the JSON of the linked channel; empty means
// none.
func (l *Lobby) AppendJSON(b, linked []byte) []byte {
	p := wire.Printer{Out: b}
	l.print(&p)
	p.Raw(`,"members":`)
	p.Out = AppendMembers(p.Out, l.Members)
	printLinked(&p, linked)
	if l.WebhooksURL != "" {
		p.Text(`,"override_event_webhooks_url":`, l.WebhooksURL)
	}
	p.Raw(`}`)
	return p.Out
}

// AppendEvent appends the lobby as events contain it. connected reports whether a member has a session. Voice is not
// implemented, so voice_states is empty.
func (l *Lobby) AppendEvent(b, linked []byte, connected func(*Member) bool) []byte {
	p := wire.Printer{Out: b}
	l.print(&p)
	p.Raw(`,"members":[`)
	for i, m := range l.Members {
		p.Comma(i > 0)
		p.Out = m.AppendEvent(p.Out, connected(m))
	}
	p.Raw(`]`)
	printLinked(&p, linked)
	p.Raw(`,"voice_states":[],"region":null}`)
	return p.Out
}

// print writes the fields that all forms share.
func (l *Lobby) print(p *wire.Printer) {
	p.ID(`{"id":`, uint64(l.ID))
	p.ID(`,"application_id":`, uint64(l.Application))
	p.Raw(`,"metadata":`)
	p.Out = l.Metadata.AppendJSON(p.Out)
	p.Integer(`,"flags":`, int64(l.Flags))
}

func printLinked(p *wire.Printer, linked []byte) {
	if len(linked) > 0 {
		p.Raw(`,"linked_channel":`)
		p.Out = append(p.Out, linked...)
	}
}
