package authorization

import "strconv"

// IntegrationType says whether an app is installed in a guild or for a user.
type IntegrationType int

// The installation types.
const (
	GuildInstall IntegrationType = 0
	UserInstall  IntegrationType = 1
)

// String returns the name of the type, such as GUILD_INSTALL.
func (t IntegrationType) String() string {
	switch t {
	case GuildInstall:
		return "GUILD_INSTALL"
	case UserInstall:
		return "USER_INSTALL"
	default:
		return "IntegrationType(" + strconv.Itoa(int(t)) + ")"
	}
}

func (t IntegrationType) known() bool { return t == GuildInstall || t == UserInstall }
