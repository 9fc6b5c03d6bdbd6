package permission

import "strings"

// Explain returns the decision and its reason as a sentence.
func (d Decision) Explain() string {
	if d.Allowed {
		return "allowed: " + d.because()
	}
	return "denied: " + d.because()
}

func (d Decision) because() string {
	switch d.Reason {
	case outsideGuild:
		return "outside of guilds no permissions are asked for"
	case isAdministrator:
		return "the member owns the guild or is an administrator"
	case defaultAllows:
		return "nothing denies the command, and the member has every permission that it asks for"
	case wrongType:
		return "the command is of another type than the one asked for"
	case ageRestricted:
		return "the command is age-restricted, and the user or the place is not open to that"
	case wrongContext:
		return "the command does not work in this kind of place"
	case notInstalled:
		return "the app is not installed here in a way that the command supports"
	case threadArchived:
		return "the thread is archived"
	case channelHidden:
		return "the member cannot see the channel"
	case cannotSend:
		return "a user command needs the right to send in the channel, and the member lacks " + enumerate(d.Missing)
	case missingPermissions:
		return "the member lacks " + enumerate(d.Missing) + " in the channel"
	case entryAllows, channelDenied, memberDenied:
		return d.entry()
	case defaultDenies:
		if d.Missing == 0 {
			return "by default only administrators may use the command"
		}
		return "by default the command asks for permissions, of which the member lacks " + enumerate(d.Missing) +
			" in the channel"
	default:
		return "nothing was decided"
	}
}

// entry describes the entry that decided.
func (d Decision) entry() string {
	subject, verb := "the "+d.Entry.Type.String()+" "+d.Entry.ID.String(), " is "
	switch {
	case d.General && d.Entry.Type == ForChannel:
		subject, verb = "all channels", " are "
	case d.General:
		subject = "everyone"
	}
	what := "denied"
	if d.Entry.Allow {
		what = "allowed"
	}
	scope := " for this command"
	if d.Level == levelApplication {
		scope = " for all commands of the app"
	}
	return subject + verb + what + scope
}

// enumerate joins the names of permissions with commas and "and".
func enumerate(b Bits) string {
	names := b.Names()
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
