package directory

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// batchSize bounds how many dependent records are removed in one commit, so that other writes do not wait long.
const batchSize = 256

// resumeInterval is how often Run retries failed removals.
const resumeInterval = time.Minute

// maxResumed bounds how many removals Resume tries.
const maxResumed = 10_000

// Dependent removes records that belong to a deleted user, application, guild or channel, in small transactions. Its
// methods are called after the deletion is committed, and again after a restart when they had not finished. They return
// when nothing is left.
type Dependent interface {
	UserDeleted(ctx context.Context, id snowflake.User) error
	ApplicationDeleted(ctx context.Context, id snowflake.Application) error
	// GuildDeleted is called before ChannelDeleted is called for each channel of the guild.
	GuildDeleted(ctx context.Context, id snowflake.Guild) error
	// ChannelDeleted gets at least the id and the guild of the channel, and the recipients of a direct-message channel.
	ChannelDeleted(ctx context.Context, c store.Channel) error
}

// Removals removes the records that depend on deleted ones.
type Removals struct {
	*shared

	// Dependents are called one after the other. Set them before the first deletion.
	Dependents []Dependent

	log *slog.Logger // may be nil
}

// Run finishes removals that a failure or a restart interrupted, at once and then every minute, until ctx ends.
func (r *Removals) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := r.Resume(ctx); err != nil && ctx.Err() == nil && r.log != nil {
			r.log.ErrorContext(ctx, "removal failed", "err", err)
		}
		clock.Wait(ctx, r.clock, resumeInterval)
	}
	return nil
}

// Resume finishes interrupted removals. It tries up to maxResumed of them and returns their errors.
func (r *Removals) Resume(ctx context.Context) error {
	list, err := view(ctx, r.shared, store.ErrNotFound, func(r store.Reader) ([]store.Tombstone, error) {
		return r.Directory.Removals(maxResumed)
	})
	for _, t := range list {
		err = errors.Join(err, r.remove(ctx, t))
	}
	return err
}

// removeOrLog removes the records that depend on a deleted one. The deletion is committed, so an error is only logged:
// Run tries again.
func (r *Removals) removeOrLog(ctx context.Context, t store.Tombstone) {
	ctx = context.WithoutCancel(ctx) // the client that requested the deletion may disconnect
	if err := r.remove(ctx, t); err != nil && r.log != nil {
		r.log.ErrorContext(ctx, "removal failed", "err", err)
	}
}

// remove removes the records that depend on a deleted one, and then the tombstone, unless another node does that now.
func (r *Removals) remove(ctx context.Context, t store.Tombstone) error {
	return store.Exclusively(ctx, r.store, t.Work(), t.ID, func(ctx context.Context) error { return r.removeClaimed(ctx, t) })
}

func (r *Removals) removeClaimed(ctx context.Context, t store.Tombstone) error {
	var ends []store.Subject
	var err error
	switch t.Kind {
	case store.KindUser:
		ends, err = r.removeUser(ctx, t)
	case store.KindApplication:
		ends, err = r.removeApplication(ctx, t)
	case store.KindGuild:
		ends, err = r.removeGuild(ctx, t)
	case store.KindRole:
		err = r.removeRole(ctx, t)
	default: // a channel
		ends = []store.Subject{store.ChannelSubject(snowflake.Channel(t.ID))}
		err = r.eachDependent(func(d Dependent) error {
			return d.ChannelDeleted(ctx, store.Channel{ID: snowflake.Channel(t.ID), Guild: t.Guild})
		})
	}
	if err != nil {
		return err
	}
	return r.inBatches(ctx, t, func(w *writer) error {
		w.tx.End(ends...)
		w.tx.Delete(store.TombstoneKey(t))
		return nil
	})
}

func (r *Removals) eachDependent(call func(Dependent) error) error {
	var calls []func() error
	for _, d := range r.Dependents {
		calls = append(calls, func() error { return call(d) })
	}
	return inOrder(calls...)
}

