package wire

import (
	"github.com/bellhop/bellhop/internal/rules/locale"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Guild is a guild with its roles.
type Guild struct {
	ID                          snowflake.Guild    `json:"id"`
	Name                        string             `json:"name"`
	OwnerID                     snowflake.User     `json:"owner_id"`
	PreferredLocale             locale.Code        `json:"preferred_locale"`
	Roles                       []Role             `json:"roles"`
	Emojis                      []Emoji            `json:"emojis"`
	Stickers                    none               `json:"stickers"`
	Features                    []string           `json:"features"`
	Icon                        NullString         `json:"icon"`
	Splash                      NullString         `json:"splash"`
	DiscoverySplash             NullString         `json:"discovery_splash"`
	Banner                      NullString         `json:"banner"`
	Description                 NullString         `json:"description"`
	HomeHeader                  NullString         `json:"home_header"`
	HubType                     null               `json:"hub_type"`
	Region                      string             `json:"region"` // no longer in use; see NoRegion
	AFKChannelID                *snowflake.Channel `json:"afk_channel_id"`
	AFKTimeout                  int                `json:"afk_timeout"` // seconds
	VerificationLevel           int                `json:"verification_level"`
	DefaultMessageNotifications int                `json:"default_message_notifications"`
	ExplicitContentFilter       int                `json:"explicit_content_filter"`
	MFALevel                    int                `json:"mfa_level"`
	NSFW                        bool               `json:"nsfw"`
	NSFWLevel                   int                `json:"nsfw_level"`
	PremiumTier                 int                `json:"premium_tier"`
	PremiumSubscriptionCount    int                `json:"premium_subscription_count"`
	PremiumProgressBarEnabled   bool               `json:"premium_progress_bar_enabled"`
	ApplicationID               null               `json:"application_id"`
	SystemChannelID             *snowflake.Channel `json:"system_channel_id"`
	SystemChannelFlags          int                `json:"system_channel_flags"`
	RulesChannelID              *snowflake.Channel `json:"rules_channel_id"`
	PublicUpdatesChannelID      *snowflake.Channel `json:"public_updates_channel_id"`
	SafetyAlertsChannelID       *snowflake.Channel `json:"safety_alerts_channel_id"`
	VanityURLCode               null               `json:"vanity_url_code"`
	MaxPresences                null               `json:"max_presences"`
	MaxMembers                  int                `json:"max_members"`
	MaxVideoChannelUsers        int                `json:"max_video_channel_users"`
	MaxStageVideoChannelUsers   int                `json:"max_stage_video_channel_users"`
	WidgetEnabled               bool               `json:"widget_enabled"`
	WidgetChannelID             null               `json:"widget_channel_id"`
	IncidentsData               null               `json:"incidents_data"`
	*Counts
}

// NoRegion is the voice region of every guild: channels have regions instead.
const NoRegion = "deprecated"

// Counts are the members that a guild gets when a request asks for counts.
type Counts struct {
	Members   int `json:"approximate_member_count"`
	Presences int `json:"approximate_presence_count"` // members who are not offline
}

// GuildPreview holds the members of a guild that others see too.
type GuildPreview struct {
	ID              snowflake.Guild `json:"id"`
	Name            string          `json:"name"`
	Icon            NullString      `json:"icon"`
	Splash          NullString      `json:"splash"`
	DiscoverySplash NullString      `json:"discovery_splash"`
	HomeHeader      NullString      `json:"home_header"`
	Emojis          []Emoji         `json:"emojis"`
	Features        []string        `json:"features"`
	Description     NullString      `json:"description"`
	Stickers        none            `json:"stickers"`
	*Counts
}

// VoiceRegion is a place where voice servers are.
type VoiceRegion struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Optimal    bool   `json:"optimal"`
	Deprecated bool   `json:"deprecated"`
	Custom     bool   `json:"custom"`
}

// OwnGuild is a guild in the list of a user's guilds.
type OwnGuild struct {
	ID          snowflake.Guild `json:"id"`
	Name        string          `json:"name"`
	Icon        NullString      `json:"icon"`
	Banner      NullString      `json:"banner"`
	Owner       bool            `json:"owner"`
	Permissions permission.Bits `json:"permissions"`
	Features    []string        `json:"features"`
	*Counts
}

// FullGuild is a guild with its members, channels and threads, as GUILD_CREATE shows it.
type FullGuild struct {
	Guild

	JoinedAt       Time      `json:"joined_at"`
	Large          bool      `json:"large"`
	Unavailable    bool      `json:"unavailable"`
	MemberCount    int       `json:"member_count"`
	Members        []Member  `json:"members"`
	Channels       []Channel `json:"channels"`
	Threads        []Thread  `json:"threads"`
	StageInstances []string  `json:"stage_instances"`
	Sounds         []string  `json:"soundboard_sounds"`

	Events []ScheduledEvent `json:"guild_scheduled_events"`
}

// PartialGuild is the guild of an interaction.
type PartialGuild struct {
	ID       snowflake.Guild
	Locale   locale.Code
	Features []string
}

// Print writes the guild.
func (g *PartialGuild) Print(p *Printer, key string) {
	p.Raw(key)
	p.ID(`{"id":`, uint64(g.ID))
	p.Text(`,"locale":`, g.Locale)
	for i, f := range g.Features {
		separator := `,`
		if i == 0 {
			separator = `,"features":[`
		}
		p.Text(separator, f)
	}
	if len(g.Features) == 0 {
		p.Raw(`,"features":[`)
	}
	p.Raw(`]}`)
}
