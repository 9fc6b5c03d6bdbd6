// Command discordgo is a bot with the library github.com/bwmarrin/discordgo. It runs a guild and prints the events that it gets.
// It knows nothing of Bellhop: "bellhop run" starts it.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/bwmarrin/discordgo"
)

const reason = "too loud"

var (
	guild  = os.Getenv("GUILD_ID")
	edited = os.Getenv("EDITED_ID")
	kicked = os.Getenv("KICKED_ID")
	banned = os.Getenv("BANNED_ID")
	image  = "data:image/png;base64," + os.Getenv("IMAGE")
	why    = discordgo.WithAuditLogReason(reason)
)

func main() {
	session, err := discordgo.New("Bot " + os.Getenv("DISCORD_TOKEN"))
	if err != nil {
		log.Fatal(err)
	}
	session.Identify.Intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMembers | discordgo.IntentGuildModeration |
		discordgo.IntentGuildEmojis | discordgo.IntentsGuildInvites | discordgo.IntentsGuildVoiceStates |
		discordgo.IntentsGuildPresences | discordgo.IntentGuildScheduledEvents
	on[discordgo.GuildUpdate](session, "GUILD_UPDATE")
	on[discordgo.GuildMemberAdd](session, "GUILD_MEMBER_ADD")
	on[discordgo.GuildMemberUpdate](session, "GUILD_MEMBER_UPDATE")
	on[discordgo.GuildMemberRemove](session, "GUILD_MEMBER_REMOVE")
	on[discordgo.GuildBanAdd](session, "GUILD_BAN_ADD")
	on[discordgo.GuildBanRemove](session, "GUILD_BAN_REMOVE")
	on[discordgo.GuildRoleCreate](session, "GUILD_ROLE_CREATE")
	on[discordgo.GuildRoleUpdate](session, "GUILD_ROLE_UPDATE")
	on[discordgo.GuildRoleDelete](session, "GUILD_ROLE_DELETE")
	on[discordgo.ChannelCreate](session, "CHANNEL_CREATE")
	on[discordgo.ChannelUpdate](session, "CHANNEL_UPDATE")
	on[discordgo.ChannelDelete](session, "CHANNEL_DELETE")
	on[discordgo.InviteCreate](session, "INVITE_CREATE")
	on[discordgo.InviteDelete](session, "INVITE_DELETE")
	on[discordgo.GuildEmojisUpdate](session, "GUILD_EMOJIS_UPDATE")
	on[discordgo.GuildAuditLogEntryCreate](session, "GUILD_AUDIT_LOG_ENTRY_CREATE")
	on[discordgo.PresenceUpdate](session, "PRESENCE_UPDATE")
	on[discordgo.VoiceStateUpdate](session, "VOICE_STATE_UPDATE")
	on[discordgo.GuildScheduledEventCreate](session, "GUILD_SCHEDULED_EVENT_CREATE")
	on[discordgo.GuildScheduledEventUpdate](session, "GUILD_SCHEDULED_EVENT_UPDATE")
	on[discordgo.GuildScheduledEventDelete](session, "GUILD_SCHEDULED_EVENT_DELETE")
	session.AddHandler(func(s *discordgo.Session, _ *discordgo.Ready) {
		if err := run(s); err != nil {
			log.Fatal(err)
		}
		fmt.Println("managed")
	})
	if err := session.Open(); err != nil {
		log.Fatal(err)
	}
	select {}
}

// on prints an event each time the session gets it.
func on[E any](s *discordgo.Session, name string) {
	s.AddHandler(func(*discordgo.Session, *E) { fmt.Println("event", name) })
}

func run(s *discordgo.Session) error {
	for _, step := range []func(*discordgo.Session) error{runMembers, runBans, runChannels, runInvites, runEmojis, runEvents, runRest} {
		if err := step(s); err != nil {
			return err
		}
	}
	return nil
}

func runMembers(s *discordgo.Session) error {
	if err := s.GuildMemberNickname(guild, edited, "Chef", why); err != nil {
		return err
	}
	role, err := s.GuildRoleCreate(guild, &discordgo.RoleParams{Name: "cook"}, why)
	if err != nil {
		return err
	}
	blue, hoist := 0x3366ff, true
	if _, err := s.GuildRoleEdit(guild, role.ID, &discordgo.RoleParams{Name: "cooks", Color: &blue, Hoist: &hoist}, why); err != nil {
		return err
	}
	gone, err := s.GuildRoleCreate(guild, &discordgo.RoleParams{Name: "gone"}, why)
	if err != nil {
		return err
	}
	if _, err := s.GuildRoleReorder(guild, []*discordgo.Role{{ID: role.ID, Position: 2}}, why); err != nil {
		return err
	}
	if err := s.GuildRoleDelete(guild, gone.ID, why); err != nil {
		return err
	}
	if err := s.GuildMemberRoleAdd(guild, edited, role.ID, why); err != nil {
		return err
	}
	until := time.Now().Add(time.Hour)
	return s.GuildMemberTimeout(guild, edited, &until, why)
}

