package channel_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/channel"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
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
)

func TestReadCreate(t *testing.T) {
	t.Parallel()
	news := channel.Guild{News: true}
	for _, tt := range []struct {
		name, rule, give string
		guild            channel.Guild
		want             channel.Settings
		errs             codes
		code             error
	}{
		{"text", "12.1 name", `{"name":" My  Room "}`, news, channel.Settings{Name: "my-room"}, nil, nil},
		{"voice", "12.1 bitrate", `{"name":"My Room","type":2}`, news, channel.Settings{Type: 2, Name: "My Room", Bitrate: 64000, VideoQuality: 1}, nil, nil},
		{"fields of other types are ignored", "12.1 types", `{"name":"a","type":4,"topic":7,"nsfw":7,"bitrate":"x","parent_id":"x","available_tags":7,"flags":7}`, news, channel.Settings{Type: 4, Name: "a"}, nil, nil},
		{"forum", "12.1", `{"name":"a","type":15,"topic":` + chars(4096) + `,"flags":16,"default_reaction_emoji":{"emoji_name":"👍"},"default_forum_layout":2,
			"available_tags":[{"name":"t","moderated":true,"emoji_id":"5"}],"default_thread_rate_limit_per_user":5,"default_auto_archive_duration":60}`, news, channel.Settings{
			Type: 15, Name: "a", Topic: strings.Repeat("é", 4096), Flags: 16, DefaultReaction: message.Emoji{Name: "👍"}, ForumLayout: 2,
			Tags: []channel.Tag{{Name: "t", Moderated: true, Emoji: message.Emoji{ID: 5}}}, ThreadSlowmode: 5, ArchiveDuration: 60,
		}, nil, nil},
		{"no name", "guilds 3 name", `{}`, news, channel.Settings{}, codes{"name": {jsonbody.Required}}, nil},
		{"blank name", "12.1 name", `{"name":"  "}`, news, channel.Settings{}, codes{"name": {jsonbody.BadLength}}, nil},
		{"long name", "12.1 name", `{"name":` + chars(101) + `}`, news, channel.Settings{}, codes{"name": {jsonbody.BadLength}}, nil},
		{"thread type", "guilds 3 type", `{"name":"a","type":11}`, news, channel.Settings{}, codes{"type": {jsonbody.Choices}}, nil},
		{"announcement without the feature", "guilds 3 type", `{"name":"a","type":5}`, channel.Guild{}, channel.Settings{}, codes{"type": {jsonbody.Choices}}, nil},
		{"long topic", "12.1 topic", `{"name":"a","topic":` + chars(1025) + `}`, news, channel.Settings{}, codes{"topic": {jsonbody.MaxLength}}, nil},
		{"slow mode", "12.1 rate_limit_per_user", `{"name":"a","rate_limit_per_user":21601}`, news, channel.Settings{}, codes{"rate_limit_per_user": {jsonbody.NumberMax}}, nil},
		{"low bitrate", "12.1 bitrate", `{"name":"a","type":2,"bitrate":7999}`, news, channel.Settings{}, codes{"bitrate": {jsonbody.NumberMin}}, nil},
		{"high bitrate", "12.1 bitrate", `{"name":"a","type":2,"bitrate":96001}`, news, channel.Settings{}, nil, apierror.BitrateTooHigh},
		{"high bitrate with boosts", "12.1 bitrate", `{"name":"a","type":2,"bitrate":384000}`, channel.Guild{Tier: 3}, channel.Settings{Type: 2, Name: "a", Bitrate: 384000, VideoQuality: 1}, nil, nil},
		{"high bitrate of a stage", "12.1 bitrate", `{"name":"a","type":13,"bitrate":64001}`, channel.Guild{Tier: 3}, channel.Settings{}, nil, apierror.BitrateTooHigh},
		{"users", "12.1 user_limit", `{"name":"a","type":2,"user_limit":100}`, news, channel.Settings{}, codes{"user_limit": {jsonbody.NumberMax}}, nil},
		{"users of a stage", "12.1 user_limit", `{"name":"a","type":13,"user_limit":10001}`, news, channel.Settings{}, codes{"user_limit": {jsonbody.NumberMax}}, nil},
		{"archive duration", "12.1", `{"name":"a","default_auto_archive_duration":61}`, news, channel.Settings{}, codes{"default_auto_archive_duration": {jsonbody.Choices}}, nil},
		{"overwrites", "12.1 overwrites", `{"name":"a","permission_overwrites":[{"id":"1","type":0,"allow":"1024"},{"id":1,"type":1,"deny":2048,"allow":null},{"id":"1","type":0}]}`, news, channel.Settings{
			Name: "a", Overwrites: []permission.Overwrite{{ID: 1, Member: true, Deny: 2048}, {ID: 1}},
		}, nil, nil},
		{"bad overwrites", "12.1 overwrites", `{"name":"a","permission_overwrites":[{"type":2},{"id":"1","allow":"x"},7]}`, news, channel.Settings{}, codes{
			"permission_overwrites.0.id": {jsonbody.Required}, "permission_overwrites.0.type": {jsonbody.Choices},
			"permission_overwrites.1.type": {jsonbody.Required}, "permission_overwrites.1.allow": {jsonbody.NumberCoerce}, "permission_overwrites.2": {jsonbody.ModelConvert},
		}, nil},
		{"101 overwrites", "guilds 3 overwrites", `{"name":"a","permission_overwrites":[` + rules.Repeat(`{"id":"%d","type":0}`, 101) + `]}`, news, channel.Settings{}, codes{"permission_overwrites": {jsonbody.MaxLength}}, nil},
		{"21 tags", "12.1 available_tags", `{"name":"a","type":15,"available_tags":[` + rules.Repeat(`{"name":"%d"}`, 21) + `]}`, news, channel.Settings{}, nil, apierror.TooManyTags},
		{"tags with the same name", "12.1 available_tags", `{"name":"a","type":16,"available_tags":[{"name":"a"},{"name":"a"}]}`, news, channel.Settings{}, nil, apierror.TagNameTaken},
		{"bad tags", "12.1 available_tags", `{"name":"a","type":15,"available_tags":[{"name":` + chars(21) + `},{"moderated":true,"emoji_id":"1","emoji_name":"x"}]}`, news, channel.Settings{}, codes{
			"available_tags.0.name": {jsonbody.MaxLength}, "available_tags.1.name": {jsonbody.Required}, "available_tags.1.emoji_name": {channel.EmojiTwice},
		}, nil},
		{"empty reaction", "12.1 default_reaction_emoji", `{"name":"a","type":15,"default_reaction_emoji":{}}`, news, channel.Settings{}, codes{"default_reaction_emoji.emoji_name": {jsonbody.Required}}, nil},
		{"spoiler and age-restricted", "12.1 flags", `{"name":"a","flags":2097152,"nsfw":true}`, news, channel.Settings{}, codes{"flags": {channel.SpoilerNSFW}}, nil},
		{"no object", "3", `[]`, news, channel.Settings{}, codes{"": {jsonbody.ModelConvert}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := channel.ReadCreate(parse(t, tt.give), tt.guild)
			wrong(t, tt.rule, err, tt.errs, tt.code)
			if diff := cmp.Diff(tt.want, got); err == nil && diff != "" {
				t.Errorf("%s: settings differ (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
}

func TestReadEdit(t *testing.T) {
	t.Parallel()
	one := 1
	text := channel.Settings{Name: "a", Topic: "t", NSFW: true, Slowmode: 5, Parent: 7, ArchiveDuration: 60}
	forum := channel.Settings{Type: 15, Name: "a", SortOrder: &one, Tags: []channel.Tag{{ID: 1, Name: "x"}}, DefaultReaction: message.Emoji{ID: 5}}
	voice := channel.Settings{Type: 2, Name: "a", Bitrate: 96000, VideoQuality: 2, UserLimit: 5, Region: "x"}
	for _, tt := range []struct {
		name, rule, give string
		old              channel.Settings
		want             channel.Settings
		errs             codes
		code             error
	}{
		{"nothing", "12.1", `{}`, text, text, nil, nil},
		{"null clears", "12.1 null", `{"topic":null,"nsfw":null,"rate_limit_per_user":null,"parent_id":null,"default_auto_archive_duration":null,"position":null,"permission_overwrites":null,"flags":null}`, text, channel.Settings{Name: "a"}, nil, nil},
		{"null name", "12.1 null", `{"name":null}`, text, text, codes{"name": {jsonbody.Required}}, nil},
		{"null of a voice channel", "12.1 null", `{"bitrate":null,"user_limit":null,"rtc_region":null,"video_quality_mode":null}`, voice, channel.Settings{Type: 2, Name: "a", Bitrate: 64000, VideoQuality: 1}, nil, nil},
		{"null of a forum", "12.1 null", `{"available_tags":null,"default_reaction_emoji":null,"default_sort_order":null}`, forum, channel.Settings{Type: 15, Name: "a"}, nil, nil},
		{"to an announcement channel", "12.1 type", `{"type":5}`, text, channel.Settings{Type: 5, Name: "a", Topic: "t", NSFW: true, Slowmode: 5, Parent: 7, ArchiveDuration: 60}, nil, nil},
		{"to a voice channel", "12.1 type", `{"type":2}`, text, text, nil, apierror.WrongChannelType},
		{"negative position", "12.1 position", `{"position":-1}`, text, text, codes{"position": {jsonbody.NumberMin}}, nil},
		{"flags of a text channel", "12.1 flags", `{"flags":32784}`, text, text, nil, nil},
		{"sort order", "12.1", `{"default_sort_order":1}`, channel.Settings{Type: 16}, channel.Settings{Type: 16, SortOrder: &one}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, got, err := channel.ReadEdit(parse(t, tt.give), tt.old, channel.Guild{News: true})
			wrong(t, tt.rule, err, tt.errs, tt.code)
			if diff := cmp.Diff(tt.want, got); err == nil && diff != "" {
				t.Errorf("%s: settings differ (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
	if _, _, err := channel.ReadEdit(parse(t, `{"type":5}`), text, channel.Guild{}); !errors.Is(err, apierror.WrongChannelType) {
		t.Errorf("12.1 type without the feature: %v", err)
	}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	moves, err := channel.ReadMoves(parse(t, `[{"id":"1","position":2,"parent_id":"9","lock_permissions":true},{"id":"2","position":null},{"id":"3","parent_id":null}]`))
	if err != nil || len(moves) != 3 || !moves[0].Lock || moves[0].Position.Or(0) != 2 || !moves[1].Position.IsZero() {
		t.Errorf("guilds 3 positions: %+v, %v", moves, err)
	}
	same := func(id snowflake.Channel) snowflake.Channel { return map[snowflake.Channel]snowflake.Channel{1: 9}[id] }
	if err := channel.CheckParents(moves, same); err != nil {
		t.Errorf("guilds 3 unchanged parents: %v", err)
	}
	all := func(snowflake.Channel) snowflake.Channel { return 8 }
	if err := channel.CheckParents(moves, all); !errors.Is(err, apierror.OneParentOnly) {
		t.Errorf("guilds 3 two new parents: %v", err)
	}
	_, err = channel.ReadMoves(parse(t, `[{"position":-1}]`))
	wrong(t, "guilds 3 positions", err, codes{"0.id": {jsonbody.Required}, "0.position": {jsonbody.NumberMin}}, nil)
	wrong(t, "12.1 parent_id", channel.CheckParent(channel.Text, 0), codes{"parent_id": {channel.ParentType}}, nil)
	wrong(t, "12.1 parent_id", channel.CheckParent(channel.Category, 50), codes{"parent_id": {channel.ParentFull}}, nil)
	wrong(t, "12.1 parent_id", channel.CheckParent(channel.Category, 49), nil, nil)
}

func TestOverwrites(t *testing.T) {
	t.Parallel()
	got, err := channel.ReadOverwrite(7, parse(t, `{"type":1,"allow":"1024","deny":null}`))
	if want := (permission.Overwrite{ID: 7, Member: true, Allow: 1024}); err != nil || got != want {
		t.Errorf("12.3 PUT: %+v, %v, want %+v", got, err, want)
	}
	_, err = channel.ReadOverwrite(7, parse(t, `{"allow":"x"}`))
	wrong(t, "12.3 PUT", err, codes{"type": {jsonbody.Required}, "allow": {jsonbody.NumberCoerce}}, nil)
	old := []permission.Overwrite{{ID: 1, Allow: 1}, {ID: 2}, {ID: 3}}
	next := []permission.Overwrite{{ID: 3}, {ID: 1, Allow: 2}, {ID: 2, Member: true}}
	var ops []permission.Operation
	for _, c := range channel.OverwriteChanges(old, next) {
		ops = append(ops, c.Operation())
	}
	if want := []permission.Operation{permission.OpEditOverwrite, permission.OpCreateOverwrite, permission.OpDeleteOverwrite}; !slices.Equal(ops, want) {
		t.Errorf("12.1 audit: %v, want %v", ops, want)
	}
	if channel.Synced(old, next) || !channel.Synced(old, []permission.Overwrite{old[2], old[0], old[1]}) {
		t.Error("12.1 sync does not ignore the order")
	}
}

func FuzzReadCreate(f *testing.F) {
	for _, s := range []string{
		`{"name":"a","type":15,"available_tags":[{"name":"t"}],"permission_overwrites":[{"id":"1","type":0,"allow":"8"}]}`,
		`{"name":"a","message":{"content":"a"},"applied_tags":["1"],"auto_archive_duration":60,"max_age":5,"avatar":"data:image/png;base64,AA"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := jsonbody.Parse(in)
		if err != nil {
			return
		}
		s, err := channel.ReadCreate(v, channel.Guild{})
		if err == nil && (s.Name == "" || jsonbody.Len(s.Name) > 100 || len(s.Tags) > 20) {
			t.Errorf("ReadCreate() = %+v", s)
		}
		if _, next, err := channel.ReadEdit(v, s, channel.Guild{}); err == nil && next.Type != s.Type && s.Name != "" {
			t.Errorf("ReadEdit() changes the type: %+v", next)
		}
		if p, err := channel.ReadPost(v, nil, channel.Settings{Type: channel.Forum}, true); err == nil && p.Name == "" {
			t.Errorf("ReadPost() = %+v", p)
		}
		_, _ = channel.ReadInvite(v)
		_, _ = channel.ReadWebhook(v)
		_, _ = channel.ReadMoves(v)
	})
}

func TestReadThread(t *testing.T) {
	t.Parallel()
	text, news := channel.Settings{ThreadSlowmode: 7}, channel.Settings{Type: channel.Announcement, ArchiveDuration: 60}
	for _, tt := range []struct {
		name, rule, give string
		parent           channel.Settings
		want             channel.NewThread
		errs             codes
		code             error
	}{
		{"private by default", "13.1", `{"name":" A B "}`, text, channel.NewThread{Type: 12, Name: "A B", ArchiveDuration: 4320, Slowmode: 7, Invitable: true}, nil, nil},
		{"public", "13.1", `{"name":"a","type":11,"invitable":true,"auto_archive_duration":1440,"rate_limit_per_user":0}`, text, channel.NewThread{Type: 11, Name: "a", ArchiveDuration: 1440}, nil, nil},
		{"in an announcement channel", "13.1", `{"name":"a"}`, news, channel.NewThread{Type: 10, Name: "a", ArchiveDuration: 60}, nil, nil},
		{"private in an announcement channel", "13.1", `{"name":"a","type":12}`, news, channel.NewThread{}, nil, apierror.WrongChannelType},
		{"in a voice channel", "13.1", `{"name":"a"}`, channel.Settings{Type: channel.Voice}, channel.NewThread{}, nil, apierror.WrongChannelType},
		{"bad members", "13.1", `{"type":5,"auto_archive_duration":5,"rate_limit_per_user":-1}`, text, channel.NewThread{}, codes{
			"name": {jsonbody.Required}, "type": {jsonbody.Choices}, "auto_archive_duration": {jsonbody.Choices}, "rate_limit_per_user": {jsonbody.NumberMin},
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := channel.ReadThread(parse(t, tt.give), tt.parent)
			wrong(t, tt.rule, err, tt.errs, tt.code)
			if diff := cmp.Diff(tt.want.Name, got.Name); err == nil && (diff != "" || got.Type != tt.want.Type || got.ArchiveDuration != tt.want.ArchiveDuration ||
				got.Slowmode != tt.want.Slowmode || got.Invitable != tt.want.Invitable) {
				t.Errorf("%s: %+v, want %+v", tt.rule, got, tt.want)
			}
		})
	}
	for parent, want := range map[channel.Type]channel.Type{channel.Text: 11, channel.Announcement: 10, channel.Forum: 0, channel.PublicThread: 0, channel.DM: 0} {
		got, err := channel.ReadThreadFromMessage(parse(t, `{"name":"a"}`), channel.Settings{Type: parent})
		if got.Type != want || (want == 0) != errors.Is(err, apierror.WrongChannelType) {
			t.Errorf("13.1 from a message in %d: %d, %v, want %d", parent, got.Type, err, want)
		}
	}
}

func TestReadPost(t *testing.T) {
	t.Parallel()
	forum := channel.Settings{Type: channel.Forum, Tags: []channel.Tag{{ID: 1}, {ID: 2, Moderated: true}}}
	strict := forum
	strict.Flags = channel.RequireTag
	for _, tt := range []struct {
		name, rule, give string
		forum            channel.Settings
		manages          bool
		errs             codes
		code             error
	}{
		{"a post", "13.1 forum", `{"name":"a","message":{"content":"a"},"applied_tags":["1"]}`, strict, false, nil, nil},
		{"without a message", "13.1 forum", `{"name":"a"}`, forum, false, codes{"message": {jsonbody.Required}}, nil},
		{"with an empty message", "13.1 forum", `{"name":"a","message":{}}`, forum, false, nil, message.ErrEmpty},
		{"with a bad message", "13.1 forum", `{"message":{"content":7}}`, forum, false, codes{"name": {jsonbody.Required}, "message.content": {jsonbody.StringConvert}}, nil},
		{"without a tag", "13.1 forum", `{"name":"a","message":{"content":"a"}}`, strict, false, nil, apierror.TagRequired},
		{"unknown tag", "13.1 forum", `{"name":"a","message":{"content":"a"},"applied_tags":["3"]}`, forum, false, nil, apierror.UnknownTag},
		{"moderated tag", "13.1 forum", `{"name":"a","message":{"content":"a"},"applied_tags":["2"]}`, forum, false, nil, apierror.MissingPermission},
		{"moderated tag by a moderator", "13.1 forum", `{"name":"a","message":{"content":"a"},"applied_tags":["2"]}`, forum, true, nil, nil},
		{"6 tags", "13.1 forum", `{"name":"a","message":{"content":"a"},"applied_tags":[1,2,3,4,5,6]}`, forum, false, codes{"applied_tags": {jsonbody.MaxLength}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := channel.ReadPost(parse(t, tt.give), nil, tt.forum, tt.manages)
			wrong(t, tt.rule, err, tt.errs, tt.code)
			if err == nil && got.Operation(channel.Forum) != permission.OpCreatePost {
				t.Errorf("%s: operation %v", tt.rule, got.Operation(channel.Forum))
			}
		})
	}
	if err := forum.CheckAppliedTags([]snowflake.Tag{2}, []snowflake.Tag{2}, false); err != nil {
		t.Errorf("13.4 a moderated tag that the post has: %v", err)
	}
	if (channel.NewThread{Type: 12}).Operation(0) != permission.OpCreatePrivateThread || (channel.NewThread{Type: 11}).Operation(0) != permission.OpCreateThread {
		t.Error("13.1 operations of threads differ")
	}
}

func TestThreadPatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		give   string
		locked bool
		want   []permission.Operation
	}{
		{`{"archived":false}`, false, []permission.Operation{permission.OpUnarchiveThread}},
		{`{"archived":false}`, true, []permission.Operation{permission.OpEditThread}},
		{`{"archived":true}`, false, []permission.Operation{permission.OpEditThread}},
		{`{"name":"b"}`, false, []permission.Operation{permission.OpEditThread}},
		{`{"locked":true}`, false, []permission.Operation{permission.OpEditThread}},
		{`{"invitable":false}`, false, []permission.Operation{permission.OpEditThread}},
		{`{"applied_tags":[]}`, false, []permission.Operation{permission.OpEditThread}},
		{`{"locked":false}`, true, []permission.Operation{permission.OpManageThread}},
		{`{"rate_limit_per_user":5}`, false, []permission.Operation{permission.OpManageThread}},
		{`{"flags":2,"name":"b"}`, false, []permission.Operation{permission.OpManageThread, permission.OpEditThread}},
		{`{}`, false, nil},
	} {
		p, err := channel.ReadThreadPatch(parse(t, tt.give), true, &channel.Settings{})
		if got := p.Operations(tt.locked); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("13.4 %s, locked %v: %v, %v, want %v", tt.give, tt.locked, got, err, tt.want)
		}
	}
	_, err := channel.ReadThreadPatch(parse(t, `{"name":null,"archived":"x","auto_archive_duration":5,"applied_tags":["x"],"flags":-1}`), false, &channel.Settings{})
	wrong(t, "13.4", err, codes{
		"name": {jsonbody.Required}, "archived": {jsonbody.BooleanConvert}, "auto_archive_duration": {jsonbody.Choices}, "applied_tags.0": {jsonbody.NumberCoerce}, "flags": {jsonbody.NumberMin},
	}, nil)
}

// TestThreadState compares all states and acts with the table of the reference: rows are states, columns acts.
func TestThreadState(t *testing.T) {
	t.Parallel()
	acts := []channel.ThreadAct{
		channel.ThreadSend, channel.ThreadEditMessage, channel.ThreadReact, channel.ThreadDeleteMessage, channel.ThreadJoin, channel.ThreadEdit, channel.ThreadUnarchive,
	}
	for state, row := range map[channel.ThreadState][]int{
		{}:                             {0, 0, 0, 0, 0, 0, 0},
		{Locked: true}:                 {160005, 160005, 0, 0, 0, 160005, 160005},
		{Archived: true}:               {0, 50083, 50083, 0, 50083, 50083, 0},
		{Archived: true, Locked: true}: {50083, 50083, 50083, 50083, 50083, 50083, 50083},
	} {
		for i, act := range acts {
			for _, manages := range []bool{false, true} {
				want := row[i]
				if manages { // the lock does not count
					want = map[bool][]int{true: {0, 50083, 50083, 0, 50083, 50083, 0}, false: make([]int, 7)}[state.Archived][i]
				}
				got := 0
				if e, ok := errors.AsType[*apierror.Error](state.Check(act, manages)); ok {
					got = e.Code
				}
				if got != want {
					t.Errorf("13.3 %+v, act %d, manages %v: %d, want %d", state, act, manages, got, want)
				}
			}
		}
	}
	now := time.Unix(0, 0)
	if got := channel.ArchiveTime(now, 60, 0); !got.Equal(now.Add(time.Hour)) {
		t.Errorf("13.3 archive time %v", got)
	}
	if got := channel.ArchiveTime(now, 60, channel.Pinned); !got.IsZero() {
		t.Errorf("13.3 a pinned post is archived at %v", got)
	}
}

func TestReadInvite(t *testing.T) {
	t.Parallel()
	got, err := channel.ReadInvite(parse(t, `{}`))
	if err != nil || got.MaxAge != 24*time.Hour || got.MaxUses != 0 {
		t.Errorf("guilds 8 defaults: %+v, %v", got, err)
	}
	got, err = channel.ReadInvite(parse(t, `{"max_age":0,"max_uses":100,"temporary":true,"unique":true,"target_type":1,"target_user_id":"5","role_ids":["1","2"]}`))
	if err != nil || got.MaxAge != 0 || got.MaxUses != 100 || !got.Temporary || !got.Unique || got.TargetUser != 5 || len(got.Roles) != 2 {
		t.Errorf("guilds 8: %+v, %v", got, err)
	}
	_, err = channel.ReadInvite(parse(t, `{"max_age":604801,"max_uses":101,"target_type":2,"target_users_file":"x","role_ids":["x"]}`))
	wrong(t, "guilds 8", err, codes{
		"max_age": {jsonbody.NumberMax}, "max_uses": {jsonbody.NumberMax}, "target_application_id": {jsonbody.Required},
		"target_users_file": {channel.BodyFile}, "role_ids.0": {jsonbody.NumberCoerce},
	}, nil)
}

func TestReadWebhook(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, give string
		create     bool
		errs       codes
		code       error
	}{
		{"create", `{"name":"Bob","avatar":null}`, true, nil, nil},
		{"create without a name", `{}`, true, codes{"name": {jsonbody.Required}}, nil},
		{"forbidden name", `{"name":"discord"}`, true, codes{"name": {message.NameContains}}, nil},
		{"bad avatar", `{"name":"Bob","avatar":"x"}`, true, codes{"avatar": {"BINARY_TYPE_INVALID_DATA_URI"}}, nil},
		{"avatar is no image", `{"name":"Bob","avatar":"data:image/png;base64,AAAA"}`, true, nil, apierror.InvalidFile},
		{"edit nothing", `{}`, false, nil, nil},
		{"move", `{"channel_id":"x"}`, false, codes{"channel_id": {jsonbody.NumberCoerce}}, nil},
	} {
		read := channel.ReadWebhookPatch
		if tt.create {
			read = channel.ReadWebhook
		}
		_, err := read(parse(t, tt.give))
		wrong(t, "14 "+tt.name, err, tt.errs, tt.code)
	}
	if id, err := channel.ReadFollow(parse(t, `{"webhook_channel_id":"5"}`)); id != 5 || err != nil {
		t.Errorf("12.3 follow: %v, %v", id, err)
	}
	_, err := channel.ReadFollow(parse(t, `{}`))
	wrong(t, "12.3 follow", err, codes{"webhook_channel_id": {jsonbody.Required}}, nil)
}

func TestHistory(t *testing.T) {
	t.Parallel()
	wrong(t, "3 read", channel.History{Before: 1}.Check(), nil, nil)
	wrong(t, "3 read", channel.History{}.Check(), nil, nil)
	wrong(t, "3 read", channel.History{Before: 1, After: 2, Around: 3}.Check(), codes{"before": {channel.Exclusive}, "after": {channel.Exclusive}}, nil)
	for limit, want := range map[int][2]int{1: {0, 1}, 50: {25, 25}, 3: {1, 2}} {
		if above, below := (channel.History{Limit: limit}).Split(); above != want[0] || below != want[1] {
			t.Errorf("3 around with limit %d: %d and %d, want %v", limit, above, below, want)
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for kind := range channel.Type(17) {
		thread, direct, posts := kind == 10 || kind == 11 || kind == 12, kind == 1 || kind == 3, kind == 15 || kind == 16
		sends := thread || direct || kind == 0 || kind == 2 || kind == 5 || kind == 13
		if kind.Thread() != thread || kind.Direct() != direct || kind.Posts() != posts || kind.Messages() != sends {
			t.Errorf("type %d: thread %v, direct %v, posts %v, messages %v", kind, kind.Thread(), kind.Direct(), kind.Posts(), kind.Messages())
		}
	}
}
