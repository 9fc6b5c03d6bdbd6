package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/rules/presence"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

// statuses knows the presences of users. Nothing of it is stored.
//
// Every session of this node has a presence. When what others see of a user changes, one goroutine publishes the new presence of the
// user on this node to all nodes, and PRESENCE_UPDATE to the guilds of the user. Changes of a user that happen meanwhile are combined.
// All nodes, also this one, take the presences from the events, in their order. So a session gets a presence in GUILD_CREATE, or
// PRESENCE_UPDATE after it.
type statuses struct {
	gateway *Gateway
	node    string        // a name of this node
	wake    chan struct{} // capacity 1

	mu       sync.Mutex
	sessions map[snowflake.User]*userStatuses     // of this node
	forced   map[snowflake.User]presence.Presence // set by the dev controls
	pending  map[snowflake.User]struct{}          // may have changed
	own      map[snowflake.User]presence.Presence // of this node, as published
	nodes    []*nodeStatuses                      // as the events say, by name of the node
	joined   map[string][]snowflake.Guild         // where sessions of this node are in voice
	leaving  []voiceState                         // of sessions that have ended, to be announced
	voices   map[memberKey]voiceState             // as the events say
}

// nodeStatuses are the presences of the users of a node.
type nodeStatuses struct {
	name  string
	users map[snowflake.User]presence.Presence // without those that are offline
	heard time.Duration                        // when the last event of the node came
}

// statusEvent is the data of the events about presences that nodes send each other. They have no name.
type statusEvent struct {
	Node string `json:"node"`
	// Ask asks the other nodes for all their presences. All says that an answer begins.
	Ask bool `json:"ask,omitzero"`
	All bool `json:"all,omitzero"`
	// Users are the users whose presences on the node have changed.
	Users map[snowflake.User]presence.Presence `json:"users,omitzero"`
	// Voices are voice states that have changed.
	Voices []voiceState `json:"voices,omitzero"`
}

const (
	// With several nodes, each one sends an event every statusInterval. The users of a node without events for statusTimeout are
	// offline.
	statusInterval = 20 * time.Second
	statusTimeout  = 90 * time.Second
	// maxStatuses is the number of users in one event.
	maxStatuses = 100
)

func newStatuses(g *Gateway) *statuses {
	return &statuses{
		gateway: g, node: rand.Text(), wake: make(chan struct{}, 1),
		sessions: map[snowflake.User]*userStatuses{}, forced: map[snowflake.User]presence.Presence{},
		pending: map[snowflake.User]struct{}{}, own: map[snowflake.User]presence.Presence{},
		joined: map[string][]snowflake.Guild{}, voices: map[memberKey]voiceState{},
	}
}

// set sets the presence of a session.
func (t *statuses) set(s *session.Session, p presence.Presence) {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := t.sessions[s.User]
	if u == nil {
		u = &userStatuses{}
		t.sessions[s.User] = u
	}
	u.set(s.Session, p)
	t.changed(s.User)
}

// restore sets the presence of a session that was on another node.
func (t *statuses) restore(s *session.Session) {
	p := t.of(s.User)
	if p.IsOffline() {
		p.Status = presence.Online
	}
	t.set(s, p)
	t.restoreVoice(s)
}

// end removes the presence of a session, which leaves its voice channels.
func (t *statuses) end(s *session.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leaveVoice(s)
	t.remove(s)
}

// moved removes the presence of a session that is on another node now. Its voice states are those of the other node.
func (t *statuses) moved(s *session.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.joined, s.Session)
	t.remove(s)
}

// remove removes the presence of a session. The statuses are locked.
func (t *statuses) remove(s *session.Session) {
	if u := t.sessions[s.User]; u != nil {
		if u.remove(s.Session); len(u.list) == 0 {
			delete(t.sessions, s.User)
		}
	}
	t.changed(s.User)
}

// SetPresence sets the presence of a user, whatever the user's sessions say.
func (g *Gateway) SetPresence(user snowflake.User, p presence.Presence) {
	g.statuses.mu.Lock()
	defer g.statuses.mu.Unlock()
	g.statuses.forced[user] = p
	g.statuses.changed(user)
}

// ForgetPresences undoes all calls of SetPresence.
func (g *Gateway) ForgetPresences() {
	g.statuses.mu.Lock()
	defer g.statuses.mu.Unlock()
	for user := range g.statuses.forced {
		g.statuses.changed(user)
	}
	clear(g.statuses.forced)
}

