package authorization

import "strconv"

// IntegrationType says where an app is installed.
type IntegrationType int

// The installation types.
const (
	GuildInstall IntegrationType = 0
	UserInstall  IntegrationType = 1
)

// String returns the name that the interface gives the type.
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
