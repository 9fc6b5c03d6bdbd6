package convert_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory/convert"

	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// marshalWire returns the JSON of a value and its parsed members.
func marshalWire(t *testing.T, v any) (string, map[string]any) {
	t.Helper()
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	return string(text), members
}

var (
	wireAda  = &store.User{ID: 200, Username: "ada", GlobalName: "Ada", Locale: "de", Email: "ada@example.com"}
	wireEcho = &store.User{ID: 100, Username: "Echo", Locale: "en-US", Bot: true}
)

func TestWireMe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		user *store.User
		mail bool
		want map[string]any
	}{
		{"a user", wireAda, true, map[string]any{"email": "ada@example.com", "verified": true, "locale": "de"}},
		{"a user without an address", &store.User{ID: 201}, true, map[string]any{"email": nil, "verified": false}},
		{"a bot", wireEcho, true, map[string]any{"email": nil, "verified": true, "bot": true}},
		{"without the address", wireAda, false, map[string]any{"locale": "de"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, got := marshalWire(t, convert.WireMe(tt.user, tt.mail))
			for name, want := range tt.want {
				if value, there := got[name]; !there || value != want {
					t.Errorf("%s is %v, want %v", name, value, want)
				}
			}
			if _, there := got["email"]; there != tt.mail {
				t.Errorf("email is present: %v, want %v", there, tt.mail)
			}
		})
	}
}