// changed records that the presence of a user may have changed. The statuses are locked.
func (t *statuses) changed(user snowflake.User) {
	t.pending[user] = struct{}{}
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// of returns the presence of a user, as the events say.
func (t *statuses) of(user snowflake.User) presence.Presence {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.received(user)
}

// Online reports whether a user has a session that is not invisible.
func (g *Gateway) Online(user snowflake.User) bool {
	p := g.statuses.of(user)
	return !p.IsOffline()
}

// received returns the presence of a user, as the events say. The statuses are locked.
func (t *statuses) received(user snowflake.User) (p presence.Presence) {
	for _, n := range t.nodes {
		p = presence.Merge(p, n.users[user])
	}
	return p
}

// merge returns the presence of a user with a presence on this node. The statuses are locked.
func (t *statuses) merge(user snowflake.User, here presence.Presence) (p presence.Presence) {
	p = here
	for _, n := range t.nodes {
		if n.name != t.node {
			p = presence.Merge(p, n.users[user])
		}
	}
	return p
}

// run publishes changes until ctx ends.
func (t *statuses) run(ctx context.Context) {
	var own sync.WaitGroup
	defer own.Wait()
	if t.gateway.Shared != nil {
		t.publish(statusEvent{Node: t.node, Ask: true})
		own.Go(func() { t.beat(ctx) })
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.wake:
		}
		t.announceLeft(ctx)
		for _, user := range t.takePending() {
			t.announce(ctx, user)
		}
	}
}

func (t *statuses) takePending() []snowflake.User {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]snowflake.User, 0, len(t.pending))
	for user := range t.pending {
		list = append(list, user)
	}
	clear(t.pending)
	return list
}

// announce publishes the presence of a user on this node if it has changed, and PRESENCE_UPDATE if others see another one. The
// other nodes do not get the presence of a user without guilds, because no session there can see it.
func (t *statuses) announce(ctx context.Context, user snowflake.User) {
	t.mu.Lock()
	here, forced := t.forced[user]
	if !forced {
		here = t.sessions[user].shown()
	}
	was := t.own[user]
	t.mu.Unlock()
	if presence.Equal(was, here) {
		return
	}
	shown, guilds, err := t.userWithGuilds(ctx, user)
	switch {
	case err != nil && ctx.Err() == nil:
		t.gateway.Log.ErrorContext(ctx, "presence not announced", "err", err)
	case err == nil && len(guilds) == 0:
		here = presence.Presence{}
	}
	t.mu.Lock()
	before, after := t.merge(user, was), t.merge(user, here)
	if here.IsOffline() {
		delete(t.own, user)
	} else {
		t.own[user] = here
	}
	t.mu.Unlock()
	if !presence.Equal(was, here) {
		t.publish(statusEvent{Node: t.node, Users: map[snowflake.User]presence.Presence{user: here}})
	}
	if !presence.Equal(before, after) {
		t.announceInGuilds(ctx, shown, guilds, after)
	}
}

// joinedGuild announces the presence of a user who has sessions on this node and is in one more guild. The hub calls it.
func (t *statuses) joinedGuild(user snowflake.User) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sessions[user] != nil {
		t.changed(user)
	}
}

// announceInGuilds publishes PRESENCE_UPDATE to the guilds of a user.
func (t *statuses) announceInGuilds(ctx context.Context, shown wire.User, guilds []snowflake.Guild, p presence.Presence) {
	g := t.gateway
	for _, guild := range guilds {
		if g.Shared == nil && !g.index.HasBotIn(guild, events.GuildPresences) {
			continue // no session would get it
		}
		data, err := json.Marshal(p.WireOf(shown, guild))
		if err != nil {
			g.Log.ErrorContext(ctx, "presence not announced", "err", err)
			return
		}
		g.Bus.Publish(events.Event{Name: "PRESENCE_UPDATE", Data: data, To: events.Audience{
			Guild: guild, Intents: events.GuildPresences, Kinds: events.Bots,
		}})
	}
}

// announceGone publishes PRESENCE_UPDATE for a user of a node that has died.
func (t *statuses) announceGone(ctx context.Context, user snowflake.User) {
	p := t.of(user)
	if !p.IsOffline() {
		return
	}
	shown, guilds, err := t.userWithGuilds(ctx, user)
	if err != nil && ctx.Err() == nil {
		t.gateway.Log.ErrorContext(ctx, "presence not announced", "err", err)
	}
	t.announceInGuilds(ctx, shown, guilds, p)
}

