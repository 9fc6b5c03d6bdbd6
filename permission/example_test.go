package permission_test

import (
	"fmt"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

func ExampleDecide() {
	const guildID, moderators = snowflake.Guild(300), snowflake.Role(301)
	guild := permission.NewGuild(guildID, 200, permission.ViewChannel|permission.SendMessages|permission.UseApplicationCommands,
		[]permission.Role{{ID: moderators, Permissions: permission.BanMembers}})
	channel := permission.Channel{ID: 310}
	member := guild.Member(201, nil)
	question := permission.Question{
		Asked:       1,
		Command:     permission.Command{Type: 1, Default: new(permission.BanMembers)},
		Installed:   permission.Installs{Guild: true},
		Member:      &member,
		Channel:     channel,
		Permissions: member.In(channel),
	}
	fmt.Println(permission.Decide(question).Explain())

	question.Overwrites = permission.NewSet([]permission.Entry{{ID: 201, Type: permission.ForUser, Allow: true}})
	fmt.Println(permission.Decide(question).Explain())
	// Output:
	// denied: by default the command asks for permissions, of which the member lacks BAN_MEMBERS in the channel
	// allowed: the user 201 is allowed for this command
}

func ExampleMember_In() {
	guild := permission.NewGuild(300, 200, permission.ViewChannel|permission.SendMessages, nil)
	member := guild.Member(201, nil)
	announcements := permission.Channel{ID: 310, Overwrites: []permission.Overwrite{
		{ID: permission.Everyone(300), Deny: permission.SendMessages},
	}}
	fmt.Println(member.Permissions().Names())
	fmt.Println(member.In(announcements).Names())
	// Output:
	// [VIEW_CHANNEL SEND_MESSAGES]
	// [VIEW_CHANNEL]
}

func ExampleEdit_Decide() {
	guild := permission.NewGuild(300, 200, permission.UseApplicationCommands, []permission.Role{
		{ID: 301, Permissions: permission.ManageGuild | permission.ManageRoles, Position: 1},
		{ID: 302, Position: 2},
	})
	editor := guild.Member(201, []snowflake.Role{301})
	edit := permission.Edit{
		Guild:  guild,
		Editor: &editor,
		Next:   permission.NewSet([]permission.Entry{{ID: 302, Type: permission.ForRole}}),
	}
	fmt.Println(edit.Decide().Reason)
	// Output: cannot manage the target of an entry
}
