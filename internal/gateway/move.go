package gateway

import (
	"context"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/snowflake"
)

// move changes which guilds sessions are in, and tells those whom it concerns.
func (h *hub) move(ctx context.Context, c *events.Change) {
	switch {
	case c.Everything:
		h.sights, h.seen = nil, 0
		for _, s := range h.index.all() {
			h.restage(ctx, s)
		}
	case c.Joined != 0:
		h.welcome(ctx, c.Guild, c.Joined)
	case c.Left != 0:
		h.index.mu.Lock()
		var gone []*session
		for _, s := range h.index.of(c.Left) {
			if h.index.quit(s, c.Guild) {
				gone = append(gone, s)
			}
		}
		h.index.mu.Unlock()
		h.expel(gone, c.Guild)
	}
}

// welcome puts the sessions of a user or bot into a guild.
func (h *hub) welcome(ctx context.Context, guild snowflake.Guild, user snowflake.User) {
	h.index.mu.Lock()
	var come []*session
	for _, s := range h.index.of(user) {
		if (s.Kind != Bot || s.Shard.Owns(guild)) && h.index.join(s, guild) {
			come = append(come, s)
		}
	}
	h.index.mu.Unlock()
	for _, s := range come {
		h.show(ctx, s, guild)
	}
}

// show lets a session hear all about a guild that it came into.
func (h *hub) show(ctx context.Context, s *session, guild snowflake.Guild) {
	if s.wants(&guildEvents) {
		s.dispatch(h.introduce(ctx, s, guild, nil), &h.Settings)
	}
}

// introduce writes the event with all about a guild, or where that cannot be read one that says so: a session hears one
// event, so that other nodes know how many it has heard.
func (g *Gateway) introduce(ctx context.Context, s *session, guild snowflake.Guild, threshold *int) socket.Frame {
	f, err := g.guildCreate(ctx, s, guild, threshold)
	if err != nil {
		g.Log.ErrorContext(ctx, "guild not shown", "guild", guild.String(), "err", err)
		return socket.NewFrame("GUILD_DELETE", []byte(`{"id":"`+guild.String()+`","unavailable":true}`))
	}
	return f
}

// guildEvents is who hears of guilds that come and go.
var guildEvents = events.Audience{Intents: events.Guilds}

// expel lets sessions hear that they are in a guild no longer.
func (h *hub) expel(sessions []*session, guild snowflake.Guild) {
	if len(sessions) == 0 {
		return
	}
	f := guildDelete(guild)
	for _, s := range sessions {
		if s.wants(&guildEvents) {
			s.dispatch(f, &h.Settings)
		}
	}
}

func guildDelete(guild snowflake.Guild) socket.Frame {
	return socket.NewFrame("GUILD_DELETE", []byte(`{"id":"`+guild.String()+`"}`))
}

// vacate takes everybody out of a guild that is no more.
func (h *hub) vacate(guild snowflake.Guild) {
	h.index.mu.Lock()
	defer h.index.mu.Unlock()
	for s := range h.index.guilds[guild] {
		h.index.quit(s, guild)
	}
}

// restage brings a session into the guilds that it belongs in after anything may have changed. One whose token holds no
// longer ends.
func (h *hub) restage(ctx context.Context, s *session) {
	holds, err := h.Tokens.Holds(ctx, s.token)
	if err == nil && !holds {
		h.end(s, socket.ErrToken)
		return
	}
	var guilds []snowflake.Guild
	if err == nil {
		guilds, err = h.guildsOf(ctx, s)
	}
	if err != nil {
		h.Log.ErrorContext(ctx, "session not renewed", "err", err)
		h.invalidate(s)
		return
	}
	left := h.leaveAllBut(s, guilds)
	for _, guild := range left {
		h.expel([]*session{s}, guild)
	}
	for _, guild := range guilds {
		h.index.mu.Lock()
		h.index.join(s, guild)
		h.index.mu.Unlock()
		h.show(ctx, s, guild) // also of one that it was in: it may be another now
	}
	s.aside() // nobody else could tell how many events that was
}

// leaveAllBut takes a session out of all guilds but the given ones and returns which those were.
func (h *hub) leaveAllBut(s *session, guilds []snowflake.Guild) []snowflake.Guild {
	keep := make(map[snowflake.Guild]struct{}, len(guilds))
	for _, guild := range guilds {
		keep[guild] = struct{}{}
	}
	h.index.mu.Lock()
	defer h.index.mu.Unlock()
	var left []snowflake.Guild
	for guild := range s.guilds {
		if _, stays := keep[guild]; !stays {
			h.index.quit(s, guild)
			left = append(left, guild)
		}
	}
	return left
}