// userWithGuilds returns a user and the user's guilds. A user that was deleted has none.
func (t *statuses) userWithGuilds(ctx context.Context, id snowflake.User) (shown wire.User, guilds []snowflake.Guild, err error) {
	u, err := t.gateway.Directory.Users.User(ctx, id)
	if err != nil {
		return shown, nil, unlessUnknown(err)
	}
	for after := snowflake.Guild(0); ; {
		page, err := t.gateway.Directory.Users.Memberships(ctx, id, after, directory.MaxPage)
		if err != nil {
			return shown, nil, unlessUnknown(err)
		}
		for _, m := range page {
			after = m.Guild
			guilds = append(guilds, m.Guild)
		}
		if len(page) < directory.MaxPage {
			return convert.WireUser(u), guilds, nil
		}
	}
}

// unlessUnknown returns nil for a user who does not exist any more, else the error.
func unlessUnknown(err error) error {
	if errors.Is(err, directory.ErrUnknownUser) {
		return nil
	}
	return err
}

// publish sends an event to all nodes.
func (t *statuses) publish(e statusEvent) {
	data, err := json.Marshal(e)
	if err != nil {
		panic(err) // a presence that was read can be written
	}
	t.gateway.Bus.Publish(events.Event{Data: data})
}

// beat tells the other nodes that this one runs, and drops those that do not.
func (t *statuses) beat(ctx context.Context) {
	for {
		clock.Wait(ctx, t.gateway.Wall, statusInterval)
		if ctx.Err() != nil {
			return
		}
		t.publish(statusEvent{Node: t.node})
		gone, first := t.dropSilent(clock.Elapsed(t.gateway.Wall))
		t.announceLeft(ctx)
		for user := range gone {
			if first {
				t.announceGone(ctx, user)
			}
		}
	}
}

// dropSilent removes the nodes without recent events. It returns their users, and reports whether this node is the first of the
// others: one node announces them.
func (t *statuses) dropSilent(now time.Duration) (gone map[snowflake.User]struct{}, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	gone, first = map[snowflake.User]struct{}{}, true
	t.nodes = slices.DeleteFunc(t.nodes, func(n *nodeStatuses) bool {
		if n.name == t.node || now-n.heard < statusTimeout {
			first = first && t.node <= n.name
			return false
		}
		for user := range n.users {
			gone[user] = struct{}{}
		}
		for key, v := range t.voices {
			if v.Node != n.name {
				continue
			}
			if v.Channel = 0; first {
				t.leaving = append(t.leaving, v)
			}
			delete(t.voices, key)
		}
		return true
	})
	return gone, first
}

// receive takes an event about presences of a node. The hub calls it.
func (t *statuses) receive(data []byte) {
	var e statusEvent
	if json.Unmarshal(data, &e) != nil || e.Node == "" {
		return // from a node of another version
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i, known := slices.BinarySearchFunc(t.nodes, e.Node, func(n *nodeStatuses, name string) int { return cmp.Compare(n.name, name) })
	if !known {
		t.nodes = slices.Insert(t.nodes, i, &nodeStatuses{name: e.Node})
	}
	n := t.nodes[i]
	if !known || e.All {
		n.users = map[snowflake.User]presence.Presence{}
		maps.DeleteFunc(t.voices, func(_ memberKey, v voiceState) bool { return v.Node == e.Node })
	}
	n.heard = clock.Elapsed(t.gateway.Wall)
	for user, p := range e.Users {
		if p.IsOffline() {
			delete(n.users, user)
		} else {
			n.users[user] = p
		}
	}
	for i := range e.Voices {
		t.takeVoice(&e.Voices[i])
	}
	if e.Ask && e.Node != t.node {
		t.answer()
	}
}

// answer publishes all presences of this node. The statuses are locked.
func (t *statuses) answer() {
	e := statusEvent{Node: t.node, All: true, Users: map[snowflake.User]presence.Presence{}}
	for user, p := range t.own {
		if e.Users[user] = p; len(e.Users) == maxStatuses {
			t.publish(e)
			e = statusEvent{Node: t.node, Users: map[snowflake.User]presence.Presence{}}
		}
	}
	for _, v := range t.voices {
		if v.Node != t.node {
			continue
		}
		if e.Voices = append(e.Voices, v); len(e.Voices) == maxStatuses {
			t.publish(e)
			e = statusEvent{Node: t.node}
		}
	}
	t.publish(e)
}

// resync asks the other nodes again after events were lost.
func (t *statuses) resync() {
	if t.gateway.Shared != nil {
		t.publish(statusEvent{Node: t.node, Ask: true})
	}
}

// listed returns the presences of members that are not offline.
func (t *statuses) listed(members []wire.Member) []presence.Wire {
	list := []presence.Wire{}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range members {
		user := members[i].User
		if p := t.received(user.ID); !p.IsOffline() {
			list = append(list, p.WireOf(user, 0))
		}
	}
	return list
}
