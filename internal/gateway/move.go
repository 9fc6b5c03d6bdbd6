package gateway

import (
	"context"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/snowflake"
)

// move changes which guilds sessions are in, and tells those whom it concerns.
func (h *hub) move(ctx context.Context, c *events.Change) {
	switch {
	case c.Everything:
		h.sights, h.seen = nil, 0
		for _, s := range h.index.All() {
			h.restage(ctx, s)
		}
	case c.Joined != 0:
		for _, s := range h.index.Join(c.Joined, c.Guild) {
			h.show(ctx, s, c.Guild)
		}
	case c.Left != 0:
		h.expel(h.index.Quit(c.Left, c.Guild), c.Guild)
	}
}

// show lets a session hear all about a guild that it came into.
func (h *hub) show(ctx context.Context, s *session.Session, guild snowflake.Guild) {
	if s.HearsOfGuilds() {
		s.Dispatch(h.view.Introduce(ctx, s, guild, nil), h.bounds)
	}
}

// expel lets sessions hear that they are in a guild no longer.
func (h *hub) expel(sessions []*session.Session, guild snowflake.Guild) {
	if len(sessions) == 0 {
		return
	}
	f := session.Farewell(guild)
	for _, s := range sessions {
		if s.HearsOfGuilds() {
			s.Dispatch(f, h.bounds)
		}
	}
}

// restage brings a session into the guilds that it belongs in after anything may have changed. One whose token holds no
// longer ends.
func (h *hub) restage(ctx context.Context, s *session.Session) {
	holds, err := h.Tokens.Holds(ctx, s.Token)
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
	for _, guild := range h.index.LeaveAllBut(s, guilds) {
		h.expel([]*session.Session{s}, guild)
	}
	for _, guild := range guilds {
		h.index.Enlist(s, guild)
		h.show(ctx, s, guild) // also of one that it was in: it may be another now
	}
	s.Aside() // nobody else could tell how many events that was
}
