package guild

import (
	"time"

	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// GuildFields are the members of a guild in the audit log.
var GuildFields = []Field[Settings]{
	{"name", func(s *Settings) any { return s.Name }},
	{"description", func(s *Settings) any { return orNil(s.Description) }},
	{"verification_level", func(s *Settings) any { return s.VerificationLevel }},
	{"default_message_notifications", func(s *Settings) any { return s.Notifications }},
	{"explicit_content_filter", func(s *Settings) any { return s.ContentFilter }},
	{"afk_channel_id", func(s *Settings) any { return orNil(s.AFKChannel) }},
	{"afk_timeout", func(s *Settings) any { return s.AFKTimeout }},
	{"system_channel_id", func(s *Settings) any { return orNil(s.SystemChannel) }},
	{"system_channel_flags", func(s *Settings) any { return s.SystemFlags }},
	{"rules_channel_id", func(s *Settings) any { return orNil(s.RulesChannel) }},
	{"public_updates_channel_id", func(s *Settings) any { return orNil(s.UpdatesChannel) }},
	{"safety_alerts_channel_id", func(s *Settings) any { return orNil(s.SafetyChannel) }},
	{"preferred_locale", func(s *Settings) any { return s.Locale }},
	{"premium_progress_bar_enabled", func(s *Settings) any { return s.ProgressBar }},
	{"features", func(s *Settings) any { return s.Features }},
	{"icon_hash", func(s *Settings) any { return orNil(s.Icon) }},
	{"splash_hash", func(s *Settings) any { return orNil(s.Splash) }},
	{"discovery_splash_hash", func(s *Settings) any { return orNil(s.DiscoverySplash) }},
	{"banner_hash", func(s *Settings) any { return orNil(s.Banner) }},
	{"home_header_hash", func(s *Settings) any { return orNil(s.HomeHeader) }},
}

// RoleFields are the members of a role in the audit log.
var RoleFields = []Field[Role]{
	{"name", func(r *Role) any { return r.Name }},
	{"permissions", func(r *Role) any { return r.Permissions }},
	{"color", func(r *Role) any { return r.Colors.Primary }},
	{"colors", func(r *Role) any {
		return wireColors{r.Colors.Primary, r.Colors.Secondary, r.Colors.Tertiary}
	}},
	{"hoist", func(r *Role) any { return r.Hoist }},
	{"mentionable", func(r *Role) any { return r.Mentionable }},
	{"icon_hash", func(r *Role) any { return orNil(r.Icon) }},
	{"unicode_emoji", func(r *Role) any { return orNil(r.UnicodeEmoji) }},
	{"position", func(r *Role) any { return orNil(r.Position) }},
}

type wireColors struct {
	Primary   int  `json:"primary_color"`
	Secondary *int `json:"secondary_color"`
	Tertiary  *int `json:"tertiary_color"`
}

// MemberFields are the members of a guild member in the audit log. Changes of roles have an entry of their own: see
// MemberRoleChanges.
var MemberFields = []Field[Member]{
	{"nick", func(m *Member) any { return orNil(m.Nick) }},
	{"mute", func(m *Member) any { return m.Mute }},
	{"deaf", func(m *Member) any { return m.Deaf }},
	{"communication_disabled_until", func(m *Member) any { return wire.Time(m.TimeoutUntil) }},
	{"bypasses_verification", func(m *Member) any { return m.Flags&BypassesVerification != 0 }},
	{"avatar_hash", func(m *Member) any { return orNil(m.Avatar) }},
}

// ChannelFields are the members of a channel in the audit log: see ChannelChanges.
var ChannelFields = []Field[channel.Settings]{
	{"name", func(c *channel.Settings) any { return c.Name }},
	{"type", func(c *channel.Settings) any { return int(c.Type) }},
	{"topic", func(c *channel.Settings) any { return orNil(c.Topic) }},
	{"nsfw", func(c *channel.Settings) any { return c.NSFW }},
	{"rate_limit_per_user", func(c *channel.Settings) any { return c.Slowmode }},
	{"bitrate", func(c *channel.Settings) any { return orNil(c.Bitrate) }},
	{"user_limit", func(c *channel.Settings) any { return orNil(c.UserLimit) }},
	{"parent_id", func(c *channel.Settings) any { return orNil(c.Parent) }},
	{"rtc_region", func(c *channel.Settings) any { return orNil(c.Region) }},
	{"video_quality_mode", func(c *channel.Settings) any { return orNil(c.VideoQuality) }},
	{"default_auto_archive_duration", func(c *channel.Settings) any { return orNil(c.ArchiveDuration) }},
	{"default_thread_rate_limit_per_user", func(c *channel.Settings) any { return orNil(c.ThreadSlowmode) }},
	{"flags", func(c *channel.Settings) any { return int(c.Flags) }},
}

// overwritesField shows the overwrites of a new or deleted channel.
var overwritesField = Field[channel.Settings]{"permission_overwrites", func(c *channel.Settings) any {
	list := make([]wire.Overwrite, len(c.Overwrites))
	for i, o := range c.Overwrites {
		list[i] = wire.Overwrite{ID: o.ID, Type: overwriteType(o), Allow: o.Allow, Deny: o.Deny}
	}
	return list
}}

// positionField and tagsField show what an edit changes.
var (
	positionField = Field[channel.Settings]{"position", func(c *channel.Settings) any { return c.Position }}
	tagsField     = Field[channel.Settings]{"available_tags", func(c *channel.Settings) any {
		list := make([]wire.ForumTag, len(c.Tags))
		for i, t := range c.Tags {
			list[i] = wire.ForumTag{ID: t.ID, Name: t.Name, Moderated: t.Moderated, ForumEmoji: wire.ForumEmoji{EmojiName: wire.NullString(t.Emoji.Name)}}
			if t.Emoji.ID != 0 {
				list[i].EmojiID = &t.Emoji.ID
			}
		}
		return list
	}}
)

// OverwriteFields are the members of an overwrite in the audit log.
var OverwriteFields = []Field[permission.Overwrite]{
	{"id", func(o *permission.Overwrite) any { return o.ID }},
	{"type", func(o *permission.Overwrite) any { return overwriteType(*o) }},
	{"allow", func(o *permission.Overwrite) any { return o.Allow }},
	{"deny", func(o *permission.Overwrite) any { return o.Deny }},
}

func overwriteType(o permission.Overwrite) int {
	if o.Member {
		return 1
	}
	return 0
}

// Thread holds the members of a thread that the audit log shows.
type Thread struct {
	Name             string
	Type             channel.Type
	Archived, Locked bool
	Invitable        bool
	ArchiveDuration  int // minutes
	Slowmode         int // seconds
	Flags            channel.Flags
	Tags             []snowflake.Tag
}

// ThreadFields are the members of a thread in the audit log.
var ThreadFields = []Field[Thread]{
	{"name", func(r *Thread) any { return r.Name }},
	{"type", func(r *Thread) any { return int(r.Type) }},
	{"archived", func(r *Thread) any { return r.Archived }},
	{"locked", func(r *Thread) any { return r.Locked }},
	{"auto_archive_duration", func(r *Thread) any { return r.ArchiveDuration }},
	{"rate_limit_per_user", func(r *Thread) any { return r.Slowmode }},
	{"invitable", func(r *Thread) any { return orNil(r.Invitable) }},
	{"flags", func(r *Thread) any { return int(r.Flags) }},
	{"applied_tags", func(r *Thread) any { return r.Tags }},
}

// Invite holds the members of an invite that the audit log shows.
type Invite struct {
	Code      string
	Channel   snowflake.Channel
	Inviter   snowflake.User
	MaxAge    time.Duration
	MaxUses   int
	Uses      int
	Temporary bool
	Roles     []snowflake.Role
}

// InviteFields are the members of an invite in the audit log.
var InviteFields = []Field[Invite]{
	{"code", func(i *Invite) any { return i.Code }},
	{"channel_id", func(i *Invite) any { return i.Channel }},
	{"inviter_id", func(i *Invite) any { return orNil(i.Inviter) }},
	{"max_age", func(i *Invite) any { return int(i.MaxAge / time.Second) }},
	{"max_uses", func(i *Invite) any { return i.MaxUses }},
	{"uses", func(i *Invite) any { return i.Uses }},
	{"temporary", func(i *Invite) any { return i.Temporary }},
	{"role_ids", func(i *Invite) any {
		if len(i.Roles) == 0 {
			return nil
		}
		return i.Roles
	}},
}

// Webhook holds the members of a webhook that the audit log shows.
type Webhook struct {
	Name    string
	Type    int
	Channel snowflake.Channel
	Avatar  string // the hash of the image; empty: none
}

// WebhookFields are the members of a webhook in the audit log.
var WebhookFields = []Field[Webhook]{
	{"name", func(w *Webhook) any { return w.Name }},
	{"type", func(w *Webhook) any { return w.Type }},
	{"channel_id", func(w *Webhook) any { return w.Channel }},
	{"avatar_hash", func(w *Webhook) any { return orNil(w.Avatar) }},
}

// Emoji holds the members of an emoji that the audit log shows.
type Emoji struct{ Name string }

// EmojiFields are the members of an emoji in the audit log.
var EmojiFields = []Field[Emoji]{{"name", func(e *Emoji) any { return e.Name }}}

// EventFields are the members of a scheduled event in the audit log.
var EventFields = []Field[Event]{
	{"name", func(e *Event) any { return e.Name }},
	{"description", func(e *Event) any { return orNil(e.Description) }},
	{"channel_id", func(e *Event) any { return orNil(e.Channel) }},
	{"location", func(e *Event) any { return orNil(e.Location) }},
	{"entity_type", func(e *Event) any { return int(e.Entity) }},
	{"status", func(e *Event) any { return int(e.Status) }},
	{"scheduled_start_time", func(e *Event) any { return wire.Time(e.Start) }},
	{"scheduled_end_time", func(e *Event) any { return wire.Time(e.End) }},
	{"recurrence_rule", func(e *Event) any {
		if e.Recurrence == nil {
			return nil
		}
		return e.Recurrence
	}},
	{"privacy_level", func(*Event) any { return GuildOnly }},
	{"image_hash", func(e *Event) any { return orNil(e.Image) }},
}
