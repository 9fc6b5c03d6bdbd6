package gateway

import (
	"context"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/snowflake"
)

// journey lets one session that comes from another node hear the history, as the hub lets all hear what happens now. It
// counts what its client has heard already and holds the rest.
type journey struct {
	gateway *Gateway
	session *session // in no index yet
	heard   uint64   // number of the last event that the client has heard
	how     string   // it was found

	frames []socket.Frame // behind it
	bytes  int
	sights map[snowflake.Channel]bool   // of those that were looked at since the last change
	doubts map[snowflake.Guild]struct{} // in which what was counted depends on who sees what
}

// take lets the session hear an event, if it is for it. It returns errForgotten when nobody can know that.
func (j *journey) take(ctx context.Context, e *events.Event) error {
	c := e.Change
	if c != nil {
		if err := j.move(ctx, c); err != nil {
			return err
		}
	}
	if e.Name != "" {
		if err := j.tell(ctx, e); err != nil {
			return err
		}
	}
	if c != nil && c.Closed {
		delete(j.session.guilds, c.Guild)
	}
	return nil
}

func (j *journey) tell(ctx context.Context, e *events.Event) error {
	s := j.session
	_, there := s.guilds[e.To.Guild]
	if !s.belongs(&e.To, there) {
		return nil
	}
	if e.To.Channel != 0 && e.To.Guild != 0 {
		sees, err := j.sees(ctx, &e.To)
		if err != nil || !sees {
			return err
		}
	}
	return j.push(func() socket.Frame {
		if s.hearsReduced(e) {
			return socket.NewFrame(e.Name, e.Reduced)
		}
		return socket.NewFrame(e.Name, e.Data)
	})
}

// sees reports whether the session sees the channel of an event. What it sees now it saw when the event happened, unless a
// change comes behind it.
func (j *journey) sees(ctx context.Context, to *events.Audience) (bool, error) {
	if j.session.seq < j.heard {
		if j.doubts == nil {
			j.doubts = map[snowflake.Guild]struct{}{}
		}
		j.doubts[to.Guild] = struct{}{}
	}
	if sees, known := j.sights[to.Channel]; known {
		return sees, nil
	}
	sees, err := j.gateway.look(ctx, j.session, to.Guild, to.Channel)
	if err != nil {
		return false, err
	}
	if j.sights == nil {
		j.sights = map[snowflake.Channel]bool{}
	}
	j.sights[to.Channel] = sees
	return sees, nil
}

// move changes which guilds the session is in.
func (j *journey) move(ctx context.Context, c *events.Change) error {
	s := j.session
	if c.Everything || casts(c, j.doubts, s.User) {
		return errForgotten
	}
	clear(j.sights)
	_, there := s.guilds[c.Guild]
	switch {
	case c.Closed || s.Kind == Client:
	case c.Joined == s.User && c.Joined != 0 && !there && (s.Kind != Bot || s.Shard.Owns(c.Guild)):
		s.guilds[c.Guild] = struct{}{}
		return j.hear(func() socket.Frame { return j.gateway.introduce(ctx, s, c.Guild, nil) })
	case c.Left == s.User && c.Left != 0 && there:
		delete(s.guilds, c.Guild)
		return j.hear(func() socket.Frame { return guildDelete(c.Guild) })
	}
	return nil
}

// hear lets the session hear of a guild that it came into or left, if it wants to.
func (j *journey) hear(write func() socket.Frame) error {
	if !j.session.wants(&guildEvents) {
		return nil
	}
	return j.push(write)
}

// push numbers an event, and holds it for a client that has not heard it.
func (j *journey) push(write func() socket.Frame) error {
	j.session.seq++
	if j.session.seq <= j.heard {
		return nil
	}
	f := write()
	j.frames = append(j.frames, f)
	if j.bytes += len(f); j.bytes > j.gateway.Settings.ReplayBytes || len(j.frames) > j.gateway.Settings.ReplayEvents {
		return errForgotten
	}
	return nil
}
