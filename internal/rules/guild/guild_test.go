package guild_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/imagedata"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/testkit/rules"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

type codes = rules.Codes

var (
	parse = rules.Parse
	chars = rules.Chars
	wrong = rules.Wrong
	noon  = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
)

// picture is a PNG as a JSON string.
var picture = func() string {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))) // a buffer does not fail
	return `"data:image/png;base64,` + base64.StdEncoding.EncodeToString(b.Bytes()) + `"`
}()

func TestReadPatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		features   []string
		errs       codes
		code       error
	}{
		{"everything", `{"name":"Lab","description":"d","verification_level":4,"default_message_notifications":1,"explicit_content_filter":2,"afk_channel_id":"1","afk_timeout":60,
			"icon":` + picture + `,"system_channel_id":"1","rules_channel_id":null,"system_channel_flags":63,"preferred_locale":"de","premium_progress_bar_enabled":true,"features":["COMMUNITY","X"]}`, nil, nil, nil},
		{"limits", `{"name":" a ","description":` + chars(301) + `,"verification_level":5,"default_message_notifications":2,"explicit_content_filter":3,"afk_timeout":61,"system_channel_flags":64,
			"afk_channel_id":"x","icon":"x","features":[7],"preferred_locale":"xx"}`, nil, codes{
			"name": {jsonbody.BadLength}, "description": {jsonbody.MaxLength}, "verification_level": {jsonbody.NumberMax}, "default_message_notifications": {jsonbody.NumberMax},
			"explicit_content_filter": {jsonbody.NumberMax}, "afk_timeout": {jsonbody.Choices}, "system_channel_flags": {jsonbody.NumberMax}, "afk_channel_id": {jsonbody.NumberCoerce},
			"icon": {imagedata.InvalidURI}, "features.0": {jsonbody.StringConvert}, "preferred_locale": {jsonbody.Choices},
		}, nil},
		{"name is null", `{"name":null}`, nil, codes{"name": {jsonbody.Required}}, nil},
		{"no image", `{"icon":"data:image/png;base64,AAAA"}`, nil, nil, apierror.InvalidFile},
		{"banner without the feature", `{"banner":` + picture + `}`, nil, nil, apierror.NeedsBoosts},
		{"banner", `{"banner":` + picture + `}`, []string{guild.Banner}, nil, nil},
		{"no object", `7`, nil, codes{"": {jsonbody.ModelConvert}}, nil},
	} {
		_, err := guild.ReadPatch(parse(t, tt.give), tt.features)
		wrong(t, "3 "+tt.name, err, tt.errs, tt.code)
	}
	old := guild.Settings{Name: "Lab", Description: "d", AFKChannel: 5, AFKTimeout: 300, Locale: "de", Icon: "h", Features: []string{"A", guild.Discoverable}, VerificationLevel: 2}
	p, err := guild.ReadPatch(parse(t, `{"description":null,"afk_channel_id":null,"afk_timeout":null,"preferred_locale":null,"icon":null,"features":["COMMUNITY","Z"],"verification_level":null}`), old.Features)
	if err != nil {
		t.Fatal(err)
	}
	want := guild.Settings{Name: "Lab", AFKTimeout: 300, Locale: "en-US", Features: []string{"A", guild.Community}}
	if diff := cmp.Diff(want, p.Apply(old)); diff != "" {
		t.Errorf("3 null differs (-want +got):\n%s", diff)
	}
	if got := p.Operations(old.Features); !slices.Equal(got, []permission.Operation{permission.OpEditGuild, permission.OpEditCommunity}) {
		t.Errorf("3 features need %v", got)
	}
	p, err = guild.ReadPatch(parse(t, `{"features":["INVITES_DISABLED","DISCOVERABLE"],"icon":`+picture+`}`), old.Features)
	if got := p.Operations(old.Features); err != nil || !slices.Equal(got, []permission.Operation{permission.OpEditGuild}) || len(p.Apply(old).Icon) != 32 {
		t.Errorf("3 features need %v, %v", got, err)
	}
}

func TestReadMemberPatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		want       guild.Member // of a member with nick, roles and timeout
		ops        []permission.Operation
		errs       codes
	}{
		{"nothing", `{}`, guild.Member{Nick: "n", Roles: []snowflake.Role{9}, TimeoutUntil: noon, Flags: 1}, nil, nil},
		{"null clears", `{"nick":null,"roles":null,"communication_disabled_until":null,"mute":null}`, guild.Member{Flags: 1}, []permission.Operation{
			permission.OpEditNick, permission.OpEditMemberRoles, permission.OpMuteMember, permission.OpTimeOutMember,
		}, nil},
		{"empty nick", `{"nick":""}`, guild.Member{Roles: []snowflake.Role{9}, TimeoutUntil: noon, Flags: 1}, []permission.Operation{permission.OpEditNick}, nil},
		{"everyone is ignored", `{"roles":["9","1","8"]}`, guild.Member{Nick: "n", Roles: []snowflake.Role{8, 9}, TimeoutUntil: noon, Flags: 1}, []permission.Operation{permission.OpEditMemberRoles}, nil},
		{"a role twice", `{"roles":["8","9","8"]}`, guild.Member{}, nil, codes{"roles.2": {jsonbody.Repeated}}},
		{"28 days", `{"communication_disabled_until":"2026-05-29T12:00:00Z"}`, guild.Member{Nick: "n", Roles: []snowflake.Role{9}, TimeoutUntil: noon.Add(guild.MaxTimeout), Flags: 1}, []permission.Operation{permission.OpTimeOutMember}, nil},
		{"longer", `{"communication_disabled_until":"2026-05-29T12:00:01Z"}`, guild.Member{}, nil, codes{"communication_disabled_until": {guild.TimeoutTooLong}}},
		{"in the past", `{"communication_disabled_until":"2026-05-01T12:00:00Z"}`, guild.Member{Nick: "n", Roles: []snowflake.Role{9}, Flags: 1}, []permission.Operation{permission.OpTimeOutMember}, nil},
		{"no time", `{"communication_disabled_until":"soon"}`, guild.Member{}, nil, codes{"communication_disabled_until": {jsonbody.TimeInvalid}}},
		{"flags", `{"flags":7,"deaf":true}`, guild.Member{Nick: "n", Roles: []snowflake.Role{9}, TimeoutUntil: noon, Flags: 5, Deaf: true}, []permission.Operation{permission.OpDeafenMember, permission.OpEditMemberFlags}, nil},
		{"move", `{"channel_id":"5"}`, guild.Member{Nick: "n", Roles: []snowflake.Role{9}, TimeoutUntil: noon, Flags: 1}, []permission.Operation{permission.OpMoveMember}, nil},
		{"disconnect", `{"channel_id":null}`, guild.Member{Nick: "n", Roles: []snowflake.Role{9}, TimeoutUntil: noon, Flags: 1}, []permission.Operation{permission.OpDisconnectMember}, nil},
		{"limits", `{"nick":` + chars(33) + `,"roles":[` + rules.Repeat(`"%d"`, 351) + `],"mute":"x","channel_id":"x"}`, guild.Member{}, nil, codes{
			"nick": {jsonbody.MaxLength}, "roles": {jsonbody.MaxLength}, "mute": {jsonbody.BooleanConvert}, "channel_id": {jsonbody.NumberCoerce},
		}},
	} {
		p, err := guild.ReadMemberPatch(parse(t, tt.give), 1, noon)
		wrong(t, "4 "+tt.name, err, tt.errs, nil)
		if err != nil {
			continue
		}
		if diff := cmp.Diff(tt.want, p.Apply(guild.Member{Nick: "n", Roles: []snowflake.Role{9}, TimeoutUntil: noon, Flags: 1})); diff != "" {
			t.Errorf("4 %s: member differs (-want +got):\n%s", tt.name, diff)
		}
		if got := p.Operations(); !slices.Equal(got, tt.ops) {
			t.Errorf("4 %s: operations %v, want %v", tt.name, got, tt.ops)
		}
	}
	added, removed := guild.RoleDifference([]snowflake.Role{1, 2}, []snowflake.Role{2, 3})
	if !slices.Equal(added, []snowflake.Role{3}) || !slices.Equal(removed, []snowflake.Role{1}) {
		t.Errorf("4 roles: %v added, %v removed", added, removed)
	}
}

