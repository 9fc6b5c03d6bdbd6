package permission

import "github.com/bellhop/bellhop/snowflake"

// Outcome says whether an operation is allowed, and why. Outcomes can be compared.
type Outcome struct {
	Allowed bool
	// Reason is one of these:
	//
	//	permissions           allowed: the member has the permissions
	//	outside of guilds     allowed: direct messages ask for no permissions
	//	owner                 allowed: the member owns the guild
	//	administrator         allowed: the member is an administrator
	//	higher role           allowed: Role is above Against
	//	not a member          the user is not a member of the guild
	//	hidden channel        the member cannot see the channel
	//	private thread        the member is not in the private thread and cannot manage threads
	//	missing permissions   the member lacks Missing
	//	timed out             the member lacks Missing while timed out
	//	needs a guild         the operation does not exist in direct messages
	//	not own               only the user who created the object may do this
	//	target owns the guild the target is the owner
	//	target administrates  administrators cannot be timed out
	//	not above             Role is not above Against
	//	managed role          Against belongs to an integration
	//	everyone role         Against is the everyone role
	//	cannot grant          the member lacks Missing and cannot give it to others
	Reason string
	// Missing are the permissions that the member would need and does not have.
	Missing Bits
	// Code is the error code of the API, 0 if the operation is allowed.
	Code int
	// Empty means that the API answers with an empty list instead of an error.
	Empty bool
	// Role is the highest role of the acting member, and Against the role that it was compared with. 0 is the everyone
	// role.
	Role, Against snowflake.Role
}

// The reasons of outcomes that decisions do not have.
const (
	hasPermissions   = "permissions"
	ownsGuild        = "owner"
	higherRole       = "higher role"
	threadPrivate    = "private thread"
	lacksPermissions = missingPermissions
	isTimedOut       = "timed out"
	needsGuild       = "needs a guild"
	notOwn           = "not own"
	targetOwns       = "target owns the guild"
	targetAdmin      = "target administrates"
	notAbove         = "not above"
	roleManaged      = "managed role"
	roleEveryone     = "everyone role"
	cannotGrant      = "cannot grant"
)

// Explain returns the outcome and its reason as a sentence.
func (o Outcome) Explain() string {
	if o.Allowed {
		return "allowed: " + o.because()
	}
	return "denied: " + o.because()
}

func (o Outcome) because() string {
	switch o.Reason {
	case hasPermissions:
		return "the member has every permission that this needs"
	case outsideGuild:
		return "outside of guilds no permissions are asked for"
	case ownsGuild:
		return "the member owns the guild"
	case isAdministrator:
		return "the member is an administrator"
	case higherRole:
		return roleName(o.Role) + " is above " + roleName(o.Against)
	case notMember:
		return "the user is not a member of the guild"
	case channelHidden:
		return "the member cannot see the channel"
	case threadPrivate:
		return "the thread is private, and the member is not in it and lacks " + enumerate(o.Missing)
	case lacksPermissions:
		return "the member lacks " + enumerate(o.Missing)
	case isTimedOut:
		return "the member is timed out and lacks " + enumerate(o.Missing) + " meanwhile"
	case needsGuild:
		return "this is not possible in direct messages"
	case notOwn:
		return "only the user who created it may do this"
	case targetOwns:
		return "the target owns the guild"
	case targetAdmin:
		return "the target is an administrator"
	case notAbove:
		return roleName(o.Role) + " is not above " + roleName(o.Against)
	case roleManaged:
		return roleName(o.Against) + " belongs to an integration"
	case roleEveryone:
		return "the everyone role cannot be changed in this way"
	case cannotGrant:
		return "the member lacks " + enumerate(o.Missing) + " and cannot give it to others"
	default:
		return "nothing was decided"
	}
}

// IsRanked reports whether ranks decided: Role and Against were compared.
func (o Outcome) IsRanked() bool { return o.Reason == higherRole || o.Reason == notAbove }

// ExplainRanks returns the outcome and its reason as a sentence that names the members. role returns the name of a role, by that of the
// acting member, and on is added to the role of the target: " of " and its name, or nothing if the target is a role itself.
func (o Outcome) ExplainRanks(role func(snowflake.Role) string, by, on string) string {
	switch o.Reason {
	case higherRole:
		return "allowed: " + role(o.Role) + " of " + by + " is above " + role(o.Against) + on
	case notAbove:
		return "denied: " + role(o.Against) + on + " is not below " + role(o.Role) + " of " + by
	default:
		return o.Explain()
	}
}

func roleName(id snowflake.Role) string {
	if id == 0 {
		return "the everyone role"
	}
	return "the role " + id.String()
}
