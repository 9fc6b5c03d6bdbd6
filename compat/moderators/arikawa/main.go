// Command arikawa is a bot with the library github.com/diamondburned/arikawa. It runs a guild and prints the events that it gets.
// It knows nothing of Bellhop: "bellhop run" starts it.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/diamondburned/arikawa/v3/api"
	"github.com/diamondburned/arikawa/v3/discord"
	"github.com/diamondburned/arikawa/v3/gateway"
	"github.com/diamondburned/arikawa/v3/state"
	"github.com/diamondburned/arikawa/v3/utils/json/option"
)

const reason api.AuditLogReason = "too loud"

var why = api.AddRoleData{AuditLogReason: reason}

var (
	guild  = discord.GuildID(id("GUILD_ID"))
	edited = discord.UserID(id("EDITED_ID"))
	kicked = discord.UserID(id("KICKED_ID"))
	banned = discord.UserID(id("BANNED_ID"))
)

// id returns the id in an environment variable.
func id(name string) discord.Snowflake {
	id, err := discord.ParseSnowflake(os.Getenv(name))
	if err != nil {
		log.Fatal(name, ": ", err)
	}
	return id
}

// image returns the image of the test.
func image() api.Image {
	content, err := base64.StdEncoding.DecodeString(os.Getenv("IMAGE"))
	if err != nil {
		log.Fatal(err)
	}
	return api.Image{ContentType: "image/png", Content: content}
}

