package message_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

func TestReadLimits(t *testing.T) {
	t.Parallel()
	embed := func(members string) string { return `{"embeds":[{` + members + `}]}` }
	for _, tt := range []struct {
		name, rule, give string
		want             codes
	}{
		{"longest content", "8.2 content", `{"content":` + chars(2000) + `}`, nil},
		{"content too long", "8.2 content", `{"content":` + chars(2001) + `}`, codes{"content": {jsonbody.MaxLength}}},
		{"10 embeds", "8.2 embeds", `{"embeds":[` + repeat(`{"title":"a"}`, 10) + `]}`, nil},
		{"11 embeds", "8.2 embeds", `{"embeds":[` + repeat(`{"title":"a"}`, 11) + `]}`, codes{"embeds": {jsonbody.MaxLength}}},
		{"embeds are a text", "8.2 embeds", `{"embeds":"x"}`, codes{"embeds": {jsonbody.ListConvert}}},
		{"embed is null", "8.2 embeds", `{"embeds":[null]}`, codes{"embeds.0": {jsonbody.ListItemRequired}}},
		{"6000 characters", "8.2 embeds", `{"embeds":[{"description":` + chars(3000) + `},{"title":` + chars(200) + `,"description":` + chars(2800) + `}]}`, nil},
		{"6001 characters in all fields", "8.2 embeds", `{"embeds":[{"title":` + chars(200) + `,"description":` + chars(3000) + `,"footer":{"text":` + chars(1500) +
			`},"author":{"name":` + chars(100) + `},"fields":[{"name":` + chars(200) + `,"value":` + chars(1000) + `}]},{"title":"é"}]}`, codes{"embeds": {message.EmbedsTooLarge}}},
		{"embed title", "embed limits", embed(`"title":` + chars(257)), codes{"embeds.0.title": {jsonbody.MaxLength}}},
		{"embed description", "embed limits", embed(`"description":` + chars(4097)), codes{"embeds.0.description": {jsonbody.MaxLength}}},
		{"embed footer", "embed limits", embed(`"footer":{"text":` + chars(2049) + `}`), codes{"embeds.0.footer.text": {jsonbody.MaxLength}}},
		{"embed footer without text", "embed limits", embed(`"footer":{}`), codes{"embeds.0.footer.text": {jsonbody.Required}}},
		{"embed author", "embed limits", embed(`"author":{"name":` + chars(257) + `}`), codes{"embeds.0.author.name": {jsonbody.BadLength}}},
		{"25 fields", "embed limits", embed(`"fields":[` + repeat(`{"name":"a","value":"b","inline":true}`, 25) + `]`), nil},
		{"26 fields", "embed limits", embed(`"fields":[` + repeat(`{"name":"a","value":"b"}`, 26) + `]`), codes{"embeds.0.fields": {jsonbody.MaxLength}}},
		{"field limits", "embed limits", embed(`"fields":[{"name":` + chars(257) + `,"value":` + chars(1025) + `},{"name":"","value":""},{},null]`), codes{
			"embeds.0.fields.0.name": {jsonbody.BadLength}, "embeds.0.fields.0.value": {jsonbody.BadLength},
			"embeds.0.fields.1.name": {jsonbody.BadLength}, "embeds.0.fields.1.value": {jsonbody.BadLength},
			"embeds.0.fields.2.name": {jsonbody.Required}, "embeds.0.fields.2.value": {jsonbody.Required}, "embeds.0.fields.3": {jsonbody.Required},
		}},
		{"embed color", "embed limits", embed(`"color":16777216`), codes{"embeds.0.color": {jsonbody.NumberMax}}},
		{"embed color as digits", "embed limits", embed(`"color":"255"`), nil},
		{"embed url", "embed limits", embed(`"url":"nowhere"`), codes{"embeds.0.url": {message.URLInvalid}}},
		{"embed url with a blank", "embed limits", embed(`"url":"http://a b"`), codes{"embeds.0.url": {message.URLInvalid}}},
		{"embed url scheme", "embed limits", embed(`"url":"ftp://a"`), codes{"embeds.0.url": {message.URLScheme}}},
		{"embed image of an attachment", "embed limits", embed(`"image":{"url":"attachment://a.png"},"thumbnail":{"url":"HTTPS://a"}`), nil},
		{"embed image without url", "embed limits", embed(`"image":{}`), codes{"embeds.0.image.url": {jsonbody.Required}}},
		{"embed image is a text", "embed limits", embed(`"image":"x"`), codes{"embeds.0.image": {jsonbody.ModelConvert}}},
		{"embed timestamps", "embed limits", `{"embeds":[{"timestamp":"2026-01-02T03:04:05.678Z"},{"timestamp":"2026-01-02T03:04:05+02:00"},{"timestamp":"2026-01-02T03:04:05"},{"timestamp":"2026-01-02"}]}`, nil},
		{"embed timestamp is none", "embed limits", embed(`"timestamp":"soon"`), codes{"embeds.0.timestamp": {jsonbody.TimeInvalid}}},
		{"embed timestamp is a number", "embed limits", embed(`"timestamp":5`), codes{"embeds.0.timestamp": {jsonbody.StringConvert}}},
		{"unknown members of an embed", "embed limits", embed(`"title":"a","type":"video","provider":7`), nil},
		{"flags are a text", "8.2 flags", `{"content":"a","flags":"x"}`, codes{"flags": {jsonbody.NumberCoerce}}},
		{"negative flags", "8.2 flags", `{"content":"a","flags":-1}`, codes{"flags": {jsonbody.NumberMin}}},
		{"tts is a text", "8.2 tts", `{"content":"a","tts":"x"}`, codes{"tts": {jsonbody.BooleanConvert}}},
		{"allowed mentions", "8.2 allowed_mentions", `{"content":"a","allowed_mentions":{"parse":["everyone"],"users":["1",2],"roles":[],"replied_user":true}}`, nil},
		{"allowed mentions twice", "8.2 allowed_mentions", `{"content":"a","allowed_mentions":{"parse":["users","roles"],"users":["1"],"roles":["1"]}}`, codes{
			"allowed_mentions": {message.MentionsExclusive, message.MentionsExclusive},
		}},
		{"allowed mentions of a kind that is none", "8.2 allowed_mentions", `{"content":"a","allowed_mentions":{"parse":["here"],"users":["x"]}}`, codes{
			"allowed_mentions.parse.0": {jsonbody.Choices}, "allowed_mentions.users.0": {jsonbody.NumberCoerce},
		}},
		{"101 allowed users", "8.2 allowed_mentions", `{"content":"a","allowed_mentions":{"users":[` + repeat(`"%d"`, 101) + `]}}`, codes{"allowed_mentions.users": {jsonbody.MaxLength}}},
		{"allowed mentions are a list", "8.2 allowed_mentions", `{"content":"a","allowed_mentions":[]}`, codes{"allowed_mentions": {jsonbody.ModelConvert}}},
		{"poll", "8.2 poll", `{"poll":{"question":{"text":"a"},"answers":[{"poll_media":{"text":"b","emoji":{"name":"👍"}}}],"duration":768,"layout_type":1}}`, nil},
		{"empty poll", "8.2 poll", `{"poll":{}}`, codes{"poll.question": {jsonbody.Required}, "poll.answers": {jsonbody.Required}}},
		{"poll limits", "8.2 poll", `{"poll":{"question":{"text":` + chars(301) + `},"answers":[` + repeat(`{"poll_media":{"text":`+chars(56)+`}}`, 1) + `],"duration":769,"layout_type":2}}`, codes{
			"poll.question.text": {jsonbody.BadLength}, "poll.answers.0.poll_media.text": {jsonbody.BadLength}, "poll.duration": {jsonbody.NumberMax}, "poll.layout_type": {jsonbody.Choices},
		}},
		{"11 answers", "8.2 poll", `{"poll":{"question":{"text":"a"},"answers":[` + repeat(`{"poll_media":{"text":"b"}}`, 11) + `]}}`, codes{"poll.answers": {jsonbody.BadLength}}},
		{"listed attachments", "8.2 attachments", `{"attachments":[{"id":"0","description":"cat"},{"id":7,"filename":"n.txt"}]}`, nil},
		{"attachment that is not there", "8.2 attachments", `{"attachments":[{"id":"1"},{"filename":"x"},{"id":"0"},{"id":0}]}`, codes{
			"attachments.0": {message.AttachmentNotFound}, "attachments.1.id": {jsonbody.Required}, "attachments.3": {message.AttachmentNotFound},
		}},
		{"attachment description", "8.2 attachments", `{"attachments":[{"id":"0","description":` + chars(1025) + `}]}`, codes{"attachments.0.description": {jsonbody.MaxLength}}},
		{"11 attachments", "8.2 attachments", `{"attachments":[` + repeat(`{"id":"0"}`, 11) + `]}`, codes{
			"attachments": {jsonbody.MaxLength}, "attachments.1": {message.AttachmentNotFound}, "attachments.2": {message.AttachmentNotFound},
			"attachments.3": {message.AttachmentNotFound}, "attachments.4": {message.AttachmentNotFound}, "attachments.5": {message.AttachmentNotFound},
			"attachments.6": {message.AttachmentNotFound}, "attachments.7": {message.AttachmentNotFound}, "attachments.8": {message.AttachmentNotFound},
			"attachments.9": {message.AttachmentNotFound},
		}},
		{"V2 with content, embeds and poll", "8.2 V2", `{"flags":32768,"content":"a","embeds":[{"title":"a"}],"poll":{"question":{"text":"a"},"answers":[{"poll_media":{"text":"b"}}]},"components":[{"type":10,"content":"a"}]}`, codes{
			"content": {message.LegacyWithV2}, "embeds": {message.LegacyWithV2}, "poll": {message.LegacyWithV2},
		}},
		{"V2 with empty ones", "8.2 V2", `{"flags":32768,"content":"","embeds":[],"components":[{"type":10,"content":"a"}]}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := message.Read(parse(t, tt.give), uploads)
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
}

func TestReadTooManyFiles(t *testing.T) {
	t.Parallel()
	var files []message.File
	for i := range 11 {
		files = append(files, message.File{Index: i, Attachment: wire.Attachment{ID: snowflake.Attachment(i + 1)}})
	}
	if _, err := message.Read(parse(t, `{}`), files[:10]); err != nil {
		t.Errorf("10 files: %v", err)
	}
	_, err := message.Read(parse(t, `{}`), files)
	if diff := cmp.Diff(codes{"attachments": {jsonbody.MaxLength}}, findings(t, err)); diff != "" {
		t.Errorf("findings about 11 files differ (-want +got):\n%s", diff)
	}
}

func TestReadFlags(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rule, give string
		want             message.Flags
	}{
		{"all that can be set", "8.2 flags", `{"flags":12356,"content":"a"}`, 4 | 64 | 4096 | 8192},
		{"V2", "8.2 flags", `{"flags":32768,"components":[{"type":10,"content":"a"}]}`, 32768},
		{"others ignored", "8.2 flags", `{"flags":1099511627799,"content":"a"}`, 4},
		{"loading cannot be set", "8.2 flags", `{"flags":128,"content":"a"}`, 0},
		{"null", "8.2 flags", `{"flags":null,"content":"a"}`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := message.Read(parse(t, tt.give), nil)
			if err != nil || c.Flags != tt.want {
				t.Errorf("%s: flags %d, %v, want %d", tt.rule, c.Flags, err, tt.want)
			}
		})
	}
}

func TestMentioned(t *testing.T) {
	t.Parallel()
	const text = `"<@1> <@!2> <@&3> @everyone <@1> <@x> <@&4> <@"`
	for _, tt := range []struct {
		name, allowed string
		want          message.Mentioned
	}{
		{"answers call users by default", `null`, message.Mentioned{Users: []snowflake.User{1, 2}}},
		{"no mentions allowed", `{}`, message.Mentioned{}},
		{"some", `{"users":["2"],"roles":["4"]}`, message.Mentioned{Users: []snowflake.User{2}, Roles: []snowflake.Role{4}}},
		{"all", `{"parse":["users","roles","everyone"]}`, message.Mentioned{Users: []snowflake.User{1, 2}, Roles: []snowflake.Role{3, 4}, Everyone: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := message.Read(parse(t, `{"content":`+text+`,"allowed_mentions":`+tt.allowed+`}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, c.Mentioned()); diff != "" {
				t.Errorf("Mentioned() differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadEdit(t *testing.T) {
	t.Parallel()
	const whole = `{"content":"old","embeds":[{"title":"e"}],"components":[{"type":1,"components":[{"type":2,"style":1,"custom_id":"a","label":"A"}]}],
		"attachments":[{"id":"0"},{"id":"7"}],"flags":64}`
	old, err := message.Read(parse(t, whole), uploads[:2])
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, rule, give string
		files            []message.File
		want             string // the stored form of the edited message; empty: unchanged
	}{
		{"absent keeps", "9 PATCH", `{}`, nil, ""},
		{"content", "9 PATCH", `{"content":"new"}`, nil, strings.Replace(string(old.Doc()), `"old"`, `"new"`, 1)},
		{"null content clears", "9 PATCH", `{"content":null}`, nil, strings.Replace(string(old.Doc()), `"old"`, `""`, 1)},
		{"null embeds clear", "9 PATCH", `{"embeds":null}`, nil, strings.Replace(string(old.Doc()), `"embeds":[{"type":"rich","title":"e"}],`, ``, 1)},
		{"embeds replace", "9 PATCH", `{"embeds":[]}`, nil, strings.Replace(string(old.Doc()), `{"type":"rich","title":"e"}`, ``, 1)},
		{"null components clear", "9 PATCH", `{"components":null}`, nil, strings.Replace(string(old.Doc()), `,"components":[{"type":1,"id":1,"components":[{"type":2,"id":2,"style":1,"label":"A","custom_id":"a"}]}]`, ``, 1)},
		{"listed attachments stay", "9 PATCH attachments", `{"attachments":[{"id":"907"}]}`, nil, `{"content":"old","tts":false,"flags":64,"embeds":[{"type":"rich","title":"e"}],` +
			`"components":[{"type":1,"id":1,"components":[{"type":2,"id":2,"style":1,"label":"A","custom_id":"a"}]}],"attachments":[{"id":"907","filename":"notes.txt","size":10485760,"url":"","proxy_url":""}]}`},
		{"null attachments clear", "9 PATCH attachments", `{"attachments":null}`, nil, `{"content":"old","tts":false,"flags":64,"embeds":[{"type":"rich","title":"e"}],` +
			`"components":[{"type":1,"id":1,"components":[{"type":2,"id":2,"style":1,"label":"A","custom_id":"a"}]}],"attachments":[]}`},
		{
			"uploads are added to listed files", "9 PATCH attachments", `{"attachments":[{"id":"0","filename":"n"}],"embeds":null,"components":null}`,
			[]message.File{{Index: 0, Attachment: wire.Attachment{ID: 950}}, {Index: 1, Attachment: wire.Attachment{ID: 951, Filename: "m"}}},
			`{"content":"old","tts":false,"flags":64,"attachments":[{"id":"950","filename":"n","size":0,"url":"","proxy_url":""},{"id":"951","filename":"m","size":0,"url":"","proxy_url":""}]}`,
		},
		{"who sees it stays", "9 edit", `{"flags":4}`, nil, strings.Replace(string(old.Doc()), `"flags":64`, `"flags":68`, 1)},
		{"tts and nonce ignored", "9 PATCH", `{"tts":true,"username":"x"}`, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := message.ReadEdit(parse(t, tt.give), old, tt.files)
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if want == "" {
				want = string(old.Doc())
			}
			if diff := cmp.Diff(want, string(c.Doc())); diff != "" {
				t.Errorf("%s: content differs (-want +got):\n%s", tt.rule, diff)
			}
			wantJS(t, c.Doc())
		})
	}
}

func TestReadEditRefuses(t *testing.T) {
	t.Parallel()
	old := message.Content{Text: "old"}
	loading := message.Content{Flags: message.Loading | message.Ephemeral}
	v2, err := message.Read(parse(t, `{"flags":32768,"components":[{"type":10,"content":"a"}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	const poll = `{"poll":{"question":{"text":"a"},"answers":[{"poll_media":{"text":"b"}}]}}`
	for _, tt := range []struct {
		name, rule, give string
		old              message.Content
		want             codes
	}{
		{"poll on a message that is not loading", "9 edit", poll, old, codes{"poll": {message.PollNotEditable}}},
		{"poll on one that is loading", "9 edit", poll, loading, nil},
		{"V2 with the old content", "9 PATCH V2", `{"flags":32768,"components":[{"type":10,"content":"a"}]}`, old, codes{"content": {message.LegacyWithV2}}},
		{"V2 with the content cleared", "9 PATCH V2", `{"flags":32768,"content":null,"components":[{"type":10,"content":"a"}]}`, old, nil},
		{"V2 is never unset", "9 PATCH V2", `{"flags":0,"content":"a"}`, v2, codes{"content": {message.LegacyWithV2}}},
		{"attachment of another message", "9 PATCH attachments", `{"attachments":[{"id":"555"}]}`, old, codes{"attachments.0": {message.AttachmentNotFound}}},
		{"no object", "9 PATCH", `[]`, old, codes{"": {jsonbody.ModelConvert}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := message.ReadEdit(parse(t, tt.give), tt.old, nil)
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
			if c.Flags.Has(message.Loading) {
				t.Error("an edit leaves the message loading")
			}
		})
	}
	for _, give := range []string{`{}`, `{"content":""}`} {
		if _, err := message.ReadEdit(parse(t, give), loading, nil); !errors.Is(err, message.ErrEmpty) {
			t.Errorf("ReadEdit(%s) of a loading message = %v, want ErrEmpty (9 empty content)", give, err)
		}
	}
}

func TestFillKeepsWhoSeesIt(t *testing.T) {
	t.Parallel()
	c := message.Content{Text: "a", Flags: message.Ephemeral | message.SuppressEmbeds}
	if got := c.Fill(message.Content{Flags: message.Loading}).Flags; got != message.SuppressEmbeds {
		t.Errorf("flags %d, want the ephemeral one ignored (9 first follow-up)", got)
	}
	c.Flags = 0
	if got := c.Fill(message.Content{Flags: message.Loading | message.Ephemeral}).Flags; got != message.Ephemeral {
		t.Errorf("flags %d, want only the ephemeral flag", got)
	}
}

func TestContentSurvivesItsDocument(t *testing.T) {
	t.Parallel()
	c, err := message.Read(parse(t, `{"content":"a\u2028","tts":true,"flags":68,"embeds":[{"title":"t","color":1e2}],
		"components":[{"type":1,"components":[{"type":3,"custom_id":"s","options":[{"label":"l","value":"v"}]}]}],
		"poll":{"question":{"text":"q"},"answers":[{"poll_media":{"text":"b"}}]},"attachments":[{"id":"0","description":"d","title":"t"}]}`), uploads)
	if err != nil {
		t.Fatal(err)
	}
	again, err := message.ParseContent(c.Doc())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(c.Doc()), string(again.Doc())); diff != "" {
		t.Errorf("document differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(c.Attachments, again.Attachments); diff != "" {
		t.Errorf("attachments differ (-want +got):\n%s", diff)
	}
	if _, err := message.ParseContent([]byte(`{`)); err == nil {
		t.Error("ParseContent() accepts a truncated document")
	}
}
