package wire_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/interaction"

	"github.com/bellhop/bellhop/internal/payload"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/wire"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// marshal returns a value as JSON, and its members.
func marshal(t *testing.T, v any) (string, map[string]any) {
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
	ada  = &directory.User{User: store.User{ID: 200, Username: "ada", GlobalName: "Ada", Locale: "de", Email: "ada@example.com"}}
	echo = &directory.User{User: store.User{ID: 100, Username: "Echo", Locale: "en-US"}, Bot: true}
)

// TestAsInInteractions compares with the users and members that interactions show: members of both are the same.
func TestAsInInteractions(t *testing.T) {
	t.Parallel()
	joined := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, u := range []*directory.User{ada, echo} {
		user := payload.User{ID: u.ID, Username: u.Username, GlobalName: u.GlobalName, Bot: u.Bot}
		record := store.Member{User: u.ID, Nick: "Countess", Roles: []snowflake.Role{301}, JoinedAt: joined, TimeoutUntil: joined}
		member := payload.Member{User: user, Nick: "Countess", Roles: record.Roles, JoinedAt: joined, TimeoutUntil: joined}
		for key, tt := range map[string]struct {
			payload interaction.Interaction
			object  any
		}{
			"user":   {interaction.Interaction{User: &user}, wire.UserOf(u)},
			"member": {interaction.Interaction{Member: &member}, wire.MemberOf(record, u)},
		} {
			var payload map[string]map[string]any
			if err := json.Unmarshal(tt.payload.AppendJSON(nil), &payload, json.WithUnmarshalers(onlyObjects)); err != nil {
				t.Fatal(err)
			}
			_, got := marshal(t, tt.object)
			same(t, key, payload[key], got)
		}
	}
}

// onlyObjects leaves out the members of a payload that are no objects.
var onlyObjects = json.UnmarshalFromFunc(func(d *jsontext.Decoder, m *map[string]any) error {
	if d.PeekKind() != '{' {
		return d.SkipValue()
	}
	return errors.ErrUnsupported
})

// same compares the members that both have. Of an interaction the member's permissions are those in its channel.
func same(t *testing.T, path string, want, got map[string]any) {
	t.Helper()
	for name, value := range want {
		if name == "permissions" {
			continue
		}
		if inner, ok := value.(map[string]any); ok {
			below, _ := got[name].(map[string]any)
			same(t, path+"."+name, inner, below)
			continue
		}
		if diff := cmp.Diff(value, got[name]); diff != "" {
			t.Errorf("%s.%s (-interaction +wire):\n%s", path, name, diff)
		}
	}
}

func TestMe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		user *directory.User
		mail bool
		want map[string]any
	}{
		{"a person", ada, true, map[string]any{"email": "ada@example.com", "verified": true, "locale": "de"}},
		{"a person without an address", &directory.User{User: store.User{ID: 201}}, true, map[string]any{"email": nil, "verified": false}},
		{"a bot", echo, true, map[string]any{"email": nil, "verified": true, "bot": true}},
		{"without the address", ada, false, map[string]any{"locale": "de"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, got := marshal(t, wire.MeOf(tt.user, tt.mail))
			for name, want := range tt.want {
				if value, there := got[name]; !there || value != want {
					t.Errorf("%s is %v, want %v", name, value, want)
				}
			}
			if _, there := got["email"]; there != tt.mail {
				t.Errorf("email is there: %v, want %v", there, tt.mail)
			}
		})
	}
}

