package session

import (
	"context"

	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/snowflake"
)

// restoredState is the state of a session that comes from another node.
type restoredState struct {
	Seq     uint64                       // sequence number of the last event
	Acked   uint64                       // sequence number of the last event that the client has received
	Private uint64                       // private sends, the resume included
	Frames  []socket.Frame               // the events after Acked
	Guilds  map[snowflake.Guild]struct{} // belongs to the index after restore
}

// restore adds a session that comes from another node and sends the events that its client has missed.
func (x *Index) restore(s *Session, k *Conn, a *restoredState, bounds *Bounds) {
	s.seq, s.guilds, s.private = a.Seq, a.Guilds, restoredPrivate(a.Private)
	s.state, s.conn, s.acked = live, k, a.Acked
	for i, f := range a.Frames {
		s.replay.add(f, a.Acked+1+uint64(i), bounds)
	}
	k.session.Store(s)
	x.addWithGuilds(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	k.SendAgain(a.Frames, a.Acked+1)
	s.push(resumed, bounds)
	s.private.done, s.private.open = s.private.begun, 0
}

// addWithGuilds adds a session and the guilds that it is in.
func (x *Index) addWithGuilds(s *Session) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.add(s)
	for guild := range s.guilds {
		x.openGuild(guild, s)
	}
}

// restoration applies the event history to one session, as the gateway's hub applies events to all sessions. It counts
// the events that the client has received and keeps the rest.
type restoration struct {
	restoredState // so far

	node       *Node
	session    *Session // not in the index yet
	handedOver bool     // by its node
	// followed are the partitions of the session, for which this node gets the events meanwhile.
	followed []events.Partition

	bytes   int                          // of Frames
	visible map[events.Sight]bool        // whether the session has the permissions; cleared by every change
	assumed map[snowflake.Guild]struct{} // guilds whose current permissions decided what was counted
}

// follow makes this node get the events of more partitions until release.
func (r *restoration) follow(list ...events.Partition) {
	r.node.Index.Interest.Add(list...)
	r.followed = append(r.followed, list...)
}

// release ends what follow began. A session that was restored has its own interest by then.
func (r *restoration) release() { r.node.Index.Interest.Remove(r.followed...) }

// apply applies an event. It returns ErrNotResumable if it cannot be known whether the session got the event.
func (r *restoration) apply(ctx context.Context, e *events.Event) error {
	c := e.Change
	if c != nil {
		if err := r.applyChange(ctx, c); err != nil {
			return err
		}
	}
	if e.Name != "" {
		if err := r.deliver(ctx, e); err != nil {
			return err
		}
	}
	if c != nil && c.Closed {
		delete(r.Guilds, c.Guild)
	}
	return nil
}

// needsStore reports whether apply may have to read the store.
func (r *restoration) needsStore(e events.Event) bool {
	if e.Change != nil {
		return true
	}
	_, inGuild := r.Guilds[e.To.Guild]
	if e.Name == "" || e.To.Sight() == (events.Sight{}) || !r.session.Receives(&e.To, inGuild) {
		return false
	}
	_, known := r.visible[e.To.Sight()]
	return !known
}

// deliver gives the session an event if it is a recipient.
func (r *restoration) deliver(ctx context.Context, e *events.Event) error {
	s := r.session
	_, inGuild := r.Guilds[e.To.Guild]
	if !s.Receives(&e.To, inGuild) {
		return nil
	}
	if e.To.Sight() != (events.Sight{}) {
		sees, err := r.sees(ctx, &e.To)
		if err != nil || !sees {
			return err
		}
	}
	return r.push(func() socket.Frame {
		if s.GetsReduced(e) {
			return socket.NewFrame(e.Name, e.Reduced)
		}
		return socket.NewFrame(e.Name, e.Data)
	})
}

// sees reports whether the session has the permissions for an event. It assumes that permissions have not changed since the
// event; a later change that contradicts this invalidates the session.
func (r *restoration) sees(ctx context.Context, to *events.Audience) (bool, error) {
	if r.Seq < r.Acked {
		if r.assumed == nil {
			r.assumed = map[snowflake.Guild]struct{}{}
		}
		r.assumed[to.Guild] = struct{}{}
	}
	if sees, known := r.visible[to.Sight()]; known {
		return sees, nil
	}
	sees, err := r.node.View.WhoSees(ctx, []*Session{r.session}, to.Guild, to.Sight())
	if err != nil {
		return false, err
	}
	if r.visible == nil {
		r.visible = map[events.Sight]bool{}
	}
	r.visible[to.Sight()] = sees[0]
	return sees[0], nil
}

// applyChange changes the guilds that the session is in.
func (r *restoration) applyChange(ctx context.Context, c *events.Change) error {
	s := r.session
	if c.Everything || contradicts(c, r.assumed, s.User) {
		return ErrNotResumable
	}
	clear(r.visible)
	_, inGuild := r.Guilds[c.Guild]
	switch {
	case c.Closed || s.Kind == Client:
	case c.Joined == s.User && c.Joined != 0 && !inGuild && (s.Kind != Bot || s.Shard.Owns(c.Guild)):
		r.Guilds[c.Guild] = struct{}{}
		r.follow(events.GuildPartition(c.Guild))
		return r.pushGuildEvent(func() socket.Frame { return r.node.View.GuildCreate(ctx, s, c.Guild, nil) })
	case c.Left == s.User && c.Left != 0 && inGuild:
		delete(r.Guilds, c.Guild)
		return r.pushGuildEvent(func() socket.Frame { return GuildDelete(c.Guild) })
	}
	return nil
}

// pushGuildEvent pushes GUILD_CREATE or GUILD_DELETE if the session wants them.
func (r *restoration) pushGuildEvent(render func() socket.Frame) error {
	if !r.session.WantsGuilds() {
		return nil
	}
	return r.push(render)
}

// push counts an event and keeps it if the client has not received it.
func (r *restoration) push(render func() socket.Frame) error {
	r.Seq++
	if r.Seq <= r.Acked {
		return nil
	}
	f := render()
	r.Frames = append(r.Frames, f)
	if r.bytes += len(f); r.bytes > r.node.Bounds.ReplayBytes || len(r.Frames) > r.node.Bounds.ReplayEvents {
		return ErrNotResumable
	}
	return nil
}
