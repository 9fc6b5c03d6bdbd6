package dispatch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/jsonbody"
	"github.com/bellhop/bellhop/internal/message"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// answered returns an interaction with a first answer.
func answered(d *desk, body string) string {
	d.t.Helper()
	id, token := begun(d)
	if err := d.callback(id, token, body); err != nil {
		d.t.Fatal(err)
	}
	return token
}

// follow sends a follow-up that has to be taken and returns its id and text.
func follow(d *desk, token, body string) (snowflake.Message, string) {
	d.t.Helper()
	text, err := d.FollowUp(d.t.Context(), echo, token, d.reply(body))
	if err != nil {
		d.t.Fatal(err)
	}
	return messageID(d.t, text), string(text)
}

func messageID(t testing.TB, text []byte) snowflake.Message {
	t.Helper()
	id, err := snowflake.Parse[snowflake.Message](parse(t, string(text)).Get("id").Text())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func isTree(err error) bool { _, ok := errors.AsType[*jsonbody.Tree](err); return ok }

// TestTokenRoutes goes through the situations of the reference's table for follow-ups.
func TestTokenRoutes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		token func(d *desk) string
		app   snowflake.Application
		want  error // of a follow-up
		of    error // of the original
	}{
		{"before any answer", func(d *desk) string { _, token := begun(d); return token }, echo, interaction.ErrUnknownWebhook, interaction.ErrUnknownWebhook},
		{"token unknown", func(*desk) string { return "bm90aGluZw" }, echo, interaction.ErrUnknownWebhook, interaction.ErrUnknownWebhook},
		{"token of another app", func(d *desk) string { return answered(d, hello) }, tool, interaction.ErrUnknownWebhook, interaction.ErrUnknownWebhook},
		{"token expired", func(d *desk) string {
			token := answered(d, hello)
			d.clock.Advance(interaction.TokenLifetime)
			return token
		}, echo, interaction.ErrTokenExpired, interaction.ErrTokenExpired},
		{"after a modal", func(d *desk) string { return answered(d, ask) }, echo, nil, interaction.ErrUnknownMessage},
		{"after a launch", func(d *desk) string { return answered(d, `{"type":12}`) }, echo, nil, interaction.ErrUnknownMessage},
		{"original deleted", func(d *desk) string {
			token := answered(d, hello)
			if err := d.DeleteMessage(d.t.Context(), echo, token, dispatch.Original); err != nil {
				d.t.Fatal(err)
			}
			return token
		}, echo, nil, interaction.ErrUnknownMessage},
		{"answered", func(d *desk) string { return answered(d, hello) }, echo, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			token := tt.token(d)
			if _, err := d.FollowUp(t.Context(), tt.app, token, d.reply(`{"content":"more"}`)); !errors.Is(err, tt.want) {
				t.Errorf("FollowUp() = %v, want %v", err, tt.want)
			}
			if _, err := d.Message(t.Context(), tt.app, token, dispatch.Original); !errors.Is(err, tt.of) {
				t.Errorf("Message() = %v, want %v", err, tt.of)
			}
			if _, err := d.EditMessage(t.Context(), tt.app, token, dispatch.Original, d.reply(`{"content":"other"}`)); !errors.Is(err, tt.of) {
				t.Errorf("EditMessage() = %v, want %v", err, tt.of)
			}
		})
	}
}

