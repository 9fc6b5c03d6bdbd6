package lobbies

import (
	"context"

	"github.com/bellhop/bellhop/form"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/lobby"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

// Create makes a lobby of an application.
func (s *Lobbies) Create(ctx context.Context, app snowflake.Application, body form.Value) (*State, error) {
	p, err := lobby.ReadPatch(body)
	if err != nil {
		return nil, err
	}
	list, _ := p.Members.Get()
	return s.create(ctx, app, func(u *unit, empty lobby.Lobby) (change, error) {
		c := change{next: p.Apply(empty)}
		c.next.Members = c.next.Replace(list)
		c.joined = c.next.Members
		return c, s.admitAll(u, app, list, nil)
	})
}

// create makes the lobby that fill says. fill is given the lobby before anything is said about it.
func (s *Lobbies) create(
	ctx context.Context, app snowflake.Application, fill func(u *unit, empty lobby.Lobby) (change, error),
) (*State, error) {
	ctx = context.WithoutCancel(ctx) // whoever comes later may tell of it
	id := snowflake.Lobby(s.IDs.Run(1))
	var c change
	var u *unit
	return s.cache.Insert(ctx, id, func(tx store.Tx) (made *State, err error) {
		u = &unit{Tx: tx}
		if c, err = fill(u, lobby.New(id, app, s.now())); err != nil {
			return nil, err
		}
		made, first := s.after(&State{}, &c)
		if err := tx.PutLobby(made.Lobby); err != nil {
			return nil, err
		}
		return made, writeSeats(tx, &made.Lobby.Lobby, &c, first)
	}, func(_, made *State) { s.settle(ctx, nil, made, u, &c) })
}

// Edit changes what body names of a lobby.
func (s *Lobbies) Edit(ctx context.Context, app snowflake.Application, id snowflake.Lobby, body form.Value) (*State, error) {
	p, err := lobby.ReadPatch(body)
	if err != nil {
		return nil, err
	}
	return s.update(ctx, app, id, func(u *unit, base *State) (change, error) {
		c := change{next: s.apply(&base.Lobby.Lobby, p)}
		list, given := p.Members.Get()
		if !given {
			return c, nil
		}
		c.next.Members = c.next.Replace(list)
		c.sort(&base.Lobby.Lobby)
		return c, s.admitAll(u, app, list, &base.Lobby.Lobby)
	})
}

// apply returns a lobby after a request about it.
func (s *Lobbies) apply(l *lobby.Lobby, p lobby.Patch) lobby.Lobby {
	next, now := p.Apply(*l), s.now()
	if p.IdleTimeout.IsZero() {
		return s.Settings.Activity.Touch(next, now)
	}
	return s.Settings.Activity.Retime(next, now)
}

// sort finds out what became of whom between old and the next list of members.
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

// Delete removes a lobby with everything in it. One that is gone already, that never was, or that is another
// application's is none of the caller's: nothing happens.
func (s *Lobbies) Delete(ctx context.Context, app snowflake.Application, id snowflake.Lobby) error {
	_, err := s.update(ctx, app, id, func(*unit, *State) (change, error) { return change{gone: true}, nil })
	return except(err, ErrUnknownLobby)
}

// admitAll checks that those in a list who are not members of old, which may be nil, can become members. A user that is
// a bot is a finding at its place in the list.
func (s *Lobbies) admitAll(u *unit, app snowflake.Application, list []lobby.Entry, old *lobby.Lobby) error {
	standings, err := s.standings(u, app, list, old)
	if err != nil {
		return err
	}
	var t problem.Tree
	for i, e := range list {
		if standings[i] == store.Free {
			continue
		}
		if err := s.admit(u, e.ID, standings[i], t.At("members").Index(e.Index)); err != nil {
			return err
		}
	}
	return t.Err()
}
