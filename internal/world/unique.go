package world

import "github.com/bellhop/bellhop/internal/rules/jsonbody"

// unique reports values that must be unique in a file and occur twice. A nil unique checks nothing.
type unique struct {
	ids              seen[uint64] // of users and applications: a bot has the id of its application
	tokens           seen[string]
	installs         seen[[2]uint64]
	guilds, channels seen[uint64]
	commands         seen[[2]uint64] // lists of commands, by application and guild
	permissions      seen[[3]uint64]
}

func newUnique() *unique {
	return &unique{seen[uint64]{}, seen[string]{}, seen[[2]uint64]{}, seen[uint64]{}, seen[uint64]{}, seen[[2]uint64]{}, seen[[3]uint64]{}}
}

func (q *unique) user(t *jsonbody.Tree, i int, u User) {
	if q == nil {
		return
	}
	q.ids.note(uint64(u.ID), at(inUsers, i), func() *jsonbody.Tree { return t.At("users").Index(i).At("id") })
	q.tokens.note(u.Token, at(inUsers, i), func() *jsonbody.Tree { return t.At("users").Index(i).At("token") })
}

func (q *unique) application(t *jsonbody.Tree, i int, a Application) {
	if q == nil {
		return
	}
	q.ids.note(uint64(a.ID), at(inApplications, i), func() *jsonbody.Tree { return t.At("applications").Index(i).At("id") })
	q.tokens.note(a.BotToken, at(inApplications, i), func() *jsonbody.Tree { return t.At("applications").Index(i).At("bot_token") })
}

// endUsers frees what the check of users and applications needed.
func (q *unique) endUsers() {
	if q != nil {
		q.ids, q.tokens = nil, nil
	}
}

func (q *unique) userInstall(t *jsonbody.Tree, i int, in UserInstall) {
	if q != nil {
		q.installs.note([2]uint64{uint64(in.User), uint64(in.Application)}, at(inUserInstalls, i),
			func() *jsonbody.Tree { return t.At("user_installs").Index(i) })
	}
}

func (q *unique) commandList(t *jsonbody.Tree, i int, c Commands) {
	if q != nil {
		q.commands.note([2]uint64{uint64(c.Application), uint64(c.Guild)}, at(inCommands, i),
			func() *jsonbody.Tree { return t.At("commands").Index(i) })
	}
}

func (q *unique) commandPermissions(t *jsonbody.Tree, i int, p CommandPermissions) {
	if q != nil {
		q.permissions.note([3]uint64{uint64(p.Application), uint64(p.Guild), uint64(p.Command)}, at(inCommandPermissions, i),
			func() *jsonbody.Tree { return t.At("command_permissions").Index(i) })
	}
}

// guild checks the ids of a guild and its channels. Clients name a channel without its guild, so channel ids are unique
// across guilds.
func (q *unique) guild(t *jsonbody.Tree, i int, g Guild) {
	if q == nil {
		return
	}
	branch := func() *jsonbody.Tree { return t.At("guilds").Index(i) }
	q.guilds.note(uint64(g.ID), at(inGuilds, i), func() *jsonbody.Tree { return branch().At("id") })
	for j, c := range g.Channels {
		if first, twice := q.channels[uint64(c.ID)]; twice && first>>32 == at(inGuilds, i)>>32 {
			continue // Guild.checkParts reports it
		}
		q.channels.note(uint64(c.ID), at(inGuilds, i).in(inChannels, j),
			func() *jsonbody.Tree { return branch().At("channels").Index(j).At("id") })
	}
}

// members returns the check of the members of a guild.
func (q *unique) members() seen[uint64] {
	if q == nil {
		return nil
	}
	return seen[uint64]{}
}
