package world

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Member is a user, or an application's bot under the application's id, in a guild.
type Member struct {
	User  snowflake.User   `json:"user"`
	Nick  string           `json:"nick,omitzero"`
	Roles []snowflake.Role `json:"roles,omitzero"` // ascending, without the guild's own
	// JoinedAt is when the member came; zero: as it is kept, or the moment at which the world is applied.
	JoinedAt time.Time `json:"joined_at,omitzero"`
	// TimeoutUntil is when the member may speak again; zero: no timeout.
	TimeoutUntil time.Time `json:"communication_disabled_until,omitzero"`
}

func (m *Member) read(o *object) {
	m.User = id[snowflake.User](o, "user")
	m.Nick = o.mayBeEmpty("nick")
	m.Roles = ids[snowflake.Role](o, "roles", MaxRoles+1)
	m.JoinedAt = o.time("joined_at")
	m.TimeoutUntil = o.time("communication_disabled_until")
}

// Complete returns the member of a guild with everything that was left out in its place, or what is wrong with it.
func (m Member) Complete(guild snowflake.Guild) (Member, error) { return settled(m, guild) }

func (m *Member) complete(t *jsonbody.Tree) {
	required(t, "user", m.User != 0)
	name(t, "nick", m.Nick, 0, 32)
	ascending(t, "roles", &m.Roles)
	moment(t, "joined_at", &m.JoinedAt)
	moment(t, "communication_disabled_until", &m.TimeoutUntil)
}

func (m *Member) settle(t *jsonbody.Tree, guild snowflake.Guild) {
	m.Roles = slices.DeleteFunc(m.Roles, func(r snowflake.Role) bool { return uint64(r) == uint64(guild) })
	if len(m.Roles) > MaxRoles {
		find(t, "roles", func(at *jsonbody.Tree) { length(at, 0, MaxRoles) })
	}
	m.Roles = own(m.Roles)
}
