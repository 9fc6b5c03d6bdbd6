package permission

import "github.com/bellhop/bellhop/snowflake"

// Decide says whether a user may use a command in a place, and why. The package comment holds the order of its steps.
func Decide(q Question) Decision {
	if reason := q.misplaced(); reason != Undecided {
		return Decision{Reason: reason}
	}
	if q.Context != ContextGuild {
		return Decision{Allowed: true, Reason: OutsideGuild}
	}
	m := q.Member
	switch {
	case m == nil:
		return Decision{Reason: ChannelHidden, Missing: ViewChannel}
	case q.Channel.Thread && q.Channel.Archived:
		return Decision{Reason: ThreadArchived}
	case m.Administrator():
		return Decision{Allowed: true, Reason: IsAdministrator}
	}
	if reason, missing := q.lacking(); missing != 0 {
		return Decision{Reason: reason, Missing: missing}
	}
	command, app := q.Overwrites, q.App
	if !q.Installed.Has(GuildInstall) {
		command, app = nil, nil
	}
	if d := channelDenies(command, app, m.guild, q.Channel.place()); d.Reason != Undecided {
		return d
	}
	return memberMay(command, app, m, q.Command.Default, q.Permissions)
}

// misplaced returns why the command does not belong here, whoever asks.
func (q *Question) misplaced() Reason {
	switch {
	case q.Asked != q.Command.Type:
		return WrongType
	case q.Command.NSFW && !q.grownUp():
		return AgeRestricted
	case !q.Command.worksIn(q.Context):
		return WrongContext
	case q.installs() == 0:
		return NotInstalled
	default:
		return Undecided
	}
}

// lacking returns the rights that every use of the command needs and the member does not have.
func (q *Question) lacking() (Reason, Bits) {
	if !q.Permissions.Has(ViewChannel) {
		return ChannelHidden, ViewChannel
	}
	need, send := UseApplicationCommands, q.Channel.send()
	if q.Command.Type == userCommand || q.installs().Has(GuildInstall) {
		need |= send
	}
	missing := need &^ q.Permissions
	if q.Command.Type == userCommand && missing.Has(send) {
		return CannotSend, missing
	}
	return MissingPermissions, missing
}

// channelDenies returns the denial of a channel, or nothing.
func channelDenies(command, app *Set, guild snowflake.Guild, channel snowflake.Target) Decision {
	level := LevelCommand
	e, found := command.forChannel(guild, channel)
	if !found {
		level = LevelApplication
		e, found = app.forChannel(guild, channel)
	}
	if !found || e.Allow {
		return Decision{}
	}
	return Decision{Reason: ChannelDenied, Level: level, Entry: e, General: e.ID == AllChannels(guild)}
}

// memberMay decides by what entries say of the member, and by the permissions that the command asks for by default.
func memberMay(command, app *Set, m *Member, asks *Bits, have Bits) Decision {
	if e, found := command.forMember(m); found {
		return byEntry(e, LevelCommand, m.guild)
	}
	if e, found := app.forMember(m); found && !e.Allow {
		return byEntry(e, LevelApplication, m.guild)
	}
	d := Decision{Reason: DefaultDenies, Level: LevelDefault}
	if asks != nil {
		d.Missing = *asks &^ have
	}
	if asks == nil || *asks != 0 && d.Missing == 0 {
		d.Allowed, d.Reason = true, DefaultAllows
	}
	return d
}

// byEntry returns the decision of an entry for a user, a role or everyone.
func byEntry(e Entry, level Level, guild snowflake.Guild) Decision {
	d := Decision{
		Allowed: e.Allow, Reason: MemberDenied, Level: level,
		Entry: e, General: e.Type == ForRole && e.ID == Everyone(guild),
	}
	if e.Allow {
		d.Reason = EntryAllows
	}
	return d
}
