package gateway

import (
	"context"
	"slices"

	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// hub delivers events to sessions. One goroutine uses it. It locks the node while it delivers an event.
type hub struct {
	*Gateway

	recipients     []*session.Session // recipients of the current event
	visibility     map[snowflake.Guild]map[events.Sight]map[snowflake.User]bool
	visibilitySize int // number of entries in visibility
}

// maxVisibility bounds the number of entries in visibility, over all guilds.
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
	h.statuses.resync()
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
	defer h.Interest.Handled(e.Position)
	h.node.Advance(&e)
	for _, guild := range h.index.TakeOpened() {
		h.dropVisibility(guild)
	}
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
	switch {
	case e.Name != "":
		h.deliver(ctx, &e)
	case e.Data != nil:
		h.statuses.receive(e.Data)
	}
	if e.Name == "CHANNEL_DELETE" {
		var gone struct {
			ID snowflake.Channel `json:"id"`
		}
		if json.Unmarshal(e.Data, &gone) == nil { // an event of this service
			h.statuses.channelDeleted(e.To.Guild, gone.ID)
		}
	}
	if e.Change != nil && e.Change.Closed {
		h.index.RemoveGuild(e.Change.Guild)
		h.statuses.leftGuild(0, e.Change.Guild)
	}
}

// deliver sends an event to its recipients.
func (h *hub) deliver(ctx context.Context, e *events.Event) {
	h.recipients = h.index.Recipients(h.recipients[:0], &e.To)
	if at := e.To.Sight(); at != (events.Sight{}) {
		h.recipients = h.whoSees(ctx, h.recipients, e.To.Guild, at)
	}
	if len(h.recipients) == 0 {
		return
	}
	h.counters.delivered.Add(float64(e.Size()))
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

// whoSees returns the sessions whose user has the permissions for events of a guild. One view answers for all users that are not in the
// cache. If that fails, their sessions are invalidated, because they may have missed an event.
func (h *hub) whoSees(ctx context.Context, list []*session.Session, guild snowflake.Guild, at events.Sight) []*session.Session {
	if h.visibilitySize+len(list) > maxVisibility {
		h.visibility, h.visibilitySize = nil, 0
	}
	var unknown []*session.Session
	cached := h.visibility[guild][at]
	for _, s := range list {
		if _, known := cached[s.User]; !known {
			unknown = append(unknown, s)
		}
	}
	seen, err := h.view.WhoSees(ctx, unknown, guild, at)
	if err != nil {
		h.Log.ErrorContext(ctx, "permission to see an event not checked", "guild", guild.String(), "sessions", len(unknown), "err", err)
		for _, s := range unknown {
			h.invalidate(s)
		}
		unknown = nil
	}
	for i, s := range unknown {
		h.cacheVisibility(guild, at, s.User, seen[i])
	}
	cached = h.visibility[guild][at]
	return slices.DeleteFunc(list, func(s *session.Session) bool { return !cached[s.User] })
}

// cacheVisibility remembers whether a user has the permissions for events of a guild.
func (h *hub) cacheVisibility(guild snowflake.Guild, at events.Sight, user snowflake.User, sees bool) {
	if _, known := h.visibility[guild][at][user]; known {
		h.visibility[guild][at][user] = sees // of another session of the user
		return
	}
	if h.visibility == nil {
		h.visibility = map[snowflake.Guild]map[events.Sight]map[snowflake.User]bool{}
	}
	sights, ok := h.visibility[guild]
	if !ok {
		sights = map[events.Sight]map[snowflake.User]bool{}
		h.visibility[guild] = sights
	}
	if sights[at] == nil {
		sights[at] = map[snowflake.User]bool{}
	}
	sights[at][user] = sees
	h.visibilitySize++
}

// dropVisibility removes a guild from the cache.
func (h *hub) dropVisibility(guild snowflake.Guild) {
	for _, users := range h.visibility[guild] {
		h.visibilitySize -= len(users)
	}
	delete(h.visibility, guild)
}
