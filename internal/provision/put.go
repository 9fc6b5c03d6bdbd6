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
func (p *Provisioner) PutUser(ctx context.Context, user world.User) (applied Applied, err error) {
	if user, err = user.Complete(); err != nil {
		return Applied{}, err
	}
	err = p.Directory.Update(ctx, p.decision(&applied, func(w *batch) error {
		return w.checkAndWrite(
			func(c *check, t *jsonbody.Tree) { c.newUser(t, user) },
			func(t *jsonbody.Tree) error { return w.user(t, user) },
		)
	}))
	return applied, err
}

// PutApplication writes an application.
func (p *Provisioner) PutApplication(ctx context.Context, app world.Application) (applied Applied, err error) {
	if app, err = app.Complete(); err != nil {
		return Applied{}, err
	}
	err = p.Directory.Update(ctx, p.decision(&applied, func(w *batch) error {
		return w.checkAndWrite(
			func(c *check, t *jsonbody.Tree) { c.newApplication(t, app) },
			func(t *jsonbody.Tree) error { return w.application(t, app) },
		)
	}))
	return applied, err
}

// PutUserInstall installs an application for a user.
func (p *Provisioner) PutUserInstall(ctx context.Context, in world.UserInstall) (applied Applied, err error) {
	if in, err = in.Complete(); err != nil {
		return Applied{}, err
	}
	err = p.Directory.Update(ctx, p.decision(&applied, func(w *batch) error {
		return w.checkAndWrite(
			func(c *check, t *jsonbody.Tree) { c.userInstall(t, in) },
			func(t *jsonbody.Tree) error { return w.userInstall(t, in) },
		)
	}))
	return applied, err
}

// PutGuild writes a guild and the parts that are given. Its other parts stay.
func (p *Provisioner) PutGuild(ctx context.Context, guild world.Guild) (applied Applied, err error) {
	if guild, err = guild.Complete(); err != nil {
		return Applied{}, err
	}
	err = p.Directory.Update(ctx, p.decision(&applied, func(w *batch) error {
		return w.checkAndWrite(
			func(c *check, t *jsonbody.Tree) { c.newGuild(t, guild) },
			func(t *jsonbody.Tree) error { return w.guild(t, guild) },
		)
	}))
	return applied, err
}

// PutRole writes a role of a guild.
func (p *Provisioner) PutRole(ctx context.Context, guild snowflake.Guild, r world.Role) (applied Applied, err error) {
	if r, err = r.Complete(guild); err != nil {
		return Applied{}, err
	}
	err = p.Directory.Update(ctx, p.decision(&applied, putPart(world.Guild{ID: guild, Roles: []world.Role{r}},
		func(c *guildCheck, t *jsonbody.Tree) { c.role(t, r) })))
	return applied, err
}

// PutChannel writes a channel of a guild.
func (p *Provisioner) PutChannel(ctx context.Context, guild snowflake.Guild, c world.Channel) (applied Applied, err error) {
	if c, err = c.Complete(guild); err != nil {
		return Applied{}, err
	}
	channels := []world.Channel{c}
	err = p.Directory.Update(ctx, p.decision(&applied, putPart(world.Guild{ID: guild, Channels: channels},
		func(c *guildCheck, t *jsonbody.Tree) {
			c.channelList(func(int) *jsonbody.Tree { return t }, channels)
			c.contents(t, &channels[0])
		})))
	return applied, err
}

// PutMember writes a member of a guild.
func (p *Provisioner) PutMember(ctx context.Context, guild snowflake.Guild, m world.Member) (applied Applied, err error) {
	if m, err = m.Complete(guild); err != nil {
		return Applied{}, err
	}
	err = p.Directory.Update(ctx, p.decision(&applied, putPart(world.Guild{ID: guild, Members: []world.Member{m}},
		func(c *guildCheck, t *jsonbody.Tree) { c.member(t, m) })))
	return applied, err
}

// PutGuildInstall installs an application in a guild.
func (p *Provisioner) PutGuildInstall(ctx context.Context, guild snowflake.Guild, in world.GuildInstall) (applied Applied, err error) {
	if in, err = in.Complete(); err != nil {
		return Applied{}, err
	}
	err = p.Directory.Update(ctx, p.decision(&applied, putPart(world.Guild{ID: guild, Installs: []world.GuildInstall{in}},
		func(c *guildCheck, t *jsonbody.Tree) { c.application(t.At("application"), in.Application) })))
	return applied, err
}

// putPart returns a function that writes one part of a guild that exists.
func putPart(part world.Guild, validate func(*guildCheck, *jsonbody.Tree)) func(*batch) error {
	return func(w *batch) error {
		if _, err := w.tx.Directory.Guild(part.ID); errors.Is(err, store.ErrNotFound) {
			return directory.ErrUnknownGuild
		} else if err != nil {
			return err
		}
		return w.checkAndWrite(
			func(c *check, t *jsonbody.Tree) { validate(c.within(part), t) },
			func(t *jsonbody.Tree) error { return w.parts(t, part) },
		)
	}
}
