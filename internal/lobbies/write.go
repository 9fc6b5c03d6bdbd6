package lobbies

import (
	"context"

	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// Create makes a lobby of an application.
func (s *Lobbies) Create(ctx context.Context, app snowflake.Application, body jsonbody.Value) (*State, error) {
	p, err := lobby.ReadPatch(body)
	if err != nil {
		return nil, err
	}
	list, _ := p.Members.Get()
	id := snowflake.Lobby(s.IDs.Next())
	var made *State
	err = s.Cache.Decide(context.WithoutCancel(ctx), func(ctx context.Context) (out store.Change, err error) {
		c, err := s.begin(ctx, app, id, p)
		if err != nil {
			return out, err
		}
		c.next.Members = c.next.Replace(list)
		c.joined = c.next.Members
		if err := s.admitAll(ctx, &c, app, list, nil); err != nil {
			return out, err
		}
		out, made, err = s.build(ctx, &State{}, &c)
		return out, err
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// begin returns the change that makes a lobby without members. The application must not be deleted before the commit:
// otherwise the lobby would stay.
func (s *Lobbies) begin(ctx context.Context, app snowflake.Application, id snowflake.Lobby, p lobby.Patch) (change, error) {
	_, err := s.Directory.Application(ctx, app)
	return change{next: p.Apply(lobby.New(id, app, s.now()))}, err
}

// Edit changes what body names of a lobby.
func (s *Lobbies) Edit(ctx context.Context, app snowflake.Application, id snowflake.Lobby, body jsonbody.Value) (*State, error) {
	p, err := lobby.ReadPatch(body)
	if err != nil {
		return nil, err
	}
	var next *State
	err = s.Cache.Decide(context.WithoutCancel(ctx), s.on(app, id, &next, func(ctx context.Context, base *State) (change, error) {
		c := change{next: s.apply(&base.Lobby.Lobby, p)}
		list, given := p.Members.Get()
		if !given {
			return c, nil
		}
		c.next.Members = c.next.Replace(list)
		c.sort(&base.Lobby.Lobby)
		return c, s.admitAll(ctx, &c, app, list, &base.Lobby.Lobby)
	}))
	if err != nil {
		return nil, err
	}
	return next, nil
}

// apply returns a lobby after a request about it.
func (s *Lobbies) apply(l *lobby.Lobby, p lobby.Patch) lobby.Lobby {
	next, now := p.Apply(*l), s.now()
	if p.IdleTimeout.IsZero() {
		return s.Settings.Activity.Touch(next, now)
	}
	return s.Settings.Activity.Retime(next, now)
}

// sort sets who joined, left and was altered between old and the next list of members.
func (c *change) sort(old *lobby.Lobby) {
	before := make(map[snowflake.User]*lobby.Member, len(old.Members))
	for _, m := range old.Members {
		before[m.ID] = m
	}
	for _, m := range c.next.Members {
		switch before[m.ID] {
		case nil:
			c.joined = append(c.joined, m)
		case m:
		default:
			c.altered = append(c.altered, m)
		}
		delete(before, m.ID)
	}
	for _, m := range old.Members {
		if before[m.ID] != nil {
			c.left = append(c.left, m)
		}
	}
}

// Delete removes a lobby with everything in it. A lobby that does not exist, or that belongs to another application, is no
// error.
func (s *Lobbies) Delete(ctx context.Context, app snowflake.Application, id snowflake.Lobby) error {
	ctx = context.WithoutCancel(ctx)
	err := s.Cache.Decide(ctx, s.on(app, id, nil, func(context.Context, *State) (change, error) { return change{gone: true}, nil }))
	if err == nil {
		s.removeMessages(ctx, id)
	}
	return except(err, ErrUnknownLobby)
}
