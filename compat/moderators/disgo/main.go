// Command disgo is a bot with the library github.com/disgoorg/disgo. It runs a guild and prints the events that it gets. It knows nothing
// of Bellhop: "bellhop run" starts it.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/disgoorg/disgo"
	"github.com/disgoorg/disgo/bot"
	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/disgo/events"
	"github.com/disgoorg/disgo/gateway"
	"github.com/disgoorg/disgo/rest"
	"github.com/disgoorg/omit"
	"github.com/disgoorg/snowflake/v2"
)

const reason = "too loud"

var (
	guild  = snowflake.MustParse(os.Getenv("GUILD_ID"))
	edited = snowflake.MustParse(os.Getenv("EDITED_ID"))
	kicked = snowflake.MustParse(os.Getenv("KICKED_ID"))
	banned = snowflake.MustParse(os.Getenv("BANNED_ID"))
	why    = rest.WithReason(reason)
)

// image returns the image of the test.
func image() *discord.Icon {
	content, err := base64.StdEncoding.DecodeString(os.Getenv("IMAGE"))
	if err != nil {
		log.Fatal(err)
	}
	return discord.NewIconRaw(discord.IconTypePNG, content)
}

func main() {
	client, err := disgo.New(os.Getenv("DISCORD_TOKEN"),
		bot.WithGatewayConfigOpts(gateway.WithIntents(gateway.IntentGuilds, gateway.IntentGuildMembers, gateway.IntentGuildModeration,
			gateway.IntentGuildExpressions, gateway.IntentGuildInvites, gateway.IntentGuildVoiceStates, gateway.IntentGuildPresences,
			gateway.IntentGuildScheduledEvents)),
		on[*events.GuildUpdate]("GUILD_UPDATE"),
		on[*events.GuildMemberJoin]("GUILD_MEMBER_ADD"),
		on[*events.GuildMemberUpdate]("GUILD_MEMBER_UPDATE"),
		on[*events.GuildMemberLeave]("GUILD_MEMBER_REMOVE"),
		on[*events.GuildBan]("GUILD_BAN_ADD"),
		on[*events.GuildUnban]("GUILD_BAN_REMOVE"),
		on[*events.RoleCreate]("GUILD_ROLE_CREATE"),
		on[*events.RoleUpdate]("GUILD_ROLE_UPDATE"),
		on[*events.RoleDelete]("GUILD_ROLE_DELETE"),
		on[*events.GuildChannelCreate]("CHANNEL_CREATE"),
		on[*events.GuildChannelUpdate]("CHANNEL_UPDATE"),
		on[*events.GuildChannelDelete]("CHANNEL_DELETE"),
		on[*events.InviteCreate]("INVITE_CREATE"),
		on[*events.InviteDelete]("INVITE_DELETE"),
		on[*events.EmojisUpdate]("GUILD_EMOJIS_UPDATE"),
		on[*events.GuildAuditLogEntryCreate]("GUILD_AUDIT_LOG_ENTRY_CREATE"),
		on[*events.PresenceUpdate]("PRESENCE_UPDATE"),
		on[*events.GuildVoiceStateUpdate]("VOICE_STATE_UPDATE"),
		on[*events.GuildScheduledEventCreate]("GUILD_SCHEDULED_EVENT_CREATE"),
		on[*events.GuildScheduledEventUpdate]("GUILD_SCHEDULED_EVENT_UPDATE"),
		on[*events.GuildScheduledEventDelete]("GUILD_SCHEDULED_EVENT_DELETE"),
		bot.WithEventListenerFunc(func(e *events.Ready) {
			go func() {
				if err := run(e.Client()); err != nil {
					log.Fatal(err)
				}
				fmt.Println("managed")
			}()
		}),
	)
	if err != nil {
		log.Fatal(err)
	}
	if err := client.OpenGateway(context.Background()); err != nil {
		log.Fatal(err)
	}
	select {}
}

// on prints an event each time the bot gets it.
func on[E bot.Event](name string) bot.ConfigOpt {
	return bot.WithEventListenerFunc(func(E) { fmt.Println("event", name) })
}

func run(c *bot.Client) error {
	for _, step := range []func(rest.Rest) error{runMembers, runBans, runChannels, runInvites, runEmojis, runEvents} {
		if err := step(c.Rest); err != nil {
			return err
		}
	}
	return runRest(c)
}

func runMembers(r rest.Rest) error {
	nick := "Chef"
	if _, err := r.UpdateMember(guild, edited, discord.MemberUpdate{Nick: &nick}, why); err != nil {
		return err
	}
	role, err := r.CreateRole(guild, discord.RoleCreate{Name: "cook"}, why)
	if err != nil {
		return err
	}
	name, blue, hoist, second := "cooks", 0x3366ff, true, 2
	if _, err := r.UpdateRole(guild, role.ID, discord.RoleUpdate{Name: &name, Color: &blue, Hoist: &hoist}, why); err != nil {
		return err
	}
	gone, err := r.CreateRole(guild, discord.RoleCreate{Name: "gone"}, why)
	if err != nil {
		return err
	}
	if _, err := r.UpdateRolePositions(guild, []discord.RolePositionUpdate{{ID: role.ID, Position: &second}}, why); err != nil {
		return err
	}
	if err := r.DeleteRole(guild, gone.ID, why); err != nil {
		return err
	}
	if err := r.AddMemberRole(guild, edited, role.ID, why); err != nil {
		return err
	}
	until := time.Now().Add(time.Hour)
	_, err = r.UpdateMember(guild, edited, discord.MemberUpdate{CommunicationDisabledUntil: omit.New(&until)}, why)
	return err
}

