package directory

import (
	"context"

	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Apply makes the directory hold what a world says, all of it or nothing. A record that the world names is written whole,
// what it does not name stays, so applying a world twice changes nothing. What is wrong with the world is a *problem.Tree.
func (d *Directory) Apply(ctx context.Context, w world.World) (Applied, error) {
	w, err := w.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.update(ctx, func(u *work) error { return u.ledger.Apply(w) })
}

// PutUser makes the directory hold a user, like Apply of a world with nothing else in it. So do the methods below; what
// is wrong with a record is a *problem.Tree whose paths begin in the record.
func (d *Directory) PutUser(ctx context.Context, u world.User) (Applied, error) {
	u, err := u.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.update(ctx, func(w *work) error { return w.ledger.PutUser(u) })
}

// PutApplication makes the directory hold an application.
func (d *Directory) PutApplication(ctx context.Context, a world.Application) (Applied, error) {
	a, err := a.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.update(ctx, func(w *work) error { return w.ledger.PutApplication(a) })
}

// PutGuild makes the directory hold a guild with the parts that are given; its other parts stay.
func (d *Directory) PutGuild(ctx context.Context, g world.Guild) (Applied, error) {
	g, err := g.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.update(ctx, func(w *work) error { return w.ledger.PutGuild(g) })
}

// PutRole makes a guild have a role.
func (d *Directory) PutRole(ctx context.Context, guild snowflake.Guild, r world.Role) (Applied, error) {
	r, err := r.Complete(guild)
	if err != nil {
		return Applied{}, err
	}
	return d.putPart(ctx, guild, func(l *Writer) error { return l.PutRole(guild, r) })
}

// PutChannel makes a guild have a channel.
func (d *Directory) PutChannel(ctx context.Context, guild snowflake.Guild, c world.Channel) (Applied, error) {
	c, err := c.Complete(guild)
	if err != nil {
		return Applied{}, err
	}
	return d.putPart(ctx, guild, func(l *Writer) error { return l.PutChannel(guild, c) })
}

// PutMember makes a guild have a member.
func (d *Directory) PutMember(ctx context.Context, guild snowflake.Guild, m world.Member) (Applied, error) {
	m, err := m.Complete(guild)
	if err != nil {
		return Applied{}, err
	}
	return d.putPart(ctx, guild, func(l *Writer) error { return l.PutMember(guild, m) })
}

// PutGuildInstall installs an application in a guild.
func (d *Directory) PutGuildInstall(ctx context.Context, guild snowflake.Guild, in world.GuildInstall) (Applied, error) {
	in, err := in.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.putPart(ctx, guild, func(l *Writer) error { return l.PutGuildInstall(guild, in) })
}

// PutUserInstall installs an application with a user.
func (d *Directory) PutUserInstall(ctx context.Context, in world.UserInstall) (Applied, error) {
	in, err := in.Complete()
	if err != nil {
		return Applied{}, err
	}
	return d.update(ctx, func(w *work) error { return w.ledger.PutUserInstall(in) })
}

// putPart writes one part of a guild that exists.
func (d *Directory) putPart(ctx context.Context, guild snowflake.Guild, write func(*Writer) error) (Applied, error) {
	return d.update(ctx, func(w *work) error {
		if _, err := w.tx.Directory.Guild(guild); err != nil {
			return unknown(err, ErrUnknownGuild)
		}
		return write(&w.ledger)
	})
}