// inOrder calls functions one after the other and returns the first error. After an ErrDamaged it calls the others, so
// that a damaged record keeps only its own kind of record from being removed.
func inOrder(calls ...func() error) error {
	var damaged error
	for _, call := range calls {
		err := call()
		if err != nil && !errors.Is(err, store.ErrDamaged) {
			return err
		}
		damaged = errors.Join(damaged, err)
	}
	return damaged
}

// inBatches runs transactions until one removes nothing, or until the tombstone is gone because another node has
// removed everything.
func (r *Removals) inBatches(ctx context.Context, t store.Tombstone, remove func(*writer) error) error {
	for {
		writes := 0
		err := r.update(ctx, func(w *writer) error {
			writes, w.cascade = 0, true
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

// removeUser removes the records of a user. It returns the subjects that end.
func (r *Removals) removeUser(ctx context.Context, t store.Tombstone) ([]store.Subject, error) {
	id := snowflake.User(t.ID)
	err := inOrder(
		func() error { return r.eachDependent(func(d Dependent) error { return d.UserDeleted(ctx, id) }) },
		func() error {
			return r.removeCredentials(ctx, t, func(q store.CredentialQueries) ([]store.TokenHash, error) {
				return q.OfUser(id, batchSize)
			})
		},
		func() error { return r.removeMemberships(ctx, t) },
		func() error {
			return r.inBatches(ctx, t, func(w *writer) error {
				installs, err := w.tx.Directory.UserInstalls(id)
				w.deleteInstalls(installs)
				return errors.Join(err, w.endUser(id))
			})
		},
		func() error { return r.removeDirects(ctx, t) },
	)
	return []store.Subject{store.MembershipsSubject(id), store.DirectsSubject(id), store.TokensSubject(0, id)}, err
}

// endUser ends the subject of a deleted user whose installs were removed, unless a lobby has created a user with the
// same id.
func (w *writer) endUser(id snowflake.User) error {
	exists, err := found(w.tx.Directory.User(id))
	if w.writes > 0 && !exists {
		w.tx.End(store.UserSubject(id))
	}
	return err
}

// removeApplication removes the records of an application and its bot. It returns the subjects that end.
func (r *Removals) removeApplication(ctx context.Context, t store.Tombstone) ([]store.Subject, error) {
	id, bot := snowflake.Application(t.ID), snowflake.User(t.ID)
	err := inOrder(
		func() error { return r.eachDependent(func(d Dependent) error { return d.ApplicationDeleted(ctx, id) }) },
		func() error {
			return r.removeCredentials(ctx, t, func(q store.CredentialQueries) ([]store.TokenHash, error) {
				return q.OfApplication(id, batchSize)
			})
		},
		func() error {
			return r.inBatches(ctx, t, func(w *writer) error {
				installs, err := w.tx.Directory.InstalledGuilds(id, 0, batchSize)
				guilds := make([]snowflake.Guild, len(installs))
				for i, in := range installs {
					guilds[i] = in.Guild
				}
				return errors.Join(err, w.leaveGuilds(guilds, bot))
			})
		},
		func() error { return r.removeMemberships(ctx, t) },
		func() error {
			return r.inBatches(ctx, t, func(w *writer) error {
				installs, err := w.tx.Directory.InstalledUsers(id, batchSize)
				w.deleteInstalls(installs)
				return err
			})
		},
		func() error { return r.removeDirects(ctx, t) },
	)
	return []store.Subject{
		store.InstallsSubject(id), store.MembershipsSubject(bot), store.DirectsSubject(bot), store.TokensSubject(id, 0),
	}, err
}

// removeGuild removes the records of a guild. It returns the subjects that end.
func (r *Removals) removeGuild(ctx context.Context, t store.Tombstone) ([]store.Subject, error) {
	id := snowflake.Guild(t.ID)
	err := inOrder(
		func() error { return r.eachDependent(func(d Dependent) error { return d.GuildDeleted(ctx, id) }) },
		func() error {
			return r.removeChannels(ctx, t, func(q store.DirectoryQueries) ([]store.Channel, error) { return q.Channels(id) })
		},
		func() error {
			return r.inBatches(ctx, t, func(w *writer) error {
				installs, err := w.tx.Directory.GuildInstalls(id)
				w.deleteInstalls(installs, store.GuildSubject(id))
				return err
			})
		},
		func() error {
			return r.inBatches(ctx, t, func(w *writer) error {
				members, err := w.tx.Directory.Members(id, 0, batchSize)
				for _, m := range members {
					w.delete(store.MemberKey(id, m.User))
				}
				return err
			})
		},
	)
	return []store.Subject{store.GuildSubject(id)}, err
}

// deleteInstalls removes up to batchSize installs and ends the given subjects.
func (w *writer) deleteInstalls(installs []store.Install, ends ...store.Subject) {
	for _, i := range installs[:min(len(installs), batchSize)] {
		w.delete(store.InstallKey(i))
	}
	if len(installs) > 0 {
		w.tx.End(ends...)
	}
}

// removeRole takes a role from its members.
func (r *Removals) removeRole(ctx context.Context, t store.Tombstone) error {
	return r.inBatches(ctx, t, func(w *writer) error {
		members, err := w.tx.Directory.MembersWith(t.Guild, snowflake.Role(t.ID), batchSize)
		if err != nil {
			return err
		}
		return w.removeRoleFrom(members, snowflake.Role(t.ID))
	})
}

// removeCredentials revokes the tokens that list returns.
func (r *Removals) removeCredentials(
	ctx context.Context, t store.Tombstone, list func(store.CredentialQueries) ([]store.TokenHash, error),
) error {
	return r.inBatches(ctx, t, func(w *writer) error {
		hashes, err := list(w.tx.Credentials)
		if err != nil {
			return err
		}
		w.writes += len(hashes)
		return auth.Revoke(w.tx, hashes...)
	})
}

// removeMemberships removes a user or bot from all guilds.
func (r *Removals) removeMemberships(ctx context.Context, t store.Tombstone) error {
	user := snowflake.User(t.ID)
	return r.inBatches(ctx, t, func(w *writer) error {
		members, err := w.tx.Directory.Memberships(user, 0, batchSize)
		guilds := make([]snowflake.Guild, len(members))
		for i, m := range members {
			guilds[i] = m.Guild
		}
		return errors.Join(err, w.leaveGuilds(guilds, user))
	})
}

// leaveGuilds removes a user or bot from guilds until the transaction holds batchSize writes.
func (w *writer) leaveGuilds(guilds []snowflake.Guild, user snowflake.User) error {
	for _, guild := range guilds {
		err := w.leaveGuild(guild, user)
		if errors.Is(err, store.ErrNotFound) { // the guild was deleted too
			w.delete(
				store.MemberKey(guild, user), store.InstallKey(store.Install{Guild: guild, Application: snowflake.Application(user)}),
			)
			w.tx.End(store.GuildSubject(guild))
			err = nil
		}
		if err != nil || w.writes >= batchSize {
			return err
		}
	}
	return nil
}

// removeDirects removes the direct-message channels of a user or bot.
func (r *Removals) removeDirects(ctx context.Context, t store.Tombstone) error {
	return r.removeChannels(ctx, t, func(q store.DirectoryQueries) ([]store.Channel, error) {
		return q.DirectChannels(snowflake.User(t.ID))
	})
}

// removeChannels removes channels after the records that depend on them.
func (r *Removals) removeChannels(
	ctx context.Context, t store.Tombstone, list func(store.DirectoryQueries) ([]store.Channel, error),
) error {
	for {
		channels, err := view(ctx, r.shared, store.ErrNotFound, func(r store.Reader) ([]store.Channel, error) {
			return list(r.Directory)
		})
		if err != nil || len(channels) == 0 {
			return err
		}
		channels = channels[:min(len(channels), batchSize)]
		for _, c := range channels {
			if err := r.eachDependent(func(d Dependent) error { return d.ChannelDeleted(ctx, c) }); err != nil {
				return err
			}
		}
		there := false
		err = r.update(ctx, func(w *writer) error {
			w.cascade = true
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
