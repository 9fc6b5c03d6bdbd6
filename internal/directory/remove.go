package directory

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// pieceSize bounds how many dependent records are removed in one commit. Other writes do not wait longer than for one.
const pieceSize = 256

// resumeInterval is how often Run looks for removals that failed.
const resumeInterval = time.Minute

// Run removes what deletions have left behind because a process ended or the store failed, at once and every minute, until
// ctx ends.
func (d *Directory) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := d.Resume(ctx); err != nil && ctx.Err() == nil && d.Log != nil {
			d.Log.ErrorContext(ctx, "removal failed", "err", err)
		}
		clock.Wait(ctx, d.Clock, resumeInterval)
	}
	return nil
}

// Resume removes what deletions have left behind. It tries all of them and returns the errors that it met.
func (d *Directory) Resume(ctx context.Context) error {
	list, err := view(ctx, d, store.ErrNotFound, func(r store.Reader) ([]store.Tombstone, error) {
		return r.Directory.Tombstones()
	})
	for _, t := range list {
		err = errors.Join(err, d.remove(ctx, t))
	}
	return err
}

// removeOrLog removes what depends on a deleted record. The deletion is committed, so the caller has nothing to do when that
// fails: Run tries again.
func (d *Directory) removeOrLog(ctx context.Context, t store.Tombstone) {
	ctx = context.WithoutCancel(ctx) // the deletion has happened, the client that asked for it may have left
	if err := d.remove(ctx, t); err != nil && d.Log != nil {
		d.Log.ErrorContext(ctx, "removal failed", "err", err)
	}
}

// remove removes what depends on a deleted record, and then the tombstone.
func (d *Directory) remove(ctx context.Context, t store.Tombstone) error {
	var ends []store.Subject
	var err error
	switch t.Kind {
	case store.KindUser:
		ends, err = d.removeUser(ctx, t)
	case store.KindApplication:
		ends, err = d.removeApplication(ctx, t)
	case store.KindGuild:
		ends, err = d.removeGuild(ctx, t)
	case store.KindRole:
		err = d.removeRole(ctx, t)
	default: // a channel
		ends = []store.Subject{store.ChannelSubject(snowflake.Channel(t.ID))}
		err = d.dependents(func(x Dependent) error {
			return x.ChannelDeleted(ctx, store.Channel{ID: snowflake.Channel(t.ID), Guild: t.Guild})
		})
	}
	if err != nil {
		return err
	}
	return d.pieces(ctx, t, func(w *work) error {
		w.tx.End(ends...)
		w.tx.Delete(store.TombstoneKey(t))
		return nil
	})
}

// dependents calls every Dependent.
func (d *Directory) dependents(call func(Dependent) error) error {
	for _, x := range d.Dependents {
		if err := call(x); err != nil {
			return err
		}
	}
	return nil
}

// pieces makes one decision after the other until one removes nothing, or until the tombstone is gone because another node
// has removed everything.
func (d *Directory) pieces(ctx context.Context, t store.Tombstone, remove func(*work) error) error {
	for {
		writes := 0
		err := d.change(ctx, func(w *work) error {
			writes = 0
			there, err := w.tx.Directory.Tombstone(t)
			if err != nil || !there {
				return err
			}
			err = remove(w)
			writes = w.writes
			return err
		})
		if err != nil || writes == 0 {
			return err
		}
	}
}

// removeUser removes what belongs to a user. It returns subjects that exist no longer.
func (d *Directory) removeUser(ctx context.Context, t store.Tombstone) ([]store.Subject, error) {
	id := snowflake.User(t.ID)
	err := d.dependents(func(x Dependent) error { return x.UserDeleted(ctx, id) })
	if err == nil {
		err = d.removeCredentials(ctx, t, func(q store.CredentialQueries) ([]store.TokenHash, error) { return q.OfUser(id, pieceSize) })
	}
	if err == nil {
		err = d.removeMemberships(ctx, t)
	}
	if err == nil {
		err = d.pieces(ctx, t, func(w *work) error {
			installs, err := w.tx.Directory.UserInstalls(id)
			w.deleteInstalls(installs)
			return errors.Join(err, w.endUser(id))
		})
	}
	if err == nil {
		err = d.removeDirects(ctx, t)
	}
	return []store.Subject{store.MembershipsSubject(id), store.DirectsSubject(id), store.TokensSubject(0, id)}, err
}

// endUser ends the subject of a deleted user whose installs were removed. A lobby may have made a new user with that id.
func (w *work) endUser(id snowflake.User) error {
	exists, err := found(w.tx.Directory.User(id))
	if w.writes > 0 && !exists {
		w.tx.End(store.UserSubject(id))
	}
	return err
}

// removeApplication removes what belongs to an application and its bot. It returns subjects that exist no longer.
func (d *Directory) removeApplication(ctx context.Context, t store.Tombstone) ([]store.Subject, error) {
	id, bot := snowflake.Application(t.ID), snowflake.User(t.ID)
	err := d.dependents(func(x Dependent) error { return x.ApplicationDeleted(ctx, id) })
	if err == nil {
		err = d.removeCredentials(ctx, t, func(q store.CredentialQueries) ([]store.TokenHash, error) {
			return q.OfApplication(id, pieceSize)
		})
	}
	if err == nil {
		err = d.pieces(ctx, t, func(w *work) error {
			installs, err := w.tx.Directory.InstalledGuilds(id, 0, pieceSize)
			guilds := make([]snowflake.Guild, len(installs))
			for i, in := range installs {
				guilds[i] = in.Guild
			}
			return errors.Join(err, w.leaveSome(guilds, bot))
		})
	}
	if err == nil {
		err = d.removeMemberships(ctx, t)
	}
	if err == nil {
		err = d.pieces(ctx, t, func(w *work) error {
			installs, err := w.tx.Directory.InstalledUsers(id, pieceSize)
			w.deleteInstalls(installs)
			return err
		})
	}
	if err == nil {
		err = d.removeDirects(ctx, t)
	}
	return []store.Subject{
		store.InstallsSubject(id), store.MembershipsSubject(bot), store.DirectsSubject(bot), store.TokensSubject(id, 0),
	}, err
}

