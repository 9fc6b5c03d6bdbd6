package message_test

import (
	"errors"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/apierror"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/google/go-cmp/cmp"
)

func TestReadCreate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rule, give string
		want             codes
	}{
		{"content", "2 content", `{"content":"a"}`, nil},
		{"content too long", "2 content", `{"content":` + chars(2001) + `}`, codes{"content": {jsonbody.MaxLength}}},
		{"nonce is a number", "2 nonce", `{"content":"a","nonce":9007199254740993}`, nil},
		{"nonce is a fraction", "2 nonce", `{"content":"a","nonce":1.5}`, codes{"nonce": {jsonbody.NumberCoerce}}},
		{"nonce beyond 64 bits", "2 nonce", `{"content":"a","nonce":9223372036854775808}`, codes{"nonce": {jsonbody.NumberCoerce}}},
		{"longest nonce", "2 nonce", `{"content":"a","nonce":` + chars(25) + `}`, nil},
		{"nonce too long", "2 nonce", `{"content":"a","nonce":` + chars(26) + `}`, codes{"nonce": {jsonbody.MaxLength}}},
		{"nonce is an object", "2 nonce", `{"content":"a","nonce":{}}`, codes{"nonce": {jsonbody.StringConvert}}},
		{"enforce_nonce is a text", "2 enforce_nonce", `{"content":"a","enforce_nonce":"x"}`, codes{"enforce_nonce": {jsonbody.BooleanConvert}}},
		{"3 stickers", "2 sticker_ids", `{"sticker_ids":["1","2",3]}`, nil},
		{"4 stickers", "2 sticker_ids", `{"sticker_ids":["1","2","3","4"]}`, codes{"sticker_ids": {jsonbody.MaxLength}}},
		{"sticker that is no id", "2 sticker_ids", `{"sticker_ids":["x"]}`, codes{"sticker_ids.0": {jsonbody.NumberCoerce}}},
		{"stickers with V2", "2 V2", `{"flags":32768,"sticker_ids":["1"],"components":[{"type":10,"content":"a"}]}`, codes{"sticker_ids": {message.LegacyWithV2}}},
		{"theme", "2 shared_client_theme", `{"shared_client_theme":{"colors":["00ffAA"],"gradient_angle":0,"base_mix":100,"base_theme":null}}`, nil},
		{"theme limits", "2 shared_client_theme", `{"shared_client_theme":{"colors":["0","xxxxxx"],"gradient_angle":361,"base_mix":-1,"base_theme":5}}`, codes{
			"shared_client_theme.colors.0": {jsonbody.BadLength}, "shared_client_theme.colors.1": {jsonbody.StringRegex},
			"shared_client_theme.gradient_angle": {jsonbody.NumberMax}, "shared_client_theme.base_mix": {jsonbody.NumberMin}, "shared_client_theme.base_theme": {jsonbody.NumberMax},
		}},
		{"reply", "2.1 replies", `{"content":"a","message_reference":{"message_id":"1"}}`, nil},
		{"reply without a message", "2.1 replies", `{"content":"a","message_reference":{}}`, codes{"message_reference.message_id": {jsonbody.Required}}},
		{"reference is a text", "2.1 replies", `{"content":"a","message_reference":"1"}`, codes{"message_reference": {jsonbody.ModelConvert}}},
		{"reference of an unknown type", "2.1 replies", `{"content":"a","message_reference":{"type":2,"message_id":"1"}}`, codes{"message_reference.type": {jsonbody.Choices}}},
		{"forward without content", "2.2 forwards", `{"message_reference":{"type":1,"message_id":"1","channel_id":"2"}}`, nil},
		{"forward without a channel", "2.2 forwards", `{"message_reference":{"type":1,"message_id":"1"}}`, codes{"message_reference.channel_id": {jsonbody.Required}}},
		{"no object", "2", `[]`, codes{"": {jsonbody.ModelConvert}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := message.ReadCreate(parse(t, tt.give), nil, false)
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" {
				t.Errorf("%s: errors differ (-want +got):\n%s", tt.rule, diff)
			}
		})
	}
}

