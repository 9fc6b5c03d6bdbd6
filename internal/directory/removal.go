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

// resumeInterval is the interval at which Run retries failed removals.
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
		id := snowflake.Channel(t.ID)
		ends = []store.Subject{store.ChannelSubject(id)}
		err = inOrder(
			func() error { // archived threads; the active ones are deleted with the channel
				return r.removeChannels(ctx, t, func(q store.Reader) ([]store.Channel, error) { return q.Threads.Of(id, batchSize) })
			},
			func() error {
				return r.eachDependent(func(d Dependent) error { return d.ChannelDeleted(ctx, store.Channel{ID: id, Guild: t.Guild}) })
			},
		)
	}
	if err != nil {
		return err
	}
	return r.inBatches(ctx, t, func(tx *Tx) (int, error) {
		tx.End(ends...)
		tx.Delete(store.TombstoneKey(t))
		return 0, nil
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
// removed everything. remove returns how many records it removed.
func (r *Removals) inBatches(ctx context.Context, t store.Tombstone, remove func(*Tx) (int, error)) error {
	for {
		removed := 0
		err := r.updateFor(ctx, t, func(tx *Tx) (err error) {
			removed, err = remove(tx)
			return err
		})
		if err != nil || removed == 0 {
			return err
		}
	}
}

// updateFor runs decide in a transaction and announces its changes, unless the tombstone is gone. The audit log has the
// deletion, so it gets no entries about dependent records.
func (r *Removals) updateFor(ctx context.Context, t store.Tombstone, decide func(*Tx) error) error {
	return r.Update(ctx, func(tx *Tx) error {
		there, err := tx.Directory.Tombstone(t)
		if err != nil || !there {
			return err
		}
		if err := decide(tx); err != nil {
			return err
		}
		if err := tx.announce(); err != nil {
			return err
		}
		tx.Forget()
		return nil
	})
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
			return r.inBatches(ctx, t, func(tx *Tx) (int, error) {
				installs, err := tx.Directory.UserInstalls(id)
				n := deleteInstalls(tx, installs)
				if n == 0 {
					return 0, err
				}
				return n, errors.Join(err, endUser(tx, id))
			})
		},
		func() error { return r.removeDirects(ctx, t) },
	)
	return []store.Subject{store.MembershipsSubject(id), store.DirectsSubject(id), store.TokensSubject(0, id)}, err
}

