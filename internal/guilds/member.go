package guilds

import (
	"context"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Kick removes a member from a guild.
func (s *Guilds) Kick(ctx context.Context, by directory.Viewer, guild snowflake.Guild, user snowflake.User) error {
	const op = permission.OpKickMember
	return s.Directory.Update(ctx, s.by(by, guild, func(g *scene) error {
		m, err := g.target(user)
		if err != nil {
			return err
		}
		if err := denied(op, g.by.MayActOn(op, m.rank)); err != nil {
			return err
		}
		g.record(op, store.MembershipsSubject(user), audit.GuildEntry{Target: snowflake.Target(user)})
		return directory.Leave(g.tx, guild, user)
	}))
}
