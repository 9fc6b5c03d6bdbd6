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

func ExampleAct_Decide() {
	guild := permission.NewGuild(300, 200, permission.ViewChannel|permission.SendMessages, nil)
	member := guild.Member(201, nil)
	act := permission.Act{Operation: permission.OpDeleteMessage, Member: &member}
	fmt.Println(act.Decide().Explain())
	act.Own = true
	fmt.Println(act.Decide().Explain())
	// Output:
	// denied: the member lacks MANAGE_MESSAGES
	// allowed: the member has every permission that this needs
}

func ExampleOperation_Requirement() {
	r := permission.OpBulkBan.Requirement()
	fmt.Println(r.Name, r.Need[0].Names(), r.Audit)
	// Output: ban many members [BAN_MEMBERS MANAGE_GUILD] 22
}

func ExampleMember_MayActOn() {
	guild := permission.NewGuild(300, 200, 0, []permission.Role{
		{ID: 301, Permissions: permission.Administrator, Position: 1},
		{ID: 302, Position: 2},
	})
	admin, veteran := guild.Member(201, []snowflake.Role{301}), guild.Member(202, []snowflake.Role{302})
	outcome := admin.MayActOn(permission.OpKickMember, veteran)
	fmt.Println(outcome.Code, outcome.Explain())
	// Output: 50013 denied: the role 301 is not above the role 302
}
