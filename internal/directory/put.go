package directory

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/problem"
	"github.com/bellhop/bellhop/snowflake"
)

// PutUser makes the directory hold a user, like Apply of a world with nothing else in it. So do the methods below; what
// is wrong with a record is a *problem.Tree whose paths begin in the record.
func (d *Directory) PutUser(ctx context.Context, u world.User) (Applied, error) {
	u, err := u.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.put(ctx, func(w *work, c *check, t *problem.Tree) error {
		c.newUser(t, u)
		return w.unless(c, t, func() error { return w.user(t, u) })
	})
}

// PutApplication makes the directory hold an application.
func (d *Directory) PutApplication(ctx context.Context, a world.Application) (Applied, error) {
	a, err := a.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.put(ctx, func(w *work, c *check, t *problem.Tree) error {
		c.newApplication(t, a)
		return w.unless(c, t, func() error { return w.application(t, a) })
	})
}

// PutGuild makes the directory hold a guild with the parts that are given; its other parts stay.
func (d *Directory) PutGuild(ctx context.Context, g world.Guild) (Applied, error) {
	g, err := g.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.put(ctx, func(w *work, c *check, t *problem.Tree) error {
		c.guild(t, g)
		return w.unless(c, t, func() error { return w.guild(t, g) })
	})
}

// PutRole makes a guild have a role.
func (d *Directory) PutRole(ctx context.Context, guild snowflake.Guild, r world.Role) (Applied, error) {
	r, err := r.Complete(guild)
	if err != nil {
		return Applied{}, err
	}
	return d.putPart(ctx, world.Guild{ID: guild, Roles: []world.Role{r}},
		func(gc *guildCheck, t *problem.Tree) { gc.role(t, r) })
}

// PutChannel makes a guild have a channel.
func (d *Directory) PutChannel(ctx context.Context, guild snowflake.Guild, c world.Channel) (Applied, error) {
	c, err := c.Complete(guild)
	if err != nil {
		return Applied{}, err
	}
	channels := []world.Channel{c}
	return d.putPart(ctx, world.Guild{ID: guild, Channels: channels}, func(gc *guildCheck, t *problem.Tree) {
		gc.channelList(func(int) *problem.Tree { return t }, channels)
	})
}

// PutMember makes a guild have a member.
func (d *Directory) PutMember(ctx context.Context, guild snowflake.Guild, m world.Member) (Applied, error) {
	m, err := m.Complete(guild)
	if err != nil {
		return Applied{}, err
	}
	return d.putPart(ctx, world.Guild{ID: guild, Members: []world.Member{m}},
		func(gc *guildCheck, t *problem.Tree) { gc.member(t, m) })
}

// PutGuildInstall installs an application in a guild.
func (d *Directory) PutGuildInstall(ctx context.Context, guild snowflake.Guild, in world.GuildInstall) (Applied, error) {
	in, err := in.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.putPart(ctx, world.Guild{ID: guild, Installs: []world.GuildInstall{in}},
		func(gc *guildCheck, t *problem.Tree) { gc.application(t.At("application"), in.Application) })
}

// PutUserInstall installs an application with a user.
func (d *Directory) PutUserInstall(ctx context.Context, in world.UserInstall) (Applied, error) {
	in, err := in.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.put(ctx, func(w *work, c *check, t *problem.Tree) error {
		c.userInstall(t, in)
		return w.unless(c, t, func() error { return w.userInstall(t, in) })
	})
}

// put runs a unit of work that checks a record and writes it.
func (d *Directory) put(ctx context.Context, fn func(*work, *check, *problem.Tree) error) (Applied, error) {
	return d.update(ctx, func(w *work) error {
		var t problem.Tree
		if err := fn(w, newCheck(w.tx), &t); err != nil {
			return err
		}
		return t.Err()
	})
}

// unless writes a record unless something was found to be wrong with it.
func (w *work) unless(c *check, t *problem.Tree, write func() error) error {
	if err := c.end(t); err != nil {
		return err
	}
	return write()
}

// putPart writes one part of a guild that exists.
func (d *Directory) putPart(ctx context.Context, g world.Guild, judge func(*guildCheck, *problem.Tree)) (Applied, error) {
	return d.put(ctx, func(w *work, c *check, t *problem.Tree) error {
		if _, err := w.tx.Guild(g.ID); errors.Is(err, store.ErrNotFound) {
			return ErrUnknownGuild
		} else if err != nil {
			return err
		}
		judge(c.within(g), t)
		return w.unless(c, t, func() error { return w.parts(t, g) })
	})
}
