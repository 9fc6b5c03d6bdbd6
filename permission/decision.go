package permission

// Decision is the answer to a question, and the reason for it. Decisions can be compared.
type Decision struct {
	Allowed bool
	// Reason is one of these:
	//
	//	outside of guilds        allowed: direct messages ask for no permissions
	//	administrator            allowed: the member owns the guild or is an administrator
	//	allowed by an entry      allowed: Entry allows the user, a role or everyone
	//	allowed by default       allowed: no entry decides, and the member has the default permissions
	//	wrong type               the user asked for a command of another type
	//	age-restricted           the command is age-restricted, the user or the channel is not
	//	wrong context            the command does not work in this context
	//	not installed            the app is not installed in a way that the command supports
	//	archived thread          the thread is archived
	//	hidden channel           the member cannot see the channel
	//	permission denied        a USER command needs the permission to send, which is in Missing
	//	missing permissions      the member lacks Missing, which every command needs
	//	channel denied           Entry denies the channel or all channels
	//	member denied            Entry denies the user, a role or everyone
	//	denied by default        the member lacks default permissions of the command
	Reason string
	// Level names the step of the decision: "command" and "application" are entries of the command or of its
	// application, "default" is default_member_permissions, "" is anything else.
	Level string
	// General reports whether Entry is for everyone or for all channels.
	General bool
	// Missing are the permissions that the member would need and does not have.
	Missing Bits
	// Entry is the entry that decided, if one did.
	Entry Entry
}

// The reasons of decisions.
const (
	outsideGuild       = "outside of guilds"
	isAdministrator    = "administrator"
	entryAllows        = "allowed by an entry"
	defaultAllows      = "allowed by default"
	wrongType          = "wrong type"
	ageRestricted      = "age-restricted"
	wrongContext       = "wrong context"
	notInstalled       = "not installed"
	threadArchived     = "archived thread"
	channelHidden      = "hidden channel"
	cannotSend         = "permission denied"
	missingPermissions = "missing permissions"
	channelDenied      = "channel denied"
	memberDenied       = "member denied"
	defaultDenies      = "denied by default"
)

// The levels of decisions.
const (
	levelCommand     = "command"
	levelApplication = "application"
	levelDefault     = "default"
)

// Code returns the number that Discord's client gives the reason: 0 for allowed, else 1 to 7. The client uses 3 for its
// built-in commands.
func (d Decision) Code() int {
	switch d.Reason {
	case ageRestricted:
		return 1
	case wrongType:
		return 2
	case wrongContext, notInstalled:
		return 4
	case threadArchived, channelHidden, cannotSend, missingPermissions:
		return 5
	case channelDenied:
		return 6
	case memberDenied, defaultDenies:
		return 7
	default:
		return 0
	}
}

// CannotSend reports whether a USER command is denied because the member cannot send in the channel. Discord answers
// that case with its own error.
func (d Decision) CannotSend() bool { return d.Reason == cannotSend }
