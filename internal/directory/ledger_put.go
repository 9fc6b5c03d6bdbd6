package directory

import (
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// PutUser makes the store hold a user, like Apply of a world with nothing else in it. So do the methods below; what is
// wrong with a record is a *problem.Tree whose paths begin in the record.
func (w *Writer) PutUser(u world.User) error {
	return w.put(
		func(c *check, t *jsonbody.Tree) { c.newUser(t, u) },
		func(t *jsonbody.Tree) error { return w.user(t, u) },
	)
}

// PutApplication makes the store hold an application.
func (w *Writer) PutApplication(a world.Application) error {
	return w.put(
		func(c *check, t *jsonbody.Tree) { c.newApplication(t, a) },
		func(t *jsonbody.Tree) error { return w.application(t, a) },
	)
}

// PutGuild makes the store hold a guild with the parts that are given; its other parts stay.
func (w *Writer) PutGuild(g world.Guild) error {
	return w.put(
		func(c *check, t *jsonbody.Tree) { c.guild(t, g) },
		func(t *jsonbody.Tree) error { return w.guild(t, g) },
	)
}

// PutUserInstall installs an application with a user.
func (w *Writer) PutUserInstall(in world.UserInstall) error {
	return w.put(
		func(c *check, t *jsonbody.Tree) { c.userInstall(t, in) },
		func(t *jsonbody.Tree) error { return w.userInstall(t, in) },
	)
}

// PutRole makes a guild have a role. The guild is there, as it is for the methods below.
func (w *Writer) PutRole(guild snowflake.Guild, r world.Role) error {
	return w.putPart(world.Guild{ID: guild, Roles: []world.Role{r}},
		func(gc *guildCheck, t *jsonbody.Tree) { gc.role(t, r) })
}

// PutChannel makes a guild have a channel.
func (w *Writer) PutChannel(guild snowflake.Guild, c world.Channel) error {
	channels := []world.Channel{c}
	return w.putPart(world.Guild{ID: guild, Channels: channels}, func(gc *guildCheck, t *jsonbody.Tree) {
		gc.channelList(func(int) *jsonbody.Tree { return t }, channels)
	})
}

// PutMember makes a guild have a member.
func (w *Writer) PutMember(guild snowflake.Guild, m world.Member) error {
	return w.putPart(world.Guild{ID: guild, Members: []world.Member{m}},
		func(gc *guildCheck, t *jsonbody.Tree) { gc.member(t, m) })
}

// PutGuildInstall installs an application in a guild.
func (w *Writer) PutGuildInstall(guild snowflake.Guild, in world.GuildInstall) error {
	return w.putPart(world.Guild{ID: guild, Installs: []world.GuildInstall{in}},
		func(gc *guildCheck, t *jsonbody.Tree) { gc.application(t.At("application"), in.Application) })
}

// put writes a record unless something is found to be wrong with it.
func (w *Writer) put(judge func(*check, *jsonbody.Tree), write func(*jsonbody.Tree) error) error {
	var t jsonbody.Tree
	c := newCheck(&w.Tx.Directory)
	judge(c, &t)
	if err := c.end(&t); err != nil {
		return err
	}
	if err := write(&t); err != nil {
		return err
	}
	return t.Err()
}

// putPart writes one part of a guild.
func (w *Writer) putPart(g world.Guild, judge func(*guildCheck, *jsonbody.Tree)) error {
	return w.put(
		func(c *check, t *jsonbody.Tree) { judge(c.within(g), t) },
		func(t *jsonbody.Tree) error { return w.parts(t, g) },
	)
}
