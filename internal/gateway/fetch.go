package gateway

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/oauth"
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

// fetch goes on with a session of another node, or of one that has ended. It returns errForgotten when that cannot be done
// without missing or repeating anything.
func (k *conn) fetch(ctx context.Context, id string, p oauth.Principal, token store.TokenHash, seq uint64) error {
	g := k.gateway
	if g.Sessions == nil {
		return errForgotten
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	defer g.queues.arrived(id)
	for ctx.Err() == nil {
		j, at, err := g.claim(ctx, id, p, seq)
		if err == nil && j == nil {
			clock.Wait(ctx, machine, fetchPause) // it went elsewhere
			continue
		}
		if err == nil {
			j.session.token = token
			err = k.travel(ctx, j, at)
		}
		if err != nil {
			if j != nil {
				g.keeper.drop(j.session)
			}
			return g.excuse(ctx, err)
		}
		g.numbers.resumes.WithLabelValues(j.how).Inc()
		g.presence.changed(j.session)
		g.keeper.soon(j.session)
		return nil
	}
	return errForgotten
}

// excuse makes of what went wrong on the way what a client is told: to begin anew.
func (g *Gateway) excuse(ctx context.Context, err error) error {
	if closing, told := err.(*socket.CloseError); told { //nolint:errorlint // it is never wrapped
		return closing
	}
	if err != errForgotten { //nolint:errorlint // it is never wrapped
		g.Log.WarnContext(ctx, "session could not be brought here", "err", err)
	}
	return errForgotten
}

// claim makes a session this node's. It returns the way that it has to go from a position, nil when another node was
// quicker.
func (g *Gateway) claim(ctx context.Context, id string, p oauth.Principal, seq uint64) (*journey, events.Position, error) {
	var at events.Position
	found, err := g.Sessions.Find(ctx, id)
	if err != nil {
		return nil, at, fmt.Errorf("find session: %w", err)
	}
	if found == nil {
		return nil, at, errForgotten
	}
	s, err := unpack(found)
	if err != nil {
		return nil, at, err
	}
	if !s.isOf(p) {
		return nil, at, errForgotten
	}
	var given *parcel
	if found.Node != "" {
		var coming bool
		if given, coming, err = g.ask(ctx, found.Node, id, seq); err != nil || coming {
			return nil, at, err
		}
	}
	g.queues.comes(id)
	asides, err := g.Sessions.Take(ctx, id, found.Node, g.Settings.Keep)
	if err != nil || asides == 0 {
		return nil, at, err
	}
	s.asides = asidesOf(asides)
	j := &journey{gateway: g, session: s, heard: seq, how: resumedCounted}
	if given != nil {
		j.how = resumedGiven
		at = j.begin(given)
		return j, at, nil
	}
	at, err = j.recount(found)
	return j, at, err
}

// unpack returns the session of which something was found.
func unpack(found *Found) (*session, error) {
	var w keptWho
	if err := json.Unmarshal(found.Who, &w); err != nil {
		return nil, fmt.Errorf("read whose session it is: %w", err)
	}
	var guilds []snowflake.Guild
	if err := json.Unmarshal(found.Guilds, &guilds); err != nil {
		return nil, fmt.Errorf("read where a session is: %w", err)
	}
	s := &session{Who: w.Who, intents: w.Intents, scopes: w.Scopes}
	s.settleIn(guilds)
	return s, nil
}

func (s *session) settleIn(guilds []snowflake.Guild) {
	s.guilds = make(map[snowflake.Guild]struct{}, len(guilds))
	for _, guild := range guilds {
		s.guilds[guild] = struct{}{}
	}
}

// asidesOf returns the asides of a session that has heard the last but for its end.
func asidesOf(begun uint64) asides { return asides{begun: begun, done: begun - 1, under: 1} }

// ask has the node of a session hand it over. It returns nil when that node cannot, for it is dead or has it no longer, and
// whether it is about to have it.
func (g *Gateway) ask(ctx context.Context, node, id string, seq uint64) (given *parcel, coming bool, err error) {
	answer, body, err := g.Sessions.Ask(ctx, node, id, seq)
	if err != nil {
		g.Log.InfoContext(ctx, "the node of a session does not answer", "err", err)
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
		return nil, false, errForgotten
	case Absent, Coming:
	}
	return nil, answer == Coming, nil
}

// begin takes a session as its node gave it, and returns from where on it has to hear the history.
func (j *journey) begin(p *parcel) events.Position {
	for _, f := range p.Frames {
		j.frames = append(j.frames, f)
		j.bytes += len(f)
	}
	j.session.seq = p.Seq
	j.session.settleIn(p.Guilds)
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
		return events.Position{}, errForgotten // nobody knows how much it has heard aside
	}
	for _, m := range slices.Backward(state.Marks) {
		if m.Seq <= j.heard {
			j.session.seq = m.Seq
			return m.At, nil
		}
	}
	return events.Position{}, errForgotten
}

// travel lets a session hear the history behind a position until it is where this node is, and lets its client go on.
func (k *conn) travel(ctx context.Context, j *journey, at events.Position) error {
	if at.IsZero() {
		return errForgotten // a node of another version wrote down where that is
	}
	for ctx.Err() == nil {
		list, arrived, err := k.step(ctx, j, at)
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
func (k *conn) step(ctx context.Context, j *journey, at events.Position) ([]events.Event, bool, error) {
	h := k.gateway.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.position.Before(at) {
		return nil, false, nil
	}
	list, held := h.recent.after(at, stride)
	if !held {
		h.mu.Unlock() // nobody waits for what is far away
		defer h.mu.Lock()
		list, err := k.gateway.Sessions.After(ctx, at)
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
	return nil, true, k.arrive(j)
}

// arrive lets a session that has heard the whole history go on here. The hub is locked.
func (k *conn) arrive(j *journey) error {
	g, s := k.gateway, j.session
	if s.seq < j.heard {
		return errForgotten // it has heard what this history does not have
	}
	if len(j.doubts) > 0 {
		g.hub.doubts = append(g.hub.doubts, doubt{s, j.doubts, g.now().Add(doubtFor).UnixNano()})
	}
	s.state, s.socket, s.heard = live, k, j.heard
	for i, f := range j.frames {
		s.replay.add(f, j.heard+1+uint64(i), g.Settings.ReplayEvents, g.Settings.ReplayBytes)
	}
	k.session.Store(s)
	g.index.arrive(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	k.SendAgain(j.frames, j.heard+1)
	s.push(resumed, &g.Settings)
	s.asides.done, s.asides.under = s.asides.begun, 0
	return nil
}