func runBans(r rest.Rest) error {
	if err := r.RemoveMember(guild, kicked, why); err != nil {
		return err
	}
	if err := r.AddBan(guild, banned, time.Minute, why); err != nil {
		return err
	}
	ban, err := r.GetBan(guild, banned)
	if err != nil {
		return err
	}
	if ban.Reason == nil || *ban.Reason != reason {
		return fmt.Errorf("the ban has the reason %v", ban.Reason)
	}
	return r.DeleteBan(guild, banned, why)
}

func runChannels(r rest.Rest) error {
	name, topic := "Diner", "Orders"
	if _, err := r.UpdateGuild(guild, discord.GuildUpdate{Name: &name, Icon: omit.New(image())}, why); err != nil {
		return err
	}
	channel, err := r.CreateGuildChannel(guild, discord.GuildTextChannelCreate{Name: "orders"}, why)
	if err != nil {
		return err
	}
	if _, err := r.UpdateChannel(channel.ID(), discord.GuildTextChannelUpdate{Topic: &topic}, why); err != nil {
		return err
	}
	deny := discord.PermissionSendMessages
	if err := r.UpdatePermissionOverwrite(channel.ID(), guild, discord.RolePermissionOverwriteUpdate{Deny: &deny}, why); err != nil {
		return err
	}
	gone, err := r.CreateGuildChannel(guild, discord.GuildTextChannelCreate{Name: "gone"}, why)
	if err != nil {
		return err
	}
	return r.DeleteChannel(gone.ID(), why)
}

func runInvites(r rest.Rest) error {
	age := 60
	invite, err := r.CreateInvite(snowflake.MustParse(os.Getenv("CHANNEL_ID")), discord.InviteCreate{MaxAge: &age, Unique: true}, why)
	if err != nil {
		return err
	}
	list, err := r.GetGuildInvites(guild)
	if err != nil {
		return err
	}
	if len(list) != 1 || list[0].Code != invite.Code {
		return fmt.Errorf("the invites are %v", list)
	}
	_, err = r.DeleteInvite(invite.Code, why)
	return err
}

func runEmojis(r rest.Rest) error {
	emoji, err := r.CreateEmoji(guild, discord.EmojiCreate{Name: "chef", Image: *image()}, why)
	if err != nil {
		return err
	}
	name := "cook"
	if _, err := r.UpdateEmoji(guild, emoji.ID, discord.EmojiUpdate{Name: &name}, why); err != nil {
		return err
	}
	if err := r.DeleteEmoji(guild, emoji.ID, why); err != nil {
		return err
	}
	_, err = r.UpdateCurrentUser(discord.UserUpdate{Avatar: omit.New(image())})
	return err
}

func runEvents(r rest.Rest) error {
	start := time.Now().Add(time.Hour)
	end := start.Add(time.Hour)
	event, err := r.CreateGuildScheduledEvent(guild, discord.GuildScheduledEventCreate{
		Name: "Dinner", PrivacyLevel: discord.ScheduledEventPrivacyLevelGuildOnly, ScheduledStartTime: start,
		ScheduledEndTime: &end, EntityType: discord.ScheduledEventEntityTypeExternal,
		EntityMetaData: &discord.EntityMetaData{Location: "Hall"},
	}, why)
	if err != nil {
		return err
	}
	if _, err := r.UpdateGuildScheduledEvent(guild, event.ID, discord.GuildScheduledEventUpdate{Name: "Supper"}, why); err != nil {
		return err
	}
	return r.DeleteGuildScheduledEvent(guild, event.ID, why)
}

func runRest(c *bot.Client) error {
	ctx, voice := context.Background(), snowflake.MustParse(os.Getenv("VOICE_ID"))
	if err := c.SetPresence(ctx, gateway.WithOnlineStatus(discord.OnlineStatusIdle), gateway.WithPlayingActivity("orders")); err != nil {
		return err
	}
	if err := c.UpdateVoiceState(ctx, guild, &voice, false, false); err != nil {
		return err
	}
	list, err := c.Rest.GetAuditLog(guild, 0, discord.AuditLogEventMemberKick, 0, 0, 10)
	if err != nil {
		return err
	}
	kicks := list.AuditLogEntries
	if len(kicks) != 1 || kicks[0].Reason == nil || *kicks[0].Reason != reason || kicks[0].TargetID == nil || *kicks[0].TargetID != kicked {
		return errors.New("the audit log lacks the kick")
	}
	return nil
}
