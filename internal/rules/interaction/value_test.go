package interaction_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// around holds the users, roles and channels of the test guild.
var around = interaction.Resolved{
	Users:    []wire.User{{ID: 200, Username: "ada"}, {ID: 201, Username: "bob"}},
	Roles:    []wire.Role{{ID: 301, Name: "mods"}},
	Channels: []wire.PartialChannel{{ID: 310, Guild: 300, Type: wire.GuildText}, {ID: 311, Guild: 300, Type: wire.GuildVoice}},
}

// uploads are the files of a request.
var uploads = []message.File{
	{Index: 0, Attachment: wire.Attachment{ID: 900, Filename: "Cat.PNG", Size: 10, URL: "http://cdn/cat"}},
	{Index: 7, Attachment: wire.Attachment{ID: 907, Filename: "notes.txt", Size: message.AttachmentSizeLimit}},
	{Index: 9, Attachment: wire.Attachment{ID: 909, Filename: "Makefile"}},
	{Index: 8, Attachment: wire.Attachment{ID: 908, Filename: "large", Size: message.AttachmentSizeLimit + 1}},
}

// accepts reports whether an option with additional members accepts a value.
func accepts(tb testing.TB, kind, members, value string, guild snowflake.Guild) bool {
	tb.Helper()
	if members != "" {
		members = "," + members
	}
	d := definition(tb, `[{"type":`+kind+`,"name":"o","description":"d"`+members+`}]`)
	in := use(tb, `[{"type":`+kind+`,"name":"o","value":`+value+`}]`)
	in.Guild = guild
	matched, err := interaction.MatchOptions(d, in, uploads)
	if err == nil {
		err = matched.Check(around)
	}
	if err != nil {
		if diff := cmp.Diff(codes{"data.options": {invalid}}, findings(tb, err)); diff != "" {
			tb.Errorf("findings about %s differ (-want +got):\n%s", value, diff)
		}
	}
	return err == nil
}

func TestOptionValues(t *testing.T) {
	t.Parallel()
	const guild = 300
	text := func(n int) string { return `"` + strings.Repeat("é", n) + `"` }
	for _, tt := range []struct {
		rule, kind, members string
		guild               snowflake.Guild
		good, bad           []string
	}{
		{"3 STRING", "3", "", guild, []string{`"x"`, `""`, text(6000), `"\u2028<&>"`}, []string{text(6001), `5`, `true`, `null`, `[]`, `{}`}},
		{"3 STRING min_length", "3", `"min_length":2`, guild, []string{text(2)}, []string{text(1), `""`}},
		{"3 STRING empty with min_length 0", "3", `"min_length":0`, guild, []string{`""`}, nil},
		{"3 STRING max_length", "3", `"max_length":2`, guild, []string{text(2), `""`, `"👍👍"`}, []string{text(3)}},
		{"3 STRING choices", "3", `"choices":[{"name":"A","value":"a"},{"name":"B","value":"b"}]`, guild, []string{`"a"`, `"b"`}, []string{`"A"`, `"c"`, `""`}},
		{"3 STRING autocomplete binds nothing", "3", `"autocomplete":true,"max_length":3`, guild, []string{`"any"`}, []string{`"long"`}},
		{
			"4 INTEGER", "4", "", guild,
			[]string{`0`, `-0`, `6`, `6.0`, `6e2`, `9007199254740991`, `-9007199254740991`},
			[]string{`9007199254740992`, `9007199254740993`, `-9007199254740992`, `9007199254740991.5`, `1.5`, `1e16`, `1e400`, `"6"`, `true`, `null`},
		},
		{"4 INTEGER min_value, max_value", "4", `"min_value":-2,"max_value":6`, guild, []string{`-2`, `6`, `0`}, []string{`-3`, `7`}},
		{"4 INTEGER choices", "4", `"choices":[{"name":"A","value":1},{"name":"B","value":9007199254740991}]`, guild, []string{`1`, `1.0`, `9007199254740991`}, []string{`2`, `9007199254740990`}},
		{"5 BOOLEAN", "5", "", guild, []string{`true`, `false`}, []string{`"true"`, `1`, `0`, `null`}},
		{"6 USER", "6", "", guild, []string{`"200"`, `"201"`}, []string{`"202"`, `"301"`, `200`, `"x"`, `"0"`, `"0200"`, `null`}},
		{"6 USER outside of guilds", "6", "", 0, []string{`"200"`}, []string{`"202"`}},
		{"7 CHANNEL", "7", "", guild, []string{`"310"`, `"311"`}, []string{`"312"`, `"200"`, `310`, `"x"`}},
		{"7 CHANNEL channel_types", "7", `"channel_types":[2,13]`, guild, []string{`"311"`}, []string{`"310"`}},
		{"8 ROLE", "8", "", guild, []string{`"301"`}, []string{`"302"`, `"200"`, `301`}},
		{"8 ROLE in DMs", "8", "", 0, nil, []string{`"301"`}},
		{"9 MENTIONABLE", "9", "", guild, []string{`"200"`, `"301"`}, []string{`"310"`, `"999"`, `301`}},
		{"9 MENTIONABLE in DMs", "9", "", 0, []string{`"200"`}, []string{`"301"`}},
		{
			"10 NUMBER", "10", "", guild,
			[]string{`0`, `0.1`, `-0`, `1e-7`, `9007199254740992`, `-9007199254740992`, `9007199254740992.0`, `9007199254740991.9`, `1e-400`},
			[]string{`9007199254740993`, `9007199254740992.5`, `-9007199254740993`, `1e16`, `1e400`, `"1"`, `true`, `9007199254740992.` + strings.Repeat("0", 400) + `1`},
		},
		{"10 NUMBER min_value, max_value", "10", `"min_value":-0.5,"max_value":0.5`, guild, []string{`-0.5`, `0.5`}, []string{`-0.51`, `0.51`}},
		{"10 NUMBER choices numerically", "10", `"choices":[{"name":"A","value":1.5}]`, guild, []string{`1.5`, `15e-1`, `1.50`}, []string{`1.6`}},
		{"11 ATTACHMENT", "11", "", guild, []string{`"0"`, `0`, `"7"`}, []string{`"1"`, `"8"`, `8`, `"x"`, `-1`, `0.5`, `"900"`, `null`}},
		{"11 ATTACHMENT file_types by extension", "11", `"file_types":[".TXT"]`, guild, []string{`"7"`}, []string{`"0"`, `"9"`}},
		{"11 ATTACHMENT file_types by group", "11", `"file_types":["image","audio"]`, guild, []string{`"0"`}, []string{`"7"`}},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			t.Parallel()
			for _, v := range tt.good {
				if !accepts(t, tt.kind, tt.members, v, tt.guild) {
					t.Errorf("%.40s is refused", v)
				}
			}
			for _, v := range tt.bad {
				if accepts(t, tt.kind, tt.members, v, tt.guild) {
					t.Errorf("%.40s is accepted", v)
				}
			}
		})
	}
}

