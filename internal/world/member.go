package world

import (
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/snowflake"
)

// Member is a user or bot in a guild. A bot has the id of its application.
type Member struct {
	User  snowflake.User   `json:"user"`
	Nick  string           `json:"nick,omitzero"`
	Roles []snowflake.Role `json:"roles,omitzero"` // ascending, without @everyone
	// JoinedAt is zero to keep the stored time, or to use the time at which the world is applied.
	JoinedAt time.Time `json:"joined_at,omitzero"`
	// TimeoutUntil is the end of a timeout. It is zero when there is none.
	TimeoutUntil time.Time `json:"communication_disabled_until,omitzero"`
}

func (m *Member) read(o *object) {
	m.User = id[snowflake.User](o, "user")
	m.Nick = o.mayBeEmpty("nick")
	m.Roles = ids[snowflake.Role](o, "roles", MaxRoles+1)
	m.JoinedAt = o.time("joined_at")
	m.TimeoutUntil = o.time("communication_disabled_until")
}

// Complete returns a member of the guild with default values for absent members, or a *jsonbody.Tree with its problems.
func (m Member) Complete(guild snowflake.Guild) (Member, error) { return completedPart(m, guild) }

func (m *Member) complete(t *jsonbody.Tree) {
	required(t, "user", m.User != 0)
	name(t, "nick", m.Nick, 0, 32)
	ascending(t, "roles", &m.Roles)
	normalizeTime(t, "joined_at", &m.JoinedAt)
	normalizeTime(t, "communication_disabled_until", &m.TimeoutUntil)
}

func (m *Member) completeInGuild(t *jsonbody.Tree, guild snowflake.Guild) {
	m.Roles = slices.DeleteFunc(m.Roles, func(r snowflake.Role) bool { return uint64(r) == uint64(guild) })
	if len(m.Roles) > MaxRoles {
		find(t, "roles", func(at *jsonbody.Tree) { length(at, 0, MaxRoles) })
	}
	m.Roles = clone(m.Roles)
}