func TestOtherMemberBodies(t *testing.T) {
	t.Parallel()
	p, err := guild.ReadOwnPatch(parse(t, `{"nick":"a","avatar":`+picture+`,"banner":null,"bio":"b"}`))
	if im, ok := p.Avatar.Get(); err != nil || !ok || im.ContentType != "image/png" || !p.Banner.IsNull() || p.Bio.Or("") != "b" {
		t.Errorf("4 @me: %+v, %v", p, err)
	}
	_, err = guild.ReadOwnPatch(parse(t, `{"bio":`+chars(191)+`,"avatar":7}`))
	wrong(t, "4 @me", err, codes{"bio": {jsonbody.MaxLength}, "avatar": {jsonbody.StringConvert}}, nil)
	m, err := guild.ReadNewMember(parse(t, `{"access_token":"x","nick":"n","roles":["5"],"mute":true,"flags":4}`), 1)
	if err != nil || m.AccessToken != "x" || len(m.Member.Operations()) != 4 {
		t.Errorf("4 add: %+v, %v", m, err)
	}
	_, err = guild.ReadNewMember(parse(t, `{}`), 1)
	wrong(t, "4 add", err, codes{"access_token": {jsonbody.Required}}, nil)
	wrong(t, "4 search", checkQuery(""), codes{"query": {jsonbody.Required}}, nil)
	wrong(t, "4 search", checkQuery(strings.Repeat("é", 101)), codes{"query": {jsonbody.BadLength}}, nil)
	wrong(t, "4 search", checkQuery("a"), nil, nil)
	for _, tt := range []struct {
		query, username, nick string
		want                  bool
	}{{"AD", "ada", "", true}, {"co", "ada", "Countess", true}, {"da", "ada", "", false}, {"adas", "ada", "", false}} {
		if got := guild.Matches(tt.query, tt.username, tt.nick); got != tt.want {
			t.Errorf("4 search for %s in %s (%s): %v, want %v", tt.query, tt.username, tt.nick, got, tt.want)
		}
	}
}

func TestReadBan(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]time.Duration{
		`{}`: 0, `{"delete_message_seconds":604800}`: 7 * 24 * time.Hour, `{"delete_message_days":2}`: 48 * time.Hour, `{"delete_message_seconds":null,"delete_message_days":1}`: 24 * time.Hour,
	} {
		if got, err := guild.ReadBan(parse(t, give)); err != nil || got != want {
			t.Errorf("5 ban %s: %v, %v, want %v", give, got, err, want)
		}
	}
	if got, err := guild.ReadBan(jsonbody.Value{}); err != nil || got != 0 {
		t.Errorf("5 ban without a body: %v, %v", got, err)
	}
	_, err := guild.ReadBan(parse(t, `{"delete_message_seconds":604801,"delete_message_days":8}`))
	wrong(t, "5 ban", err, codes{"delete_message_seconds": {jsonbody.NumberMax}, "delete_message_days": {jsonbody.NumberMax, guild.BanExclusive}}, nil)
	users, age, err := guild.ReadBulkBan(parse(t, `{"user_ids":["1","2"],"delete_message_seconds":60}`))
	if err != nil || len(users) != 2 || age != time.Minute {
		t.Errorf("5 bulk: %v, %v, %v", users, age, err)
	}
	_, _, err = guild.ReadBulkBan(parse(t, `{"user_ids":["1","2","1"]}`))
	wrong(t, "5 bulk, a user twice", err, codes{"user_ids.2": {jsonbody.Repeated}}, nil)
	_, _, err = guild.ReadBulkBan(parse(t, `{}`))
	wrong(t, "5 bulk", err, codes{"user_ids": {jsonbody.Required}}, nil)
	_, _, err = guild.ReadBulkBan(parse(t, `{"user_ids":[`+rules.Repeat(`"%d"`, 201)+`]}`))
	wrong(t, "5 bulk", err, codes{"user_ids": {jsonbody.BadLength}}, nil)
}