func TestMember(t *testing.T) {
	t.Parallel()
	text, got := marshal(t, wire.MemberOf(store.Member{Guild: 300, User: 200}, ada))
	if !strings.Contains(text, `"roles":[]`) || !strings.Contains(text, `"joined_at":null`) {
		t.Errorf("a bare member is %s", text)
	}
	for _, name := range []string{"nick", "premium_since", "communication_disabled_until"} {
		if value, there := got[name]; !there || value != nil {
			t.Errorf("%s is %v, want null", name, value)
		}
	}
	text, _ = marshal(t, wire.MemberOf(store.Member{
		User: 200, Nick: "Countess", Roles: []snowflake.Role{301},
		JoinedAt: time.Date(2026, 1, 2, 4, 4, 5, 600_000_000, time.FixedZone("", 3600)),
	}, ada))
	for _, want := range []string{`"nick":"Countess"`, `"roles":["301"]`, `"joined_at":"2026-01-02T03:04:05.600000+00:00"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// TestChannelMembers holds each type of channel to the members that are its own.
func TestChannelMembers(t *testing.T) {
	t.Parallel()
	own := map[int][]string{
		world.VoiceChannel: {"bitrate", "rtc_region", "user_limit"}, world.StageChannel: {"bitrate", "rtc_region", "user_limit"},
		world.ForumChannel: {"available_tags", "default_forum_layout", "default_reaction_emoji", "default_sort_order", "default_thread_rate_limit_per_user"},
	}
	own[world.MediaChannel] = own[world.ForumChannel]
	_, plain := marshal(t, wire.ChannelOf(store.Channel{ID: 310, Guild: 300, Name: "general"}))
	for _, kind := range []int{
		world.TextChannel, world.VoiceChannel, world.Category, world.AnnouncementChannel, world.StageChannel,
		world.DirectoryChannel, world.ForumChannel, world.MediaChannel,
	} {
		text, got := marshal(t, wire.ChannelOf(store.Channel{ID: 310, Guild: 300, Name: "general", Type: kind}))
		for name := range plain {
			delete(got, name)
		}
		if diff := cmp.Diff(own[kind], slices.Sorted(maps.Keys(got))); diff != "" {
			t.Errorf("members of type %d (-want +got):\n%s", kind, diff)
		}
		if strings.Contains(text, `:""`) {
			t.Errorf("an id or a text is empty where it should be null: %s", text)
		}
	}
}

func TestThread(t *testing.T) {
	t.Parallel()
	c := store.Channel{ID: 1499742181785600000, Guild: 300, Type: world.PrivateThread, Name: "quiet", Parent: 310, Archived: true}
	text, _ := marshal(t, wire.ThreadOf(c, 200))
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
}

func TestDirect(t *testing.T) {
	t.Parallel()
	text, got := marshal(t, wire.DirectOf(store.Channel{ID: 500, Type: directory.DirectType}, []*directory.User{ada}))
	if _, named := got["name"]; named || !strings.Contains(text, `"recipients":[{"id":"200"`) {
		t.Errorf("a channel between two is %s", text)
	}
	_, got = marshal(t, wire.DirectOf(store.Channel{ID: 501, Type: directory.GroupType}, []*directory.User{ada, echo}))
	if name, there := got["name"]; !there || name != nil {
		t.Errorf("the name of a group is %v, want null", name)
	}
}

func TestApplicationFlags(t *testing.T) {
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
		{"limited intents", store.Application{Intents: directory.LimitedIntents}, false, 1<<13 | 1<<15 | 1<<19},
		{"global commands", store.Application{}, true, 1 << 23},
	} {
		if got := wire.ApplicationFlags(&tt.app, tt.commands); got != tt.want {
			t.Errorf("%s: flags %d, want %d", tt.name, got, tt.want)
		}
	}
	if got := uint64(wire.GatewayPresenceLimited | wire.GatewayMembersLimited | wire.GatewayContentLimited); got != directory.LimitedIntents {
		t.Errorf("the limited intents are %d, want %d", got, directory.LimitedIntents)
	}
}

// TestVerifyKey checks a signature made with the key of the record by the one that the app is shown.
func TestVerifyKey(t *testing.T) {
	t.Parallel()
	app := &store.Application{ID: 100, SigningKey: []byte("0123456789abcdef0123456789abcdef"), IntegrationTypes: []uint8{0, 1}}
	own := wire.OwnApplicationOf(app, ada, echo, false, wire.Installs{Guilds: 2, Users: 1})
	public, err := hex.DecodeString(own.VerifyKey)
	if err != nil || len(public) != ed25519.PublicKeySize {
		t.Fatalf("verify_key %q: %v", own.VerifyKey, err)
	}
	message := []byte("timestamp and body")
	if !ed25519.Verify(public, message, ed25519.Sign(ed25519.NewKeyFromSeed(app.SigningKey), message)) {
		t.Error("verify_key does not verify")
	}
	text, _ := marshal(t, own)
	for _, want := range []string{
		`"integration_types_config":{"0":{},"1":{}}`, `"approximate_guild_count":2`, `"approximate_user_install_count":1`,
		`"redirect_uris":[]`, `"interactions_endpoint_url":null`, `"team":null`, `"tags":[]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

func TestGuild(t *testing.T) {
	t.Parallel()
	g := &directory.Guild{Guild: store.Guild{ID: 300, Name: "Lab", Owner: 200, PreferredLocale: "de"}, Roles: []store.Role{{ID: 300, Guild: 300, Name: "@everyone"}}}
	text, got := marshal(t, wire.GuildOf(g, nil))
	if !strings.Contains(text, `"roles":[{"id":"300","name":"@everyone"`) {
		t.Errorf("no role of all members in %s", text)
	}
	if _, there := got["approximate_member_count"]; there {
		t.Error("counts are there that nobody asked for")
	}
	for _, name := range []string{"emojis", "stickers", "features"} {
		if list, ok := got[name].([]any); !ok || len(list) != 0 {
			t.Errorf("%s is %v, want an empty list", name, got[name])
		}
	}
	_, got = marshal(t, wire.OwnGuildOf(g.Guild, 200, 8, &wire.Counts{Members: 7}))
	for name, want := range map[string]any{"owner": true, "permissions": "8", "approximate_member_count": 7.0} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if _, got = marshal(t, wire.OwnGuildOf(g.Guild, 201, 0, nil)); got["owner"] != false || got["permissions"] != "0" {
		t.Errorf("a member's guild is %v", got)
	}
}

func TestRole(t *testing.T) {
	t.Parallel()
	text, _ := marshal(t, wire.RoleOf(store.Role{ID: 301, Guild: 300, Name: "Echo", Permissions: 8, Managed: 100, Color: 7}))
	for _, want := range []string{`"colors":{"primary_color":7,`, `"managed":true`, `"tags":{"bot_id":"100"}`, `"permissions":"8"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if text, _ := marshal(t, wire.RoleOf(store.Role{ID: 301})); strings.Contains(text, "tags") {
		t.Errorf("a role that people made has tags: %s", text)
	}
}
