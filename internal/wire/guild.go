package wire

import (
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/locale"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

// Guild is a guild with its roles.
type Guild struct {
	ID                          snowflake.Guild `json:"id"`
	Name                        string          `json:"name"`
	OwnerID                     snowflake.User  `json:"owner_id"`
	PreferredLocale             locale.Code     `json:"preferred_locale"`
	Roles                       []Role          `json:"roles"`
	Emojis                      []string        `json:"emojis"`
	Stickers                    []string        `json:"stickers"`
	Features                    []string        `json:"features"`
	Icon                        null            `json:"icon"`
	Splash                      null            `json:"splash"`
	DiscoverySplash             null            `json:"discovery_splash"`
	Banner                      null            `json:"banner"`
	Description                 null            `json:"description"`
	Region                      null            `json:"region"`
	AFKChannelID                null            `json:"afk_channel_id"`
	AFKTimeout                  int             `json:"afk_timeout"` // seconds
	VerificationLevel           int             `json:"verification_level"`
	DefaultMessageNotifications int             `json:"default_message_notifications"`
	ExplicitContentFilter       int             `json:"explicit_content_filter"`
	MFALevel                    int             `json:"mfa_level"`
	NSFWLevel                   int             `json:"nsfw_level"`
	PremiumTier                 int             `json:"premium_tier"`
	PremiumSubscriptionCount    int             `json:"premium_subscription_count"`
	PremiumProgressBarEnabled   bool            `json:"premium_progress_bar_enabled"`
	ApplicationID               null            `json:"application_id"`
	SystemChannelID             null            `json:"system_channel_id"`
	SystemChannelFlags          int             `json:"system_channel_flags"`
	RulesChannelID              null            `json:"rules_channel_id"`
	PublicUpdatesChannelID      null            `json:"public_updates_channel_id"`
	SafetyAlertsChannelID       null            `json:"safety_alerts_channel_id"`
	VanityURLCode               null            `json:"vanity_url_code"`
	MaxPresences                null            `json:"max_presences"`
	MaxMembers                  int             `json:"max_members"`
	MaxVideoChannelUsers        int             `json:"max_video_channel_users"`
	MaxStageVideoChannelUsers   int             `json:"max_stage_video_channel_users"`
	WidgetEnabled               bool            `json:"widget_enabled"`
	WidgetChannelID             null            `json:"widget_channel_id"`
	IncidentsData               null            `json:"incidents_data"`
	*Counts
}

// Counts are added to a guild for who asks for them.
type Counts struct {
	Members   int `json:"approximate_member_count"`
	Presences int `json:"approximate_presence_count"` // who is there now is not known: 0
}

// What is usual for a guild that nobody changed.
const (
	usualAFKTimeout      = 300
	usualVideoUsers      = 25
	usualStageVideoUsers = 50
)

// GuildOf returns a guild. Counts may be nil.
func GuildOf(g *directory.Guild, counts *Counts) Guild {
	return Guild{
		ID: g.ID, Name: g.Name, OwnerID: g.Owner, PreferredLocale: g.PreferredLocale, Roles: RolesOf(g.Roles),
		AFKTimeout: usualAFKTimeout, MaxMembers: world.MaxMembers,
		MaxVideoChannelUsers: usualVideoUsers, MaxStageVideoChannelUsers: usualStageVideoUsers, Counts: counts,
	}
}

// OwnGuild is a guild in the list of somebody's guilds.
type OwnGuild struct {
	ID          snowflake.Guild `json:"id"`
	Name        string          `json:"name"`
	Icon        null            `json:"icon"`
	Banner      null            `json:"banner"`
	Owner       bool            `json:"owner"`
	Permissions permission.Bits `json:"permissions"`
	Features    []string        `json:"features"`
	*Counts
}

// OwnGuildOf returns a guild for the list of a user who may do there what permissions say. Counts may be nil.
func OwnGuildOf(g store.Guild, user snowflake.User, permissions permission.Bits, counts *Counts) OwnGuild {
	return OwnGuild{ID: g.ID, Name: g.Name, Owner: g.Owner == user, Permissions: permissions, Counts: counts}
}
