package permission_test

import (
	"slices"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// world is everything that bears on a decision, as plain as it comes.
type world struct {
	guild    snowflake.Guild
	owner    snowflake.User
	everyone permission.Bits
	roles    map[snowflake.Role]permission.Bits

	user     snowflake.User
	carries  []snowflake.Role
	timedOut bool
	stranger bool // no member of the guild
	adult    bool
	adultDMs bool

	channel   permission.Channel
	context   permission.Context
	installed permission.Installs

	asked     uint8
	command   permission.Command
	onCommand []permission.Entry
	onApp     []permission.Entry
}

// answer is what a step of the chart says; a step that says nothing passes on.
type answer = permission.Decision

// chart is the decision as the tables have it: one row after the other, the first that answers.
var chart = []func(w *world) (answer, bool){
	// The place, from the order of the official client.
	func(w *world) (answer, bool) {
		return answer{Reason: permission.WrongType}, w.asked != w.command.Type
	},
	func(w *world) (answer, bool) {
		open := w.channel.NSFW
		if w.context != permission.ContextGuild {
			open = w.adultDMs
		}
		return answer{Reason: permission.AgeRestricted}, w.command.NSFW && (!w.adult || !open)
	},
	func(w *world) (answer, bool) {
		return answer{Reason: permission.WrongContext}, !slices.Contains(w.contexts(), w.context)
	},
	func(w *world) (answer, bool) {
		return answer{Reason: permission.NotInstalled}, !w.by(permission.GuildInstall) && !w.by(permission.UserInstall)
	},
	func(w *world) (answer, bool) {
		return answer{Allowed: true, Reason: permission.OutsideGuild}, w.context != permission.ContextGuild
	},
	func(w *world) (answer, bool) {
		return answer{Reason: permission.ChannelHidden, Missing: permission.ViewChannel}, w.stranger
	},
	func(w *world) (answer, bool) {
		return answer{Reason: permission.ThreadArchived}, w.channel.Thread && w.channel.Archived
	},
	// Step 0.
	func(w *world) (answer, bool) {
		return answer{Allowed: true, Reason: permission.IsAdministrator}, w.administers()
	},
	// The notes: VIEW_CHANNEL, USE_APPLICATION_COMMANDS, and the right to send.
	func(w *world) (answer, bool) {
		d := answer{Reason: permission.ChannelHidden, Missing: permission.ViewChannel}
		return d, !w.holds(permission.ViewChannel)
	},
	func(w *world) (answer, bool) {
		d := answer{Reason: permission.MissingPermissions}
		if !w.holds(permission.UseApplicationCommands) {
			d.Missing |= permission.UseApplicationCommands
		}
		isUser := w.command.Type == 2
		if (isUser || w.by(permission.GuildInstall)) && !w.holds(w.sending()) {
			d.Missing |= w.sending()
			if isUser {
				d.Reason = permission.CannotSend
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
			level permission.Level
			id    snowflake.Target
		}{
			{permission.LevelCommand, here},
			{permission.LevelCommand, all},
			{permission.LevelApplication, here},
			{permission.LevelApplication, all},
		} {
			allowed, found := w.entry(row.level, permission.ForChannel, row.id)
			if found && allowed {
				return answer{}, false
			}
			if found {
				e := permission.Entry{ID: row.id, Type: permission.ForChannel}
				return answer{Reason: permission.ChannelDenied, Level: row.level, Entry: e, General: row.id == all}, true
			}
		}
		return answer{}, false
	},
	// Steps 2a to 2c: either answer stands.
	func(w *world) (answer, bool) { return w.aboutMember(permission.LevelCommand) },
	// Steps 3a to 3c: only a denial stands.
	func(w *world) (answer, bool) {
		d, found := w.aboutMember(permission.LevelApplication)
		return d, found && !d.Allowed
	},
	// Steps 4, 4a and 4b.
	func(w *world) (answer, bool) {
		d := answer{Allowed: true, Reason: permission.DefaultAllows, Level: permission.LevelDefault}
		return d, w.command.Default == nil
	},
	func(w *world) (answer, bool) {
		d := answer{Reason: permission.DefaultDenies, Level: permission.LevelDefault}
		return d, *w.command.Default == 0
	},
	func(w *world) (answer, bool) {
		d := answer{Allowed: true, Reason: permission.DefaultAllows, Level: permission.LevelDefault}
		for n := range 64 {
			if bit := permission.Bits(1) << n; w.command.Default.Has(bit) && !w.holds(bit) {
				d.Missing |= bit
				d.Allowed, d.Reason = false, permission.DefaultDenies
			}
		}
		return d, true
	},
}

// model decides by the chart.
func model(w *world) permission.Decision {
	for _, step := range chart {
		if d, ok := step(w); ok {
			return d
		}
	}
	panic("the chart has no answer")
}

// contexts lists where the command works.
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
		for n := range permission.Context(3) {
			if c.Contexts.Has(n) {
				list = append(list, n)
			}
		}
	}
	return slices.DeleteFunc(list, func(n permission.Context) bool {
		return n == permission.ContextPrivateChannel && c.IntegrationTypes&permission.UserInstall == 0
	})
}