func runBans(s *discordgo.Session) error {
	if err := s.GuildMemberDelete(guild, kicked, why); err != nil {
		return err
	}
	if err := s.GuildBanCreate(guild, banned, 1, why); err != nil {
		return err
	}
	ban, err := s.GuildBan(guild, banned)
	if err != nil {
		return err
	}
	if ban.Reason != reason {
		return fmt.Errorf("the ban has the reason %q", ban.Reason)
	}
	return s.GuildBanDelete(guild, banned, why)
}

func runChannels(s *discordgo.Session) error {
	if _, err := s.GuildEdit(guild, &discordgo.GuildParams{Name: "Diner", Icon: image}, why); err != nil {
		return err
	}
	channel, err := s.GuildChannelCreate(guild, "orders", discordgo.ChannelTypeGuildText, why)
	if err != nil {
		return err
	}
	if _, err := s.ChannelEdit(channel.ID, &discordgo.ChannelEdit{Topic: "Orders"}, why); err != nil {
		return err
	}
	err = s.ChannelPermissionSet(channel.ID, guild, discordgo.PermissionOverwriteTypeRole, 0, discordgo.PermissionSendMessages, why)
	if err != nil {
		return err
	}
	gone, err := s.GuildChannelCreate(guild, "gone", discordgo.ChannelTypeGuildText, why)
	if err != nil {
		return err
	}
	_, err = s.ChannelDelete(gone.ID, why)
	return err
}

func runInvites(s *discordgo.Session) error {
	invite, err := s.ChannelInviteCreate(os.Getenv("CHANNEL_ID"), discordgo.Invite{MaxAge: 60, Unique: true}, why)
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
	_, err = s.InviteDelete(invite.Code, why)
	return err
}

func runEmojis(s *discordgo.Session) error {
	emoji, err := s.GuildEmojiCreate(guild, &discordgo.EmojiParams{Name: "chef", Image: image}, why)
	if err != nil {
		return err
	}
	if _, err := s.GuildEmojiEdit(guild, emoji.ID, &discordgo.EmojiParams{Name: "cook"}, why); err != nil {
		return err
	}
	if err := s.GuildEmojiDelete(guild, emoji.ID, why); err != nil {
		return err
	}
	_, err = s.UserUpdate("", image, "")
	return err
}

func runEvents(s *discordgo.Session) error {
	start := time.Now().Add(time.Hour)
	end := start.Add(time.Hour)
	event, err := s.GuildScheduledEventCreate(guild, &discordgo.GuildScheduledEventParams{
		Name: "Dinner", ScheduledStartTime: &start, ScheduledEndTime: &end, PrivacyLevel: discordgo.GuildScheduledEventPrivacyLevelGuildOnly,
		EntityType: discordgo.GuildScheduledEventEntityTypeExternal, EntityMetadata: &discordgo.GuildScheduledEventEntityMetadata{Location: "Hall"},
	}, why)
	if err != nil {
		return err
	}
	if _, err := s.GuildScheduledEventEdit(guild, event.ID, &discordgo.GuildScheduledEventParams{Name: "Supper"}, why); err != nil {
		return err
	}
	return s.GuildScheduledEventDelete(guild, event.ID, why)
}

func runRest(s *discordgo.Session) error {
	err := s.UpdateStatusComplex(discordgo.UpdateStatusData{Status: "idle", Activities: []*discordgo.Activity{{Name: "orders"}}})
	if err != nil {
		return err
	}
	if err := s.ChannelVoiceJoinManual(guild, os.Getenv("VOICE_ID"), false, false); err != nil {
		return err
	}
	list, err := s.GuildAuditLog(guild, "", "", int(discordgo.AuditLogActionMemberKick), 10)
	if err != nil {
		return err
	}
	if len(list.AuditLogEntries) != 1 || list.AuditLogEntries[0].Reason != reason || list.AuditLogEntries[0].TargetID != kicked {
		return errors.New("the audit log lacks the kick")
	}
	return nil
}
