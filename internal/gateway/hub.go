package gateway

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/snowflake"
)

// hub delivers events to sessions. One goroutine uses it. It locks the node while it delivers an event.
type hub struct {
	*Gateway

	recipients     []*session.Session // recipients of the current event
	visibility     map[snowflake.Guild]map[snowflake.Channel]map[snowflake.User]bool
	visibilitySize int // number of entries in visibility
}

// maxVisibility bounds the cache of which user sees which channel.
const maxVisibility = 1 << 20

// run delivers events until ctx ends.
func (h *hub) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			h.subscription.Close()
			return
		case e, ok := <-h.subscription.Events():
			h.receive(ctx, e, ok)
		}
	}
}

// catchUp handles the events that happened before the first client can connect.
func (h *hub) catchUp(ctx context.Context) {
	for {
		select {
		case e, ok := <-h.subscription.Events():
			h.receive(ctx, e, ok)
		default:
			return
		}
	}
}

// receive handles an event. ok is false if events were lost.
func (h *hub) receive(ctx context.Context, e events.Event, ok bool) {
	if !ok {
		h.resubscribe(ctx)
		return
	}
	h.dispatch(ctx, e)
}

// resubscribe subscribes again after events were lost. It invalidates all sessions, because they may have missed
// events.
func (h *hub) resubscribe(ctx context.Context) {
	reason := h.subscription.Err()
	h.subscription = h.Bus.Subscribe(h.Settings.Backlog)
	h.visibility, h.visibilitySize = nil, 0
	h.node.Lock()
	defer h.node.Unlock()
	h.node.Reset()
	list := h.index.All()
	if len(list) > 0 {
		h.Log.ErrorContext(ctx, "events lost", "sessions", len(list), "err", reason)
	}
	for _, s := range list {
		h.invalidate(s)
	}
}

// dispatch delivers one event. It applies the event's change before the delivery, so that new members get the event. A
// deleted guild is the exception: its members still get GUILD_DELETE.
func (h *hub) dispatch(ctx context.Context, e events.Event) {
	h.node.Lock()
	defer h.node.Unlock()
	h.node.Advance(&e)
	if c := e.Change; c != nil {
		if c.Recheck || c.Everything {
			h.recheckTokens(&e.To)
		}
		h.dropVisibility(c.Guild)
		for _, s := range h.node.Contradicted(c) {
			h.invalidate(s)
		}
		if !c.Closed {
			h.applyChange(ctx, c)
		}
	}
	if e.Name != "" {
		h.deliver(ctx, &e)
	}
	if e.Change != nil && e.Change.Closed {
		h.index.RemoveGuild(e.Change.Guild)
	}
}

// deliver sends an event to its recipients.
func (h *hub) deliver(ctx context.Context, e *events.Event) {
	h.recipients = h.index.Recipients(h.recipients[:0], &e.To)
	if e.To.Channel != 0 && e.To.Guild != 0 {
		h.recipients = slices.DeleteFunc(h.recipients, func(s *session.Session) bool { return !h.sees(ctx, s, e.To.Guild, e.To.Channel) })
	}
	if len(h.recipients) == 0 {
		return
	}
	full := socket.NewFrame(e.Name, e.Data)
	var reduced socket.Frame
	for _, s := range h.recipients {
		f := full
		if s.GetsReduced(e) {
			if reduced == nil {
				reduced = socket.NewFrame(e.Name, e.Reduced)
			}
			f = reduced
		}
		s.Dispatch(f, h.bounds)
	}
	clear(h.recipients)
}

// sees reports whether the user of a session sees a channel of a guild.
func (h *hub) sees(ctx context.Context, s *session.Session, guild snowflake.Guild, channel snowflake.Channel) bool {
	if sees, known := h.visibility[guild][channel][s.User]; known {
		return sees
	}
	sees, err := h.view.Sees(ctx, s, guild, channel)
	if err != nil {
		h.Log.ErrorContext(ctx, "permission to see a channel not checked", "guild", guild.String(), "err", err)
		h.invalidate(s) // the session may have missed an event
		return false
	}
	h.cacheVisibility(guild, channel, s.User, sees)
	return sees
}

// cacheVisibility remembers whether a user sees a channel. It clears the cache when it is full.
func (h *hub) cacheVisibility(guild snowflake.Guild, channel snowflake.Channel, user snowflake.User, sees bool) {
	if h.visibilitySize >= maxVisibility || h.visibility == nil {
		h.visibility, h.visibilitySize = map[snowflake.Guild]map[snowflake.Channel]map[snowflake.User]bool{}, 0
	}
	channels, ok := h.visibility[guild]
	if !ok {
		channels = map[snowflake.Channel]map[snowflake.User]bool{}
		h.visibility[guild] = channels
	}
	if channels[channel] == nil {
		channels[channel] = map[snowflake.User]bool{}
	}
	channels[channel][user] = sees
	h.visibilitySize++
}

// dropVisibility removes a guild from the cache.
func (h *hub) dropVisibility(guild snowflake.Guild) {
	for _, users := range h.visibility[guild] {
		h.visibilitySize -= len(users)
	}
	delete(h.visibility, guild)
}
