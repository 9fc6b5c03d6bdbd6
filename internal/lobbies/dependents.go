package lobbies

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

var _ directory.Dependent = (*Lobbies)(nil)

// maxAnnounced bounds the lobbies of a deleted application whose members get LOBBY_DELETE. The clients of the others
// are disconnected, because the application's tokens are no longer valid.
const maxAnnounced = 1000

// UserDeleted implements directory.Dependent. It removes a deleted user from all lobbies, with the usual events, and
// removes the user's invites.
func (s *Lobbies) UserDeleted(ctx context.Context, user snowflake.User) error {
	var damaged error
	for last := snowflake.Lobby(0); ; {
		var ids []snowflake.Lobby
		err := s.states.db.Read(ctx, func(r store.Reader) (err error) {
			ids, err = r.Lobbies.With(user, last, batchSize)
			return err
		})
		if err != nil {
			return err
		}
		for _, id := range ids {
			last = id
			switch err := s.removeFrom(ctx, id, user); {
			case errors.Is(err, store.ErrDamaged):
				damaged = errors.Join(damaged, err)
			case err != nil && !errors.Is(err, ErrUnknownLobby):
				return err
			}
		}
		if len(ids) < batchSize {
			break
		}
	}
	return errors.Join(damaged, removeAll(ctx, s.states.db, func(r store.Reader, limit int) ([]store.Key, error) {
		return r.Lobbies.InvitesFor(user, limit)
	}))
}

// removeFrom removes a deleted user from a lobby.
func (s *Lobbies) removeFrom(ctx context.Context, id snowflake.Lobby, user snowflake.User) error {
	return s.states.Cache.Decide(ctx, s.states.decider(0, id, nil, func(ctx context.Context, base *State) (decision, error) {
		d := decision{next: base.Lobby.Lobby}
		m := base.Member(user)
		if m == nil {
			return d, nil
		}
		d.next.Members, d.left = base.Without(user), []*lobby.Member{m}
		if !s.states.events.anyConnected(ctx, &d.next) {
			d.next.IdleSince = s.states.now()
		}
		return d, nil
	}))
}

// GuildDeleted implements directory.Dependent. It does nothing: ChannelDeleted is called for each channel of the guild.
func (s *Lobbies) GuildDeleted(context.Context, snowflake.Guild) error { return nil }

// ChannelDeleted implements directory.Dependent. It unlinks the lobby that is linked with a deleted channel. The
// lobby's idle time starts.
func (s *Lobbies) ChannelDeleted(ctx context.Context, c store.Channel) error {
	var id snowflake.Lobby
	err := s.states.db.Read(ctx, func(r store.Reader) (err error) {
		id, err = r.Lobbies.Linked(c.ID)
		return except(err, store.ErrNotFound)
	})
	if err != nil || id == 0 {
		return err
	}
	err = s.states.Cache.Decide(ctx, s.states.decider(0, id, nil, func(_ context.Context, base *State) (decision, error) {
		d := decision{next: base.Lobby.Lobby}
		if base.Channel == c.ID {
			d.next.Channel, d.next.IdleSince = 0, s.states.now()
		}
		return d, nil
	}))
	return except(err, ErrUnknownLobby)
}

// ApplicationDeleted implements directory.Dependent. It removes the lobbies of a deleted application in batches. After
// each batch it pauses for as long as the batch took, so that other writes get at least half of the time. Damaged lobbies
// stay, and it returns an ErrDamaged.
func (s *Lobbies) ApplicationDeleted(ctx context.Context, app snowflake.Application) error {
	wall := s.states.Wall
	damaged := map[snowflake.Lobby]error{}
	for announced := 0; ; {
		began, known := wall.Now(), len(damaged)
		b, err := readBatch(ctx, s.states.db, app, damaged)
		if err != nil || b.change.Empty() && len(damaged) == known {
			return errors.Join(append(slices.Collect(maps.Values(damaged)), err)...)
		}
		if b.change.Empty() {
			continue // all of the batch is damaged
		}
		n := 0
		for _, l := range b.removed {
			if announced+n == maxAnnounced {
				break
			}
			if list := s.states.events.deleted(ctx, &l, l.Members, "deleted"); len(list) > 0 {
				b.change.Events = append(b.change.Events, record(l.ID, list)...)
				n++
			}
		}
		switch err := s.states.db.Commit(ctx, b.change); {
		case err == nil:
			announced += n
		case !errors.Is(err, store.ErrStale): // a stale batch is read again
			return err
		}
		clock.Wait(ctx, wall, wall.Now().Sub(began))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// batch is a part of the lobbies of a deleted application that one commit removes.
type batch struct {
	change   store.Change
	removed  []lobby.Lobby   // each with the members that are removed
	subjects []store.Subject // of change.Expect
	ends     []bool
	room     int // records that still fit
}

// readBatch returns the next batch: at most batchSize records of the newest lobbies. It leaves out damaged lobbies and
// adds those that it finds to damaged.
func readBatch(
	ctx context.Context, db store.Store, app snowflake.Application, damaged map[snowflake.Lobby]error,
) (b batch, err error) {
	err = db.Read(ctx, func(r store.Reader) error {
		b = batch{room: batchSize}
		ids, err := r.Lobbies.Newest(app, 0, batchSize+len(damaged))
		for i := 0; i < len(ids) && b.room > 0 && err == nil; i++ {
			if damaged[ids[i]] != nil {
				continue
			}
			if err = b.add(r, ids[i]); errors.Is(err, store.ErrDamaged) {
				damaged[ids[i]], err = err, nil
			}
		}
		if err != nil {
			return err
		}
		revisions, err := r.Revisions(b.subjects...)
		if err != nil {
			return err
		}
		for i, subject := range b.subjects {
			b.change.Expect = append(b.change.Expect, store.Expectation{Subject: subject, Revision: revisions[i], Ends: b.ends[i]})
		}
		return nil
	})
	return b, err
}

// add adds a lobby, or as much of it as fits: first its messages, then its members, then the lobby itself.
func (b *batch) add(r store.Reader, id snowflake.Lobby) error {
	messages, err := r.Lobbies.MessagesIn(id, b.room)
	if err != nil {
		return err
	}
	b.change.Delete = append(b.change.Delete, messageKeys(messages)...)
	if b.room -= len(messages); b.room == 0 {
		return nil
	}
	l, err := r.Lobbies.Lobby(id)
	if err != nil {
		return err
	}
	all := len(l.Members) < b.room
	if !all {
		rest := l
		rest.Members = l.Members[b.room:]
		b.change.Put = append(b.change.Put, rest)
		l.Members = l.Members[:b.room]
	}
	for _, m := range l.Members {
		b.expect(store.LobbyMembershipsSubject(l.Application, m.ID), true)
		if !all {
			b.change.Delete = append(b.change.Delete, store.LobbyMembershipKey(l.Application, id, m.ID))
		}
	}
	b.room -= len(l.Members)
	b.removed = append(b.removed, l.Lobby)
	b.expect(store.LobbySubject(id), all)
	if !all {
		return nil
	}
	b.room--
	b.change.Delete = append(b.change.Delete, store.LobbyKey(l))
	if !l.Secret {
		return nil
	}
	secrets, err := r.Lobbies.Secrets(id)
	for _, hash := range secrets {
		b.expect(store.SecretSubject(l.Application, hash), true)
	}
	return err
}

// expect adds a subject that the batch writes.
func (b *batch) expect(s store.Subject, ends bool) {
	if slices.Contains(b.subjects, s) {
		return // a user may be in several lobbies
	}
	b.subjects, b.ends = append(b.subjects, s), append(b.ends, ends)
}
