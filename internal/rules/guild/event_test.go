package guild_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/guild"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

func TestReadEvent(t *testing.T) {
	t.Parallel()
	const party = `"name":"Party","privacy_level":2,"scheduled_start_time":"2026-05-02T12:00:00Z"`
	for _, tt := range []struct {
		name, give string
		errs       codes
	}{
		{"on a stage", `{` + party + `,"entity_type":1,"channel_id":"5"}`, nil},
		{"elsewhere", `{` + party + `,"entity_type":3,"entity_metadata":{"location":"Pub"},"scheduled_end_time":"2026-05-03T12:00:00Z","image":` + picture + `}`, nil},
		{"nothing", `{}`, codes{"name": {jsonbody.Required}, "privacy_level": {jsonbody.Required}, "scheduled_start_time": {jsonbody.Required}, "entity_type": {jsonbody.Required}}},
		{"voice without a channel", `{` + party + `,"entity_type":2}`, codes{"channel_id": {jsonbody.Required}}},
		{"elsewhere without a place and an end", `{` + party + `,"entity_type":3,"channel_id":"5"}`, codes{
			"channel_id": {guild.NotForThisOne}, "entity_metadata.location": {jsonbody.Required}, "scheduled_end_time": {jsonbody.Required},
		}},
		{"in the past", `{"name":"P","privacy_level":2,"scheduled_start_time":"2026-05-01T12:00:00Z","entity_type":2,"channel_id":"5"}`, codes{"scheduled_start_time": {guild.StartInPast}}},
		{"end before the start", `{` + party + `,"entity_type":2,"channel_id":"5","scheduled_end_time":"2026-05-02T12:00:00Z"}`, codes{"scheduled_end_time": {guild.EndTooEarly}}},
		{"limits", `{"name":` + chars(101) + `,"description":` + chars(1001) + `,"privacy_level":1,"scheduled_start_time":"x","entity_type":4,"entity_metadata":{"location":` + chars(101) + `},"recurrence_rule":7}`, codes{
			"name": {jsonbody.BadLength}, "description": {jsonbody.MaxLength}, "privacy_level": {jsonbody.Choices}, "scheduled_start_time": {jsonbody.TimeInvalid},
			"entity_type": {jsonbody.Choices}, "entity_metadata.location": {jsonbody.BadLength}, "recurrence_rule": {jsonbody.ModelConvert},
		}},
	} {
		e, im, err := guild.ReadEvent(parse(t, tt.give), noon)
		wrong(t, "12 "+tt.name, err, tt.errs, nil)
		if err == nil && (e.Status != guild.Scheduled || e.Image != im.Hash || e.Name != "Party") {
			t.Errorf("12 %s: %+v", tt.name, e)
		}
	}
}

