package gateway

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/snowflake"
)

// hub hands events to those who hear them. It belongs to one goroutine.
type hub struct {
	*Gateway

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
	h.Log.ErrorContext(ctx, "events lost", "err", h.subscription.Err())
	h.subscription = h.Bus.Subscribe(h.Settings.Backlog)
	h.sights, h.seen = nil, 0
	for _, s := range h.index.all() {
		h.invalidate(s)
	}
}

// tell hands one event out. What it changes about who hears what happens before, but for a guild that closes: those who
// are in it hear of that.
func (h *hub) tell(ctx context.Context, e events.Event) {
	if c := e.Change; c != nil {
		h.forget(c.Guild)
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
	full := newFrame(e.Name, e.Data)
	var reduced frame
	for _, s := range h.receivers {
		f := full
		if e.Reduced != nil && s.hearsReduced(e) {
			if reduced == nil {
				reduced = newFrame(e.Name, e.Reduced)
			}
			f = reduced
		}
		s.dispatch(f, &h.Settings)
	}
	clear(h.receivers)
}

// hearsReduced reports whether a session hears the reduced form of an event.
func (s *session) hearsReduced(e *events.Event) bool {
	return s.Kind == Bot && s.intents&events.MessageContent == 0 && !slices.Contains(e.Full, s.Application)
}

// collect finds the sessions that hear an event, whether they see its channel aside. The index is locked.
func (h *hub) collect(to *events.Audience) {
	switch {
	case len(to.Users) > 0:
		h.collectPeople(to)
	case to.Application != 0:
		for s := range h.index.bots[to.Application] {
			if s.Shard.Owns(to.Guild) && s.wants(to) {
				h.receivers = append(h.receivers, s)
			}
		}
	case to.Guild != 0:
		for s := range h.index.guilds[to.Guild] {
			if s.wants(to) && !slices.Contains(to.Except, s.User) {
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
	for _, user := range to.Users {
		set := h.index.people[user]
		if to.Application != 0 {
			set = h.index.clients[client{to.Application, user}]
		}
		for s := range set {
			if s.wants(to) {
				h.receivers = append(h.receivers, s)
			}
		}
	}
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
	stay, err := h.Directory.Enter(ctx, guild, s.visitor())
	if err != nil && !errors.Is(err, directory.ErrUnknownGuild) {
		h.Log.ErrorContext(ctx, "who sees a channel is not known", "guild", guild.String(), "err", err)
		return false
	}
	sees := err == nil && stay.Sees(channel)
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
