package permission_test

import (
	"testing"

	"github.com/bellhop/bellhop/permission"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	const role, user, channel = permission.ForRole, permission.ForUser, permission.ForChannel
	const onCommand, onApp = levelCommand, levelApplication
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
		{refused(wrongType), "denied: the command is of another type than the one asked for"},
		{
			refused(ageRestricted),
			"denied: the command is age-restricted, and the user or the place is not open to that",
		},
		{refused(wrongContext), "denied: the command does not work in this kind of place"},
		{refused(notInstalled), "denied: the app is not installed here in a way that the command supports"},
		{refused(threadArchived), "denied: the thread is archived"},
		{lacks(channelHidden, permission.ViewChannel), "denied: the member cannot see the channel"},
		{
			lacks(cannotSend, permission.SendMessages),
			"denied: a user command needs the right to send in the channel, and the member lacks SEND_MESSAGES",
		},
		{
			lacks(missingPermissions, permission.UseApplicationCommands),
			"denied: the member lacks USE_APPLICATION_COMMANDS in the channel",
		},
		{
			lacks(missingPermissions, permission.UseApplicationCommands|permission.SendMessages),
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
				Reason: defaultDenies, Level: levelDefault,
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

func TestDecisionCode(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]int{
		"": 0, outsideGuild: 0, isAdministrator: 0, entryAllows: 0, defaultAllows: 0, wrongType: 2,
		ageRestricted: 1, wrongContext: 4, notInstalled: 4, threadArchived: 5, channelHidden: 5,
		cannotSend: 5, missingPermissions: 5, channelDenied: 6, memberDenied: 7, defaultDenies: 7,
	} {
		if got := refused(reason).Code(); got != want {
			t.Errorf("Code() of %q = %d, want %d", reason, got, want)
		}
	}
}

func TestEntryTypeString(t *testing.T) {
	t.Parallel()
	for give, want := range map[permission.EntryType]string{
		permission.ForRole: "role", permission.ForUser: "user", permission.ForChannel: "channel", 9: "nothing",
	} {
		if got := give.String(); got != want {
			t.Errorf("String() of %d = %q, want %q", give, got, want)
		}
	}
}
