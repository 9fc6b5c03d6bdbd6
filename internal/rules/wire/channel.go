package wire

import (
	"time"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Channel is a channel of a guild that is not a thread.
type Channel struct {
	ID                   snowflake.Channel  `json:"id"`
	Type                 int                `json:"type"`
	GuildID              snowflake.Guild    `json:"guild_id"`
	Name                 string             `json:"name"`
	Position             int                `json:"position"`
	PermissionOverwrites []Overwrite        `json:"permission_overwrites"`
	NSFW                 bool               `json:"nsfw"`
	ParentID             *snowflake.Channel `json:"parent_id"`
	Flags                int                `json:"flags"`
	*Text
	*Pins
	*Voice
	*Forum
	*ForumLayout
	// AutoArchive is the archive duration of new threads in minutes; 0: not set.
	AutoArchive int `json:"default_auto_archive_duration,omitzero"`
	// ThreadSlowMode is the slow mode of new threads in seconds; nil: the type has none, or it is not set.
	ThreadSlowMode *int `json:"default_thread_rate_limit_per_user,omitzero"`
}

// Text holds the additional members of channels with messages: all but categories.
type Text struct {
	Topic NullString `json:"topic"`
	// LastMessageID is nil if there was no message. In a forum it is the last post.
	LastMessageID    *snowflake.Message `json:"last_message_id"`
	RateLimitPerUser int                `json:"rate_limit_per_user"`
}

// Pins holds the additional member of channels whose pins clients show: text channels, forums and direct messages.
type Pins struct {
	LastPin Time `json:"last_pin_timestamp"`
}

// Overwrite changes the permissions of a role or a member in one channel.
type Overwrite struct {
	ID    snowflake.Target `json:"id"`
	Type  int              `json:"type"` // 0 role, 1 member
	Allow permission.Bits  `json:"allow"`
	Deny  permission.Bits  `json:"deny"`
}

// Voice holds the additional members of voice and stage channels.
type Voice struct {
	Bitrate   int        `json:"bitrate"`
	UserLimit int        `json:"user_limit"`
	RTCRegion NullString `json:"rtc_region"` // null: automatic
	Quality   int        `json:"video_quality_mode"`
}

// Forum holds the additional members of forum and media channels.
type Forum struct {
	AvailableTags        []ForumTag  `json:"available_tags"`
	DefaultReactionEmoji *ForumEmoji `json:"default_reaction_emoji"`
	DefaultSortOrder     *int        `json:"default_sort_order"` // nil: not set
}

// ForumLayout holds the additional member of forums that media channels do not have.
type ForumLayout struct {
	DefaultForumLayout int `json:"default_forum_layout"`
}

// ForumTag is a tag that posts of a forum can have.
type ForumTag struct {
	ID        snowflake.Tag `json:"id"`
	Name      string        `json:"name"`
	Moderated bool          `json:"moderated"`
	ForumEmoji
}

// ForumEmoji is the emoji of a tag or the default reaction of a forum. At most one member is not null.
type ForumEmoji struct {
	EmojiID   *snowflake.Emoji `json:"emoji_id"`
	EmojiName NullString       `json:"emoji_name"`
}

// Thread is a thread of a guild.
type Thread struct {
	ID       snowflake.Channel `json:"id"`
	Type     int               `json:"type"`
	GuildID  snowflake.Guild   `json:"guild_id"`
	ParentID snowflake.Channel `json:"parent_id"`
	OwnerID  snowflake.User    `json:"owner_id"`
	Name     string            `json:"name"`
	// LastMessageID is nil if the thread has no messages.
	LastMessageID    *snowflake.Message `json:"last_message_id"`
	LastPin          Time               `json:"last_pin_timestamp"`
	RateLimitPerUser int                `json:"rate_limit_per_user"`
	MessageCount     int                `json:"message_count"`
	MemberCount      int                `json:"member_count"`
	TotalMessageSent int                `json:"total_message_sent"`
	Metadata         ThreadMetadata     `json:"thread_metadata"`
	Flags            int                `json:"flags"`
	AppliedTags      []snowflake.Tag    `json:"applied_tags,omitzero"`
	// Member is that of the user who gets the object; nil: the user has not joined the thread, or the object is for many.
	Member *ThreadMember `json:"member,omitzero"`
}

// ThreadMember is a member of a thread.
type ThreadMember struct {
	ID     snowflake.Channel `json:"id"` // of the thread
	UserID snowflake.User    `json:"user_id"`
	Joined Time              `json:"join_timestamp"`
	Flags  int               `json:"flags"`
	// Member is the user in the guild. Only some answers and events show it.
	Member *Member `json:"member,omitzero"`
}

// NewThread is the data of THREAD_CREATE.
type NewThread struct {
	Thread

	New bool `json:"newly_created,omitzero"`
}

// ThreadMetadata holds the archive state of a thread.
type ThreadMetadata struct {
	Archived            bool `json:"archived"`
	AutoArchiveDuration int  `json:"auto_archive_duration"` // minutes
	ArchiveTimestamp    Time `json:"archive_timestamp"`
	Locked              bool `json:"locked"`
	CreateTimestamp     Time `json:"create_timestamp"`
	// Invitable says that members who cannot manage threads can add others. Only private threads have it.
	Invitable *bool `json:"invitable,omitzero"`
}

// Direct is a channel outside of guilds: a direct message or a group.
type Direct struct {
	ID            snowflake.Channel  `json:"id"`
	Type          int                `json:"type"`
	Recipients    []User             `json:"recipients"`
	LastMessageID *snowflake.Message `json:"last_message_id"`
	Pins
	Flags int `json:"flags"`
	*Group
}

// Group holds the additional members of groups.
type Group struct {
	Name    NullString     `json:"name"`
	Icon    null           `json:"icon"`
	OwnerID snowflake.User `json:"owner_id"`
}

// PartialChannel is a channel as interactions show it: the channel of the interaction, or one that an option names.
type PartialChannel struct {
	ID          snowflake.Channel
	Guild       snowflake.Guild // 0: outside of guilds
	Type        int
	Name        string
	Topic       string
	Position    int
	NSFW        bool
	Parent      snowflake.Channel
	LastMessage snowflake.Message
	SlowMode    int // seconds
	Flags       int
	Permissions permission.Bits // of the invoking user in the channel
	// AppPermissions are those of the app's bot in the channel. Only resolved channels show them.
	AppPermissions permission.Bits
	Recipients     []User          // of a channel outside of guilds
	Thread         *ThreadMetadata // of a thread
}

// Print writes the channel. A resolved channel also has the permissions of the app.
func (c *PartialChannel) Print(p *Printer, key string, resolved bool) {
	p.Raw(key)
	p.ID(`{"id":`, uint64(c.ID))
	if c.Guild == 0 && !resolved {
		c.printDirect(p)
		return
	}
	if c.Guild != 0 {
		p.ID(`,"guild_id":`, uint64(c.Guild))
	}
	p.Integer(`,"type":`, int64(c.Type))
	p.TextOrNull(`,"name":`, c.Name)
	p.Integer(`,"position":`, int64(c.Position))
	p.Integer(`,"flags":`, int64(c.Flags))
	p.Bool(`,"nsfw":`, c.NSFW)
	p.TextOrNull(`,"topic":`, c.Topic)
	p.IDOrNull(`,"parent_id":`, uint64(c.Parent))
	p.IDOrNull(`,"last_message_id":`, uint64(c.LastMessage))
	p.Integer(`,"last_pin_timestamp":null,"rate_limit_per_user":`, int64(c.SlowMode))
	if c.Thread != nil {
		c.Thread.print(p)
	}
	p.ID(`,"permissions":`, uint64(c.Permissions))
	if resolved {
		p.ID(`,"app_permissions":`, uint64(c.AppPermissions))
	}
	p.Raw(`}`)
}

// printDirect writes the remaining members of a channel outside of guilds.
func (c *PartialChannel) printDirect(p *Printer) {
	p.Integer(`,"type":`, int64(c.Type))
	if c.Type == GroupDM {
		p.TextOrNull(`,"name":`, c.Name)
	}
	p.IDOrNull(`,"flags":0,"last_message_id":`, uint64(c.LastMessage))
	if len(c.Recipients) > 0 {
		p.Raw(`,"recipients":[`)
		for i := range c.Recipients {
			p.Comma(i > 0)
			c.Recipients[i].Print(p, "")
		}
		p.Raw(`]`)
	}
	p.Raw(`}`)
}

// print writes the metadata as interactions show it: without the creation time.
func (t *ThreadMetadata) print(p *Printer) {
	p.Bool(`,"thread_metadata":{"archived":`, t.Archived)
	p.Integer(`,"auto_archive_duration":`, int64(t.AutoArchiveDuration))
	p.Time(`,"archive_timestamp":`, time.Time(t.ArchiveTimestamp))
	p.Bool(`,"locked":`, t.Locked)
	if t.Invitable != nil {
		p.Bool(`,"invitable":`, *t.Invitable)
	}
	p.Raw(`}`)
}
