package provision

import (
	"context"
	"errors"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// PutUser writes a user, like Apply of a world that holds only the user. A record that breaks a rule is a *jsonbody.Tree
// whose paths begin in the record. The other Put methods work the same way.
func (p *Provisioner) PutUser(ctx context.Context, user world.User) (Applied, error) {
	user, err := user.Complete()
	if err != nil {
		return Applied{}, err
	}
	return p.update(ctx, func(w *batch) error {
		return w.checkAndWrite(
			func(c *check, t *jsonbody.Tree) { c.newUser(t, user) },
			func(t *jsonbody.Tree) error { return w.user(t, user) },
		)
	})
}

// PutApplication writes an application.
func (p *Provisioner) PutApplication(ctx context.Context, app world.Application) (Applied, error) {
	app, err := app.Complete()
	if err != nil {
		return Applied{}, err
	}
	return p.update(ctx, func(w *batch) error {
		return w.checkAndWrite(
			func(c *check, t *jsonbody.Tree) { c.newApplication(t, app) },
			func(t *jsonbody.Tree) error { return w.application(t, app) },
		)
	})
}

// PutUserInstall installs an application for a user.
func (p *Provisioner) PutUserInstall(ctx context.Context, in world.UserInstall) (Applied, error) {
	in, err := in.Complete()
	if err != nil {
		return Applied{}, err
	}
	return p.update(ctx, func(w *batch) error {
		return w.checkAndWrite(
			func(c *check, t *jsonbody.Tree) { c.userInstall(t, in) },
			func(t *jsonbody.Tree) error { return w.userInstall(t, in) },
		)
	})
}

// PutGuild writes a guild and the parts that are given. Its other parts stay.
func (p *Provisioner) PutGuild(ctx context.Context, guild world.Guild) (Applied, error) {
	guild, err := guild.Complete()
	if err != nil {
		return Applied{}, err
	}
	return p.update(ctx, func(w *batch) error {
		return w.checkAndWrite(
			func(c *check, t *jsonbody.Tree) { c.newGuild(t, guild) },
			func(t *jsonbody.Tree) error { return w.guild(t, guild) },
		)
	})
}

// PutRole writes a role of a guild.
func (p *Provisioner) PutRole(ctx context.Context, guild snowflake.Guild, r world.Role) (Applied, error) {
	r, err := r.Complete(guild)
	if err != nil {
		return Applied{}, err
	}
	return p.putPart(ctx, world.Guild{ID: guild, Roles: []world.Role{r}},
		func(c *guildCheck, t *jsonbody.Tree) { c.role(t, r) })
}

// PutChannel writes a channel of a guild.
func (p *Provisioner) PutChannel(ctx context.Context, guild snowflake.Guild, c world.Channel) (Applied, error) {
	c, err := c.Complete(guild)
	if err != nil {
		return Applied{}, err
	}
	channels := []world.Channel{c}
	return p.putPart(ctx, world.Guild{ID: guild, Channels: channels}, func(c *guildCheck, t *jsonbody.Tree) {
		c.channelList(func(int) *jsonbody.Tree { return t }, channels)
	})
}

// PutMember writes a member of a guild.
func (p *Provisioner) PutMember(ctx context.Context, guild snowflake.Guild, m world.Member) (Applied, error) {
	m, err := m.Complete(guild)
	if err != nil {
		return Applied{}, err
	}
	return p.putPart(ctx, world.Guild{ID: guild, Members: []world.Member{m}},
		func(c *guildCheck, t *jsonbody.Tree) { c.member(t, m) })
}

// PutGuildInstall installs an application in a guild.
func (p *Provisioner) PutGuildInstall(ctx context.Context, guild snowflake.Guild, in world.GuildInstall) (Applied, error) {
	in, err := in.Complete()
	if err != nil {
		return Applied{}, err
	}
	return p.putPart(ctx, world.Guild{ID: guild, Installs: []world.GuildInstall{in}},
		func(c *guildCheck, t *jsonbody.Tree) { c.application(t.At("application"), in.Application) })
}

// putPart writes one part of a guild that exists.
func (p *Provisioner) putPart(ctx context.Context, part world.Guild, validate func(*guildCheck, *jsonbody.Tree)) (Applied, error) {
	return p.update(ctx, func(w *batch) error {
		if _, err := w.tx.Directory.Guild(part.ID); errors.Is(err, store.ErrNotFound) {
			return directory.ErrUnknownGuild
		} else if err != nil {
			return err
		}
		return w.checkAndWrite(
			func(c *check, t *jsonbody.Tree) { validate(c.within(part), t) },
			func(t *jsonbody.Tree) error { return w.parts(t, part) },
		)
	})
}
