package gateway

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/snowflake"
)

// hub hands events to those who hear them. It belongs to one goroutine, which locks the node while it hands one out.
type hub struct {
	*Gateway

	receivers []*session.Session // of the event at hand
	sights    map[snowflake.Guild]map[snowflake.Channel]map[snowflake.User]bool
	seen      int // how many answers sights holds
}

// maxSights is how many answers to "does this one see that channel" are remembered.
const maxSights = 1 << 20

// run hands events out until ctx ends.
func (h *hub) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			h.subscription.Close()
			return
		case e, ok := <-h.subscription.Events():
			h.take(ctx, e, ok)
		}
	}
}

// catchUp takes what has happened before clients could come: it is no news to any of them.
func (h *hub) catchUp(ctx context.Context) {
	for {
		select {
		case e, ok := <-h.subscription.Events():
			h.take(ctx, e, ok)
		default:
			return
		}
	}
}

// take hands an event out. It is not ok when some were lost.
func (h *hub) take(ctx context.Context, e events.Event, ok bool) {
	if !ok {
		h.behind(ctx)
		return
	}
	h.tell(ctx, e)
}

// behind begins anew after events were lost: nobody knows what the sessions have missed, so that none can go on.
func (h *hub) behind(ctx context.Context) {
	why := h.subscription.Err()
	h.subscription = h.Bus.Subscribe(h.Settings.Backlog)
	h.sights, h.seen = nil, 0
	h.node.Lock()
	defer h.node.Unlock()
	h.node.Lost()
	list := h.index.All()
	if len(list) > 0 {
		h.Log.ErrorContext(ctx, "events lost", "sessions", len(list), "err", why)
	}
	for _, s := range list {
		h.invalidate(s)
	}
}

// tell hands one event out. What it changes about who hears what happens before, but for a guild that closes: those who
// are in it hear of that.
func (h *hub) tell(ctx context.Context, e events.Event) {
	h.node.Lock()
	defer h.node.Unlock()
	h.node.Note(&e)
	if c := e.Change; c != nil {
		if c.Recheck || c.Everything {
			h.recheckTokens(&e.To) //nolint:contextcheck // the work ends with Run, not with the event
		}
		h.forget(c.Guild)
		for _, s := range h.node.Resolve(c) {
			h.invalidate(s)
		}
		if !c.Closed {
			h.move(ctx, c)
		}
	}
	if e.Name != "" {
		h.deliver(ctx, &e)
	}
	if e.Change != nil && e.Change.Closed {
		h.index.Vacate(e.Change.Guild)
	}
}

func (h *hub) deliver(ctx context.Context, e *events.Event) {
	h.receivers = h.index.Audience(h.receivers[:0], &e.To)
	if e.To.Channel != 0 && e.To.Guild != 0 {
		h.receivers = slices.DeleteFunc(h.receivers, func(s *session.Session) bool { return !h.sees(ctx, s, e.To.Guild, e.To.Channel) })
	}
	if len(h.receivers) == 0 {
		return
	}
	full := socket.NewFrame(e.Name, e.Data)
	var reduced socket.Frame
	for _, s := range h.receivers {
		f := full
		if s.HearsReduced(e) {
			if reduced == nil {
				reduced = socket.NewFrame(e.Name, e.Reduced)
			}
			f = reduced
		}
		s.Dispatch(f, h.bounds)
	}
	clear(h.receivers)
}

// sees reports whether whose session it is sees a channel of a guild.
func (h *hub) sees(ctx context.Context, s *session.Session, guild snowflake.Guild, channel snowflake.Channel) bool {
	who := h.sights[guild][channel]
	if sees, known := who[s.User]; known {
		return sees
	}
	sees, err := h.view.Sees(ctx, s, guild, channel)
	if err != nil {
		h.Log.ErrorContext(ctx, "who sees a channel is not known", "guild", guild.String(), "err", err)
		h.invalidate(s) // whether it has missed something nobody knows
		return false
	}
	h.remember(guild, channel, s.User, sees)
	return sees
}

func (h *hub) remember(guild snowflake.Guild, channel snowflake.Channel, user snowflake.User, sees bool) {
	if h.seen >= maxSights || h.sights == nil {
		h.sights, h.seen = map[snowflake.Guild]map[snowflake.Channel]map[snowflake.User]bool{}, 0
	}
	channels, ok := h.sights[guild]
	if !ok {
		channels = map[snowflake.Channel]map[snowflake.User]bool{}
		h.sights[guild] = channels
	}
	if channels[channel] == nil {
		channels[channel] = map[snowflake.User]bool{}
	}
	channels[channel][user] = sees
	h.seen++
}

// forget drops what is remembered of who sees what in a guild.
func (h *hub) forget(guild snowflake.Guild) {
	for _, who := range h.sights[guild] {
		h.seen -= len(who)
	}
	delete(h.sights, guild)
}
