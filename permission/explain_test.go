package permission_test

import (
	"testing"

	"github.com/bellhop/bellhop/permission"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	const role, user, channel = permission.ForRole, permission.ForUser, permission.ForChannel
	const onCommand, onApp = permission.LevelCommand, permission.LevelApplication
	for _, tt := range []struct {
		give permission.Decision
		want string
	}{
		{permission.Decision{}, "denied: nothing was decided"},
		{anywhere, "allowed: outside of guilds no permissions are asked for"},
		{asAdmin, "allowed: the member owns the guild or is an administrator"},
		{byDefault, "allowed: nothing denies the command, and the member has every permission that it asks for"},
		{byEntry(onCommand, allow(user, 201)), "allowed: the user 201 is allowed for this command"},
		{byEntry(onCommand, allow(role, 301)), "allowed: the role 301 is allowed for this command"},
		{byEntry(onCommand, allow(role, 300)), "allowed: everyone is allowed for this command"},
		{refused(permission.WrongType), "denied: the command is of another type than the one asked for"},
		{
			refused(permission.AgeRestricted),
			"denied: the command is age-restricted, and the user or the place is not open to that",
		},
		{refused(permission.WrongContext), "denied: the command does not work in this kind of place"},
		{refused(permission.NotInstalled), "denied: the app is not installed here in a way that the command supports"},
		{refused(permission.ThreadArchived), "denied: the thread is archived"},
		{lacks(permission.ChannelHidden, permission.ViewChannel), "denied: the member cannot see the channel"},
		{
			lacks(permission.CannotSend, permission.SendMessages),
			"denied: a user command needs the right to send in the channel, and the member lacks SEND_MESSAGES",
		},
		{
			lacks(permission.MissingPermissions, permission.UseApplicationCommands),
			"denied: the member lacks USE_APPLICATION_COMMANDS in the channel",
		},
		{
			lacks(permission.MissingPermissions, permission.UseApplicationCommands|permission.SendMessages),
			"denied: the member lacks SEND_MESSAGES and USE_APPLICATION_COMMANDS in the channel",
		},
		{byEntry(onCommand, deny(channel, 310)), "denied: the channel 310 is denied for this command"},
		{byEntry(onCommand, deny(channel, 299)), "denied: all channels are denied for this command"},
		{byEntry(onApp, deny(channel, 310)), "denied: the channel 310 is denied for all commands of the app"},
		{byEntry(onApp, deny(channel, 299)), "denied: all channels are denied for all commands of the app"},
		{byEntry(onCommand, deny(role, 301)), "denied: the role 301 is denied for this command"},
		{byEntry(onCommand, deny(role, 300)), "denied: everyone is denied for this command"},
		{byEntry(onApp, deny(user, 201)), "denied: the user 201 is denied for all commands of the app"},
		{byEntry(onApp, deny(role, 300)), "denied: everyone is denied for all commands of the app"},
		{notEven, "denied: by default only administrators may use the command"},
		{
			permission.Decision{
				Reason: permission.DefaultDenies, Level: permission.LevelDefault,
				Missing: permission.KickMembers | permission.BanMembers | permission.ModerateMembers | 1<<53,
			},
			"denied: by default the command asks for permissions, of which the member lacks " +
				"KICK_MEMBERS, BAN_MEMBERS, MODERATE_MEMBERS and bit 53 in the channel",
		},
	} {
		if got := tt.give.Explain(); got != tt.want {
			t.Errorf("Explain() = %q, want %q", got, tt.want)
		}
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		give  permission.Reason
		words string
		code  int // of the official client
	}{
		{permission.Undecided, "undecided", 0},
		{permission.OutsideGuild, "outside of guilds", 0},
		{permission.IsAdministrator, "administrator", 0},
		{permission.EntryAllows, "allowed by an entry", 0},
		{permission.DefaultAllows, "allowed by default", 0},
		{permission.WrongType, "wrong type", 2},
		{permission.AgeRestricted, "age-restricted", 1},
		{permission.WrongContext, "wrong context", 4},
		{permission.NotInstalled, "not installed", 4},
		{permission.ThreadArchived, "archived thread", 5},
		{permission.ChannelHidden, "hidden channel", 5},
		{permission.CannotSend, "permission denied", 5},
		{permission.MissingPermissions, "missing permissions", 5},
		{permission.ChannelDenied, "channel denied", 6},
		{permission.MemberDenied, "member denied", 7},
		{permission.DefaultDenies, "denied by default", 7},
		{255, "unknown", 0},
	} {
		if tt.give.String() != tt.words || tt.give.Code() != tt.code {
			t.Errorf("reason %d is %q, %d, want %q, %d", tt.give, tt.give, tt.give.Code(), tt.words, tt.code)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		give interface{ String() string }
		want string
	}{
		{permission.LevelNone, "none"},
		{permission.LevelCommand, "command"},
		{permission.LevelApplication, "application"},
		{permission.LevelDefault, "default"},
		{permission.Level(9), "unknown"},
		{permission.ForRole, "role"},
		{permission.ForUser, "user"},
		{permission.ForChannel, "channel"},
		{permission.EntryType(9), "nothing"},
		{permission.NoObstacle, "none"},
		{permission.NotMember, "not a member"},
		{permission.MissingManage, "does not manage the guild and its roles"},
		{permission.CannotRun, "cannot run the command"},
		{permission.CannotManage, "cannot manage what an entry speaks of"},
		{permission.Obstacle(9), "unknown"},
	} {
		if got := tt.give.String(); got != tt.want {
			t.Errorf("String() of %[1]T(%[1]d) = %q, want %q", tt.give, got, tt.want)
		}
	}
}