func TestWireMember(t *testing.T) {
	t.Parallel()
	text, got := marshalWire(t, convert.WireMember(store.Member{Guild: 300, User: 200}, wireAda))
	if !strings.Contains(text, `"roles":[]`) || !strings.Contains(text, `"joined_at":null`) {
		t.Errorf("a member without optional data is %s", text)
	}
	for _, name := range []string{"nick", "premium_since", "communication_disabled_until"} {
		if value, there := got[name]; !there || value != nil {
			t.Errorf("%s is %v, want null", name, value)
		}
	}
	text, _ = marshalWire(t, convert.WireMember(store.Member{
		User: 200, Nick: "Countess", Roles: []snowflake.Role{301},
		JoinedAt: time.Date(2026, 1, 2, 4, 4, 5, 600_000_000, time.FixedZone("", 3600)),
	}, wireAda))
	for _, want := range []string{`"nick":"Countess"`, `"roles":["301"]`, `"joined_at":"2026-01-02T03:04:05.600000+00:00"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// TestWireChannelMembers checks the additional members of each channel type.
func TestWireChannelMembers(t *testing.T) {
	t.Parallel()
	voice := []string{"bitrate", "rtc_region", "user_limit", "video_quality_mode"}
	own := map[int][]string{
		world.VoiceChannel: voice, world.StageChannel: voice,
		world.ForumChannel: {"available_tags", "default_forum_layout", "default_reaction_emoji", "default_sort_order", "default_thread_rate_limit_per_user"},
		world.MediaChannel: {"available_tags", "default_reaction_emoji", "default_sort_order", "default_thread_rate_limit_per_user"},
	}
	none := store.ChannelMessages{}
	_, plain := marshalWire(t, convert.WireChannel(store.Channel{ID: 310, Guild: 300, Name: "general"}, none))
	for _, kind := range []int{
		world.TextChannel, world.VoiceChannel, world.Category, world.AnnouncementChannel, world.StageChannel,
		world.DirectoryChannel, world.ForumChannel, world.MediaChannel,
	} {
		text, got := marshalWire(t, convert.WireChannel(store.Channel{ID: 310, Guild: 300, Name: "general", Type: kind}, none))
		for name := range plain {
			delete(got, name)
		}
		if diff := cmp.Diff(own[kind], slices.Sorted(maps.Keys(got))); diff != "" {
			t.Errorf("members of type %d (-want +got):\n%s", kind, diff)
		}
		if strings.Contains(text, `:""`) {
			t.Errorf("an empty string instead of null: %s", text)
		}
	}
}

// TestWireChannelValues checks that a channel shows its settings and its messages.
func TestWireChannelValues(t *testing.T) {
	t.Parallel()
	has := store.ChannelMessages{Last: 9, LastPin: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	for _, tt := range []struct {
		name string
		give store.Channel
		want []string
	}{
		{"text", store.Channel{SlowMode: 5, Flags: 1 << 21, Topic: "news", Forum: &store.Forum{AutoArchive: 60, SlowMode: 7}}, []string{
			`"last_message_id":"9"`, `"last_pin_timestamp":"2026-01-02T03:04:05.000000+00:00"`, `"rate_limit_per_user":5`, `"flags":2097152`,
			`"topic":"news"`, `"default_auto_archive_duration":60`, `"default_thread_rate_limit_per_user":7`,
		}},
		{"voice", store.Channel{Type: world.VoiceChannel, Voice: &store.Voice{Bitrate: 8000, UserLimit: 3, Region: "here", Quality: 2}}, []string{
			`"bitrate":8000`, `"user_limit":3`, `"rtc_region":"here"`, `"video_quality_mode":2`,
		}},
		{"forum", store.Channel{Type: world.ForumChannel, Forum: &store.Forum{
			Tags:     []store.ForumTag{{ID: 1, Name: "bug", Moderated: true, Emoji: &store.Emoji{ID: 7}}, {ID: 2, Name: "idea"}},
			Reaction: &store.Emoji{Name: "👍"}, SortOrder: new(1), Layout: 2,
		}}, []string{
			`"available_tags":[{"id":"1","name":"bug","moderated":true,"emoji_id":"7","emoji_name":null},` +
				`{"id":"2","name":"idea","moderated":false,"emoji_id":null,"emoji_name":null}]`,
			`"default_reaction_emoji":{"emoji_id":null,"emoji_name":"👍"}`, `"default_sort_order":1`, `"default_forum_layout":2`,
		}},
	} {
		text, _ := marshalWire(t, convert.WireChannel(tt.give, has))
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s in %s", tt.name, want, text)
			}
		}
	}
}

func TestWireThread(t *testing.T) {
	t.Parallel()
	c := store.Channel{ID: 1499742181785600000, Guild: 300, Type: world.PrivateThread, Name: "quiet", Parent: 310, Archived: true}
	text, _ := marshalWire(t, convert.WireThread(c, 200, 0, store.ChannelMessages{}))
	for _, want := range []string{
		`"parent_id":"310"`, `"owner_id":"200"`, `"archived":true`, `"archive_timestamp":"2026-05-01T12:00:00.000000+00:00"`, `"message_count":0`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if strings.Contains(text, "permission_overwrites") {
		t.Errorf("a thread has overwrites: %s", text)
	}
	c.Owner, c.SlowMode, c.Thread = 201, 5, &store.Thread{Since: c.ID.Time().Add(time.Hour), AutoArchive: 60, Locked: true, Starter: true}
	text, _ = marshalWire(t, convert.WireThread(c, 200, 51, store.ChannelMessages{Last: 9, Count: 3, Sent: 5}))
	for _, want := range []string{
		`"owner_id":"201"`, `"rate_limit_per_user":5`, `"last_message_id":"9"`, `"message_count":2`, `"total_message_sent":4`, `"member_count":50`,
		`"auto_archive_duration":60`, `"archive_timestamp":"2026-05-01T13:00:00.000000+00:00"`, `"locked":true`, `"invitable":false`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

func TestWireDirect(t *testing.T) {
	t.Parallel()
	text, got := marshalWire(t, convert.WireDirect(store.Channel{ID: 500, Type: wire.DM}, []*store.User{wireAda}, store.ChannelMessages{Last: 9}))
	if _, named := got["name"]; named || !strings.Contains(text, `"recipients":[{"id":"200"`) || !strings.Contains(text, `"last_message_id":"9"`) {
		t.Errorf("a direct message channel is %s", text)
	}
	_, got = marshalWire(t, convert.WireDirect(store.Channel{ID: 501, Type: wire.GroupDM}, []*store.User{wireAda, wireEcho}, store.ChannelMessages{}))
	if name, there := got["name"]; !there || name != nil {
		t.Errorf("the name of a group is %v, want null", name)
	}
}

func TestWireApplicationFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		app      store.Application
		commands bool
		want     uint64
	}{
		{"plain", store.Application{}, false, 0},
		{"public client", store.Application{PublicClient: true}, false, 1 << 8},
		{"activities", store.Application{Activities: true}, false, 1 << 17},
		{"limited intents", store.Application{Intents: convert.LimitedIntents}, false, 1<<13 | 1<<15 | 1<<19},
		{"global commands", store.Application{}, true, 1 << 23},
	} {
		if got := convert.ApplicationFlags(&tt.app, tt.commands); got != tt.want {
			t.Errorf("%s: flags %d, want %d", tt.name, got, tt.want)
		}
	}
	if got := uint64(wire.GatewayPresenceLimited | wire.GatewayMembersLimited | wire.GatewayContentLimited); got != convert.LimitedIntents {
		t.Errorf("the limited intents are %d, want %d", got, convert.LimitedIntents)
	}
}

func TestWireOwnApplication(t *testing.T) {
	t.Parallel()
	app := &store.Application{ID: 100, VerifyKey: []byte{1, 255}, IntegrationTypes: []uint8{0, 1}}
	own := convert.WireOwnApplication(app, wireAda, wireEcho, false, convert.Installs{Guilds: 2, Users: 1})
	text, _ := marshalWire(t, own)
	for _, want := range []string{
		`"verify_key":"01ff"`, `"integration_types_config":{"0":{},"1":{}}`, `"approximate_guild_count":2`, `"approximate_user_install_count":1`,
		`"redirect_uris":[]`, `"interactions_endpoint_url":null`, `"team":null`, `"flags_new":"0"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

func TestWireGuild(t *testing.T) {
	t.Parallel()
	g := store.Guild{ID: 300, Name: "Lab", Owner: 200, PreferredLocale: "de"}
	roles := []store.Role{{ID: 300, Guild: 300, Name: "@everyone"}}
	text, got := marshalWire(t, convert.WireGuild(g, roles, nil, nil))
	if !strings.Contains(text, `"roles":[{"id":"300","name":"@everyone"`) {
		t.Errorf("no @everyone role in %s", text)
	}
	if _, there := got["approximate_member_count"]; there {
		t.Error("a guild has counts that were not requested")
	}
	for _, name := range []string{"emojis", "stickers", "features"} {
		if list, ok := got[name].([]any); !ok || len(list) != 0 {
			t.Errorf("%s is %v, want an empty list", name, got[name])
		}
	}
	_, got = marshalWire(t, convert.WireOwnGuild(g, 200, 8, &wire.Counts{Members: 7}))
	for name, want := range map[string]any{"owner": true, "permissions": "8", "approximate_member_count": 7.0} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if _, got = marshalWire(t, convert.WireOwnGuild(g, 201, 0, nil)); got["owner"] != false || got["permissions"] != "0" {
		t.Errorf("a member's guild is %v", got)
	}
}

func TestWireRole(t *testing.T) {
	t.Parallel()
	text, _ := marshalWire(t, convert.WireRole(store.Role{ID: 301, Guild: 300, Name: "Echo", Permissions: 8, Managed: 100, Color: 7}))
	for _, want := range []string{`"colors":{"primary_color":7,`, `"managed":true`, `"tags":{"bot_id":"100"}`, `"permissions":"8"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if text, _ := marshalWire(t, convert.WireRole(store.Role{ID: 301})); strings.Contains(text, "tags") {
		t.Errorf("a role that is not managed has tags: %s", text)
	}
}