// endUser ends the subject of a deleted user whose installs were removed, unless a lobby has created a user with the
// same id.
func endUser(tx *Tx, id snowflake.User) error {
	exists, err := found(tx.Directory.User(id))
	if err == nil && !exists {
		tx.End(store.UserSubject(id))
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
			return r.inBatches(ctx, t, func(tx *Tx) (int, error) {
				installs, err := tx.Directory.InstalledGuilds(id, 0, batchSize)
				guilds := make([]snowflake.Guild, len(installs))
				for i, in := range installs {
					guilds[i] = in.Guild
				}
				return len(guilds), errors.Join(err, leaveGuilds(tx, guilds, bot))
			})
		},
		func() error { return r.removeMemberships(ctx, t) },
		func() error {
			return r.inBatches(ctx, t, func(tx *Tx) (int, error) {
				emojis, err := tx.Directory.ApplicationEmojis(id, 0, batchSize)
				for _, e := range emojis {
					tx.Delete(store.EmojiKey(e))
					tx.End(store.ApplicationSubject(id))
				}
				return len(emojis), err
			})
		},
		func() error {
			return r.inBatches(ctx, t, func(tx *Tx) (int, error) {
				installs, err := tx.Directory.InstalledUsers(id, batchSize)
				return deleteInstalls(tx, installs), err
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
			return r.removeChannels(ctx, t, func(q store.Reader) ([]store.Channel, error) { return q.Directory.AllChannels(id) })
		},
		func() error {
			return r.inBatches(ctx, t, func(tx *Tx) (int, error) {
				installs, err := tx.Directory.GuildInstalls(id)
				return deleteInstalls(tx, installs, store.GuildSubject(id)), err
			})
		},
		func() error {
			return r.inBatches(ctx, t, func(tx *Tx) (int, error) {
				members, err := tx.Directory.Members(id, 0, batchSize)
				for _, m := range members {
					tx.Delete(store.MemberKey(id, m.User))
				}
				tx.Delete(store.MemberCountKey(id))
				return len(members), err
			})
		},
	)
	return []store.Subject{store.GuildSubject(id)}, err
}

// deleteInstalls removes up to batchSize installs, ends the given subjects, and returns how many installs it removed.
func deleteInstalls(tx *Tx, installs []store.Install, ends ...store.Subject) int {
	installs = installs[:min(len(installs), batchSize)]
	for _, i := range installs {
		tx.Delete(store.InstallKey(i))
	}
	if len(installs) > 0 {
		tx.End(ends...)
	}
	return len(installs)
}

// removeRole takes a role from its members.
func (r *Removals) removeRole(ctx context.Context, t store.Tombstone) error {
	return r.inBatches(ctx, t, func(tx *Tx) (int, error) {
		members, err := tx.Directory.MembersWith(t.Guild, snowflake.Role(t.ID), batchSize)
		if err != nil {
			return 0, err
		}
		return len(members), removeRoleFrom(tx, members, snowflake.Role(t.ID))
	})
}

// removeCredentials revokes the tokens that list returns.
func (r *Removals) removeCredentials(
	ctx context.Context, t store.Tombstone, list func(store.CredentialQueries) ([]store.TokenHash, error),
) error {
	return r.inBatches(ctx, t, func(tx *Tx) (int, error) {
		hashes, err := list(tx.Credentials)
		if err != nil {
			return 0, err
		}
		return len(hashes), auth.Revoke(tx.Tx, hashes...)
	})
}

// removeMemberships removes a user or bot from all guilds.
func (r *Removals) removeMemberships(ctx context.Context, t store.Tombstone) error {
	user := snowflake.User(t.ID)
	return r.inBatches(ctx, t, func(tx *Tx) (int, error) {
		members, err := tx.Directory.Memberships(user, 0, batchSize)
		guilds := make([]snowflake.Guild, len(members))
		for i, m := range members {
			guilds[i] = m.Guild
		}
		return len(guilds), errors.Join(err, leaveGuilds(tx, guilds, user))
	})
}

// leaveGuilds removes a user or bot from guilds until the transaction holds batchSize writes.
func leaveGuilds(tx *Tx, guilds []snowflake.Guild, user snowflake.User) error {
	for _, guild := range guilds {
		err := Leave(tx, guild, user)
		if errors.Is(err, store.ErrNotFound) { // the guild was deleted too
			tx.Delete(
				store.MemberKey(guild, user), store.InstallKey(store.Install{Guild: guild, Application: snowflake.Application(user)}),
			)
			tx.End(store.GuildSubject(guild))
			err = nil
		}
		if err != nil || tx.Len() >= batchSize {
			return err
		}
	}
	return nil
}

// removeDirects removes the direct-message channels of a user or bot.
func (r *Removals) removeDirects(ctx context.Context, t store.Tombstone) error {
	return r.removeChannels(ctx, t, func(q store.Reader) ([]store.Channel, error) {
		return q.Directory.DirectChannels(snowflake.User(t.ID))
	})
}

// removeChannels removes channels after the records that depend on them.
func (r *Removals) removeChannels(
	ctx context.Context, t store.Tombstone, list func(store.Reader) ([]store.Channel, error),
) error {
	for {
		channels, err := view(ctx, r.shared, store.ErrNotFound, list)
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
		err = r.updateFor(ctx, t, func(tx *Tx) error {
			there = true
			for _, c := range channels {
				tx.Delete(store.ChannelKey(c))
			}
			if t.Kind == store.KindGuild {
				tx.End(store.GuildSubject(snowflake.Guild(t.ID)))
			}
			return nil
		})
		if err != nil || !there {
			return err
		}
	}
}