// by reports whether an install of this kind brings the command here.
func (w *world) by(kind permission.Installs) bool {
	supported := w.command.IntegrationTypes&kind != 0
	if w.command.GuildScoped || w.command.IntegrationTypes == 0 {
		supported = kind == permission.GuildInstall
	}
	installed := w.installed&kind != 0
	if kind == permission.GuildInstall && w.context != permission.ContextGuild {
		installed = w.context == permission.ContextBotDM
	}
	return supported && installed
}

func (w *world) sending() permission.Bits {
	if w.channel.Thread {
		return permission.SendMessagesInThreads
	}
	return permission.SendMessages
}

// mine lists the member's roles that exist, each once, by id, without that of everyone.
func (w *world) mine() []snowflake.Role {
	var list []snowflake.Role
	for id := snowflake.Role(0); id <= largestID; id++ {
		if _, exists := w.roles[id]; exists && id != snowflake.Role(w.guild) && slices.Contains(w.carries, id) {
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

// holds reports whether the member has one permission in the channel, judged by itself.
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

// granted walks the overwrites in their order for one permission.
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

// entry finds what was said last about one thing. Nothing is said about apps that are installed only to the user.
func (w *world) entry(level permission.Level, kind permission.EntryType, id snowflake.Target) (allowed, found bool) {
	list := w.onCommand
	if level == permission.LevelApplication {
		list = w.onApp
	}
	if w.installed&permission.GuildInstall == 0 {
		list = nil
	}
	for _, e := range list {
		if e.Type == kind && e.ID == id {
			allowed, found = e.Allow, true
		}
	}
	return allowed, found
}

// aboutMember answers for the user, else for the roles, else for everyone.
func (w *world) aboutMember(level permission.Level) (answer, bool) {
	say := func(allowed bool, kind permission.EntryType, id snowflake.Target) (answer, bool) {
		d := answer{Allowed: allowed, Reason: permission.MemberDenied, Level: level}
		if allowed {
			d.Reason = permission.EntryAllows
		}
		d.Entry = permission.Entry{ID: id, Type: kind, Allow: allowed}
		d.General = kind == permission.ForRole && uint64(id) == uint64(w.guild)
		return d, true
	}
	if allowed, found := w.entry(level, permission.ForUser, snowflake.Target(w.user)); found {
		return say(allowed, permission.ForUser, snowflake.Target(w.user))
	}
	for _, wanted := range []bool{true, false} {
		for _, role := range w.mine() {
			if allowed, found := w.entry(level, permission.ForRole, snowflake.Target(role)); found && allowed == wanted {
				return say(wanted, permission.ForRole, snowflake.Target(role))
			}
		}
	}
	if allowed, found := w.entry(level, permission.ForRole, snowflake.Target(w.guild)); found {
		return say(allowed, permission.ForRole, snowflake.Target(w.guild))
	}
	return answer{}, false
}
