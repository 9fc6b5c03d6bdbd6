package gateway

import (
	"context"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// applyChange changes the guilds that sessions are in and sends GUILD_CREATE and GUILD_DELETE.
func (h *hub) applyChange(ctx context.Context, c *events.Change) {
	switch {
	case c.Everything:
		h.visibility, h.visibilitySize = nil, 0
		for _, s := range h.index.All() {
			h.resync(ctx, s)
		}
	case c.Joined != 0:
		h.statuses.joinedGuild(c.Joined)
		for _, s := range h.index.JoinGuild(c.Joined, c.Guild) {
			h.sendGuild(ctx, s, c.Guild)
		}
	case c.Left != 0:
		h.statuses.leftGuild(c.Left, c.Guild)
		h.sendGuildDelete(h.index.LeaveGuild(c.Left, c.Guild), c.Guild)
	}
}

// sendGuild sends GUILD_CREATE to a session that is in a guild now.
func (h *hub) sendGuild(ctx context.Context, s *session.Session, guild snowflake.Guild) {
	if s.WantsGuilds() {
		s.Dispatch(h.view.GuildCreate(ctx, s, guild, nil), h.bounds)
	}
}

// sendGuildDelete sends GUILD_DELETE to sessions that are no longer in a guild.
func (h *hub) sendGuildDelete(sessions []*session.Session, guild snowflake.Guild) {
	if len(sessions) == 0 {
		return
	}
	f := session.GuildDelete(guild)
	for _, s := range sessions {
		if s.WantsGuilds() {
			s.Dispatch(f, h.bounds)
		}
	}
}

// resync reads the guilds of a session again after any number of changes. It ends a session whose token is no longer
// valid.
func (h *hub) resync(ctx context.Context, s *session.Session) {
	valid, err := h.Tokens.Holds(ctx, s.Token)
	if err == nil && !valid {
		h.end(s, socket.ErrToken)
		return
	}
	var guilds []snowflake.Guild
	if err == nil {
		guilds, err = h.guildsOf(ctx, s)
	}
	if err != nil {
		h.Log.ErrorContext(ctx, "session not resynced", "err", err)
		h.invalidate(s)
		return
	}
	for _, guild := range h.index.KeepOnlyGuilds(s, guilds) {
		h.sendGuildDelete([]*session.Session{s}, guild)
	}
	for _, guild := range guilds {
		h.index.AddToGuild(s, guild)
		h.sendGuild(ctx, s, guild) // also if the session was in it: the guild may have changed
	}
	s.CountPrivate() // other nodes cannot count these events
}
