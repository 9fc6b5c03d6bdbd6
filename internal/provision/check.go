package provision

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
)

// Problems between records.
const (
	UnknownReference jsonbody.Code = "WORLD_UNKNOWN_REFERENCE" // a record refers to a record that does not exist
	Taken            jsonbody.Code = "WORLD_TAKEN"             // an id or token belongs to another record
	Weak             jsonbody.Code = "WORLD_WEAK_SECRET"       // a token or secret is too easy to guess
)

// Check returns a *jsonbody.Tree when a completed world refers to records that are neither in the world nor in the
// store, or uses ids that other records have. With a nil store, all references must be within the world.
func Check(w world.World, in *store.DirectoryQueries) error {
	var t jsonbody.Tree
	c := newCheck(in)
	c.part(&t, w)
	return c.end(&t)
}

// part checks a world that may refer to the worlds that were checked before.
func (c *check) part(t *jsonbody.Tree, w world.World) {
	for _, u := range w.Users {
		c.users[u.ID] = true
	}
	for _, a := range w.Applications {
		c.apps[a.ID] = true
	}
	for i, u := range w.Users {
		c.newUser(t.At("users").Index(i), u)
	}
	for i, a := range w.Applications {
		c.newApplication(t.At("applications").Index(i), a)
	}
	for i, g := range w.Guilds {
		c.guilds[g.ID] = true
		c.newGuild(t.At("guilds").Index(i), g)
	}
	for i, in := range w.UserInstalls {
		c.userInstall(t.At("user_installs").Index(i), in)
	}
	c.commands(t, w)
}

// check looks up the records that other records refer to. It remembers the results, and the first error of the store.
type check struct {
	store *store.DirectoryQueries // may be nil
	users map[snowflake.User]bool
	apps  map[snowflake.Application]bool
	guild *guildCheck // of the last guild
	err   error

	guilds    map[snowflake.Guild]bool
	knowsApps bool // apps has all stored applications
}

// readApplications reads the ids of all applications, so that they are not looked up one by one.
func (c *check) readApplications() error {
	c.knowsApps = true
	return eachPage(c.store.Applications, func(a store.Application) (snowflake.Application, error) {
		c.apps[a.ID] = true
		return a.ID, nil
	})
}

func newCheck(in *store.DirectoryQueries) *check {
	return &check{
		store: in, users: map[snowflake.User]bool{}, apps: map[snowflake.Application]bool{}, guilds: map[snowflake.Guild]bool{},
	}
}

func (c *check) end(t *jsonbody.Tree) error {
	if c.err != nil {
		return c.err
	}
	return t.Err()
}

// found reports whether a read found its record.
func (c *check) found(err error) bool {
	if err != nil && !errors.Is(err, store.ErrNotFound) && c.err == nil {
		c.err = err
	}
	return err == nil
}

func (c *check) hasUser(id snowflake.User) bool {
	there, known := c.users[id]
	if !known && c.store != nil {
		_, err := c.store.User(id)
		there = c.found(err)
		c.users[id] = there
	}
	return there
}

func (c *check) hasApplication(id snowflake.Application) bool {
	there, known := c.apps[id]
	if !known && c.store != nil && !c.knowsApps {
		_, err := c.store.Application(id)
		there = c.found(err)
		c.apps[id] = there
	}
	return there
}

func (c *check) user(t *jsonbody.Tree, id snowflake.User) {
	if !c.hasUser(id) {
		t.Add(UnknownReference, fmt.Sprintf("There is no user %s.", id))
	}
}

func (c *check) application(t *jsonbody.Tree, id snowflake.Application) {
	if !c.hasApplication(id) {
		t.Add(UnknownReference, fmt.Sprintf("There is no application %s.", id))
	}
}

// newUser reports an id that belongs to an application. Its bot has the same id.
func (c *check) newUser(t *jsonbody.Tree, u world.User) {
	if c.hasApplication(snowflake.Application(u.ID)) {
		t.At("id").Add(Taken, "Is the id of an application and its bot.")
	}
}

