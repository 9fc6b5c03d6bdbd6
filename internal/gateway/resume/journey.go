package resume

import (
	"context"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/snowflake"
)

// journey lets one session that comes from another node hear the history, as the hub lets all hear what happens now. It
// counts what its client has heard already and holds the rest.
type journey struct {
	session.Arrival // as far as it has come

	node    *Node
	session *session.Session // in no index yet
	given   bool             // by its node

	bytes  int                          // of Frames
	sights map[snowflake.Channel]bool   // of those that were looked at since the last change
	doubts map[snowflake.Guild]struct{} // in which what was counted depends on who sees what
}

// take lets the session hear an event, if it is for it. It returns session.ErrForgotten when nobody can know that.
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
		delete(j.Guilds, c.Guild)
	}
	return nil
}

func (j *journey) tell(ctx context.Context, e *events.Event) error {
	s := j.session
	_, there := j.Guilds[e.To.Guild]
	if !s.Belongs(&e.To, there) {
		return nil
	}
	if e.To.Channel != 0 && e.To.Guild != 0 {
		sees, err := j.sees(ctx, &e.To)
		if err != nil || !sees {
			return err
		}
	}
	return j.push(func() socket.Frame {
		if s.HearsReduced(e) {
			return socket.NewFrame(e.Name, e.Reduced)
		}
		return socket.NewFrame(e.Name, e.Data)
	})
}

// sees reports whether the session sees the channel of an event. What it sees now it saw when the event happened, unless a
// change comes behind it.
func (j *journey) sees(ctx context.Context, to *events.Audience) (bool, error) {
	if j.Seq < j.Heard {
		if j.doubts == nil {
			j.doubts = map[snowflake.Guild]struct{}{}
		}
		j.doubts[to.Guild] = struct{}{}
	}
	if sees, known := j.sights[to.Channel]; known {
		return sees, nil
	}
	sees, err := j.node.View.Sees(ctx, j.session, to.Guild, to.Channel)
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
		return session.ErrForgotten
	}
	clear(j.sights)
	_, there := j.Guilds[c.Guild]
	switch {
	case c.Closed || s.Kind == session.Client:
	case c.Joined == s.User && c.Joined != 0 && !there && (s.Kind != session.Bot || s.Shard.Owns(c.Guild)):
		j.Guilds[c.Guild] = struct{}{}
		return j.hear(func() socket.Frame { return j.node.View.Introduce(ctx, s, c.Guild, nil) })
	case c.Left == s.User && c.Left != 0 && there:
		delete(j.Guilds, c.Guild)
		return j.hear(func() socket.Frame { return session.Farewell(c.Guild) })
	}
	return nil
}

// hear lets the session hear of a guild that it came into or left, if it wants to.
func (j *journey) hear(write func() socket.Frame) error {
	if !j.session.HearsOfGuilds() {
		return nil
	}
	return j.push(write)
}

// push numbers an event, and holds it for a client that has not heard it.
func (j *journey) push(write func() socket.Frame) error {
	j.Seq++
	if j.Seq <= j.Heard {
		return nil
	}
	f := write()
	j.Frames = append(j.Frames, f)
	if j.bytes += len(f); j.bytes > j.node.Bounds.ReplayBytes || len(j.Frames) > j.node.Bounds.ReplayEvents {
		return session.ErrForgotten
	}
	return nil
}