// TestFollowUps makes, reads, edits and deletes messages of an interaction.
func TestFollowUps(t *testing.T) {
	t.Parallel()
	d := open(t)
	token := answered(d, hello)
	original, err := d.Message(t.Context(), echo, token, dispatch.Original)
	if err != nil {
		t.Fatal(err)
	}
	first := messageID(t, original)
	id, text := follow(d, token, `{"content":"more"}`)
	for _, part := range []string{
		`"type":19`, `"message_reference":{"type":0,"channel_id":"310","message_id":"` + first.String(), `"referenced_message":{"id":"` + first.String(),
		`"original_response_message_id":"` + first.String(), `"webhook_id":"100"`, `"author":{"id":"100","username":"Echo"`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("follow-up %s lacks %s", text, part)
		}
	}
	edited, err := d.EditMessage(t.Context(), echo, token, id, d.reply(`{"content":"less"}`))
	if err != nil || !strings.Contains(string(edited), `"content":"less"`) || !parse(t, string(edited)).Get("edited_timestamp").IsSet() {
		t.Errorf("edited: %s, %v", edited, err)
	}
	if again, err := d.Message(t.Context(), echo, token, id); err != nil || string(again) != string(edited) {
		t.Errorf("read after the edit: %s, %v", again, err)
	}
	if _, err := d.FollowUp(t.Context(), echo, token, d.reply(`{}`)); !errors.Is(err, message.ErrEmpty) {
		t.Errorf("an empty follow-up: %v", err)
	}
	if _, err := d.EditMessage(t.Context(), echo, token, id, d.reply(`{"embeds":7}`)); !isTree(err) {
		t.Errorf("an edit that cannot be read: %v", err)
	}
	if err := d.DeleteMessage(t.Context(), echo, token, id); err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteMessage(t.Context(), echo, token, id); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("deleted twice: %v", err)
	}
	gone := d.hear("MESSAGE_DELETE", 1)[0]
	if want := `{"id":"` + id.String() + `","channel_id":"310","guild_id":"300"}`; string(gone.Data) != want {
		t.Errorf("deleted: %s, want %s", gone.Data, want)
	}
	other := answered(d, hello)
	if _, err := d.Message(t.Context(), echo, other, first); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("a message of another token: %v", err)
	}
	if _, err := d.EditMessage(t.Context(), echo, other, first, d.reply(`{"content":"x"}`)); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("edit of a message of another token: %v", err)
	}
	if err := d.DeleteMessage(t.Context(), echo, other, first); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("deletion of a message of another token: %v", err)
	}
}

