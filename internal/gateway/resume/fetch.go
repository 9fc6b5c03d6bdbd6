package resume

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/session"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
)

const (
	// fetchWithin is how long it may take to bring a session here, fetchPause how often it is looked whether this node has got
	// as far as the session, or whether another one has to which it goes.
	fetchWithin = 5 * time.Second
	fetchPause  = 5 * time.Millisecond
	// stride is how many events of the history a session hears at once, lastStride how many while nobody else hears any.
	stride     = 256
	lastStride = 32
)

// Wish is what a client says that wants to go on with a session: which, who it is, and the number of the last event that it has
// heard.
type Wish struct {
	Session   string
	Principal auth.Principal
	Token     store.TokenHash
	Seq       uint64
}

// Fetch goes on with a session of another node, or of one that has ended. It returns session.ErrForgotten when that cannot be done
// without missing or repeating anything. Given says that its node gave it up, rather than that it was counted.
func (n *Node) Fetch(ctx context.Context, k *session.Link, w Wish) (s *session.Session, given bool, err error) {
	if n.Sessions == nil {
		return nil, false, session.ErrForgotten
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	defer n.queues.arrived(w.Session)
	for ctx.Err() == nil {
		j, at, err := n.claim(ctx, &w)
		if err == nil && j == nil {
			clock.Wait(ctx, machine, fetchPause) // it went elsewhere
			continue
		}
		if err == nil {
			j.session.Token = w.Token
			err = n.travel(ctx, k, j, at)
		}
		if err != nil {
			if j != nil {
				n.keeper.drop(j.session)
			}
			return nil, false, n.excuse(ctx, err)
		}
		n.keeper.soon(j.session)
		return j.session, j.given, nil
	}
	return nil, false, session.ErrForgotten
}

// excuse makes of what went wrong on the way what a client is told: to begin anew.
func (n *Node) excuse(ctx context.Context, err error) error {
	if c, told := err.(*socket.CloseError); told { //nolint:errorlint // it is never wrapped
		return c
	}
	if err != session.ErrForgotten { //nolint:errorlint // it is never wrapped
		n.Log.WarnContext(ctx, "session could not be brought here", "err", err)
	}
	return session.ErrForgotten
}

// claim makes a session this node's. It returns the way that it has to go from a position, nil when another node was
// quicker.
func (n *Node) claim(ctx context.Context, w *Wish) (*journey, events.Position, error) {
	var at events.Position
	found, err := n.Sessions.Find(ctx, w.Session)
	if err != nil {
		return nil, at, fmt.Errorf("find session: %w", err)
	}
	if found == nil {
		return nil, at, session.ErrForgotten
	}
	j, err := unpack(found)
	if err != nil {
		return nil, at, err
	}
	if !j.session.IsOf(w.Principal) {
		return nil, at, session.ErrForgotten
	}
	var given *parcel
	if found.Node != "" {
		var coming bool
		if given, coming, err = n.ask(ctx, found.Node, w.Session, w.Seq); err != nil || coming {
			return nil, at, err
		}
	}
	n.queues.comes(w.Session)
	asides, err := n.Sessions.Take(ctx, w.Session, found.Node, n.Keep)
	if err != nil || asides == 0 {
		return nil, at, err
	}
	j.node, j.Heard, j.Asides = n, w.Seq, asides
	if given != nil {
		return j, j.begin(given), nil
	}
	at, err = j.recount(found)
	return j, at, err
}

// unpack returns the session of which something was found, about to set out.
func unpack(found *Found) (*journey, error) {
	var w keptWho
	if err := json.Unmarshal(found.Who, &w); err != nil {
		return nil, fmt.Errorf("read whose session it is: %w", err)
	}
	var guilds []snowflake.Guild
	if err := json.Unmarshal(found.Guilds, &guilds); err != nil {
		return nil, fmt.Errorf("read where a session is: %w", err)
	}
	j := &journey{session: &session.Session{Who: w.Who, Intents: w.Intents, Scopes: w.Scopes}}
	j.settleIn(guilds)
	return j, nil
}

func (j *journey) settleIn(guilds []snowflake.Guild) {
	j.Guilds = make(map[snowflake.Guild]struct{}, len(guilds))
	for _, guild := range guilds {
		j.Guilds[guild] = struct{}{}
	}
}

// ask has the node of a session hand it over. It returns nil when that node cannot, for it is dead or has it no longer, and
// whether it is about to have it.
func (n *Node) ask(ctx context.Context, node, id string, seq uint64) (given *parcel, coming bool, err error) {
	answer, body, err := n.Sessions.Ask(ctx, node, id, seq)
	if err != nil {
		n.Log.InfoContext(ctx, "the node of a session does not answer", "err", err)
		return nil, false, nil
	}
	switch answer {
	case Given:
		given = &parcel{}
		if err := json.Unmarshal(body, given); err != nil {
			return nil, false, fmt.Errorf("read a session that was handed over: %w", err)
		}
		return given, false, nil
	case Ahead:
		return nil, false, socket.ErrSequence
	case Over:
		return nil, false, session.ErrForgotten
	case Absent, Coming:
	}
	return nil, answer == Coming, nil
}

// begin takes a session as its node gave it, and returns from where on it has to hear the history.
func (j *journey) begin(p *parcel) events.Position {
	for _, f := range p.Frames {
		j.Frames = append(j.Frames, f)
		j.bytes += len(f)
	}
	j.given, j.Seq = true, p.Seq
	j.settleIn(p.Guilds)
	return p.Position
}

// recount finds the last moment of a session that is known and that its client has passed, and returns from where on it has
// to hear the history.
func (j *journey) recount(found *Found) (events.Position, error) {
	var state keptState
	if err := json.Unmarshal(found.State, &state); err != nil {
		return events.Position{}, fmt.Errorf("read how a session stands: %w", err)
	}
	if state.Asides != found.Asides {
		return events.Position{}, session.ErrForgotten // nobody knows how much it has heard aside
	}
	for _, m := range slices.Backward(state.Marks) {
		if m.Seq <= j.Heard {
			j.Seq = m.Seq
			return m.At, nil
		}
	}
	return events.Position{}, session.ErrForgotten
}

// travel lets a session hear the history behind a position until it is where this node is, and lets its client go on.
func (n *Node) travel(ctx context.Context, k *session.Link, j *journey, at events.Position) error {
	if at.IsZero() {
		return session.ErrForgotten // a node of another version wrote down where that is
	}
	for ctx.Err() == nil {
		list, arrived, err := n.step(ctx, k, j, at)
		if err != nil || arrived {
			return err
		}
		if len(list) == 0 {
			clock.Wait(ctx, machine, fetchPause) // this node is behind the other, or has just begun
		}
		for i := range list {
			if err := j.take(ctx, &list[i]); err != nil {
				return err
			}
			at = list[i].Position
		}
	}
	return ctx.Err()
}

// step returns the next events that a session has to hear, or when there are few of them lets it hear them and arrive while
// nobody else hears any.
func (n *Node) step(ctx context.Context, k *session.Link, j *journey, at events.Position) ([]events.Event, bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.position.Before(at) {
		return nil, false, nil
	}
	list, held := n.recent.after(at, stride)
	if !held {
		n.mu.Unlock() // nobody waits for what is far away
		defer n.mu.Lock()
		list, err := n.Sessions.After(ctx, at)
		return list, false, err
	}
	if len(list) > lastStride {
		return list, false, nil
	}
	for i := range list {
		if err := j.take(ctx, &list[i]); err != nil {
			return nil, false, err
		}
	}
	return nil, true, n.arrive(k, j)
}

// arrive lets a session that has heard the whole history go on here. The node is locked.
func (n *Node) arrive(k *session.Link, j *journey) error {
	if j.Seq < j.Heard {
		return session.ErrForgotten // it has heard what this history does not have
	}
	if len(j.doubts) > 0 {
		n.doubts = append(n.doubts, doubt{j.session, j.doubts, n.now().Add(doubtFor).UnixNano()})
	}
	n.Index.Arrive(j.session, k, &j.Arrival, n.Bounds)
	return nil
}
