package directory

import (
	"context"
	"errors"
	"slices"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// DeleteUser removes a user and everything that is the user's. Owners stay: ErrOwner.
func (d *Directory) DeleteUser(ctx context.Context, id snowflake.User) error {
	return d.change(ctx, func(w *work) error {
		if _, err := w.tx.Directory.User(id); err != nil {
			return in(err, ErrUnknownUser)
		}
		if err := w.ownsNoApplication(id); err != nil {
			return err
		}
		if err := w.ownsNoGuild(id); err != nil {
			return err
		}
		w.delete(store.UserKey(id))
		return w.bury(store.Tombstone{Kind: store.KindUser, ID: uint64(id)})
	})
}

// DeleteApplication removes an application, its bot and everything that is theirs, commands included.
func (d *Directory) DeleteApplication(ctx context.Context, id snowflake.Application) error {
	return d.change(ctx, func(w *work) error {
		if _, err := w.tx.Directory.Application(id); err != nil {
			return in(err, ErrUnknownApplication)
		}
		w.delete(store.ApplicationKey(id))
		return w.bury(store.Tombstone{Kind: store.KindApplication, ID: uint64(id)})
	})
}

// DeleteGuild removes a guild and everything in it, commands included.
func (d *Directory) DeleteGuild(ctx context.Context, id snowflake.Guild) error {
	return d.change(ctx, func(w *work) error {
		if _, err := w.tx.Directory.Guild(id); err != nil {
			return in(err, ErrUnknownGuild)
		}
		w.deleteGuild(id)
		return w.bury(store.Tombstone{Kind: store.KindGuild, ID: uint64(id)})
	})
}

// DeleteRole removes a role, from its members and from channels too.
func (d *Directory) DeleteRole(ctx context.Context, guild snowflake.Guild, id snowflake.Role) error {
	return d.change(ctx, func(w *work) error {
		if _, err := w.tx.Directory.Role(guild, id); err != nil {
			return in(err, ErrUnknownRole)
		}
		return w.dropRole(guild, id)
	})
}

// DeleteChannel removes a channel of a guild and its threads. Channels in a category come out of it.
func (d *Directory) DeleteChannel(ctx context.Context, guild snowflake.Guild, id snowflake.Channel) error {
	return d.change(ctx, func(w *work) error {
		channel, err := w.tx.Directory.Channel(id)
		if err != nil || channel.Guild != guild || guild == 0 {
			return in(err, ErrUnknownChannel)
		}
		if _, err := w.tx.Directory.Guild(guild); err != nil {
			return in(err, ErrUnknownChannel)
		}
		channels, err := w.tx.Directory.Channels(guild)
		if err != nil {
			return err
		}
		for _, c := range channels {
			if c.Parent != id {
				continue
			}
			if world.IsThread(c.Type) {
				err = w.dropChannel(c)
			} else {
				c.Parent = 0
				err = w.put(c)
			}
			if err != nil {
				return err
			}
		}
		if err := w.dropEntries(guild, permission.ForChannel, snowflake.Target(id)); err != nil {
			return err
		}
		return w.dropChannel(channel)
	})
}

// dropChannel removes a channel of a guild.
func (w *work) dropChannel(c store.Channel) error {
	w.deleteChannel(c)
	return w.bury(store.Tombstone{Kind: store.KindChannel, ID: uint64(c.ID), Guild: c.Guild})
}

// DeleteMember removes a member from a guild. A bot takes its application's install along; the owner stays: ErrOwner.
func (d *Directory) DeleteMember(ctx context.Context, guild snowflake.Guild, user snowflake.User) error {
	return d.change(ctx, func(w *work) error {
		if _, err := w.tx.Directory.Member(guild, user); err != nil {
			return in(err, ErrUnknownMember)
		}
		if _, err := ReadUser(w.tx.Reader, user); err != nil {
			return in(err, ErrUnknownMember)
		}
		return unknown(w.leave(guild, user), ErrUnknownMember)
	})
}

// DeleteGuildInstall removes an application from a guild, and its bot with it.
func (d *Directory) DeleteGuildInstall(ctx context.Context, guild snowflake.Guild, app snowflake.Application) error {
	return d.change(ctx, func(w *work) error {
		if _, err := w.tx.Directory.GuildInstall(guild, app); err != nil {
			return in(err, ErrNotInstalled)
		}
		if _, err := w.tx.Directory.Application(app); err != nil {
			return in(err, ErrNotInstalled)
		}
		return unknown(w.leave(guild, snowflake.User(app)), ErrNotInstalled)
	})
}

// DeleteUserInstall removes an application from a user.
func (d *Directory) DeleteUserInstall(ctx context.Context, user snowflake.User, app snowflake.Application) error {
	return d.change(ctx, func(w *work) error {
		i, err := w.tx.Directory.UserInstall(user, app)
		if err != nil {
			return in(err, ErrNotInstalled)
		}
		if _, err := ReadUser(w.tx.Reader, user); err != nil {
			return in(err, ErrNotInstalled)
		}
		w.delete(store.InstallKey(i))
		return nil
	})
}

// in puts the store's word for a missing record into the directory's. An error that is nil means that the record is
// there but is not the one that was meant.
func in(err, missing error) error {
	if err == nil || errors.Is(err, store.ErrNotFound) {
		return missing
	}
	return err
}

// ownsNoApplication refuses the owner of an application.
func (w *work) ownsNoApplication(user snowflake.User) error {
	for after := snowflake.Application(0); ; {
		page, err := w.tx.Directory.Applications(after, MaxPage)
		if err != nil {
			return err
		}
		for _, a := range page {
			if a.Owner == user {
				return ErrOwner
			}
			after = a.ID
		}
		if len(page) < MaxPage {
			return nil
		}
	}
}

// ownsNoGuild refuses the owner of a guild, who is one of its members.
func (w *work) ownsNoGuild(user snowflake.User) error {
	for after := snowflake.Guild(0); ; {
		page, err := w.tx.Directory.Memberships(user, after, MaxPage)
		if err != nil {
			return err
		}
		for _, m := range page {
			g, err := w.tx.Directory.Guild(m.Guild)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if err == nil && g.Owner == user {
				return ErrOwner
			}
			after = m.Guild
		}
		if len(page) < MaxPage {
			return nil
		}
	}
}

// leave takes a user or bot out of a guild with everything that speaks of it there: overwrites of channels and commands,
// and of a bot its application's install and its role. The owner stays: ErrOwner.
func (w *work) leave(guild snowflake.Guild, user snowflake.User) error {
	g, err := w.tx.Directory.Guild(guild)
	if err != nil {
		return err
	}
	if g.Owner == user {
		return ErrOwner
	}
	if err := w.dropOverwrites(guild, world.MemberOverwrite, snowflake.Target(user)); err != nil {
		return err
	}
	if err := w.dropEntries(guild, permission.ForUser, snowflake.Target(user)); err != nil {
		return err
	}
	app := snowflake.Application(user)
	roles, err := w.tx.Directory.Roles(guild)
	if err != nil {
		return err
	}
	for _, r := range roles {
		if r.Managed != app {
			continue
		}
		if err := w.dropRole(guild, r.ID); err != nil {
			return err
		}
	}
	installed, err := found(w.tx.Directory.GuildInstall(guild, app))
	if installed {
		w.deleteInstall(guild, app)
	}
	w.deleteMember(guild, user)
	return err
}

// dropRole removes a role. Members lose it in the same decision when they are few, else after it.
func (w *work) dropRole(guild snowflake.Guild, role snowflake.Role) error {
	if err := w.dropOverwrites(guild, world.RoleOverwrite, snowflake.Target(role)); err != nil {
		return err
	}
	if err := w.dropEntries(guild, permission.ForRole, snowflake.Target(role)); err != nil {
		return err
	}
	w.deleteRole(guild, role)
	members, err := w.tx.Directory.MembersWith(guild, role, pieceSize+1)
	if err != nil {
		return err
	}
	if len(members) > pieceSize {
		return w.bury(store.Tombstone{Kind: store.KindRole, ID: uint64(role), Guild: guild})
	}
	return w.takeRole(members, role)
}

// takeRole takes a role that is gone from members.
func (w *work) takeRole(members []store.Member, role snowflake.Role) error {
	for _, m := range members {
		m.Roles = slices.DeleteFunc(m.Roles, func(r snowflake.Role) bool { return r == role })
		if err := w.putSilently(m); err != nil {
			return err
		}
	}
	return nil
}

// dropOverwrites removes what the channels of a guild say about a role or a member.
func (w *work) dropOverwrites(guild snowflake.Guild, kind int, id snowflake.Target) error {
	channels, err := w.tx.Directory.Channels(guild)
	if err != nil {
		return err
	}
	for _, c := range channels {
		rest := slices.DeleteFunc(slices.Clone(c.Overwrites), func(o store.ChannelOverwrite) bool {
			return o.Type == kind && o.ID == id
		})
		if len(rest) == len(c.Overwrites) {
			continue
		}
		c.Overwrites = rest
		if err := w.put(c); err != nil {
			return err
		}
	}
	return nil
}
