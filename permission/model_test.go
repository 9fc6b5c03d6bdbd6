package permission_test

import (
	"slices"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// world holds everything that a decision depends on, in the simplest form.
type world struct {
	guild    snowflake.Guild
	owner    snowflake.User
	everyone permission.Bits
	roles    map[snowflake.Role]permission.Bits

	user        snowflake.User
	memberRoles []snowflake.Role
	timedOut    bool
	notMember   bool
	adult       bool
	adultDMs    bool

	channel   permission.Channel
	context   permission.Context
	installed permission.Installs

	asked     uint8
	command   permission.Command
	onCommand []permission.Entry
	onApp     []permission.Entry
}

// answer is the decision of a step. A step without a decision leaves it to the next.
type answer = permission.Decision

// chart is the decision as a table of steps. The first step with an answer decides.
var chart = []func(w *world) (answer, bool){
	// Availability, in the order of Discord's client.
	func(w *world) (answer, bool) {
		return answer{Reason: wrongType}, w.asked != w.command.Type
	},
	func(w *world) (answer, bool) {
		open := w.channel.NSFW
		if w.context != permission.ContextGuild {
			open = w.adultDMs
		}
		return answer{Reason: ageRestricted}, w.command.NSFW && (!w.adult || !open)
	},
	func(w *world) (answer, bool) {
		return answer{Reason: wrongContext}, !slices.Contains(w.contexts(), w.context)
	},
	func(w *world) (answer, bool) {
		return answer{Reason: notInstalled}, !w.byGuildInstall() && !w.byUserInstall()
	},
	func(w *world) (answer, bool) {
		return answer{Allowed: true, Reason: outsideGuild}, w.context != permission.ContextGuild
	},
	func(w *world) (answer, bool) {
		return answer{Reason: channelHidden, Missing: permission.ViewChannel}, w.notMember
	},
	func(w *world) (answer, bool) {
		return answer{Reason: threadArchived}, w.channel.Thread && w.channel.Archived
	},
	// Step 0.
	func(w *world) (answer, bool) {
		return answer{Allowed: true, Reason: isAdministrator}, w.administers()
	},
	// VIEW_CHANNEL, USE_APPLICATION_COMMANDS, and the permission to send.
	func(w *world) (answer, bool) {
		d := answer{Reason: channelHidden, Missing: permission.ViewChannel}
		return d, !w.holds(permission.ViewChannel)
	},
	func(w *world) (answer, bool) {
		d := answer{Reason: missingPermissions}
		if !w.holds(permission.UseApplicationCommands) {
			d.Missing |= permission.UseApplicationCommands
		}
		if w.command.Launches && !w.holds(permission.UseEmbeddedActivities) {
			d.Missing |= permission.UseEmbeddedActivities
		}
		isUser := w.command.Type == 2
		if (isUser || w.byGuildInstall()) && !w.holds(w.sending()) {
			d.Missing |= w.sending()
			if isUser {
				d.Reason = cannotSend
			}
		}
		return d, d.Missing != 0
	},
	// Steps 1a to 1e.
	func(w *world) (answer, bool) {
		here, all := snowflake.Target(w.channel.ID), snowflake.Target(w.guild)-1
		if w.channel.Thread {
			here = snowflake.Target(w.channel.Parent)
		}
		for _, row := range []struct {
			level string
			id    snowflake.Target
		}{
			{levelCommand, here},
			{levelCommand, all},
			{levelApplication, here},
			{levelApplication, all},
		} {
			allowed, found := w.entry(row.level, permission.ForChannel, row.id)
			if found && allowed {
				return answer{}, false
			}
			if found {
				e := permission.Entry{ID: row.id, Type: permission.ForChannel}
				return answer{Reason: channelDenied, Level: row.level, Entry: e, General: row.id == all}, true
			}
		}
		return answer{}, false
	},
	// Steps 2a to 2c: both answers are final.
	func(w *world) (answer, bool) { return w.aboutMember(levelCommand) },
	// Steps 3a to 3c: only a denial is final.
	func(w *world) (answer, bool) {
		d, found := w.aboutMember(levelApplication)
		return d, found && !d.Allowed
	},
	// Steps 4, 4a and 4b.
	func(w *world) (answer, bool) {
		d := answer{Allowed: true, Reason: defaultAllows, Level: levelDefault}
		return d, w.command.Default == nil
	},
	func(w *world) (answer, bool) {
		d := answer{Reason: defaultDenies, Level: levelDefault}
		return d, *w.command.Default == 0
	},
	func(w *world) (answer, bool) {
		d := answer{Allowed: true, Reason: defaultAllows, Level: levelDefault}
		for n := range 64 {
			if bit := permission.Bits(1) << n; w.command.Default.Has(bit) && !w.holds(bit) {
				d.Missing |= bit
				d.Allowed, d.Reason = false, defaultDenies
			}
		}
		return d, true
	},
}

// model decides with the chart.
func model(w *world) permission.Decision {
	for _, step := range chart {
		if d, ok := step(w); ok {
			return d
		}
	}
	panic("the chart has no answer")
}

// contexts returns the contexts that the command works in.
func (w *world) contexts() []permission.Context {
	c := w.command
	var list []permission.Context
	switch {
	case c.GuildScoped:
		return []permission.Context{permission.ContextGuild}
	case c.Contexts == nil && c.DMPermission:
		list = []permission.Context{permission.ContextGuild, permission.ContextBotDM}
	case c.Contexts == nil:
		list = []permission.Context{permission.ContextGuild}
	default:
		for n, works := range c.Contexts {
			if works {
				list = append(list, permission.Context(n))
			}
		}
	}
	return slices.DeleteFunc(list, func(n permission.Context) bool {
		return n == permission.ContextPrivateChannel && !c.IntegrationTypes.User
	})
}

// byGuildInstall reports whether the guild install makes the command available.
func (w *world) byGuildInstall() bool {
	c := w.command
	supported := c.IntegrationTypes.Guild || c.GuildScoped || !c.IntegrationTypes.User
	switch w.context {
	case permission.ContextGuild:
		return supported && w.installed.Guild
	case permission.ContextBotDM:
		return supported
	default:
		return false
	}
}

// byUserInstall reports whether the user install makes the command available.
func (w *world) byUserInstall() bool {
	return w.command.IntegrationTypes.User && !w.command.GuildScoped && w.installed.User
}

func (w *world) sending() permission.Bits {
	if w.channel.Thread {
		return permission.SendMessagesInThreads
	}
	return permission.SendMessages
}

// mine returns the existing roles of the member, each once, by id, without the everyone role.
func (w *world) mine() []snowflake.Role {
	var list []snowflake.Role
	for id := snowflake.Role(0); id <= largestID; id++ {
		if _, exists := w.roles[id]; exists && id != snowflake.Role(w.guild) && slices.Contains(w.memberRoles, id) {
			list = append(list, id)
		}
	}
	return list
}

func (w *world) inGuild(bit permission.Bits) bool {
	return w.everyone.Has(bit) ||
		slices.ContainsFunc(w.mine(), func(r snowflake.Role) bool { return w.roles[r].Has(bit) })
}

func (w *world) administers() bool { return w.user == w.owner || w.inGuild(permission.Administrator) }

// holds reports whether the member has one permission in the channel.
func (w *world) holds(bit permission.Bits) bool {
	if w.administers() {
		return permission.All.Has(bit)
	}
	switch bit {
	case permission.ViewChannel:
		return w.granted(bit)
	case permission.ReadMessageHistory:
		return w.holds(permission.ViewChannel) && w.granted(bit)
	case permission.MentionEveryone, permission.SendTTSMessages, permission.AttachFiles, permission.EmbedLinks:
		return w.holds(w.sending()) && w.granted(bit)
	default:
		return w.holds(permission.ViewChannel) && !w.timedOut && w.granted(bit)
	}
}

// granted applies the overwrites in their order to one permission.
func (w *world) granted(bit permission.Bits) bool {
	have := w.inGuild(bit)
	for _, stage := range []func(o permission.Overwrite) bool{
		func(o permission.Overwrite) bool { return !o.Member && uint64(o.ID) == uint64(w.guild) },
		func(o permission.Overwrite) bool { return !o.Member && slices.Contains(w.mine(), snowflake.Role(o.ID)) },
		func(o permission.Overwrite) bool { return o.Member && uint64(o.ID) == uint64(w.user) },
	} {
		denied, allowed := false, false
		for _, o := range w.channel.Overwrites {
			denied = denied || stage(o) && o.Deny.Has(bit)
			allowed = allowed || stage(o) && o.Allow.Has(bit) && bit != permission.Administrator
		}
		have = allowed || have && !denied
	}
	return have
}

// entry returns the last entry for a target. An app that is installed only to the user has no entries.
func (w *world) entry(level string, kind permission.EntryType, id snowflake.Target) (allowed, found bool) {
	list := w.onCommand
	if level == levelApplication {
		list = w.onApp
	}
	if !w.installed.Guild {
		list = nil
	}
	for _, e := range list {
		if e.Type == kind && e.ID == id {
			allowed, found = e.Allow, true
		}
	}
	return allowed, found
}

// aboutMember returns the answer for the user, else for the roles, else for everyone.
func (w *world) aboutMember(level string) (answer, bool) {
	answerOf := func(allowed bool, kind permission.EntryType, id snowflake.Target) (answer, bool) {
		d := answer{Allowed: allowed, Reason: memberDenied, Level: level}
		if allowed {
			d.Reason = entryAllows
		}
		d.Entry = permission.Entry{ID: id, Type: kind, Allow: allowed}
		d.General = kind == permission.ForRole && uint64(id) == uint64(w.guild)
		return d, true
	}
	if allowed, found := w.entry(level, permission.ForUser, snowflake.Target(w.user)); found {
		return answerOf(allowed, permission.ForUser, snowflake.Target(w.user))
	}
	for _, wanted := range []bool{true, false} {
		for _, role := range w.mine() {
			if allowed, found := w.entry(level, permission.ForRole, snowflake.Target(role)); found && allowed == wanted {
				return answerOf(wanted, permission.ForRole, snowflake.Target(role))
			}
		}
	}
	if allowed, found := w.entry(level, permission.ForRole, snowflake.Target(w.guild)); found {
		return answerOf(allowed, permission.ForRole, snowflake.Target(w.guild))
	}
	return answer{}, false
}