func TestPrune(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		want       guild.Prune
		errs       codes
	}{
		{"defaults", `{}`, guild.Prune{Days: 7, Counted: true}, nil},
		{"list", `{"days":30,"include_roles":["1",2],"compute_prune_count":false,"reason":"r"}`, guild.Prune{Days: 30, Roles: []snowflake.Role{1, 2}, Reason: "r"}, nil},
		{"text", `{"include_roles":"1, 2"}`, guild.Prune{Days: 7, Roles: []snowflake.Role{1, 2}, Counted: true}, nil},
		{"empty text", `{"include_roles":""}`, guild.Prune{Days: 7, Roles: []snowflake.Role{}, Counted: true}, nil},
		{"limits", `{"days":31,"include_roles":["x"]}`, guild.Prune{}, codes{"days": {jsonbody.NumberMax}, "include_roles.0": {jsonbody.NumberCoerce}}},
	} {
		got, err := guild.ReadPrune(parse(t, tt.give))
		wrong(t, "7 "+tt.name, err, tt.errs, nil)
		if diff := cmp.Diff(tt.want, got); err == nil && diff != "" {
			t.Errorf("7 %s differs (-want +got):\n%s", tt.name, diff)
		}
	}
	p, err := guild.ReadPruneQuery("1", "5,6")
	if err != nil || p.Days != 1 || len(p.Roles) != 2 {
		t.Errorf("7 query: %+v, %v", p, err)
	}
	_, err = guild.ReadPruneQuery("0", "")
	wrong(t, "7 query", err, codes{"days": {jsonbody.NumberMin}}, nil)
	day := 24 * time.Hour
	for _, tt := range []struct {
		roles []snowflake.Role
		idle  time.Duration
		want  bool
	}{{nil, day, true}, {nil, day - 1, false}, {[]snowflake.Role{5}, day, true}, {[]snowflake.Role{5, 7}, day, false}} {
		if got := p.Includes(tt.roles, noon, noon.Add(tt.idle)); got != tt.want {
			t.Errorf("7 roles %v, idle %v: %v, want %v", tt.roles, tt.idle, got, tt.want)
		}
	}
	if diff := cmp.Diff(map[string]string{"delete_member_days": "1", "members_removed": "3"}, p.Options(3)); diff != "" {
		t.Errorf("7 options differ (-want +got):\n%s", diff)
	}
}

func TestReadRole(t *testing.T) {
	t.Parallel()
	icons, colors := []string{guild.RoleIcons}, []string{guild.EnhancedRoleColors}
	for _, tt := range []struct {
		name, give string
		features   []string
		want       guild.Role // created in a guild where everyone has permission 1
		errs       codes
		code       error
	}{
		{"defaults", `{}`, nil, guild.Role{Name: "new role", Permissions: 1}, nil, nil},
		{"null", `{"name":null,"permissions":null,"color":null,"hoist":null}`, nil, guild.Role{Name: "new role", Permissions: 1}, nil, nil},
		{"all", `{"name":"mods","permissions":"8","color":255,"hoist":true,"mentionable":true}`, nil, guild.Role{Name: "mods", Permissions: 8, Colors: guild.Colors{Primary: 255}, Hoist: true, Mentionable: true}, nil, nil},
		{"permissions as a number, unknown bits", `{"permissions":9223372036854775810}`, nil, guild.Role{Name: "new role", Permissions: 2}, nil, nil},
		{"colors win", `{"color":1,"colors":{"primary_color":2}}`, nil, guild.Role{Name: "new role", Permissions: 1, Colors: guild.Colors{Primary: 2}}, nil, nil},
		{"two colors without the feature", `{"colors":{"primary_color":2,"secondary_color":3}}`, nil, guild.Role{}, nil, apierror.NeedsBoosts},
		{"two colors", `{"colors":{"primary_color":2,"secondary_color":3,"tertiary_color":null}}`, colors, guild.Role{Name: "new role", Permissions: 1, Colors: guild.Colors{Primary: 2, Secondary: new(3)}}, nil, nil},
		{"three colors", `{"colors":{"primary_color":11127295,"secondary_color":16759788,"tertiary_color":16761760}}`, colors, guild.Role{
			Name: "new role", Permissions: 1, Colors: guild.Colors{Primary: 11127295, Secondary: new(16759788), Tertiary: new(16761760)},
		}, nil, nil},
		{"three other colors", `{"colors":{"primary_color":1,"secondary_color":2,"tertiary_color":3}}`, colors, guild.Role{}, codes{"colors": {guild.ColorsInvalid}}, nil},
		{"icon without the feature", `{"unicode_emoji":"👍"}`, nil, guild.Role{}, nil, apierror.NeedsBoosts},
		{"emoji", `{"unicode_emoji":"👍"}`, icons, guild.Role{Name: "new role", Permissions: 1, UnicodeEmoji: "👍"}, nil, nil},
		{"limits", `{"name":` + chars(101) + `,"permissions":"x","color":16777216,"colors":{"primary_color":-1},"icon":"x"}`, icons, guild.Role{}, codes{
			"name": {jsonbody.BadLength}, "permissions": {jsonbody.NumberCoerce}, "color": {jsonbody.NumberMax}, "colors.primary_color": {jsonbody.NumberMin}, "icon": {imagedata.InvalidURI},
		}, nil},
	} {
		p, err := guild.ReadRole(parse(t, tt.give), tt.features)
		wrong(t, "6 "+tt.name, err, tt.errs, tt.code)
		if diff := cmp.Diff(tt.want, p.Create(1)); err == nil && diff != "" {
			t.Errorf("6 %s: role differs (-want +got):\n%s", tt.name, diff)
		}
	}
	p, err := guild.ReadRole(parse(t, `{"icon":`+picture+`,"permissions":"4","name":"x","mentionable":true}`), icons)
	old := guild.Role{Name: "a", Permissions: 2, UnicodeEmoji: "👍", Hoist: true}
	got := p.Apply(old, 1)
	if err != nil || len(got.Icon) != 32 || got.UnicodeEmoji != "" || got.Permissions != 4 || !got.Hoist {
		t.Errorf("6 an icon replaces the emoji: %+v, %v", got, err)
	}
	if got := p.Everyone().Apply(old, 1); got.Name != "a" || got.Permissions != 4 || !got.Mentionable || got.Icon != "" {
		t.Errorf("6 everyone: %+v", got)
	}
	moves, err := guild.ReadRolePositions(parse(t, `[{"id":"1","position":5},{"id":"2","position":null}]`))
	if err != nil || !slices.Equal(moves, []permission.Move{{Role: 1, Position: 5}}) {
		t.Errorf("6 positions: %v, %v", moves, err)
	}
	_, err = guild.ReadRolePositions(parse(t, `[{"position":-1},7]`))
	wrong(t, "6 positions", err, codes{"0.id": {jsonbody.Required}, "0.position": {jsonbody.NumberMin}, "1": {jsonbody.ModelConvert}}, nil)
}

