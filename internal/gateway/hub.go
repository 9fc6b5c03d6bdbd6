package gateway

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/snowflake"
)

// hub hands events to those who hear them. It belongs to one goroutine, but for what mu guards.
type hub struct {
	*Gateway

	// mu is held while an event is handed out. Whoever holds it finds every session in the same state: all have heard what
	// stands up to position, and nothing after it.
	mu       sync.Mutex
	position events.Position // zero: no history is shared, or nobody knows how far it was heard
	count    uint64          // of events that were heard
	recent   recent          // the end of the history
	doubts   []doubt

	receivers []*session // of the event at hand
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
			if !ok {
				h.behind(ctx)
				continue
			}
			h.tell(ctx, e)
		}
	}
}

// behind begins anew after events were lost: nobody knows what the sessions have missed, so that none can go on.
func (h *hub) behind(ctx context.Context) {
	why := h.subscription.Err()
	h.subscription = h.Bus.Subscribe(h.Settings.Backlog)
	h.sights, h.seen = nil, 0
	h.mu.Lock()
	defer h.mu.Unlock()
	h.position, h.recent = events.Position{}, recent{}
	list := h.index.all()
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
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note(&e)
	if c := e.Change; c != nil {
		h.forget(c.Guild)
		h.resolve(c)
		if !c.Closed {
			h.move(ctx, c)
		}
	}
	if e.Name != "" {
		h.deliver(ctx, &e)
	}
	if e.Change != nil && e.Change.Closed {
		h.vacate(e.Change.Guild)
	}
}

func (h *hub) deliver(ctx context.Context, e *events.Event) {
	h.receivers = h.receivers[:0]
	h.index.mu.Lock()
	h.collect(&e.To)
	h.index.mu.Unlock()
	if e.To.Channel != 0 && e.To.Guild != 0 {
		h.receivers = slices.DeleteFunc(h.receivers, func(s *session) bool { return !h.sees(ctx, s, e.To.Guild, e.To.Channel) })
	}
	if len(h.receivers) == 0 {
		return
	}
	full := socket.NewFrame(e.Name, e.Data)
	var reduced socket.Frame
	for _, s := range h.receivers {
		f := full
		if s.hearsReduced(e) {
			if reduced == nil {
				reduced = socket.NewFrame(e.Name, e.Reduced)
			}
			f = reduced
		}
		s.dispatch(f, &h.Settings)
	}
	clear(h.receivers)
}

// hearsReduced reports whether a session hears the reduced form of an event.
func (s *session) hearsReduced(e *events.Event) bool {
	return e.Reduced != nil && s.Kind == Bot && s.intents&events.MessageContent == 0 && !slices.Contains(e.Full, s.Application)
}

// collect finds the sessions that hear an event, whether they see its channel aside. The index is locked.
func (h *hub) collect(to *events.Audience) {
	switch {
	case len(to.Users) > 0:
		h.collectPeople(to)
	case to.Application != 0:
		for s := range h.index.bots[to.Application] {
			if s.hearsOfBot(to) {
				h.receivers = append(h.receivers, s)
			}
		}
	case to.Guild != 0:
		for s := range h.index.guilds[to.Guild] {
			if s.hearsOfGuild(to) {
				h.receivers = append(h.receivers, s)
			}
		}
	}
}

// collectPeople finds people's sessions: the one that is named, or all of them.
func (h *hub) collectPeople(to *events.Audience) {
	if s := h.index.sessions[to.Session]; s != nil && s.hears(to) && s.wants(to) {
		h.receivers = append(h.receivers, s)
		return
	}
	if h.Sessions != nil && to.Session != "" {
		return // another node has it: who shares events names none that is nowhere
	}
	people := h.index.people
	if to.Application != 0 {
		people = h.index.clients[to.Application]
	}
	if len(people) == 0 {
		return
	}
	for _, user := range to.Users {
		for s := range people[user] {
			if s.wants(to) {
				h.receivers = append(h.receivers, s)
			}
		}
	}
}

// belongs reports whether the session is one of an audience, whether it sees the channel aside; there says whether it is in the
// audience's guild.
func (s *session) belongs(to *events.Audience, there bool) bool {
	switch {
	case len(to.Users) > 0:
		return s.hears(to) && s.wants(to) && (to.Session == "" || to.Session == s.Session)
	case to.Application != 0:
		return s.Kind == Bot && s.Application == to.Application && s.hearsOfBot(to)
	default:
		return there && s.hearsOfGuild(to)
	}
}

func (s *session) hearsOfBot(to *events.Audience) bool { return s.Shard.Owns(to.Guild) && s.wants(to) }

func (s *session) hearsOfGuild(to *events.Audience) bool {
	return s.wants(to) && !slices.Contains(to.Except, s.User)
}

// hears reports whether the session is one of those that an audience of people means.
func (s *session) hears(to *events.Audience) bool {
	if !slices.Contains(to.Users, s.User) {
		return false
	}
	if to.Application != 0 {
		return s.Kind == Client && s.Application == to.Application
	}
	return s.Kind == Person
}

// wants reports whether the session is of a kind that hears an event, and has asked for it: bots have to, clients of
// applications where they asked for anything.
func (s *session) wants(to *events.Audience) bool {
	asked := to.Intents == 0 || s.intents&to.Intents != 0
	switch s.Kind {
	case Bot:
		return asked && (to.Kinds == 0 || to.Kinds&events.Bots != 0)
	case Person:
		return to.Kinds == 0 || to.Kinds&events.People != 0
	case Client:
		return asked || s.intents == 0
	}
	return false
}

// sees reports whether whose session it is sees a channel of a guild.
func (h *hub) sees(ctx context.Context, s *session, guild snowflake.Guild, channel snowflake.Channel) bool {
	who := h.sights[guild][channel]
	if sees, known := who[s.User]; known {
		return sees
	}
	sees, err := h.look(ctx, s, guild, channel)
	if err != nil {
		h.Log.ErrorContext(ctx, "who sees a channel is not known", "guild", guild.String(), "err", err)
		h.invalidate(s) // whether it has missed something nobody knows
		return false
	}
	h.remember(guild, channel, s.User, sees)
	return sees
}

// look reports whether whose session it is sees a channel of a guild now.
func (g *Gateway) look(ctx context.Context, s *session, guild snowflake.Guild, channel snowflake.Channel) (bool, error) {
	stay, err := g.Directory.Enter(ctx, guild, s.visitor())
	if errors.Is(err, directory.ErrUnknownGuild) {
		return false, nil
	}
	return err == nil && stay.Sees(channel), err
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