// removeGuild removes what is in a guild. It returns subjects that exist no longer.
func (d *Directory) removeGuild(ctx context.Context, t store.Tombstone) ([]store.Subject, error) {
	id := snowflake.Guild(t.ID)
	err := d.dependents(func(x Dependent) error { return x.GuildDeleted(ctx, id) })
	if err == nil {
		err = d.removeChannels(ctx, t, func(q store.DirectoryQueries) ([]store.Channel, error) { return q.Channels(id) })
	}
	if err == nil {
		err = d.pieces(ctx, t, func(w *work) error {
			installs, err := w.tx.Directory.GuildInstalls(id)
			w.deleteInstalls(installs, store.GuildSubject(id))
			return err
		})
	}
	if err == nil {
		err = d.pieces(ctx, t, func(w *work) error {
			members, err := w.tx.Directory.Members(id, 0, pieceSize)
			for _, m := range members {
				w.delete(store.MemberKey(id, m.User))
			}
			return err
		})
	}
	return []store.Subject{store.GuildSubject(id)}, err
}

// deleteInstalls removes installs, as many as fit into one commit, of subjects that exist no longer.
func (w *work) deleteInstalls(installs []store.Install, ended ...store.Subject) {
	for _, i := range installs[:min(len(installs), pieceSize)] {
		w.delete(store.InstallKey(i))
	}
	if len(installs) > 0 {
		w.tx.End(ended...)
	}
}

// removeRole takes a role from its members.
func (d *Directory) removeRole(ctx context.Context, t store.Tombstone) error {
	return d.pieces(ctx, t, func(w *work) error {
		members, err := w.tx.Directory.MembersWith(t.Guild, snowflake.Role(t.ID), pieceSize)
		if err != nil {
			return err
		}
		return w.takeRole(members, snowflake.Role(t.ID))
	})
}

// removeCredentials revokes tokens.
func (d *Directory) removeCredentials(
	ctx context.Context, t store.Tombstone, list func(store.CredentialQueries) ([]store.TokenHash, error),
) error {
	return d.pieces(ctx, t, func(w *work) error {
		hashes, err := list(w.tx.Credentials)
		if err != nil {
			return err
		}
		w.writes += len(hashes)
		return auth.Revoke(w.tx, hashes...)
	})
}

// removeMemberships takes a user or bot out of every guild.
func (d *Directory) removeMemberships(ctx context.Context, t store.Tombstone) error {
	user := snowflake.User(t.ID)
	return d.pieces(ctx, t, func(w *work) error {
		members, err := w.tx.Directory.Memberships(user, 0, pieceSize)
		guilds := make([]snowflake.Guild, len(members))
		for i, m := range members {
			guilds[i] = m.Guild
		}
		return errors.Join(err, w.leaveSome(guilds, user))
	})
}

// leaveSome takes a user or bot out of guilds until enough is written for one commit.
func (w *work) leaveSome(guilds []snowflake.Guild, user snowflake.User) error {
	for _, guild := range guilds {
		err := w.leave(guild, user)
		if errors.Is(err, store.ErrNotFound) { // the guild was deleted too
			w.delete(
				store.MemberKey(guild, user), store.InstallKey(store.Install{Guild: guild, Application: snowflake.Application(user)}),
			)
			w.tx.End(store.GuildSubject(guild))
			err = nil
		}
		if err != nil || w.writes >= pieceSize {
			return err
		}
	}
	return nil
}

// removeDirects removes the direct-message channels of a user or bot.
func (d *Directory) removeDirects(ctx context.Context, t store.Tombstone) error {
	return d.removeChannels(ctx, t, func(q store.DirectoryQueries) ([]store.Channel, error) {
		return q.DirectChannels(snowflake.User(t.ID))
	})
}

// removeChannels removes channels after what depends on them.
func (d *Directory) removeChannels(
	ctx context.Context, t store.Tombstone, list func(store.DirectoryQueries) ([]store.Channel, error),
) error {
	for {
		channels, err := view(ctx, d, store.ErrNotFound, func(r store.Reader) ([]store.Channel, error) { return list(r.Directory) })
		if err != nil || len(channels) == 0 {
			return err
		}
		channels = channels[:min(len(channels), pieceSize)]
		for _, c := range channels {
			if err := d.dependents(func(x Dependent) error { return x.ChannelDeleted(ctx, c) }); err != nil {
				return err
			}
		}
		there := false
		err = d.change(ctx, func(w *work) error {
			if there, err = w.tx.Directory.Tombstone(t); err != nil || !there {
				return err
			}
			for _, c := range channels {
				w.delete(store.ChannelKey(c))
			}
			if t.Kind == store.KindGuild {
				w.tx.End(store.GuildSubject(snowflake.Guild(t.ID)))
			}
			return nil
		})
		if err != nil || !there {
			return err
		}
	}
}