func TestReadEventPatch(t *testing.T) {
	t.Parallel()
	voice := guild.Event{Name: "a", Description: "d", Start: noon, Entity: guild.InVoice, Channel: 5, Status: guild.Scheduled, Image: "h"}
	want := guild.Event{Name: "a", Start: noon, End: noon.Add(time.Hour), Entity: guild.Elsewhere, Location: "Pub", Status: guild.Scheduled}
	got, _, err := guild.ReadEventPatch(parse(t, `{"entity_type":3,"channel_id":null,"entity_metadata":{"location":"Pub"},"scheduled_end_time":"2026-05-01T13:00:00Z","description":null,"image":null}`), voice, noon)
	if err != nil || got.Entity != want.Entity || got.Location != want.Location || got.Channel != 0 || !got.End.Equal(want.End) || got.Description != "" || got.Image != "" {
		t.Errorf("12 edit: %+v, %v, want %+v", got, err, want)
	}
	for from := guild.Scheduled; from <= guild.Canceled; from++ {
		for to := guild.Scheduled; to <= guild.Canceled; to++ {
			allowed := from == 1 && (to == 1 || to == 2 || to == 4) || from == 2 && (to == 2 || to == 3)
			e := voice
			e.Status = from
			_, _, err := guild.ReadEventPatch(parse(t, `{"status":`+string(rune('0'+to))+`}`), e, noon)
			if allowed {
				wrong(t, "12 status", err, nil, nil)
			} else {
				wrong(t, "12 status", err, nil, apierror.FinishedEvent)
			}
		}
	}
	if at, next := want.Due(); !at.Equal(noon) || next != guild.Active {
		t.Errorf("12 clock: %v, %v", at, next)
	}
	want.Status = guild.Active
	if at, next := want.Due(); !at.Equal(want.End) || next != guild.Completed {
		t.Errorf("12 clock: %v, %v", at, next)
	}
	if at, _ := voice.Due(); !at.IsZero() {
		t.Errorf("12 a voice event starts by the clock at %v", at)
	}
	if create, edit, remove := guild.InVoice.Operations(); create != permission.OpCreateVoiceEvent || edit != permission.OpEditVoiceEvent || remove != permission.OpDeleteVoiceEvent {
		t.Error("12 operations differ")
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	role := guild.Role{Name: "a", Permissions: 8, Colors: guild.Colors{Primary: 1}}
	renamed := role
	renamed.Name, renamed.Icon, renamed.Permissions = "b", "h", 0
	room := channel.Settings{Name: "a", Topic: "t", Overwrites: []permission.Overwrite{{ID: 1, Member: true, Deny: 8}}}
	other := channel.Settings{Name: "a"}
	for _, tt := range []struct {
		name string
		give []guild.Change
		want string
	}{
		{"edited role", guild.Changes(guild.RoleFields, &role, &renamed), `[{"key":"name","old_value":"a","new_value":"b"},{"key":"permissions","old_value":"8","new_value":"0"},{"key":"icon_hash","new_value":"h"}]`},
		{"same role", guild.Changes(guild.RoleFields, &role, &role), `null`},
		{"deleted role", guild.Changes(guild.RoleFields, &role, nil), `[{"key":"name","old_value":"a"},{"key":"permissions","old_value":"8"},{"key":"color","old_value":1},` +
			`{"key":"colors","old_value":{"primary_color":1,"secondary_color":null,"tertiary_color":null}},{"key":"hoist","old_value":false},{"key":"mentionable","old_value":false}]`},
		{"edited channel", guild.ChannelChanges(&room, &other), `[{"key":"topic","old_value":"t"}]`},
		{"new channel", guild.ChannelChanges(nil, &room), `[{"key":"name","new_value":"a"},{"key":"type","new_value":0},{"key":"topic","new_value":"t"},{"key":"nsfw","new_value":false},{"key":"rate_limit_per_user","new_value":0},` +
			`{"key":"flags","new_value":0},{"key":"permission_overwrites","new_value":[{"id":"1","type":1,"allow":"0","deny":"8"}]}]`},
		{"timeout", guild.Changes(guild.MemberFields, &guild.Member{}, &guild.Member{TimeoutUntil: noon, Flags: 4, Nick: "n"}), `[{"key":"nick","new_value":"n"},` +
			`{"key":"communication_disabled_until","new_value":"2026-05-01T12:00:00.000000+00:00"},{"key":"bypasses_verification","old_value":false,"new_value":true}]`},
		{"guild", guild.Changes(guild.GuildFields, &guild.Settings{Name: "a", Icon: "h"}, &guild.Settings{Name: "b", AFKChannel: 5}), `[{"key":"name","old_value":"a","new_value":"b"},{"key":"afk_channel_id","new_value":"5"},{"key":"icon_hash","old_value":"h"}]`},
		{"overwrite", guild.Changes(guild.OverwriteFields, &permission.Overwrite{ID: 1, Allow: 1}, &permission.Overwrite{ID: 1, Allow: 2}), `[{"key":"allow","old_value":"1","new_value":"2"}]`},
		{"thread", guild.Changes(guild.ThreadFields, &guild.Thread{Name: "a"}, &guild.Thread{Name: "a", Locked: true}), `[{"key":"locked","old_value":false,"new_value":true}]`},
		{"invite", guild.Changes(guild.InviteFields, nil, &guild.Invite{Code: "x", Channel: 5, MaxAge: time.Minute, Roles: []snowflake.Role{7}}), `[{"key":"code","new_value":"x"},{"key":"channel_id","new_value":"5"},{"key":"max_age","new_value":60},` +
			`{"key":"max_uses","new_value":0},{"key":"uses","new_value":0},{"key":"temporary","new_value":false},{"key":"role_ids","new_value":["7"]}]`},
		{"webhook", guild.Changes(guild.WebhookFields, &guild.Webhook{Name: "a"}, &guild.Webhook{Name: "b"}), `[{"key":"name","old_value":"a","new_value":"b"}]`},
		{"emoji", guild.Changes(guild.EmojiFields, &guild.Emoji{Name: "a"}, &guild.Emoji{Name: "b"}), `[{"key":"name","old_value":"a","new_value":"b"}]`},
		{"event", guild.Changes(guild.EventFields, &guild.Event{Status: 1}, &guild.Event{Status: 2, End: noon}), `[{"key":"status","old_value":1,"new_value":2},{"key":"scheduled_end_time","new_value":"2026-05-01T12:00:00.000000+00:00"}]`},
		{"roles of a member", guild.MemberRoleChanges([]guild.NamedRole{{ID: 1, Name: "a"}}, []guild.NamedRole{{ID: 2, Name: "b"}}), `[{"key":"$add","new_value":[{"id":"1","name":"a"}]},{"key":"$remove","new_value":[{"id":"2","name":"b"}]}]`},
		{"no roles", guild.MemberRoleChanges(nil, nil), `null`},
	} {
		var value any = tt.give
		if tt.give == nil {
			value = nil
		}
		got, err := json.Marshal(value)
		if err != nil || string(got) != tt.want {
			t.Errorf("11 %s: %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
	if diff := cmp.Diff(map[string]string{"id": "1", "type": "0", "role_name": "mods"}, guild.OverwriteOptions(permission.Overwrite{ID: 1}, "mods")); diff != "" {
		t.Errorf("11 options differ (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"id": "1", "type": "1"}, guild.OverwriteOptions(permission.Overwrite{ID: 1, Member: true}, "")); diff != "" {
		t.Errorf("11 options differ (-want +got):\n%s", diff)
	}
}

func TestReadReason(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{
		"": "", "spam": "spam", "a%20b": "a b", "a+b": "a+b", "a/b c": "a/b c", "%C3%BCber": "über", "100%": "100%", "%zz": "%zz", "%c3%BC": "ü", "%ff": "%ff", "a%2": "a%2",
	} {
		if got, err := guild.ReadReason(give); err != nil || got != want {
			t.Errorf("2 ReadReason(%q) = %q, %v, want %q", give, got, err, want)
		}
	}
	if _, err := guild.ReadReason(strings.Repeat("%C3%BC", 512)); err != nil {
		t.Errorf("2 longest reason: %v", err)
	}
	_, err := guild.ReadReason(strings.Repeat("a", 513))
	wrong(t, "2 reason", err, codes{"X-Audit-Log-Reason": {jsonbody.MaxLength}}, nil)
}

// FuzzRead checks the readers of this package: what they accept keeps the limits.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"name":"cat","image":` + picture + `,"roles":["1"],"nick":"n","communication_disabled_until":"2026-05-02T00:00:00Z","features":["COMMUNITY"]}`,
		`{"name":"P","privacy_level":2,"scheduled_start_time":"2026-05-02T12:00:00Z","entity_type":2,"channel_id":"5"}`,
		`{"user_ids":["1"],"delete_message_seconds":5,"days":3,"include_roles":"1,2","colors":{"primary_color":5},"permissions":"8"}`,
	} {
		f.Add([]byte(s), "a%20b")
	}
	f.Fuzz(func(t *testing.T, in []byte, header string) {
		if reason, err := guild.ReadReason(header); err == nil && jsonbody.Len(reason) > 512 {
			t.Errorf("ReadReason() returns %d characters", jsonbody.Len(reason))
		}
		v, err := jsonbody.Parse(in)
		if err != nil {
			return
		}
		if p, err := guild.ReadMemberPatch(v, 1, noon); err == nil {
			m := p.Apply(guild.Member{})
			if m.TimeoutUntil.After(noon.Add(guild.MaxTimeout)) || jsonbody.Len(m.Nick) > 32 || slices.Contains(m.Roles, 1) {
				t.Errorf("ReadMemberPatch() gives %+v", m)
			}
		}
		if e, _, err := guild.ReadEvent(v, noon); err == nil && (!e.Start.After(noon) || (e.Channel == 0) == (e.Location == "")) {
			t.Errorf("ReadEvent() = %+v", e)
		}
		if p, err := guild.ReadRole(v, nil); err == nil && p.Create(0).Name == "" {
			t.Errorf("ReadRole() = %+v", p)
		}
		_, _ = guild.ReadPatch(v, nil)
		_, _ = guild.ReadEmoji(v)
		_, _ = guild.ReadPrune(v)
		_, _, _ = guild.ReadBulkBan(v)
		_, _ = guild.ReadRolePositions(v)
	})
}

// The rules about recurrence rules: each frequency has members of its own.
func TestReadRecurrence(t *testing.T) {
	t.Parallel()
	const invalid = guild.RuleInvalid
	for _, tt := range []struct {
		give string
		want string // part of the rule as the API shows it
		errs codes
	}{
		{`"frequency":2,"interval":2,"by_weekday":[4]`, `"frequency":2,"interval":2,"by_weekday":[4],"by_n_weekday":null`, nil},
		{`"frequency":3`, `"frequency":3,"interval":1,"by_weekday":null`, nil},
		{`"frequency":3,"by_weekday":[6,5]`, `"by_weekday":[6,5]`, nil},
		{`"frequency":1,"by_n_weekday":[{"n":2,"day":1}]`, `"by_n_weekday":[{"n":2,"day":1}]`, nil},
		{`"frequency":0,"by_month":[5],"by_month_day":[1]`, `"by_month":[5],"by_month_day":[1]`, nil},
		{`"frequency":3,"by_weekday":[1,3]`, "", codes{"recurrence_rule.by_weekday": {invalid}}},
		{`"frequency":3,"interval":2`, "", codes{"recurrence_rule.interval": {invalid}}},
		{`"frequency":2,"by_weekday":[1,2]`, "", codes{"recurrence_rule.by_weekday": {invalid}}},
		{`"frequency":1,"by_weekday":[1]`, "", codes{"recurrence_rule.by_weekday": {invalid}}},
		{`"frequency":2,"by_n_weekday":[{"n":2,"day":1}]`, "", codes{"recurrence_rule.by_n_weekday": {invalid}}},
		{`"frequency":1,"by_n_weekday":[{"n":2,"day":1},{"n":3,"day":1}]`, "", codes{"recurrence_rule.by_n_weekday": {invalid}}},
		{`"frequency":0,"by_month":[5]`, "", codes{"recurrence_rule.by_month": {invalid}}},
		{`"frequency":1,"by_month":[5],"by_month_day":[1]`, "", codes{"recurrence_rule.by_month": {invalid}, "recurrence_rule.by_month_day": {invalid}}},
		{`"frequency":1,"by_n_weekday":[{"n":6,"day":7},{}]`, "", codes{
			"recurrence_rule.by_n_weekday.0.n": {jsonbody.NumberMax}, "recurrence_rule.by_n_weekday.0.day": {jsonbody.NumberMax},
			"recurrence_rule.by_n_weekday.1.n": {jsonbody.Required}, "recurrence_rule.by_n_weekday.1.day": {jsonbody.Required},
		}},
		{`"frequency":4,"by_month":[0],"by_month_day":[32]`, "", codes{
			"recurrence_rule.frequency": {jsonbody.Choices}, "recurrence_rule.by_month.0": {jsonbody.NumberMin}, "recurrence_rule.by_month_day.0": {jsonbody.NumberMax},
		}},
	} {
		body := `{"name":"Party","privacy_level":2,"scheduled_start_time":"2026-05-02T12:00:00Z","entity_type":2,"channel_id":"5","recurrence_rule":{"start":"2026-05-02T12:00:00Z",` + tt.give + `}}`
		e, _, err := guild.ReadEvent(parse(t, body), noon)
		wrong(t, tt.give, err, tt.errs, nil)
		if !strings.Contains(string(e.Recurrence), tt.want) {
			t.Errorf("%s: %s", tt.give, e.Recurrence)
		}
	}
}
