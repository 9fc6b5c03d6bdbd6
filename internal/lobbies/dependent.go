package lobbies

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

var _ directory.Dependent = (*Lobbies)(nil)

// maxFarewells is for how many lobbies of a deleted application the members get an event. The others learn of it when their
// clients are disconnected, because the application is gone.
const maxFarewells = 1000

// UserDeleted implements directory.Dependent. It takes a deleted user out of all lobbies and removes the user's invites. The
// other members get the same events as for every member who leaves.
func (s *Lobbies) UserDeleted(ctx context.Context, user snowflake.User) error {
	var ids []snowflake.Lobby
	err := s.db.Read(ctx, func(r store.Reader) (err error) {
		ids, err = r.Lobbies.With(user)
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		err := s.Cache.Decide(ctx, s.on(0, id, nil, func(_ context.Context, base *State) (change, error) {
			c := change{next: base.Lobby.Lobby}
			m := base.Member(user)
			if m == nil {
				return c, nil
			}
			c.next.Members, c.left = base.Without(user), []*lobby.Member{m}
			if !s.occupied(&c.next) {
				c.next.IdleSince = s.now()
			}
			return c, nil
		}))
		if err != nil && !errors.Is(err, ErrUnknownLobby) {
			return err
		}
	}
	for more := true; more && err == nil; {
		more, err = s.cleanPiece(ctx, func(r store.Reader) ([]store.Key, error) { return r.Lobbies.InvitesFor(user, maxPiece) })
	}
	return err
}

// GuildDeleted implements directory.Dependent. It does nothing: the channels of a guild are deleted one by one.
func (s *Lobbies) GuildDeleted(context.Context, snowflake.Guild) error { return nil }

// ChannelDeleted implements directory.Dependent. It unlinks the lobby that is linked with a deleted channel. The lobby is idle
// from then on.
func (s *Lobbies) ChannelDeleted(ctx context.Context, c store.Channel) error {
	var id snowflake.Lobby
	err := s.db.Read(ctx, func(r store.Reader) (err error) {
		id, err = r.Lobbies.Linked(c.ID)
		return except(err, store.ErrNotFound)
	})
	if err != nil || id == 0 {
		return err
	}
	err = s.Cache.Decide(ctx, s.on(0, id, nil, func(_ context.Context, base *State) (change, error) {
		next := change{next: base.Lobby.Lobby}
		if base.Channel == c.ID {
			next.next.Channel, next.next.IdleSince = 0, s.now()
		}
		return next, nil
	}))
	return except(err, ErrUnknownLobby)
}

// ApplicationDeleted implements directory.Dependent. It removes the lobbies of a deleted application in pieces. After each
// piece it pauses for as long as the piece took, so that other writes have half of the time at least.
func (s *Lobbies) ApplicationDeleted(ctx context.Context, app snowflake.Application) error {
	for told := 0; ; {
		began := clock.System{}.Now()
		p, err := s.readPiece(ctx, app)
		if err != nil || p.change.Empty() {
			return err
		}
		announced := 0
		for _, l := range p.removed {
			if told+announced == maxFarewells {
				break
			}
			if list := s.deletion(ctx, &l, l.Members, "deleted"); len(list) > 0 {
				p.change.Events = append(p.change.Events, record(l.ID, list)...)
				announced++
			}
		}
		switch err := s.db.Commit(ctx, p.change); {
		case err == nil:
			told += announced
		case !errors.Is(err, store.ErrStale): // otherwise it is read again
			return err
		}
		clock.Wait(ctx, clock.System{}, clock.System{}.Now().Sub(began))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// piece is a part of the lobbies of a deleted application that one commit removes.
type piece struct {
	change   store.Change
	removed  []lobby.Lobby   // each with those members who are removed
	subjects []store.Subject // of change.Expect
	ends     []bool
	room     int // for records
}

// readPiece returns the next piece: at most maxPiece records of the newest lobbies.
func (s *Lobbies) readPiece(ctx context.Context, app snowflake.Application) (p piece, err error) {
	err = s.db.Read(ctx, func(r store.Reader) error {
		p = piece{room: maxPiece}
		ids, err := r.Lobbies.Newest(app, 0, maxPiece)
		for i := 0; i < len(ids) && p.room > 0 && err == nil; i++ {
			err = p.add(r, ids[i])
		}
		if err != nil {
			return err
		}
		revisions, err := r.Revisions(p.subjects...)
		if err != nil {
			return err
		}
		for i, subject := range p.subjects {
			p.change.Expect = append(p.change.Expect, store.Expectation{Subject: subject, Revision: revisions[i], Ends: p.ends[i]})
		}
		return nil
	})
	return p, err
}

// add adds a lobby to a piece, or as much of it as there is room for: first its messages, then its members, then the rest.
func (p *piece) add(r store.Reader, id snowflake.Lobby) error {
	messages, err := r.Lobbies.MessagesIn(id, p.room)
	if err != nil {
		return err
	}
	p.change.Delete = append(p.change.Delete, messageKeys(messages)...)
	if p.room -= len(messages); p.room == 0 {
		return nil
	}
	l, err := r.Lobbies.Lobby(id)
	if err != nil {
		return err
	}
	all := len(l.Members) < p.room
	if !all {
		l.Members = l.Members[:p.room]
	}
	for _, m := range l.Members {
		p.expect(store.SeatsSubject(l.Application, m.ID), true)
		if !all {
			p.change.Delete = append(p.change.Delete, store.SeatKey(l.Application, id, m.ID))
		}
	}
	p.room -= len(l.Members)
	p.removed = append(p.removed, l.Lobby)
	p.expect(store.LobbySubject(id), all)
	if !all {
		return nil
	}
	p.room--
	p.change.Delete = append(p.change.Delete, store.LobbyKey(l))
	if !l.Secret {
		return nil
	}
	secrets, err := r.Lobbies.Secrets(id)
	for _, hash := range secrets {
		p.expect(store.SecretSubject(l.Application, hash), true)
	}
	return err
}

// expect adds a subject that the piece writes to.
func (p *piece) expect(s store.Subject, ends bool) {
	if slices.Contains(p.subjects, s) {
		return // a user may be in several lobbies
	}
	p.subjects, p.ends = append(p.subjects, s), append(p.ends, ends)
}
