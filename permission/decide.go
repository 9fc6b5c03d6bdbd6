package permission

import "github.com/bellhop/bellhop/snowflake"

// Decide reports whether a user may use a command in a channel, and why. The package comment lists its steps.
func Decide(q Question) Decision {
	if reason := q.unavailable(); reason != "" {
		return Decision{Reason: reason}
	}
	if q.Context != ContextGuild {
		return Decision{Allowed: true, Reason: outsideGuild}
	}
	m := q.Member
	switch {
	case m == nil:
		return Decision{Reason: channelHidden, Missing: ViewChannel}
	case q.Channel.Thread && q.Channel.Archived:
		return Decision{Reason: threadArchived}
	case m.Administrator():
		return Decision{Allowed: true, Reason: isAdministrator}
	}
	if reason, missing := q.lacking(); missing != 0 {
		return Decision{Reason: reason, Missing: missing}
	}
	command, app := q.Overwrites, q.App
	if !q.Installed.Guild {
		command, app = nil, nil
	}
	if d := channelDenies(command, app, m.guild, q.Channel.entryID()); d.Reason != "" {
		return d
	}
	return memberMay(command, app, m, q.Command.Default, q.Permissions)
}

// unavailable returns the reason why no user can use the command in this channel, or "".
func (q *Question) unavailable() string {
	switch {
	case q.Asked != q.Command.Type:
		return wrongType
	case q.Command.NSFW && !q.adultAllowed():
		return ageRestricted
	case !q.Command.worksIn(q.Context):
		return wrongContext
	case q.installs() == (Installs{}):
		return notInstalled
	default:
		return ""
	}
}

// lacking returns the permissions that every use of the command needs and the member lacks, and the reason to report.
func (q *Question) lacking() (string, Bits) {
	if !q.Permissions.Has(ViewChannel) {
		return channelHidden, ViewChannel
	}
	need, send := UseApplicationCommands, q.Channel.send()
	if q.Command.Type == userCommand || q.installs().Guild {
		need |= send
	}
	if q.Command.Launches {
		need |= UseEmbeddedActivities
	}
	missing := need &^ q.Permissions
	if q.Command.Type == userCommand && missing.Has(send) {
		return cannotSend, missing
	}
	return missingPermissions, missing
}

// channelDenies returns a decision if an entry denies the channel, else the zero Decision.
func channelDenies(command, app *Set, guild snowflake.Guild, channel snowflake.Target) Decision {
	level := levelCommand
	e, found := command.forChannel(guild, channel)
	if !found {
		level = levelApplication
		e, found = app.forChannel(guild, channel)
	}
	if !found || e.Allow {
		return Decision{}
	}
	return Decision{Reason: channelDenied, Level: level, Entry: e, General: e.ID == AllChannels(guild)}
}

// memberMay decides by the entries for the member, and then by the default permissions of the command.
func memberMay(command, app *Set, m *Member, needed *Bits, have Bits) Decision {
	if e, found := command.forMember(m); found {
		return byEntry(e, levelCommand, m.guild)
	}
	if e, found := app.forMember(m); found && !e.Allow {
		return byEntry(e, levelApplication, m.guild)
	}
	d := Decision{Reason: defaultDenies, Level: levelDefault}
	if needed != nil {
		d.Missing = *needed &^ have
	}
	if needed == nil || *needed != 0 && d.Missing == 0 {
		d.Allowed, d.Reason = true, defaultAllows
	}
	return d
}

// byEntry returns the decision that an entry for a user, a role or everyone makes.
func byEntry(e Entry, level string, guild snowflake.Guild) Decision {
	d := Decision{
		Allowed: e.Allow, Reason: memberDenied, Level: level,
		Entry: e, General: e.Type == ForRole && e.ID == Everyone(guild),
	}
	if e.Allow {
		d.Reason = entryAllows
	}
	return d
}
