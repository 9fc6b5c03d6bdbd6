package directory

import (
	"cmp"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// BanKind describes bans.
var BanKind = Kind[store.Ban]{
	Name:   "ban",
	Target: func(b store.Ban) string { return "guild/" + b.Guild.String() + "/ban/" + b.User.String() },
	Key:    func(b store.Ban) store.Key { return store.BanKey(b.Guild, b.User) },
	Read:   func(q store.DirectoryQueries, b store.Ban) (store.Ban, error) { return q.Ban(b.Guild, b.User) },
	Show:   func(b store.Ban) any { return banInfo{b.Reason} },
	Events: banEvents,
}

func banEvents(e *Events, before, after *store.Ban) error {
	if before != nil && after != nil {
		return nil // a new reason
	}
	b, name := cmp.Or(after, before), eventName(before, after, "GUILD_BAN_ADD", "", "GUILD_BAN_REMOVE")
	u, err := ReadUser(e.Reader, b.User)
	if err != nil {
		return err
	}
	to := events.Audience{Guild: b.Guild, Intents: events.GuildModeration, Needs: permission.BanMembers | permission.ViewAuditLog}
	// The subject is that of the events of members, so that the event of a ban comes before the one of the member who leaves.
	return e.Add(store.MembershipsSubject(b.User), name, struct {
		Guild snowflake.Guild `json:"guild_id"`
		User  wire.User       `json:"user"`
	}{b.Guild, convert.WireUser(u)}, to, nil)
}

// banInfo has the members of a ban in the audit log of operators.
type banInfo struct {
	Reason string `json:"reason,omitzero"`
}