func TestReadCreateRefuses(t *testing.T) {
	t.Parallel()
	voice := []message.File{{Attachment: wire.Attachment{ID: 1, ContentType: "audio/ogg"}}}
	picture := []message.File{{Attachment: wire.Attachment{ID: 1, ContentType: "image/png"}}}
	for _, tt := range []struct {
		name, rule, give string
		files            []message.File
		want             error
	}{
		{"nothing", "2 empty", `{}`, nil, message.ErrEmpty},
		{"blank content", "2 content", `{"content":" \n "}`, nil, message.ErrEmpty},
		{"reply without content", "2 empty", `{"message_reference":{"message_id":"1"}}`, nil, message.ErrEmpty},
		{"voice message", "2 voice", `{"flags":8192,"attachments":[{"id":"0","duration_secs":1.5,"waveform":"AA=="}]}`, voice, nil},
		{"voice message with text", "2 voice", `{"flags":8192,"content":"a","attachments":[{"id":"0","duration_secs":1.5,"waveform":"AA=="}]}`, voice, apierror.VoiceMessageContent},
		{"voice message with a picture", "2 voice", `{"flags":8192,"attachments":[{"id":"0","duration_secs":1.5,"waveform":"AA=="}]}`, picture, apierror.VoiceMessageFile},
		{"voice message without its length", "2 voice", `{"flags":8192,"attachments":[{"id":"0","waveform":"AA=="}]}`, voice, apierror.VoiceMessageMetadata},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := message.ReadCreate(parse(t, tt.give), tt.files, false); !errors.Is(err, tt.want) {
				t.Errorf("%s: ReadCreate() = %v, want %v", tt.rule, err, tt.want)
			}
		})
	}
}

func TestReadCreateValues(t *testing.T) {
	t.Parallel()
	const give = `{"content":" Hi ","tts":true,"nonce":%s,"enforce_nonce":true,"flags":69828,"sticker_ids":["5"],
		"message_reference":{"message_id":"1","channel_id":"2","guild_id":"3","fail_if_not_exists":false},"embeds":[{"title":"e"}],"components":[]}`
	for nonce, want := range map[string]message.Nonce{`"a\"b"`: `"a\"b"`, `12`: `12`, `null`: ``, `""`: ``} {
		m, err := message.ReadCreate(parse(t, replace(give, nonce)), nil, false)
		if err != nil {
			t.Fatal(err)
		}
		if m.Nonce != want || !m.EnforceNonce {
			t.Errorf("nonce %s: got %s, enforced %v, want %s", nonce, m.Nonce, m.EnforceNonce, want)
		}
		if diff := cmp.Diff(message.Reference{Message: 1, Channel: 2, Guild: 3, Optional: true}, m.Reference); diff != "" {
			t.Errorf("reference differs (-want +got):\n%s", diff)
		}
		c := m.Content
		if c.Text != "Hi" || !c.TTS || c.Flags != 4|4096 || len(c.Stickers) != 1 || len(c.Embeds.Items()) != 1 {
			t.Errorf("content is %+v", c)
		}
		again, err := message.ParseContent(c.Doc())
		if err != nil || string(again.Doc()) != string(c.Doc()) {
			t.Errorf("document %s came back as %s, %v", c.Doc(), again.Doc(), err)
		}
	}
	m, err := message.ReadCreate(parse(t, `{"content":"a","embeds":[7],"components":[7]}`), nil, true)
	if err != nil || m.Content.Embeds.IsSet() || !m.Content.Components.Empty() || !m.EnforceNonce {
		t.Errorf("a person's message: %+v, %v, want no embeds and components (1.1 callers)", m, err)
	}
}

func TestReply(t *testing.T) {
	t.Parallel()
	here := &message.Target{Channel: 10, Guild: 3}
	for _, tt := range []struct {
		name   string
		give   message.Reference
		target *message.Target
		sent   bool
		want   codes
	}{
		{"to a message", message.Reference{Message: 1}, here, true, nil},
		{"with all ids", message.Reference{Message: 1, Channel: 10, Guild: 3}, here, true, nil},
		{"target is gone", message.Reference{Message: 1}, nil, false, codes{"message_reference": {message.ReplyUnknown}}},
		{"target is gone, which is fine", message.Reference{Message: 1, Optional: true}, nil, false, nil},
		{"other channel", message.Reference{Message: 1, Channel: 11}, here, false, codes{"message_reference": {message.ReplyElsewhere}}},
		{"message of another channel", message.Reference{Message: 1}, &message.Target{Channel: 11}, false, codes{"message_reference": {message.ReplyElsewhere}}},
		{"other guild", message.Reference{Message: 1, Guild: 4}, here, false, codes{"message_reference": {message.ReplyUnknown}}},
		{"system message", message.Reference{Message: 1}, &message.Target{Channel: 10, Type: message.ChannelPinnedMessage}, false, codes{"message_reference": {message.ReplyToSystem}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sent, err := tt.give.Reply(10, tt.target)
			if diff := cmp.Diff(tt.want, findings(t, err)); diff != "" || sent != tt.sent {
				t.Errorf("2.1 replies: Reply() = %v, want %v; errors differ (-want +got):\n%s", sent, tt.sent, diff)
			}
		})
	}
}

