package oauth

import (
	"math/bits"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/permission"
)

// scopeTexts describe what a scope allows. The page itself describes the scopes that install.
var scopeTexts = map[string][]string{
	auth.ScopeIdentify:           {"Know who you are: your name and your language"},
	auth.ScopeEmail:              {"See your email address"},
	auth.ScopeGuilds:             {"See which guilds you are in"},
	auth.ScopeMembersRead:        {"See your nickname and your roles in your guilds"},
	auth.ScopeOpenID:             {"Sign you in with this account"},
	auth.ScopePermissionsUpdate:  {"Change who may use its commands, in guilds where you may"},
	"activities.read":            {"See what your friends are doing"},
	"activities.write":           {"Show your friends what you do"},
	"applications.builds.read":   {"See the builds of your apps"},
	"applications.builds.upload": {"Upload builds of your apps"},
	"applications.entitlements":  {"See what you have bought from it"},
	"applications.store.update":  {"Change the store pages of your apps"},
	"connections":                {"See your accounts at other services"},
	"dm_channels.read":           {"See your direct messages and groups"},
	"gdm.join":                   {"Add you to group direct messages"},
	"guilds.join":                {"Add you to guilds"},
	"messages.read":              {"Read the messages that you see in your client"},
	"relationships.read":         {"See your friends"},
	"role_connections.write":     {"Change what guilds know about your account with it"},
	"rpc":                        {"Control your client"},
	"rpc.activities.write":       {"Show your friends what you do"},
	"rpc.notifications.read":     {"See your notifications"},
	"rpc.voice.read":             {"See your voice settings"},
	"rpc.voice.write":            {"Change your voice settings"},
	"voice":                      {"Join voice channels in your name"},
	auth.ScopePresence:           presenceTexts,
	auth.ScopeSocialLayer: append(append([]string{}, presenceTexts...),
		"Read and send your direct messages",
		"See which guilds you are in, and their channels",
		"Take you into lobbies and out of them",
	),
}

var presenceTexts = []string{
	"Know who you are: your name and your language",
	"See your friends, and add or remove some",
	"See what your friends are doing, and show them what you do",
	"Send invitations in your name",
	"Stay connected while you play",
}

// describeScopes returns what the scopes allow, without duplicates.
func describeScopes(scopes []string) []string {
	var list []string
	seen := map[string]bool{}
	for _, s := range scopes {
		for _, line := range scopeTexts[s] {
			if !seen[line] {
				seen[line] = true
				list = append(list, line)
			}
		}
	}
	return list
}

// permissionTexts describe what a permission allows.
var permissionTexts = map[permission.Bits]string{
	permission.CreateInstantInvite:              "Invite users",
	permission.KickMembers:                      "Remove members",
	permission.BanMembers:                       "Ban members",
	permission.Administrator:                    "Do everything, without any limit",
	permission.ManageChannels:                   "Create, change and delete channels",
	permission.ManageGuild:                      "Change the settings of the guild",
	permission.AddReactions:                     "Add reactions",
	permission.ViewAuditLog:                     "See the record of who changed what",
	permission.PrioritySpeaker:                  "Be heard over others in voice channels",
	permission.Stream:                           "Share video",
	permission.ViewChannel:                      "See channels",
	permission.SendMessages:                     "Send messages",
	permission.SendTTSMessages:                  "Send messages that are read aloud",
	permission.ManageMessages:                   "Delete the messages of others",
	permission.EmbedLinks:                       "Show previews of links",
	permission.AttachFiles:                      "Attach files",
	permission.ReadMessageHistory:               "Read earlier messages",
	permission.MentionEveryone:                  "Notify everyone at once",
	permission.UseExternalEmojis:                "Use emojis of other guilds",
	permission.ViewGuildInsights:                "See statistics of the guild",
	permission.Connect:                          "Join voice channels",
	permission.Speak:                            "Speak in voice channels",
	permission.MuteMembers:                      "Mute members",
	permission.DeafenMembers:                    "Deafen members",
	permission.MoveMembers:                      "Move members between voice channels",
	permission.UseVAD:                           "Speak without pressing a key",
	permission.ChangeNickname:                   "Change its own nickname",
	permission.ManageNicknames:                  "Change the nicknames of others",
	permission.ManageRoles:                      "Create, change and hand out roles",
	permission.ManageWebhooks:                   "Manage webhooks",
	permission.ManageGuildExpressions:           "Change and delete emojis, stickers and sounds",
	permission.UseApplicationCommands:           "Use commands of apps",
	permission.RequestToSpeak:                   "Ask to speak on a stage",
	permission.ManageEvents:                     "Change and delete events",
	permission.ManageThreads:                    "Manage threads",
	permission.CreatePublicThreads:              "Start public threads",
	permission.CreatePrivateThreads:             "Start private threads",
	permission.UseExternalStickers:              "Use stickers of other guilds",
	permission.SendMessagesInThreads:            "Send messages in threads",
	permission.UseEmbeddedActivities:            "Start activities",
	permission.ModerateMembers:                  "Silence members for a while",
	permission.ViewCreatorMonetizationAnalytics: "See what the guild earns",
	permission.UseSoundboard:                    "Play sounds",
	permission.CreateGuildExpressions:           "Add emojis, stickers and sounds",
	permission.CreateEvents:                     "Create events",
	permission.UseExternalSounds:                "Play sounds of other guilds",
	permission.SendVoiceMessages:                "Send voice messages",
	permission.SetVoiceChannelStatus:            "Set the status of voice channels",
	permission.SendPolls:                        "Ask for votes",
	permission.UseExternalApps:                  "Use apps that members brought along",
	permission.PinMessages:                      "Pin messages",
	permission.BypassSlowmode:                   "Send messages as often as it likes",
}

// describedPermission is a permission that the bot would get.
type describedPermission struct {
	Bit       permission.Bits
	Text      string
	Dangerous bool
}

// dangerous are the permissions that can take over or destroy a guild.
const dangerous = permission.Administrator | permission.ManageGuild | permission.ManageRoles | permission.BanMembers |
	permission.KickMembers | permission.ManageChannels | permission.ManageWebhooks | permission.MentionEveryone

// describePermissions describes the permissions of a set. A permission without a text is described by its name.
func describePermissions(set permission.Bits) []describedPermission {
	var list []describedPermission
	for rest := uint64(set); rest != 0; rest &= rest - 1 {
		bit := permission.Bits(1) << bits.TrailingZeros64(rest)
		text, ok := permissionTexts[bit]
		if !ok {
			text = "Permission " + bit.Names()[0]
		}
		list = append(list, describedPermission{bit, text, dangerous.Has(bit)})
	}
	return list
}
