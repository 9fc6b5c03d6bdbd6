package gateway_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// Properties that client libraries expect (8; clients 2).
const (
	readyMembers = `v user session_id session_type resume_gateway_url shard application guilds private_channels relationships presences
		guild_join_requests user_settings geo_ordered_rtc_regions _trace`
	meMembers    = `id username discriminator global_name avatar bot verified mfa_enabled email flags`
	guildMembers = `id name owner_id icon splash discovery_splash banner description region afk_channel_id afk_timeout verification_level
		default_message_notifications explicit_content_filter mfa_level nsfw_level premium_tier premium_subscription_count
		premium_progress_bar_enabled preferred_locale features application_id system_channel_id system_channel_flags rules_channel_id
		public_updates_channel_id safety_alerts_channel_id vanity_url_code max_members max_video_channel_users widget_enabled
		widget_channel_id incidents_data emojis stickers roles joined_at large unavailable member_count members channels threads presences
		voice_states stage_instances guild_scheduled_events soundboard_sounds`
	guildLists     = `features emojis stickers roles members channels threads presences voice_states stage_instances guild_scheduled_events soundboard_sounds`
	roleMembers    = `id name color colors hoist position permissions managed mentionable icon unicode_emoji flags`
	memberMembers  = `user nick roles joined_at deaf mute pending flags`
	channelMembers = `id type name position permission_overwrites nsfw topic parent_id rate_limit_per_user last_message_id flags`
)

// object is a JSON object.
type object map[string]any

// has checks that an object has all properties of a list.
func (o object) has(t *testing.T, what, members string) {
	t.Helper()
	for name := range strings.FieldsSeq(members) {
		if _, ok := o[name]; !ok {
			t.Errorf("%s lacks %s", what, name)
		}
	}
}

// in returns a property that is an object, or the first of a list of objects.
func (o object) in(t *testing.T, name string) object {
	t.Helper()
	value := o[name]
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	m, ok := value.(map[string]any)
	if !ok {
		t.Fatalf("%s is %v", name, o[name])
	}
	return m
}

func toObject(t *testing.T, text []byte) object {
	t.Helper()
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestShapes checks that READY and GUILD_CREATE have every property that libraries expect, and that lists are never
// null.
func TestShapes(t *testing.T) {
	t.Parallel()
	c, p := open(t).login(t, "bot-echo", guildsIntent)
	ready := toObject(t, p.D)
	ready.has(t, "READY", readyMembers)
	ready.in(t, "user").has(t, "the user of READY", meMembers)
	ready.in(t, "application").has(t, "the application of READY", "id flags flags_new")
	ready.in(t, "guilds").has(t, "a guild of READY", "id unavailable")
	for name := range strings.FieldsSeq("private_channels relationships presences guild_join_requests geo_ordered_rtc_regions") {
		if _, ok := ready[name].([]any); !ok {
			t.Errorf("READY: %s is %v, want a list", name, ready[name])
		}
	}
	guild := toObject(t, c.want("GUILD_CREATE").D)
	guild.has(t, "GUILD_CREATE", guildMembers)
	for name := range strings.FieldsSeq(guildLists) {
		if _, ok := guild[name].([]any); !ok {
			t.Errorf("GUILD_CREATE: %s is %v, want a list", name, guild[name])
		}
	}
	guild.in(t, "roles").has(t, "a role", roleMembers)
	guild.in(t, "members").has(t, "a member", memberMembers)
	guild.in(t, "channels").has(t, "a channel", channelMembers)
	if _, ok := guild.in(t, "roles")["permissions"].(string); !ok {
		t.Error("permissions of a role are no text")
	}
}
