package messages

import (
	"context"
	"strconv"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// record adds an entry about a message to the audit log of its guild. The author of the message is the target.
func (s *Messages) record(ctx context.Context, c *store.Change, op permission.Operation, by snowflake.User, m *store.Message) error {
	if m.Guild == 0 {
		return nil
	}
	options := map[string]string{"channel_id": m.Channel.String()}
	if op == permission.OpDeleteMessage {
		options["count"] = "1"
	} else {
		options["message_id"] = m.ID.String()
	}
	target := snowflake.Target(m.Author())
	if m.Webhook != nil {
		target = snowflake.Target(m.Webhook.ID)
	}
	return s.Audit.AddToGuild(ctx, c, audit.GuildEntry{
		Guild: m.Guild, By: by, Operation: op, Target: target, Subject: m.Subject(), Options: options,
	})
}

// recordBulk adds an entry about many deleted messages of a channel to the audit log of its guild.
func (s *Messages) recordBulk(ctx context.Context, c *store.Change, by snowflake.User, deleted []*store.Message) error {
	first := deleted[0]
	return s.Audit.AddToGuild(ctx, c, audit.GuildEntry{
		Guild: first.Guild, By: by, Operation: permission.OpBulkDeleteMessages, Target: snowflake.Target(first.Channel),
		Subject: first.Subject(), Options: map[string]string{"count": strconv.Itoa(len(deleted))},
	})
}