func TestCheckForward(t *testing.T) {
	t.Parallel()
	r := message.Reference{Forward: true, Message: 1, Channel: 10}
	for _, tt := range []struct {
		name     string
		target   *message.Target
		readable bool
		want     error
	}{
		{"a message", &message.Target{Channel: 10}, true, nil},
		{"unknown", nil, true, apierror.UnknownMessage},
		{"of another channel", &message.Target{Channel: 11}, true, apierror.UnknownMessage},
		{"system message", &message.Target{Channel: 10, Type: message.UserJoin}, true, apierror.WrongMessageType},
		{"poll", &message.Target{Channel: 10, Poll: true}, true, apierror.WrongMessageType},
		{"unreadable", &message.Target{Channel: 10}, false, apierror.CannotForward},
	} {
		if err := r.CheckForward(tt.target, tt.readable); !errors.Is(err, tt.want) {
			t.Errorf("2.2 %s: CheckForward() = %v, want %v", tt.name, err, tt.want)
		}
	}
	c, snapshot := (&message.Post{ID: 5, Type: message.Reply, Created: time.Unix(0, 0), Content: message.Content{Text: "a", Flags: 4}, Roles: []snowflake.Role{7}}).Forwarded()
	want := `{"message":{"type":19,"content":"a","embeds":[],"attachments":[],"timestamp":"1970-01-01T00:00:00.000000+00:00","edited_timestamp":null,"flags":4,"mentions":[],"mention_roles":["7"],"components":[]}}`
	if string(snapshot) != want || c.Flags != message.HasSnapshot {
		t.Errorf("Forwarded() = %+v, %s, want %s", c, snapshot, want)
	}
}

func TestChannelMentions(t *testing.T) {
	t.Parallel()
	const text = `"<@1> <@&3> <@&4> @here"`
	every := message.Mentioned{Users: []snowflake.User{1}, Roles: []snowflake.Role{3, 4}, Everyone: true}
	for _, tt := range []struct {
		name, allowed string
		may           bool
		want          message.Mentioned // for an author who may mention role 4, in a reply to user 9
	}{
		{"everything by default", `null`, true, message.Mentioned{Users: []snowflake.User{1, 9}, Roles: every.Roles, Everyone: true}},
		{"without the permission", `null`, false, message.Mentioned{Users: []snowflake.User{1, 9}, Roles: []snowflake.Role{4}}},
		{"no ping of the author", `{"parse":["users","roles","everyone"]}`, true, every},
		{"ping of the author only", `{"replied_user":true}`, true, message.Mentioned{Users: []snowflake.User{9}}},
		{"nothing", `{"parse":[]}`, true, message.Mentioned{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := message.ReadCreate(parse(t, `{"content":`+text+`,"allowed_mentions":`+tt.allowed+`}`), nil, false)
			if err != nil {
				t.Fatal(err)
			}
			got := m.Content.Mentioned().Permitted(tt.may, func(id snowflake.Role) bool { return id == 4 }).WithReply(m.Content.Mentions, 9)
			if len(got.Roles) == 0 {
				got.Roles = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("2 mentions differ (-want +got):\n%s", diff)
			}
		})
	}
	if got := every.WithReply(message.AllowedMentions{RepliedUser: true}, 1); len(got.Users) != 1 {
		t.Errorf("the author is mentioned twice: %v", got.Users)
	}
}

// FuzzReadCreate checks that accepted bodies are stored and come back unchanged.
func FuzzReadCreate(f *testing.F) {
	for _, s := range []string{
		`{"content":"a","nonce":1,"message_reference":{"type":1,"message_id":"1","channel_id":"2"},"sticker_ids":["1"]}`,
		`{"flags":32768,"components":[{"type":17,"components":[{"type":10,"content":"a"}]}],"shared_client_theme":{"colors":["ffffff"],"gradient_angle":1,"base_mix":2}}`,
		`{"poll":{"question":{"text":"q"},"answers":[{"poll_media":{"text":"a"}}]},"allowed_mentions":{"parse":["users"]},"username":"x","applied_tags":["1"],"messages":["1","2"],"answer_ids":["1"]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := jsonbody.Parse(in)
		if err != nil {
			return
		}
		check := func(c message.Content, err error) {
			if err != nil {
				return
			}
			again, err := message.ParseContent(c.Doc())
			if err != nil || string(again.Doc()) != string(c.Doc()) {
				t.Errorf("%s came back as %s, %v", c.Doc(), again.Doc(), err)
			}
			c.Mentioned()
			wantJS(t, c.Doc())
		}
		m, err := message.ReadCreate(v, nil, false)
		check(m.Content, err)
		e, err := message.ReadExecute(v, nil, message.WebhookAccess{WithComponents: true})
		check(e.Content, err)
		edited, err := message.ReadChannelEdit(v, m.Content, nil, false)
		check(edited, err)
		if list, err := message.ReadBulkDelete(v, time.Unix(0, 0)); err == nil && (len(list) < 2 || len(list) > 100) {
			t.Errorf("ReadBulkDelete() returns %d messages", len(list))
		}
		poll := message.Poll{Value: m.Content.Poll}
		if votes, err := poll.ReadVote(v); err == nil && len(votes) > poll.Answers() {
			t.Errorf("ReadVote() = %v for %d answers", votes, poll.Answers())
		}
	})
}