func main() {
	s := state.New("Bot " + os.Getenv("DISCORD_TOKEN"))
	s.AddIntents(gateway.IntentGuilds | gateway.IntentGuildMembers | gateway.IntentGuildModeration | gateway.IntentGuildEmojis |
		gateway.IntentGuildInvites | gateway.IntentGuildVoiceStates | gateway.IntentGuildPresences | gateway.IntentGuildScheduledEvents)
	on[gateway.GuildUpdateEvent](s, "GUILD_UPDATE")
	on[gateway.GuildMemberAddEvent](s, "GUILD_MEMBER_ADD")
	on[gateway.GuildMemberUpdateEvent](s, "GUILD_MEMBER_UPDATE")
	on[gateway.GuildMemberRemoveEvent](s, "GUILD_MEMBER_REMOVE")
	on[gateway.GuildBanAddEvent](s, "GUILD_BAN_ADD")
	on[gateway.GuildBanRemoveEvent](s, "GUILD_BAN_REMOVE")
	on[gateway.GuildRoleCreateEvent](s, "GUILD_ROLE_CREATE")
	on[gateway.GuildRoleUpdateEvent](s, "GUILD_ROLE_UPDATE")
	on[gateway.GuildRoleDeleteEvent](s, "GUILD_ROLE_DELETE")
	on[gateway.ChannelCreateEvent](s, "CHANNEL_CREATE")
	on[gateway.ChannelUpdateEvent](s, "CHANNEL_UPDATE")
	on[gateway.ChannelDeleteEvent](s, "CHANNEL_DELETE")
	on[gateway.InviteCreateEvent](s, "INVITE_CREATE")
	on[gateway.InviteDeleteEvent](s, "INVITE_DELETE")
	on[gateway.GuildEmojisUpdateEvent](s, "GUILD_EMOJIS_UPDATE")
	on[gateway.GuildAuditLogEntryCreateEvent](s, "GUILD_AUDIT_LOG_ENTRY_CREATE")
	on[gateway.PresenceUpdateEvent](s, "PRESENCE_UPDATE")
	on[gateway.VoiceStateUpdateEvent](s, "VOICE_STATE_UPDATE")
	on[gateway.GuildScheduledEventCreateEvent](s, "GUILD_SCHEDULED_EVENT_CREATE")
	on[gateway.GuildScheduledEventUpdateEvent](s, "GUILD_SCHEDULED_EVENT_UPDATE")
	on[gateway.GuildScheduledEventDeleteEvent](s, "GUILD_SCHEDULED_EVENT_DELETE")
	s.AddHandler(func(*gateway.ReadyEvent) {
		if err := run(s); err != nil {
			log.Fatal(err)
		}
		fmt.Println("managed")
	})
	if err := s.Connect(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// on prints an event each time the bot gets it.
func on[E any](s *state.State, name string) {
	s.AddHandler(func(*E) { fmt.Println("event", name) })
}

func run(s *state.State) error {
	for _, step := range []func(*state.State) error{runMembers, runBans, runChannels, runInvites, runEmojis, runEvents, runRest} {
		if err := step(s); err != nil {
			return err
		}
	}
	return nil
}

func runMembers(s *state.State) error {
	err := s.ModifyMember(guild, edited, api.ModifyMemberData{Nick: option.NewString("Chef"), AuditLogReason: reason})
	if err != nil {
		return err
	}
	role, err := s.CreateRole(guild, api.CreateRoleData{Name: "cook", AddRoleData: why})
	if err != nil {
		return err
	}
	_, err = s.ModifyRole(guild, role.ID, api.ModifyRoleData{
		Name: option.NewNullableString("cooks"), Color: 0x3366ff, Hoist: option.NullableTrue, AddRoleData: why,
	})
	if err != nil {
		return err
	}
	gone, err := s.CreateRole(guild, api.CreateRoleData{Name: "gone", AddRoleData: why})
	if err != nil {
		return err
	}
	order := []api.MoveRoleData{{ID: role.ID, Position: option.NewNullableInt(2)}}
	if _, err := s.MoveRoles(guild, api.MoveRolesData{Roles: order, AuditLogReason: reason}); err != nil {
		return err
	}
	if err := s.DeleteRole(guild, gone.ID, reason); err != nil {
		return err
	}
	if err := s.AddRole(guild, edited, role.ID, why); err != nil {
		return err
	}
	until := discord.NewTimestamp(time.Now().Add(time.Hour))
	return s.ModifyMember(guild, edited, api.ModifyMemberData{CommunicationDisabledUntil: &until, AuditLogReason: reason})
}

func runBans(s *state.State) error {
	if err := s.Kick(guild, kicked, reason); err != nil {
		return err
	}
	if err := s.Ban(guild, banned, api.BanData{DeleteDays: option.NewUint(1), AuditLogReason: reason}); err != nil {
		return err
	}
	ban, err := s.GetBan(guild, banned)
	if err != nil {
		return err
	}
	if ban.Reason != string(reason) {
		return fmt.Errorf("the ban has the reason %q", ban.Reason)
	}
	return s.Unban(guild, banned, reason)
}

func runChannels(s *state.State) error {
	icon := image()
	if _, err := s.ModifyGuild(guild, api.ModifyGuildData{Name: "Diner", Icon: &icon, AuditLogReason: reason}); err != nil {
		return err
	}
	channel, err := s.CreateChannel(guild, api.CreateChannelData{Name: "orders", AuditLogReason: reason})
	if err != nil {
		return err
	}
	err = s.ModifyChannel(channel.ID, api.ModifyChannelData{Topic: option.NewNullableString("Orders"), AuditLogReason: reason})
	if err != nil {
		return err
	}
	err = s.EditChannelPermission(channel.ID, discord.Snowflake(guild), api.EditChannelPermissionData{
		Type: discord.OverwriteRole, Deny: discord.PermissionSendMessages, AuditLogReason: reason,
	})
	if err != nil {
		return err
	}
	gone, err := s.CreateChannel(guild, api.CreateChannelData{Name: "gone", AuditLogReason: reason})
	if err != nil {
		return err
	}
	return s.DeleteChannel(gone.ID, reason)
}

func runInvites(s *state.State) error {
	invite, err := s.CreateInvite(discord.ChannelID(id("CHANNEL_ID")), api.CreateInviteData{
		MaxAge: option.NewUint(60), Unique: true, AuditLogReason: reason,
	})
	if err != nil {
		return err
	}
	list, err := s.GuildInvites(guild)
	if err != nil {
		return err
	}
	if len(list) != 1 || list[0].Code != invite.Code {
		return fmt.Errorf("the invites are %v", list)
	}
	_, err = s.DeleteInvite(invite.Code, reason)
	return err
}

func runEmojis(s *state.State) error {
	emoji, err := s.CreateEmoji(guild, api.CreateEmojiData{Name: "chef", Image: image(), AuditLogReason: reason})
	if err != nil {
		return err
	}
	if err := s.ModifyEmoji(guild, emoji.ID, api.ModifyEmojiData{Name: "cook", AuditLogReason: reason}); err != nil {
		return err
	}
	if err := s.DeleteEmoji(guild, emoji.ID, reason); err != nil {
		return err
	}
	avatar := image()
	_, err = s.ModifyCurrentUser(api.ModifyCurrentUserData{Avatar: &avatar})
	return err
}

func runEvents(s *state.State) error {
	start := time.Now().Add(time.Hour)
	event, err := s.CreateScheduledEvent(guild, reason, api.CreateScheduledEventData{
		Name: "Dinner", PrivacyLevel: discord.GuildOnly, StartTime: discord.NewTimestamp(start),
		EndTime: new(discord.NewTimestamp(start.Add(time.Hour))), EntityType: discord.ExternalEntity,
		EntityMetadata: &discord.EntityMetadata{Location: "Hall"},
	})
	if err != nil {
		return err
	}
	_, err = s.EditScheduledEvent(guild, event.ID, reason, api.EditScheduledEventData{Name: option.NewNullableString("Supper")})
	if err != nil {
		return err
	}
	return s.DeleteScheduledEvent(guild, event.ID)
}

func runRest(s *state.State) error {
	ctx := context.Background()
	err := s.Gateway().Send(ctx, &gateway.UpdatePresenceCommand{
		Status: discord.IdleStatus, Activities: []discord.Activity{{Name: "orders"}},
	})
	if err != nil {
		return err
	}
	err = s.Gateway().Send(ctx, &gateway.UpdateVoiceStateCommand{GuildID: guild, ChannelID: discord.ChannelID(id("VOICE_ID"))})
	if err != nil {
		return err
	}
	list, err := s.AuditLog(guild, api.AuditLogData{ActionType: discord.MemberKick})
	if err != nil {
		return err
	}
	if len(list.Entries) != 1 || list.Entries[0].Reason != string(reason) || list.Entries[0].TargetID != discord.Snowflake(kicked) {
		return errors.New("the audit log lacks the kick")
	}
	return nil
}
