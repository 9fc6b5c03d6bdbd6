package permission

// Decision is an answer and what it rests on. Decisions can be compared.
type Decision struct {
	Allowed bool
	Reason  Reason
	Level   Level
	// General says that Entry speaks of everyone, or of all channels.
	General bool
	// Missing are the permissions that the member would need and does not have.
	Missing Bits
	// Entry is what decided, when an entry did.
	Entry Entry
}

// Level is where a decision was found.
type Level uint8

// The levels. Decisions about the place and about rights that every command needs have none.
const (
	LevelNone Level = iota
	LevelCommand
	LevelApplication
	LevelDefault
)

// String returns the word for the level.
func (l Level) String() string {
	switch l {
	case LevelNone:
		return "none"
	case LevelCommand:
		return "command"
	case LevelApplication:
		return "application"
	case LevelDefault:
		return "default"
	default:
		return "unknown"
	}
}

// Reason says why a command is allowed or denied.
type Reason uint8

// The reasons. Up to DefaultAllows they allow, after it they deny.
const (
	Undecided       Reason = iota
	OutsideGuild           // no permissions are asked for
	IsAdministrator        // or owner
	EntryAllows            // for the user, a role or everyone
	DefaultAllows          // nothing denies, and the member has what the command asks for

	WrongType
	AgeRestricted
	WrongContext
	NotInstalled
	ThreadArchived
	ChannelHidden
	CannotSend         // what a USER command calls Permission Denied
	MissingPermissions // the rights that every command needs
	ChannelDenied
	MemberDenied  // by an entry for the user, a role or everyone
	DefaultDenies // the member lacks what the command asks for
)

// reasons holds the words of each reason and its number among the results of the official client, where 0 is allowed
// and 3 is for commands that are built into a client.
var reasons = [...]struct {
	words string
	code  int
}{
	Undecided:          {"undecided", 0},
	OutsideGuild:       {"outside of guilds", 0},
	IsAdministrator:    {"administrator", 0},
	EntryAllows:        {"allowed by an entry", 0},
	DefaultAllows:      {"allowed by default", 0},
	WrongType:          {"wrong type", 2},
	AgeRestricted:      {"age-restricted", 1},
	WrongContext:       {"wrong context", 4},
	NotInstalled:       {"not installed", 4},
	ThreadArchived:     {"archived thread", 5},
	ChannelHidden:      {"hidden channel", 5},
	CannotSend:         {"permission denied", 5},
	MissingPermissions: {"missing permissions", 5},
	ChannelDenied:      {"channel denied", 6},
	MemberDenied:       {"member denied", 7},
	DefaultDenies:      {"denied by default", 7},
}

// String returns the reason in a few words.
func (r Reason) String() string {
	if int(r) >= len(reasons) {
		return "unknown"
	}
	return reasons[r].words
}

// Code returns the official result number, 0 for reasons that do not deny.
func (r Reason) Code() int {
	if int(r) >= len(reasons) {
		return 0
	}
	return reasons[r].code
}