// TestDeferred fills an answer that was promised, in both ways.
func TestDeferred(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string]func(d *desk, token string) ([]byte, error){
		"by an edit": func(d *desk, token string) ([]byte, error) {
			return d.EditMessage(d.t.Context(), echo, token, dispatch.Original, d.reply(`{"content":"done"}`))
		},
		"by a follow-up": func(d *desk, token string) ([]byte, error) {
			return d.FollowUp(d.t.Context(), echo, token, d.reply(`{"content":"done","flags":0}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			c := d.register(echo, 0, ping)
			w := dispatch.NewWatch()
			defer w.Close()
			if _, err := d.Invoke(t.Context(), dispatch.Call{User: ada, Body: parse(t, uses(c, guild, general, "")), Watch: w}); err != nil {
				t.Fatal(err)
			}
			id, token := d.token()
			if err := d.callback(id, token, `{"type":5,"data":{"flags":64}}`); err != nil {
				t.Fatal(err)
			}
			if out := d.answer(w); out.Result != dispatch.Deferred || !strings.Contains(string(out.Messages[0]), `"flags":192`) {
				t.Fatalf("outcome %+v", out)
			}
			text, err := fill(d, token)
			if err != nil || !strings.Contains(string(text), `"flags":64`) || !strings.Contains(string(text), `"edited_timestamp":null`) {
				t.Errorf("filled: %s, %v", text, err)
			}
			out, err := w.Final(t.Context())
			if err != nil || out.Result != dispatch.Answered || len(out.Messages) != 1 || !strings.Contains(string(out.Messages[0]), "done") {
				t.Errorf("final outcome %+v, %v", out, err)
			}
			if made, _ := d.heard.all("MESSAGE_CREATE"); len(made) != 2 { // to the invoker and to the app
				t.Errorf("%d messages were made", len(made))
			}
			more, _ := follow(d, token, `{"content":"and more"}`)
			if more == messageID(t, text) {
				t.Error("a second follow-up fills the same message")
			}
		})
	}
}

// TestDeferredUpdate edits and deletes the message with the button behind @original.
func TestDeferredUpdate(t *testing.T) {
	t.Parallel()
	d := open(t)
	first := answered(d, buttons)
	id, token := press(d, bob)
	if err := d.callback(id, token, `{"type":6}`); err != nil {
		t.Fatal(err)
	}
	text, err := d.EditMessage(t.Context(), echo, token, dispatch.Original, d.reply(`{"content":"pressed"}`))
	if err != nil || !strings.Contains(string(text), `"content":"pressed"`) {
		t.Fatalf("edited: %s, %v", text, err)
	}
	seen, err := d.Message(t.Context(), echo, first, dispatch.Original)
	if err != nil || string(seen) != string(text) {
		t.Errorf("by the first token: %s, %v", seen, err)
	}
	reply, err := d.FollowUp(t.Context(), echo, token, d.reply(`{"content":"thanks"}`))
	if err != nil || !strings.Contains(string(reply), `"interacted_message_id"`) {
		t.Errorf("follow-up: %s, %v", reply, err)
	}
}

// TestModalMetadata follows a modal back to the button and the command that it came from.
func TestModalMetadata(t *testing.T) {
	t.Parallel()
	d := open(t)
	answered(d, buttons)
	id, token := press(d, ada)
	if err := d.callback(id, token, ask); err != nil {
		t.Fatal(err)
	}
	submit := `{"type":5,"application_id":"100","guild_id":"300","channel_id":"310","data":{"id":"` + id.String() +
		`","custom_id":"fb","components":[{"type":1,"components":[{"type":4,"custom_id":"txt","value":"fine"}]}]}}`
	if _, err := d.Invoke(t.Context(), dispatch.Call{User: bob, Body: parse(t, submit)}); !errors.Is(err, interaction.ErrUnknownInteraction) {
		t.Errorf("another's modal: %v", err)
	}
	d.invoke(ada, submit)
	id, token = d.token()
	told := string(backward(d.hear("INTERACTION_CREATE", 1))[0].Data)
	if !strings.Contains(told, `"value":"fine"`) || !strings.Contains(told, `"message":{"id"`) {
		t.Errorf("the app received %s", told)
	}
	if err := d.callback(id, token, hello); err != nil {
		t.Fatal(err)
	}
	text, err := d.Message(t.Context(), echo, token, dispatch.Original)
	if err != nil || !strings.Contains(string(text), `"triggering_interaction_metadata":{"id"`) {
		t.Errorf("message %s, %v", text, err)
	}
	d.clock.Advance(interaction.TokenLifetime)
	if _, err := d.Invoke(t.Context(), dispatch.Call{User: ada, Body: parse(t, submit)}); !errors.Is(err, interaction.ErrUnknownInteraction) {
		t.Errorf("a modal that is too old: %v", err)
	}
}

// TestUserInstallLimits holds an app that is there for one person to what it may do.
func TestUserInstallLimits(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(tool, 0, `{"name":"tool","description":"Tool","type":1,"integration_types":[1],"contexts":[0,1,2]}`)
	d.invoke(bob, uses(c, guild, general, ""))
	id, token := d.token()
	if err := d.callback(id, token, hello); err != nil {
		t.Fatal(err)
	}
	if e := d.hear("MESSAGE_CREATE", 1)[0]; e.To.Guild != guild {
		t.Errorf("with the right to bring apps along its answer went to %+v", e.To)
	}
	for range interaction.MaxUserFollowUps {
		if _, err := d.FollowUp(t.Context(), tool, token, d.reply(`{"content":"more"}`)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.FollowUp(t.Context(), tool, token, d.reply(`{"content":"more"}`)); !errors.Is(err, interaction.ErrTooManyFollowUps) {
		t.Errorf("one follow-up too many: %v", err)
	}

	d.invoke(bob, uses(c, guild, quiet, "")) // where bob cannot send
	id, token = d.token()
	if err := d.callback(id, token, hello); err != nil {
		t.Fatal(err)
	}
	text, err := d.Message(t.Context(), tool, token, dispatch.Original)
	if err != nil || !strings.Contains(string(text), `"flags":64`) {
		t.Errorf("an answer where its person cannot send: %s, %v", text, err)
	}
	follow, err := d.FollowUp(t.Context(), tool, token, d.reply(`{"content":"more"}`))
	if err != nil || !strings.Contains(string(follow), `"flags":64`) {
		t.Errorf("a follow-up there: %s, %v", follow, err)
	}
}

// TestFilesOfMessages keeps, replaces and removes files.
func TestFilesOfMessages(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, token := begun(d)
	large := upload(0, "large.bin", "x")
	large.Size = message.AttachmentSizeLimit + 1
	if err := d.callback(id, token, hello, large); !errors.Is(err, dispatch.ErrFileTooLarge) {
		t.Errorf("a file that is too large: %v", err)
	}
	liar := upload(0, "liar.bin", strings.Repeat("x", message.AttachmentSizeLimit+1))
	liar.Size = 1
	if err := d.callback(id, token, hello, liar); !errors.Is(err, dispatch.ErrFileTooLarge) || len(d.files.texts()) != 0 {
		t.Errorf("a file that is larger than it says: %v, kept %d", err, len(d.files.texts()))
	}
	if err := d.callback(id, token, `{"type":4,"data":{"attachments":[{"id":0,"filename":"a.txt","description":"A"}]}}`, upload(0, "blob", "one")); err != nil {
		t.Fatal(err)
	}
	text, err := d.Message(t.Context(), echo, token, dispatch.Original)
	file := parse(t, string(text)).Get("attachments").Items()
	if err != nil || len(file) != 1 || !strings.HasSuffix(file[0].Get("url").Text(), "/a.txt") || file[0].Get("description").Text() != "A" {
		t.Fatalf("message %s, %v", text, err)
	}
	if err := d.callback(id, token, hello, upload(0, "late.txt", "late")); !errors.Is(err, interaction.ErrAcknowledged) {
		t.Errorf("a second answer with a file: %v", err)
	}
	edit := fmt.Sprintf(`{"attachments":[{"id":"%s"},{"id":0}]}`, file[0].Get("id").Text())
	if _, err := d.EditMessage(t.Context(), echo, token, dispatch.Original, d.reply(edit, upload(0, "b.txt", "two"))); err != nil {
		t.Fatal(err)
	}
	if got := d.files.texts(); len(got) != 2 {
		t.Errorf("kept %q, want both", got)
	}
	if _, err := d.EditMessage(t.Context(), echo, token, dispatch.Original, d.reply(`{"content":"bare","attachments":[]}`)); err != nil {
		t.Fatal(err)
	}
	if got := d.files.texts(); len(got) != 0 {
		t.Errorf("kept %q after they were taken away", got)
	}
	d.files.full = true
	if _, err := d.FollowUp(t.Context(), echo, token, d.reply(`{"content":"x"}`, upload(0, "c.txt", "three"))); err == nil {
		t.Error("a file that cannot be kept was acknowledged")
	}
	broken := dispatch.Upload{Name: "d.txt", Open: func() (io.ReadCloser, error) { return nil, errors.New("gone") }}
	if _, err := d.FollowUp(t.Context(), echo, token, d.reply(`{"content":"x"}`, broken)); err == nil {
		t.Error("a file that cannot be read was acknowledged")
	}
}

// TestEditsAtOnce edits different members of a message at the same time: none is lost.
func TestEditsAtOnce(t *testing.T) {
	t.Parallel()
	d := open(t)
	token := answered(d, hello)
	var group sync.WaitGroup
	for _, body := range []string{`{"content":"new"}`, `{"embeds":[{"title":"T"}]}`, `{"flags":4}`} {
		group.Go(func() {
			if _, err := d.EditMessage(t.Context(), echo, token, dispatch.Original, d.reply(body)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	text, err := d.Message(t.Context(), echo, token, dispatch.Original)
	for _, part := range []string{`"content":"new"`, `"title":"T"`, `"flags":4`} {
		if err != nil || !bytes.Contains(text, []byte(part)) {
			t.Errorf("%s lacks %s, %v", text, part, err)
		}
	}
}

// TestEphemeralMessagesGo removes what nobody sees any more, with its files.
func TestEphemeralMessagesGo(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, token := begun(d)
	if err := d.callback(id, token, secretly, upload(0, "a.txt", "one")); err != nil {
		t.Fatal(err)
	}
	answered(d, hello)
	d.clock.Advance(25 * time.Hour)
	if got := d.files.texts(); len(got) != 0 {
		t.Errorf("kept %q", got)
	}
	list, err := d.Messages().List(t.Context(), visitor(ada), general, messages.Page{})
	if err != nil || strings.Count(string(list), `"content":"hello"`) != 1 {
		t.Errorf("the others: %s, %v", list, err)
	}
}

// TestLinked checks that whoever follows a channel from elsewhere hears of what everybody there sees, and of nothing else.
func TestLinked(t *testing.T) {
	t.Parallel()
	var told []string
	d := open(t, func(c *dispatch.Config) {
		c.Linked = func(_ context.Context, name string, m *store.Message) {
			told = append(told, fmt.Sprint(name, " ", m.Channel))
		}
	})
	token := answered(d, hello)
	id, _ := follow(d, token, `{"content":"more"}`)
	if _, err := d.EditMessage(t.Context(), echo, token, id, d.reply(`{"content":"less"}`)); err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteMessage(t.Context(), echo, token, id); err != nil {
		t.Fatal(err)
	}
	whispered, _ := follow(d, token, `{"content":"for you","flags":64}`)
	if err := d.DeleteMessage(t.Context(), echo, token, whispered); err != nil {
		t.Fatal(err)
	}
	want := []string{"MESSAGE_CREATE 310", "MESSAGE_CREATE 310", "MESSAGE_UPDATE 310", "MESSAGE_DELETE 310"}
	if !slices.Equal(told, want) {
		t.Errorf("told of %q, want %q", told, want)
	}
}