func (c *check) newApplication(t *jsonbody.Tree, a world.Application) {
	if c.hasUser(snowflake.User(a.ID)) {
		t.At("id").Add(Taken, "Is the id of a user.")
	}
	c.user(t.At("owner"), a.Owner)
}

func (c *check) userInstall(t *jsonbody.Tree, in world.UserInstall) {
	c.user(t.At("user"), in.User)
	c.application(t.At("application"), in.Application)
}

// newGuild checks a guild, or a further part of the last guild.
func (c *check) newGuild(t *jsonbody.Tree, g world.Guild) {
	if c.guild != nil && c.guild.id == g.ID {
		c.guild.add(g)
	} else {
		c.user(t.At("owner"), g.Owner)
		c.guild = c.within(g)
	}
	c.guild.all(t, g)
}

// guildCheck checks the parts of a guild.
type guildCheck struct {
	*check

	id       snowflake.Guild
	roles    map[snowflake.Role]bool
	channels map[snowflake.Channel]store.Channel
	members  map[snowflake.User]bool
}

// within returns a check for the parts of a guild that g holds.
func (c *check) within(g world.Guild) *guildCheck {
	gc := &guildCheck{
		check: c, id: g.ID, roles: map[snowflake.Role]bool{}, channels: map[snowflake.Channel]store.Channel{},
		members: map[snowflake.User]bool{g.Owner: true},
	}
	if c.store != nil {
		roles, err := c.store.Roles(g.ID)
		c.found(err)
		for _, r := range roles {
			gc.roles[r.ID] = true
		}
		channels, err := c.store.Channels(g.ID)
		c.found(err)
		for _, ch := range channels {
			gc.channels[ch.ID] = ch
		}
	}
	gc.add(g)
	return gc
}

// add adds the parts of the guild that g holds to those that others may refer to.
func (gc *guildCheck) add(g world.Guild) {
	for _, r := range g.Roles {
		gc.roles[r.ID] = true
	}
	for _, m := range g.Members {
		gc.members[m.User] = true
	}
	for _, in := range g.Installs {
		if slices.Contains(in.Scopes, world.BotScope) {
			gc.members[snowflake.User(in.Application)] = true
		}
	}
}

// all checks the parts of a guild that g holds.
func (gc *guildCheck) all(t *jsonbody.Tree, g world.Guild) {
	for i, r := range g.Roles {
		gc.role(t.At("roles").Index(i), r)
	}
	gc.channelList(t.At("channels").Index, g.Channels)
	for i := range g.Channels {
		gc.contents(t.At("channels").Index(i), &g.Channels[i])
	}
	for i, m := range g.Members {
		gc.member(t.At("members").Index(i), m)
	}
	for i, in := range g.Installs {
		gc.application(t.At("installs").Index(i).At("application"), in.Application)
	}
	gc.emojis(t.At("emojis"), g.Emojis)
	gc.scheduledEvents(t.At("scheduled_events"), g.ScheduledEvents)
}

// contents checks the users that the webhooks, messages and threads of a channel name.
func (gc *guildCheck) contents(t *jsonbody.Tree, c *world.Channel) {
	for i, h := range c.Webhooks {
		gc.hasAuthor(t.At("webhooks").Index(i).At("creator"), h.Creator)
	}
	for i, m := range c.Messages {
		gc.hasAuthor(t.At("messages").Index(i).At("author"), m.Author)
	}
	for i := range c.Threads {
		h, at := &c.Threads[i], t.At("threads").Index(i)
		gc.hasAuthor(at.At("owner"), h.Owner)
		for j, user := range h.Members {
			gc.hasMember(at.At("members").Index(j), user)
		}
		for j, m := range h.Messages {
			gc.hasAuthor(at.At("messages").Index(j).At("author"), m.Author)
		}
	}
}