func TestAttachmentBecomesItsID(t *testing.T) {
	t.Parallel()
	d := definition(t, `[{"type":11,"name":"o","description":"d","file_types":["video"]}]`)
	in := use(t, `[{"type":11,"name":"o","value":0}]`)
	in.Filenames = map[int]string{0: "cat.mp4"} // the name in the request replaces the name of the upload
	matched, err := interaction.MatchOptions(d, in, uploads)
	if err != nil {
		t.Fatal(err)
	}
	want := []wire.Attachment{{ID: 900, Filename: "cat.mp4", Size: 10, URL: "http://cdn/cat", Ephemeral: true}}
	if diff := cmp.Diff(want, matched.Attachments); diff != "" || matched.Options[0].Value.Text() != "900" {
		t.Errorf("value %s, attachments differ (-want +got):\n%s", matched.Options[0].Value, diff)
	}
}

func TestWanted(t *testing.T) {
	t.Parallel()
	d := definition(t, `[{"type":6,"name":"a","description":"d"},{"type":6,"name":"b","description":"d"},{"type":9,"name":"c","description":"d"},
		{"type":8,"name":"e","description":"d"},{"type":7,"name":"f","description":"d"}]`)
	in := use(t, `[{"type":6,"name":"a","value":"9"},{"type":6,"name":"b","value":"5"},{"type":9,"name":"c","value":"5"},
		{"type":8,"name":"e","value":"7"},{"type":7,"name":"f","value":"3"}]`)
	matched, err := interaction.MatchOptions(d, in, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := interaction.Wanted{Users: []snowflake.User{5, 9}, Roles: []snowflake.Role{5, 7}, Channels: []snowflake.Channel{3}}
	if diff := cmp.Diff(want, matched.Wanted()); diff != "" {
		t.Errorf("Wanted() differs (-want +got):\n%s", diff)
	}
}

// TestIntegersAreExact checks that an integer is accepted if and only if it is within ±(2^53-1), however it is written.
func TestIntegersAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		near := rapid.SampledFrom([]int64{0, 1 << 53, -(1 << 53), 1 << 62}).Draw(rt, "near")
		n := near + rapid.Int64Range(-1000, 1000).Draw(rt, "by")
		form := rapid.SampledFrom([]string{"%d", "%d.0", "%de0", "%d.000E+0"}).Draw(rt, "form")
		want := n >= -jsonbody.MaxInteger && n <= jsonbody.MaxInteger
		if got := accepts(t, "4", "", fmt.Sprintf(form, n), 300); got != want {
			rt.Fatalf("%s is accepted: %v, want %v", fmt.Sprintf(form, n), got, want)
		}
		within := n >= -jsonbody.MaxNumber && n <= jsonbody.MaxNumber
		if got := accepts(t, "10", "", fmt.Sprintf(form, n), 300); got != within {
			rt.Fatalf("%s is accepted as NUMBER: %v, want %v", fmt.Sprintf(form, n), got, within)
		}
	})
}
