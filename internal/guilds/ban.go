package guilds

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// MaxBanPage is the largest number of bans in a page.
	MaxBanPage = 1000
	// banBatch bounds how many users one commit bans, so that other writes do not wait long.
	banBatch = 20
)

// BanPage selects bans of a guild: the first Limit bans with user ids above After. If Before is set, it selects the last
// Limit bans with user ids below Before.
type BanPage struct {
	Before, After snowflake.User
	Limit         int
}

// read returns the bans of the page.
func (p BanPage) read(q store.DirectoryQueries, id snowflake.Guild) ([]store.Ban, error) {
	if p.Before != 0 {
		return q.BansBefore(id, p.Before, p.Limit)
	}
	return q.Bans(id, p.After, p.Limit)
}

// Bans returns a page of the bans of a guild, ordered by user.
func (s *Guilds) Bans(ctx context.Context, by directory.Viewer, id snowflake.Guild, p BanPage) (shown []wire.Ban, err error) {
	if err := s.Directory.Guilds.Allow(ctx, id, by, permission.OpListBans); err != nil {
		return nil, err
	}
	err = s.Directory.Read(ctx, func(r store.Reader) error {
		list, err := p.read(r.Directory, id)
		if err != nil {
			return err
		}
		for _, b := range list {
			u, err := readUser(r, b.User)
			if errors.Is(err, store.ErrNotFound) { // the user was deleted, and the ban will be
				continue
			}
			if err != nil {
				return err
			}
			shown = append(shown, wire.Ban{Reason: wire.NullString(b.Reason), User: u})
		}
		return nil
	})
	return shown, err
}

// ShowBan returns the ban of a user from a guild.
func (s *Guilds) ShowBan(ctx context.Context, by directory.Viewer, id snowflake.Guild, user snowflake.User) (shown wire.Ban, err error) {
	if err := s.Directory.Guilds.Allow(ctx, id, by, permission.OpListBans); err != nil {
		return shown, err
	}
	err = s.Directory.Read(ctx, func(r store.Reader) error {
		b, err := r.Directory.Ban(id, user)
		if err == nil {
			shown.Reason = wire.NullString(b.Reason)
			shown.User, err = readUser(r, user)
		}
		if errors.Is(err, store.ErrNotFound) {
			return apierror.UnknownBan
		}
		return err
	})
	return shown, err
}

// Ban bans a user from a guild, removes the member, and deletes the recent messages of the user if the request says so. A
// ban of a banned user changes nothing, but deletes the messages.
func (s *Guilds) Ban(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, user snowflake.User, body jsonbody.Value,
) error {
	var age time.Duration
	err := s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		target, err := g.tx.User(user)
		if err != nil {
			return err
		}
		if age, err = guild.ReadBan(body); err != nil {
			return err
		}
		return g.ban(permission.OpBanMember, target, audit.ReasonOf(ctx))
	}))
	if errors.Is(err, errAlreadyBanned) {
		err = nil
	}
	if err != nil {
		return err
	}
	return s.deleteMessages(ctx, id, age, user)
}

// errAlreadyBanned says that a user is banned already.
var errAlreadyBanned = errors.New("the user is banned already")

// ban bans a user, who may be a member. For a banned user the error is errAlreadyBanned.
func (g *manager) ban(op permission.Operation, user *store.User, reason string) error {
	if err := g.allow(op); err != nil {
		return err
	}
	m, err := g.target(user.ID)
	member := err == nil
	if err != nil && !errors.Is(err, directory.ErrUnknownMember) {
		return err
	}
	if member {
		if err := denied(op, g.by.MayActOn(op, m.rank)); err != nil {
			return err
		}
	}
	_, err = g.tx.Directory.Ban(g.ID, user.ID)
	switch {
	case err == nil:
		return errAlreadyBanned
	case !errors.Is(err, store.ErrNotFound):
		return err
	}
	g.record(op, store.MembershipsSubject(user.ID), audit.GuildEntry{Target: snowflake.Target(user.ID)})
	if err := directory.BanKind.Put(g.tx, store.Ban{Guild: g.ID, User: user.ID, Reason: reason}); err != nil || !member {
		return err
	}
	return directory.Leave(g.tx, g.ID, user.ID)
}

// Unban lifts the ban of a user.
func (s *Guilds) Unban(ctx context.Context, by directory.Viewer, id snowflake.Guild, user snowflake.User) error {
	const op = permission.OpUnbanMember
	return s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		if err := g.allow(op); err != nil {
			return err
		}
		b, err := g.tx.Directory.Ban(id, user)
		if errors.Is(err, store.ErrNotFound) {
			return apierror.UnknownBan
		}
		if err != nil {
			return err
		}
		g.record(op, store.MembershipsSubject(user), audit.GuildEntry{Target: snowflake.Target(user)})
		directory.BanKind.Delete(g.tx, b)
		return nil
	}))
}

// BulkBan bans many users, in several commits. It returns which users it banned, and which it did not: those who are banned
// already, who do not exist, or whom the caller does not outrank. The caller's own id is in neither list. If it bans no user,
// the error is apierror.NoneBanned.
func (s *Guilds) BulkBan(
	ctx context.Context, by directory.Viewer, id snowflake.Guild, body jsonbody.Value,
) (done wire.BulkBan, err error) {
	users, age, invalid := guild.ReadBulkBan(body)
	err = s.Directory.Update(ctx, s.by(by, id, func(g *manager) error {
		if invalid != nil {
			return invalid
		}
		return g.allow(permission.OpBulkBan)
	}))
	if err != nil {
		return done, err
	}
	users = slices.DeleteFunc(users, func(user snowflake.User) bool { return user == by.User })
	for batch := range slices.Chunk(users, banBatch) {
		var banned, failed []snowflake.User
		err := s.Directory.Update(ctx, s.by(by, id, func(g *manager) (err error) {
			banned, failed, err = g.banAll(batch, audit.ReasonOf(ctx))
			return err
		}))
		if err != nil {
			return done, err
		}
		done.Banned, done.Failed = append(done.Banned, banned...), append(done.Failed, failed...)
	}
	if len(done.Banned) == 0 {
		return done, apierror.NoneBanned
	}
	return done, s.deleteMessages(ctx, id, age, done.Banned...)
}

// banAll bans the users of a list that can be banned.
func (g *manager) banAll(users []snowflake.User, reason string) (banned, failed []snowflake.User, err error) {
	if err := g.allow(permission.OpBulkBan); err != nil {
		return nil, nil, err
	}
	for _, id := range users {
		user, err := g.tx.User(id)
		if err == nil {
			err = g.ban(permission.OpBulkBan, user, reason)
		}
		refused, _ := errors.AsType[*directory.DeniedError](err)
		switch {
		case err == nil:
			banned = append(banned, id)
		case refused != nil, errors.Is(err, errAlreadyBanned), errors.Is(err, directory.ErrUnknownUser):
			failed = append(failed, id)
		default:
			return nil, nil, err
		}
	}
	return banned, failed, nil
}

// deleteMessages deletes the messages of users in a guild that are younger than an age.
func (s *Guilds) deleteMessages(ctx context.Context, id snowflake.Guild, age time.Duration, users ...snowflake.User) error {
	if age == 0 {
		return nil
	}
	return s.Messages.DeleteOf(context.WithoutCancel(ctx), id, users, s.Clock.Now().Add(-age))
}