// hasAuthor reports a user or bot that does not exist. 0 is no reference.
func (gc *guildCheck) hasAuthor(t *jsonbody.Tree, id snowflake.User) {
	if id != 0 && !gc.hasUser(id) && !gc.hasApplication(snowflake.Application(id)) {
		t.Add(UnknownReference, fmt.Sprintf("There is no user and no bot %s.", id))
	}
}

func (gc *guildCheck) role(t *jsonbody.Tree, r world.Role) {
	if r.Managed != 0 {
		gc.application(t.At("managed"), r.Managed)
	}
}

func (gc *guildCheck) member(t *jsonbody.Tree, m world.Member) {
	gc.hasAuthor(t.At("user"), m.User)
	for i, r := range m.Roles {
		gc.hasRole(t.At("roles").Index(i), r)
	}
}

func (gc *guildCheck) hasRole(t *jsonbody.Tree, id snowflake.Role) {
	if !gc.roles[id] {
		t.Add(UnknownReference, fmt.Sprintf("There is no role %s in guild %s.", id, gc.id))
	}
}

func (gc *guildCheck) hasMember(t *jsonbody.Tree, id snowflake.User) {
	there, known := gc.members[id]
	if !known && gc.store != nil {
		_, err := gc.store.Member(gc.id, id)
		there = gc.found(err)
		gc.members[id] = there
	}
	if !there {
		t.Add(UnknownReference, fmt.Sprintf("There is no member %s in guild %s.", id, gc.id))
	}
}

// channelList checks channels against the existing channels and against each other. at returns the tree of a channel.
func (gc *guildCheck) channelList(at func(i int) *jsonbody.Tree, channels []world.Channel) {
	for i, c := range channels {
		if gc.elsewhere(c.ID) {
			at(i).At("id").Add(Taken, "Is the id of a channel elsewhere.")
		}
		gc.channels[c.ID] = convert.ChannelRecord(gc.id, c)
	}
	trees := map[snowflake.Channel]*jsonbody.Tree{}
	for i, c := range channels {
		trees[c.ID] = at(i)
		gc.overwrites(at(i).At("permission_overwrites"), c.Overwrites)
	}
	for _, id := range slices.Sorted(maps.Keys(gc.channels)) {
		c := gc.channels[id]
		t, given := trees[id]
		above, parentGiven := trees[c.Parent]
		switch parent, there := gc.channels[c.Parent]; {
		case c.Parent == 0 || (there && fits(c, parent)):
		case given && !there:
			t.At("parent").Add(UnknownReference, fmt.Sprintf("There is no channel %s in guild %s.", c.Parent, gc.id))
		case given:
			t.At("parent").Add(world.Misplaced, "The parent of a channel must be a category, and the parent of a thread a text, announcement, forum or media channel.")
		case parentGiven:
			above.At("type").Add(world.Misplaced, fmt.Sprintf("Channel %s is below this channel and does not allow this type.", id))
		}
	}
}

// elsewhere reports whether a channel exists outside the guild.
func (gc *guildCheck) elsewhere(id snowflake.Channel) bool {
	if _, here := gc.channels[id]; here || gc.store == nil {
		return false
	}
	_, err := gc.store.Channel(id)
	return gc.found(err)
}

// fits reports whether a channel can be below a parent.
func fits(c, parent store.Channel) bool {
	if world.IsThread(c.Type) {
		return world.HoldsThreads(parent.Type)
	}
	return parent.Type == world.Category
}

func (gc *guildCheck) overwrites(t *jsonbody.Tree, overwrites []world.Overwrite) {
	for i, o := range overwrites {
		at := t.Index(i).At("id")
		switch {
		case o.Type == world.MemberOverwrite:
			gc.hasMember(at, snowflake.User(o.ID))
		case uint64(o.ID) != uint64(gc.id):
			gc.hasRole(at, snowflake.Role(o.ID))
		}
	}
}