func TestReadEmoji(t *testing.T) {
	t.Parallel()
	p, err := guild.ReadEmoji(parse(t, `{"name":"cat_1","image":`+picture+`,"roles":null}`))
	if err != nil || p.Name.Or("") != "cat_1" || p.Image.Hash == "" || !p.Roles.IsNull() {
		t.Errorf("9 create: %+v, %v", p, err)
	}
	for give, want := range map[string]codes{
		`{}`:                                        {"name": {jsonbody.Required}, "image": {jsonbody.Required}},
		`{"name":"c","image":` + picture + `}`:      {"name": {jsonbody.BadLength}},
		`{"name":"c-t","image":` + picture + `}`:    {"name": {jsonbody.StringRegex}},
		`{"name":` + chars(33) + `,"image":"x"}`:    {"name": {jsonbody.BadLength}, "image": {imagedata.InvalidURI}},
		`{"name":"cat","image":null,"roles":["x"]}`: {"image": {jsonbody.Required}, "roles.0": {jsonbody.NumberCoerce}},
		`{"name":null,"image":` + picture + `}`:     {"name": {jsonbody.Required}},
		`{"name":"cat","image":"data:image/png;base64,` + strings.Repeat("A", 350000) + `"}`: {"image": {imagedata.TooLarge}},
	} {
		_, err := guild.ReadEmoji(parse(t, give))
		wrong(t, "9 create", err, want, nil)
	}
	_, err = guild.ReadEmoji(parse(t, `{"name":"cat","image":"data:image/png;base64,AAAA"}`))
	wrong(t, "9 create", err, nil, apierror.InvalidFile)
	if p, err := guild.ReadEmojiPatch(parse(t, `{"roles":["5"]}`)); err != nil || !p.Name.IsZero() || len(p.Roles.Or(nil)) != 1 {
		t.Errorf("9 edit: %+v, %v", p, err)
	}
	if guild.EmojiSlots(0) != 50 || guild.EmojiSlots(3) != 250 || guild.EmojiSlots(9) != 250 {
		t.Error("9 slots differ")
	}
}

func checkQuery(text string) error {
	var t jsonbody.Tree
	guild.CheckQuery(t.At("query"), text)
	return t.Err()
}
