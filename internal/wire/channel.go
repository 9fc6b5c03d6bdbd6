package wire

import (
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Channel is a channel of a guild that is no thread.
type Channel struct {
	ID                   snowflake.Channel  `json:"id"`
	Type                 int                `json:"type"`
	GuildID              snowflake.Guild    `json:"guild_id"`
	Name                 string             `json:"name"`
	Position             int                `json:"position"`
	PermissionOverwrites []Overwrite        `json:"permission_overwrites"`
	NSFW                 bool               `json:"nsfw"`
	Topic                *string            `json:"topic"`
	ParentID             *snowflake.Channel `json:"parent_id"`
	LastMessageID        null               `json:"last_message_id"`
	RateLimitPerUser     int                `json:"rate_limit_per_user"`
	Flags                int                `json:"flags"`
	*Voice
	*Forum
}

// Overwrite changes the permissions of a role or a member in one channel.
type Overwrite struct {
	ID    snowflake.Target `json:"id"`
	Type  int              `json:"type"` // 0 role, 1 member
	Allow permission.Bits  `json:"allow"`
	Deny  permission.Bits  `json:"deny"`
}

// Voice is what channels for talking have besides.
type Voice struct {
	Bitrate   int  `json:"bitrate"`
	UserLimit int  `json:"user_limit"`
	RTCRegion null `json:"rtc_region"`
}

// Forum is what channels that hold nothing but threads have besides.
type Forum struct {
	AvailableTags                 []string `json:"available_tags"`
	DefaultReactionEmoji          null     `json:"default_reaction_emoji"`
	DefaultThreadRateLimitPerUser int      `json:"default_thread_rate_limit_per_user"`
	DefaultSortOrder              null     `json:"default_sort_order"`
	DefaultForumLayout            int      `json:"default_forum_layout"`
}

// usualBitrate is that of a channel nobody changed.
const usualBitrate = 64000

// ChannelOf returns a channel of a guild that is no thread.
func ChannelOf(c store.Channel) Channel {
	channel := Channel{
		ID: c.ID, Type: c.Type, GuildID: c.Guild, Name: c.Name, Position: c.Position, NSFW: c.NSFW,
		Topic: orNull(c.Topic), ParentID: orNull(c.Parent),
	}
	for _, o := range c.Overwrites {
		channel.PermissionOverwrites = append(channel.PermissionOverwrites, Overwrite(o))
	}
	switch c.Type {
	case world.VoiceChannel, world.StageChannel:
		channel.Voice = &Voice{Bitrate: usualBitrate}
	case world.ForumChannel, world.MediaChannel:
		channel.Forum = &Forum{}
	}
	return channel
}

// Thread is a thread of a guild.
type Thread struct {
	ID               snowflake.Channel `json:"id"`
	Type             int               `json:"type"`
	GuildID          snowflake.Guild   `json:"guild_id"`
	ParentID         snowflake.Channel `json:"parent_id"`
	OwnerID          snowflake.User    `json:"owner_id"`
	Name             string            `json:"name"`
	LastMessageID    null              `json:"last_message_id"`
	RateLimitPerUser int               `json:"rate_limit_per_user"`
	MessageCount     int               `json:"message_count"`
	MemberCount      int               `json:"member_count"`
	TotalMessageSent int               `json:"total_message_sent"`
	Metadata         ThreadMetadata    `json:"thread_metadata"`
	Flags            int               `json:"flags"`
}

// ThreadMetadata says whether a thread is still in use.
type ThreadMetadata struct {
	Archived            bool `json:"archived"`
	AutoArchiveDuration int  `json:"auto_archive_duration"` // minutes
	ArchiveTimestamp    Time `json:"archive_timestamp"`
	Locked              bool `json:"locked"`
	CreateTimestamp     Time `json:"create_timestamp"`
}

// archiveAfter is when an idle thread is archived, in minutes, where nobody changed that.
const archiveAfter = 1440

// ThreadOf returns a thread. Who began it is not known; owner, the guild's, stands in. So does the moment it was made for
// the one at which it was last archived or brought back.
func ThreadOf(c store.Channel, owner snowflake.User) Thread {
	made := Time(c.ID.Time())
	return Thread{
		ID: c.ID, Type: c.Type, GuildID: c.Guild, ParentID: c.Parent, OwnerID: owner, Name: c.Name,
		Metadata: ThreadMetadata{
			Archived: c.Archived, AutoArchiveDuration: archiveAfter, ArchiveTimestamp: made, CreateTimestamp: made,
		},
	}
}

// Direct is a channel between people, or between a person and a bot.
type Direct struct {
	ID            snowflake.Channel `json:"id"`
	Type          int               `json:"type"`
	Recipients    []User            `json:"recipients"`
	LastMessageID null              `json:"last_message_id"`
	Flags         int               `json:"flags"`
	*Group
}

// Group is what channels between more than two have besides.
type Group struct {
	Name *string `json:"name"`
	Icon null    `json:"icon"`
}

// DirectOf returns a channel between people as one of them sees it: the recipients are the others.
func DirectOf(c store.Channel, others []*directory.User) Direct {
	direct := Direct{ID: c.ID, Type: c.Type}
	for _, u := range others {
		direct.Recipients = append(direct.Recipients, UserOf(u))
	}
	if c.Type == directory.GroupType {
		direct.Group = &Group{Name: orNull(c.Name)}
	}
	return direct
}
