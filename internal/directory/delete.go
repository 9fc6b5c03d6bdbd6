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
		if _, err := w.tx.User(id); err != nil {
			return in(err, ErrUnknownUser)
		}
		if err := w.ownsNoApplication(id); err != nil {
			return err
		}
		if err := w.leaveAll(id); err != nil {
			return err
		}
		if err := w.leaveLobbies(id); err != nil {
			return err
		}
		return w.tx.DeleteUser(id)
	})
}

// DeleteApplication removes an application, its bot and everything that is theirs, commands included.
func (d *Directory) DeleteApplication(ctx context.Context, id snowflake.Application) error {
	return d.change(ctx, func(w *work) error {
		if _, err := w.tx.Application(id); err != nil {
			return in(err, ErrUnknownApplication)
		}
		if err := w.uninstallAll(id); err != nil {
			return err
		}
		if err := w.leaveAll(snowflake.User(id)); err != nil {
			return err
		}
		if err := w.closeDirects(snowflake.User(id)); err != nil {
			return err
		}
		if err := w.closeLobbies(id); err != nil {
			return err
		}
		return w.tx.DeleteApplication(id)
	})
}

// DeleteGuild removes a guild and everything in it, commands included.
func (d *Directory) DeleteGuild(ctx context.Context, id snowflake.Guild) error {
	return d.change(ctx, func(w *work) error {
		if _, err := w.tx.Guild(id); err != nil {
			return in(err, ErrUnknownGuild)
		}
		channels, err := w.tx.Channels(id)
		if err != nil {
			return err
		}
		for _, c := range channels {
			if err := w.unlinkLobby(c.ID); err != nil {
				return err
			}
		}
		return w.tx.DeleteGuild(id)
	})
}

// DeleteRole removes a role, from its members and from channels too.
func (d *Directory) DeleteRole(ctx context.Context, guild snowflake.Guild, id snowflake.Role) error {
	return d.change(ctx, func(w *work) error {
		roles, err := w.tx.Roles(guild)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(roles, func(r store.Role) bool { return r.ID == id }) {
			return ErrUnknownRole
		}
		return w.dropRole(guild, id)
	})
}

// DeleteChannel removes a channel of a guild and its threads. Channels in a category come out of it.
func (d *Directory) DeleteChannel(ctx context.Context, guild snowflake.Guild, id snowflake.Channel) error {
	return d.change(ctx, func(w *work) error {
		if c, err := w.tx.Channel(id); err != nil || c.Guild != guild || guild == 0 {
			return in(err, ErrUnknownChannel)
		}
		channels, err := w.tx.Channels(guild)
		if err != nil {
			return err
		}
		for _, c := range channels {
			if c.Parent != id {
				continue
			}
			if world.IsThread(c.Type) {
				err = w.tx.DeleteChannel(c.ID)
			} else {
				c.Parent = 0
				err = w.tx.PutChannel(c)
			}
			if err != nil {
				return err
			}
		}
		if err := w.dropEntries(guild, permission.ForChannel, snowflake.Target(id)); err != nil {
			return err
		}
		if err := w.unlinkLobby(id); err != nil {
			return err
		}
		return w.tx.DeleteChannel(id)
	})
}

// DeleteMember removes a member from a guild. A bot takes its application's install along; the owner stays: ErrOwner.
func (d *Directory) DeleteMember(ctx context.Context, guild snowflake.Guild, user snowflake.User) error {
	return d.change(ctx, func(w *work) error {
		if _, err := w.tx.Member(guild, user); err != nil {
			return in(err, ErrUnknownMember)
		}
		return w.leave(guild, user)
	})
}

// DeleteGuildInstall removes an application from a guild, and its bot with it.
func (d *Directory) DeleteGuildInstall(ctx context.Context, guild snowflake.Guild, app snowflake.Application) error {
	return d.change(ctx, func(w *work) error {
		if _, err := w.tx.GuildInstall(guild, app); err != nil {
			return in(err, ErrNotInstalled)
		}
		return w.leave(guild, snowflake.User(app))
	})
}

// DeleteUserInstall removes an application from a user.
func (d *Directory) DeleteUserInstall(ctx context.Context, user snowflake.User, app snowflake.Application) error {
	return d.change(ctx, func(w *work) error {
		i, err := w.tx.UserInstall(user, app)
		if err != nil {
			return in(err, ErrNotInstalled)
		}
		return w.tx.DeleteInstall(i)
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

// ownsNoApplication refuses an owner. Guilds are asked when their member leaves.
func (w *work) ownsNoApplication(user snowflake.User) error {
	for after := snowflake.Application(0); ; {
		page, err := w.tx.Applications(after, MaxPage)
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

// leaveAll takes a user or bot out of every guild.
func (w *work) leaveAll(user snowflake.User) error {
	for {
		page, err := w.tx.Memberships(user, 0, MaxPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, m := range page {
			if err := w.leave(m.Guild, user); err != nil {
				return err
			}
		}
	}
}

// uninstallAll takes an application out of every guild.
func (w *work) uninstallAll(app snowflake.Application) error {
	for {
		page, err := w.tx.InstalledGuilds(app, 0, MaxPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, i := range page {
			if err := w.leave(i.Guild, snowflake.User(app)); err != nil {
				return err
			}
		}
	}
}

// leave takes a user or bot out of a guild with everything that speaks of it there: overwrites of channels and commands,
// and of a bot its application's install and its role.
func (w *work) leave(guild snowflake.Guild, user snowflake.User) error {
	g, err := w.tx.Guild(guild)
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
	roles, err := w.tx.Roles(guild)
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
	if err := w.tx.DeleteInstall(store.Install{Guild: guild, Application: app}); err != nil {
		return err
	}
	return w.tx.DeleteMember(guild, user)
}

func (w *work) dropRole(guild snowflake.Guild, role snowflake.Role) error {
	if err := w.dropOverwrites(guild, world.RoleOverwrite, snowflake.Target(role)); err != nil {
		return err
	}
	if err := w.dropEntries(guild, permission.ForRole, snowflake.Target(role)); err != nil {
		return err
	}
	return w.tx.DeleteRole(guild, role)
}

// dropOverwrites removes what the channels of a guild say about a role or a member.
func (w *work) dropOverwrites(guild snowflake.Guild, kind int, id snowflake.Target) error {
	channels, err := w.tx.Channels(guild)
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
		if err := w.tx.PutChannel(c); err != nil {
			return err
		}
	}
	return nil
}
