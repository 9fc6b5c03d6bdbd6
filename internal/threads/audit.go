package threads

import (
	"cmp"
	"context"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// auditFields are the members of a thread that the audit log shows.
var auditFields = []guild.Field[store.Channel]{
	{Key: "name", Value: func(t *store.Channel) any { return t.Name }},
	{Key: "type", Value: func(t *store.Channel) any { return t.Type }},
	{Key: "archived", Value: func(t *store.Channel) any { return t.Archived }},
	{Key: "locked", Value: func(t *store.Channel) any { return t.Thread != nil && t.Thread.Locked }},
	{Key: "auto_archive_duration", Value: func(t *store.Channel) any { return copyOf(t).Thread.AutoArchive }},
	{Key: "rate_limit_per_user", Value: func(t *store.Channel) any { return t.SlowMode }},
	{Key: "flags", Value: func(t *store.Channel) any { return t.Flags & int(channel.Pinned) }},
	{Key: "applied_tags", Value: func(t *store.Channel) any {
		if t.Thread == nil || len(t.Thread.Tags) == 0 {
			return nil
		}
		return t.Thread.Tags
	}},
}

// entry returns an entry of the audit log about a thread. old is nil for a new thread, and next for a deleted one.
func entry(op permission.Operation, by snowflake.User, old, next *store.Channel) audit.GuildEntry {
	t := cmp.Or(next, old)
	return audit.GuildEntry{
		Guild: t.Guild, By: by, Operation: op, Target: snowflake.Target(t.ID), Subject: store.GuildSubject(t.Guild),
		Changes: guild.Changes(auditFields, old, next),
	}
}

// record adds an entry about a thread to the audit log of its guild.
func (s *Threads) record(
	ctx context.Context, c *store.Change, op permission.Operation, by snowflake.User, old, next *store.Channel,
) error {
	return s.Audit.AddToGuild(ctx, c, entry(op, by, old, next))
}
