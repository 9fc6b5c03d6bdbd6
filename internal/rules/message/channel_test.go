package message_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

func replace(s, with string) string { return strings.ReplaceAll(s, "%s", with) }

func TestReadChannelEdit(t *testing.T) {
	t.Parallel()
	old := message.Content{Text: "old", Flags: message.Crossposted | message.HasThread, Stickers: []snowflake.Sticker{5}}
	c, err := message.ReadChannelEdit(parse(t, `{"content":" <@&3> ","flags":4}`), old, nil, false)
	if err != nil || c.Text != "<@&3>" || c.Flags != 1|4|32 || len(c.Stickers) != 1 || len(c.Mentioned().Roles) != 1 {
		t.Errorf("4 edit: %+v, %v, want the other flags and the stickers kept, and roles mentioned", c, err)
	}
	if _, err := message.ReadChannelEdit(parse(t, `{"content":null,"sticker_ids":[]}`), old, nil, false); !errors.Is(err, message.ErrEmpty) {
		t.Errorf("4 edit: an empty message gives %v, want ErrEmpty", err)
	}
	c, err = message.ReadChannelEdit(parse(t, `{"flags":4}`), message.Content{Flags: message.HasSnapshot}, nil, false)
	if err != nil || c.Flags != message.HasSnapshot|message.SuppressEmbeds {
		t.Errorf("4 edit of a forward: %+v, %v", c, err)
	}
	poll := message.Content{Poll: jsonbody.StringOf("x")}
	for _, tt := range []struct {
		name string
		give message.Content
		kind message.Type
		want error
	}{
		{"ordinary", old, message.Default, nil},
		{"reply", old, message.Reply, nil},
		{"pin notice", old, message.ChannelPinnedMessage, apierror.SystemMessage},
		{"poll", poll, message.Default, apierror.PollEdit},
		{"voice message", message.Content{Flags: message.IsVoiceMessage}, message.Default, apierror.VoiceMessageEdit},
	} {
		if err := tt.give.CheckEditable(tt.kind); !errors.Is(err, tt.want) {
			t.Errorf("4 edit of a %s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestEditMembers(t *testing.T) {
	t.Parallel()
	upload := uploads[:1]
	for give, want := range map[string][2]bool{ // only flags; marks the message as edited
		`{"flags":4}`:                       {true, false},
		`{}`:                                {true, false},
		`{"flags":4,"allowed_mentions":{}}`: {false, false},
		`{"flags":4,"embeds":[]}`:           {false, true},
		`{"content":"a"}`:                   {false, true},
		`{"components":null}`:               {false, true},
		`{"attachments":[]}`:                {false, true},
	} {
		v := parse(t, give)
		if got := [2]bool{message.OnlyFlags(v, nil), message.MarksEdited(v, nil)}; got != want {
			t.Errorf("4 edit %s: %v, want %v", give, got, want)
		}
		if message.OnlyFlags(v, upload) || !message.MarksEdited(v, upload) {
			t.Errorf("4 edit %s with a file counts as flags only", give)
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	deletable := map[message.Type][2]bool{ // without and with the permission to manage messages
		0: {true, true}, 1: {}, 2: {}, 3: {}, 4: {}, 5: {}, 6: {true, true}, 19: {true, true}, 21: {}, 24: {false, true}, 46: {true, true},
	}
	for kind, want := range deletable {
		if got := [2]bool{kind.Deletable(false), kind.Deletable(true)}; got != want {
			t.Errorf("5 delete of type %d: %v, want %v", kind, got, want)
		}
	}
	for kind := range message.Type(60) {
		want := kind == 0 || kind == 19 || kind == 20 || kind == 23
		if kind.Written() != want {
			t.Errorf("type %d: Written() = %v, want %v", kind, kind.Written(), want)
		}
	}
}

func TestReadBulkDelete(t *testing.T) {
	t.Parallel()
	const id = "175928847299117063"
	created := snowflake.Message(175928847299117063).Time()
	for _, tt := range []struct {
		name, rule, give string
		after            time.Duration
		want             codes
		err              error
	}{
		{"two", "5 bulk", `{"messages":["` + id + `","175928847299117064"]}`, time.Hour, nil, nil},
		{"one", "5 bulk", `{"messages":["` + id + `"]}`, 0, nil, apierror.BulkDeleteCount},
		{"101", "5 bulk", `{"messages":[` + repeat(`"17592884729911%d"`, 101) + `]}`, 0, nil, apierror.BulkDeleteCount},
		{"14 days old", "5 bulk", `{"messages":["` + id + `","175928847299117064"]}`, 14 * 24 * time.Hour, nil, apierror.BulkDeleteAge},
		{"twice the same", "5 bulk", `{"messages":["` + id + `","` + id + `"]}`, 0, codes{"messages.1": {jsonbody.Repeated}}, nil},
		{"no ids", "5 bulk", `{"messages":["x",null]}`, 0, codes{"messages.0": {jsonbody.NumberCoerce}, "messages.1": {jsonbody.NumberCoerce}}, nil},
		{"missing", "5 bulk", `{}`, 0, codes{"messages": {jsonbody.Required}}, nil},
		{"a text", "5 bulk", `{"messages":"x"}`, 0, codes{"messages": {jsonbody.ListConvert}}, nil},
		{"no object", "5 bulk", `7`, 0, codes{"": {jsonbody.ModelConvert}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			list, err := message.ReadBulkDelete(parse(t, tt.give), created.Add(tt.after))
			if tt.err != nil {
				if !errors.Is(err, tt.err) {
					t.Errorf("%s: %v, want %v", tt.rule, err, tt.err)
				}
				return
			}
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
			if err == nil && len(list) != 2 {
				t.Errorf("%s: %v", tt.rule, list)
			}
		})
	}
}

func TestReaderSees(t *testing.T) {
	t.Parallel()
	bot := message.Reader{Bot: 7}
	for _, tt := range []struct {
		name   string
		reader message.Reader
		give   message.Seen
		want   bool
	}{
		{"another's message", bot, message.Seen{Author: 8}, false},
		{"with the intent", message.Reader{Bot: 7, Intent: true}, message.Seen{Author: 8}, true},
		{"own message", bot, message.Seen{Author: 7}, true},
		{"own webhook", bot, message.Seen{App: 7}, true},
		{"webhook without an app", bot, message.Seen{}, false},
		{"direct message", bot, message.Seen{Author: 8, Direct: true}, true},
		{"mention", bot, message.Seen{Author: 8, Mentions: []snowflake.User{9, 7}}, true},
		{"mention of another", bot, message.Seen{Author: 8, Mentions: []snowflake.User{9}}, false},
		{"target of a message command", bot, message.Seen{Author: 8, Target: true}, true},
	} {
		if got := tt.reader.Sees(tt.give); got != tt.want {
			t.Errorf("1.4 %s: Sees() = %v, want %v", tt.name, got, tt.want)
		}
	}
	c, err := message.ReadCreate(parse(t, `{"content":"a","embeds":[{"title":"e"}],"sticker_ids":["5"],"flags":4,"poll":{"question":{"text":"q"},"answers":[{"poll_media":{"text":"a"}}]},
		"components":[{"type":1,"components":[{"type":2,"style":5,"url":"http://a","label":"b"}]}]}`), uploads[:1], false)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(c.Content.Masked().Doc()), `{"content":"","tts":false,"flags":4,"sticker_ids":["5"],"attachments":[]}`; got != want {
		t.Errorf("1.4 masked: %s, want %s", got, want)
	}
}

func TestReadExecute(t *testing.T) {
	t.Parallel()
	const button = `[{"type":1,"components":[{"type":2,"style":1,"custom_id":"a","label":"A"}]}]`
	with, owned := message.WebhookAccess{WithComponents: true}, message.WebhookAccess{AppOwned: true}
	for _, tt := range []struct {
		name, rule, give string
		access           message.WebhookAccess
		want             codes
	}{
		{"all", "14.1", `{"content":"a","username":" Bob ","avatar_url":"https://a/b","thread_name":"t","applied_tags":["1","2"]}`, message.WebhookAccess{}, nil},
		{"empty avatar", "14.1", `{"content":"a","avatar_url":""}`, message.WebhookAccess{}, nil},
		{"username of blanks", "14.1 username", `{"content":"a","username":"  "}`, owned, codes{"username": {jsonbody.BadLength}}},
		{"long username", "14.1 username", `{"content":"a","username":` + chars(81) + `}`, owned, codes{"username": {jsonbody.BadLength}}},
		{"forbidden words", "14 names", `{"content":"a","username":"ClydeDISCORD"}`, owned, codes{"username": {message.NameContains, message.NameContains}}},
		{"everyone", "14 names", `{"content":"a","username":"Everyone"}`, owned, codes{"username": {message.NameInvalid}}},
		{"username is a number", "14.1 username", `{"content":"a","username":5}`, owned, codes{"username": {jsonbody.StringConvert}}},
		{"avatar_url", "14.1 avatar_url", `{"content":"a","avatar_url":"x"}`, owned, codes{"avatar_url": {message.URLInvalid}}},
		{"long thread name", "14.1 thread_name", `{"content":"a","thread_name":` + chars(101) + `}`, owned, codes{"thread_name": {jsonbody.MaxLength}}},
		{"6 tags", "14.1 applied_tags", `{"content":"a","applied_tags":[1,2,3,4,5,6]}`, owned, codes{"applied_tags": {jsonbody.MaxLength}}},
		{"components are ignored", "14.1 with_components", `{"content":"a","components":7}`, message.WebhookAccess{}, nil},
		{"components without an app", "14.1 with_components", `{"content":"a","components":` + button + `}`, with, codes{"components": {message.InteractiveHidden}}},
		{"accessory without an app", "14.1 with_components", `{"flags":32768,"components":[{"type":9,"components":[{"type":10,"content":"a"}],"accessory":{"type":2,"style":1,"custom_id":"a","label":"A"}}]}`, with, codes{"components": {message.InteractiveHidden}}},
		{"links without an app", "14.1 with_components", `{"components":[{"type":1,"components":[{"type":2,"style":5,"url":"http://a","label":"A"}]}]}`, with, nil},
		{"components of an app", "14.1 with_components", `{"components":` + button + `}`, owned, nil},
		{"stickers are ignored", "14.1 body", `{"content":"a","sticker_ids":["x"]}`, owned, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, err := message.ReadExecute(parse(t, tt.give), nil, tt.access)
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
			if tt.name == "all" && (e.Username != "Bob" || e.AvatarURL != "https://a/b" || e.ThreadName != "t" || len(e.Tags) != 2) {
				t.Errorf("%s: %+v", tt.rule, e)
			}
		})
	}
	if _, err := message.ReadExecute(parse(t, `{"components":`+button+`}`), nil, message.WebhookAccess{}); !errors.Is(err, message.ErrEmpty) {
		t.Errorf("a webhook with ignored components: %v, want ErrEmpty", err)
	}
	m, err := message.ReadExecute(parse(t, `{"content":"@everyone <@&1> <@2>"}`), nil, message.WebhookAccess{})
	if got := m.Content.Mentioned(); err != nil || got.Everyone || len(got.Roles) > 0 || len(got.Users) != 1 {
		t.Errorf("webhooks mention %+v by default, want users", got)
	}
	c, err := message.ReadWebhookEdit(parse(t, `{"content":"b","components":[7]}`), message.Content{Text: "a"}, nil, message.WebhookAccess{})
	if err != nil || c.Text != "b" {
		t.Errorf("14.2 edit: %+v, %v", c, err)
	}
}

func TestCheckThread(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		forum, thread bool
		want          error
	}{
		{"", false, false, nil},
		{"", false, true, nil},
		{"t", false, false, apierror.ThreadOutsideForum},
		{"", true, false, apierror.ThreadNeeded},
		{"t", true, true, apierror.ThreadTwice},
		{"t", true, false, nil},
		{"", true, true, nil},
	} {
		if err := (message.Execute{ThreadName: tt.name}).CheckThread(tt.forum, tt.thread); !errors.Is(err, tt.want) {
			t.Errorf("14.1 name %q, forum %v, thread %v: %v, want %v", tt.name, tt.forum, tt.thread, err, tt.want)
		}
	}
}

func TestPoll(t *testing.T) {
	t.Parallel()
	read := func(more string) message.Poll {
		c, err := message.ReadCreate(parse(t, `{"poll":{"question":{"text":"q"},"answers":[{"poll_media":{"text":"a"}},{"poll_media":{"text":"b","emoji":{"name":"👍"}}}]`+more+`}}`), nil, false)
		if err != nil {
			t.Fatal(err)
		}
		return message.Poll{Value: c.Content.Poll}
	}
	single, multiple := read(``), read(`,"allow_multiselect":true,"duration":1`)
	if single.Duration() != 24*time.Hour || multiple.Duration() != time.Hour || single.Answers() != 2 || single.Multiple() {
		t.Errorf("9 polls last %v and %v", single.Duration(), multiple.Duration())
	}
	for _, tt := range []struct {
		poll message.Poll
		give string
		want []int
		errs codes
	}{
		{single, `{"answer_ids":["2"]}`, []int{2}, nil},
		{single, `{"answer_ids":[]}`, nil, nil},
		{single, `{"answer_ids":[1,2]}`, nil, codes{"answer_ids": {jsonbody.MaxLength}}},
		{single, `{}`, nil, codes{"answer_ids": {jsonbody.Required}}},
		{multiple, `{"answer_ids":[2,1]}`, []int{1, 2}, nil},
		{multiple, `{"answer_ids":[2,2]}`, []int{2}, nil},
		{multiple, `{"answer_ids":[3,"x"]}`, nil, codes{"answer_ids.0": {message.AnswerInvalid}, "answer_ids.1": {jsonbody.NumberCoerce}}},
	} {
		got, err := tt.poll.ReadVote(parse(t, tt.give))
		if diff := cmp.Diff(tt.errs, findings(t, err)); diff != "" {
			t.Errorf("9 vote %s: errors differ (-want +got):\n%s", tt.give, diff)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" && err == nil {
			t.Errorf("9 vote %s differs (-want +got):\n%s", tt.give, diff)
		}
	}
	for text, want := range map[string]int{"1": 1, "2": 2, "3": 0, "0": 0, "x": 0} {
		if got, err := single.ParseAnswer(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("9 answer %s: %d, %v, want %d", text, got, err, want)
		}
	}
	if err := (message.Content{}).CheckEnd(false); !errors.Is(err, apierror.NotAPoll) {
		t.Errorf("9 expire without a poll: %v", err)
	}
	if err := (message.Content{Poll: single.Value}).CheckEnd(true); !errors.Is(err, apierror.PollExpired) {
		t.Errorf("9 expire twice: %v", err)
	}
}

func TestPollResults(t *testing.T) {
	t.Parallel()
	c, err := message.ReadCreate(parse(t, `{"poll":{"question":{"text":"q"},"answers":[{"poll_media":{"text":"a"}},{"poll_media":{"text":"b","emoji":{"name":"👍"}}}]}}`), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	poll := message.Poll{Value: c.Content.Poll}
	tie := message.Results{Counts: []message.AnswerCount{{Answer: 1, Votes: 2}, {Answer: 2, Votes: 2}}}
	won := message.Results{Final: true, Counts: []message.AnswerCount{{Answer: 1, Votes: 1}, {Answer: 2, Votes: 2, Mine: true}}}
	field := func(name, value string) string {
		return `{"name":"` + name + `","value":"` + value + `","inline":false}`
	}
	const begin = `[{"type":"poll_result","fields":[`
	for want, give := range map[string]message.Results{
		begin + field("poll_question_text", "q") + "," + field("victor_answer_votes", "0") + "," + field("total_votes", "0") + `]}]`: {},
		begin + field("poll_question_text", "q") + "," + field("victor_answer_votes", "2") + "," + field("total_votes", "4") + `]}]`: tie,
		begin + field("poll_question_text", "q") + "," + field("victor_answer_votes", "2") + "," + field("total_votes", "3") + "," +
			field("victor_answer_id", "2") + "," + field("victor_answer_text", "b") + "," + field("victor_answer_emoji_name", "👍") + `]}]`: won,
	} {
		got := message.Content{Embeds: poll.ResultEmbed(give)}
		if doc := string(got.Doc()); !strings.Contains(doc, want) {
			t.Errorf("9 results of %+v: %s, want %s", give, doc, want)
		}
	}
	shown := string((&message.Post{Content: c.Content, Results: won, Pinned: true, Snapshot: []byte(`{}`), Nonce: "5"}).AppendJSON(nil))
	for _, want := range []string{
		`"results":{"is_finalized":true,"answer_counts":[{"id":1,"count":1,"me_voted":false},{"id":2,"count":2,"me_voted":true}]}`,
		`"pinned":true`, `"message_snapshots":[{}]`, `"nonce":5`,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("the message is %s, want %s in it", shown, want)
		}
	}
}

func TestReadPost(t *testing.T) {
	t.Parallel()
	var tree jsonbody.Tree
	_, err := message.ReadPostAt(&tree, tree.At("message"), parse(t, `{"content":7,"nonce":{},"message_reference":7,"tts":"x"}`), nil)
	if diff := cmp.Diff(codes{"message.content": {jsonbody.StringConvert}}, findings(t, err)); diff != "" {
		t.Errorf("13.1 forum: errors differ (-want +got):\n%s", diff)
	}
	tree = jsonbody.Tree{}
	c, err := message.ReadPostAt(&tree, tree.At("message"), parse(t, `{"content":"a","tts":true,"flags":12356,"sticker_ids":["1"]}`), nil)
	if err != nil || c.TTS || c.Flags != 4|4096 || len(c.Stickers) != 1 {
		t.Errorf("13.1 forum: %+v, %v", c, err)
	}
}
