package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/attachments"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// answeredPing invokes ping, answers it and returns the token.
func answeredPing(d *fixture, body string) string {
	d.t.Helper()
	id, token := invokePing(d)
	if err := d.callback(id, token, body); err != nil {
		d.t.Fatal(err)
	}
	return token
}

// followUp sends a follow-up that must be accepted. It returns the id and the JSON of the message.
func followUp(d *fixture, token, body string) (snowflake.Message, string) {
	d.t.Helper()
	text, err := d.FollowUp(d.t.Context(), echo, token, d.response(body))
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

// TestTokenRoutes goes through the table of the specification for requests with an interaction token.
func TestTokenRoutes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		token func(d *fixture) string
		app   snowflake.Application
		want  error // from FollowUp
		read  error // from Message and EditMessage with the original response
	}{
		{"before any answer", func(d *fixture) string { _, token := invokePing(d); return token }, echo, interaction.ErrUnknownWebhook, interaction.ErrUnknownWebhook},
		{"token unknown", func(*fixture) string { return "bm90aGluZw" }, echo, interaction.ErrUnknownWebhook, interaction.ErrUnknownWebhook},
		{"token of another app", func(d *fixture) string { return answeredPing(d, hello) }, tool, interaction.ErrUnknownWebhook, interaction.ErrUnknownWebhook},
		{"token expired", func(d *fixture) string {
			token := answeredPing(d, hello)
			d.clock.Advance(interaction.TokenLifetime)
			return token
		}, echo, interaction.ErrTokenExpired, interaction.ErrTokenExpired},
		{"after a modal", func(d *fixture) string { return answeredPing(d, openModal) }, echo, nil, interaction.ErrUnknownMessage},
		{"after a launch", func(d *fixture) string { return answeredPing(d, `{"type":12}`) }, echo, nil, interaction.ErrUnknownMessage},
		{"original deleted", func(d *fixture) string {
			token := answeredPing(d, hello)
			if err := d.DeleteMessage(d.t.Context(), echo, token, dispatch.Original); err != nil {
				d.t.Fatal(err)
			}
			return token
		}, echo, nil, interaction.ErrUnknownMessage},
		{"answered", func(d *fixture) string { return answeredPing(d, hello) }, echo, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			token := tt.token(d)
			if _, err := d.FollowUp(t.Context(), tt.app, token, d.response(`{"content":"more"}`)); !errors.Is(err, tt.want) {
				t.Errorf("FollowUp() = %v, want %v", err, tt.want)
			}
			if _, err := d.Message(t.Context(), tt.app, token, dispatch.Original); !errors.Is(err, tt.read) {
				t.Errorf("Message() = %v, want %v", err, tt.read)
			}
			if _, err := d.EditMessage(t.Context(), tt.app, token, dispatch.Original, d.response(`{"content":"other"}`)); !errors.Is(err, tt.read) {
				t.Errorf("EditMessage() = %v, want %v", err, tt.read)
			}
		})
	}
}

// TestFollowUps creates, reads, edits and deletes messages of an interaction.
func TestFollowUps(t *testing.T) {
	t.Parallel()
	d := open(t)
	token := answeredPing(d, hello)
	original, err := d.Message(t.Context(), echo, token, dispatch.Original)
	if err != nil {
		t.Fatal(err)
	}
	first := messageID(t, original)
	id, text := followUp(d, token, `{"content":"more"}`)
	wantGolden(t, "follow-up", []byte(text))
	edited, err := d.EditMessage(t.Context(), echo, token, id, d.response(`{"content":"less"}`))
	if err != nil {
		t.Fatal(err)
	}
	wantGolden(t, "follow-up-edited", edited)
	if again, err := d.Message(t.Context(), echo, token, id); err != nil || string(again) != string(edited) {
		t.Errorf("read after the edit: %s, %v", again, err)
	}
	if _, err := d.FollowUp(t.Context(), echo, token, d.response(`{}`)); !errors.Is(err, message.ErrEmpty) {
		t.Errorf("an empty follow-up: %v", err)
	}
	if _, err := d.EditMessage(t.Context(), echo, token, id, d.response(`{"embeds":7}`)); !isTree(err) {
		t.Errorf("an invalid edit: %v", err)
	}
	if err := d.DeleteMessage(t.Context(), echo, token, id); err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteMessage(t.Context(), echo, token, id); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("deleted twice: %v", err)
	}
	deleted := d.waitEvents("MESSAGE_DELETE", 1)[0]
	if want := `{"id":"` + id.String() + `","channel_id":"310","guild_id":"300"}`; string(deleted.Data) != want {
		t.Errorf("deleted: %s, want %s", deleted.Data, want)
	}
	other := answeredPing(d, hello)
	if _, err := d.Message(t.Context(), echo, other, first); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("a message of another token: %v", err)
	}
	if _, err := d.EditMessage(t.Context(), echo, other, first, d.response(`{"content":"x"}`)); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("edit of a message of another token: %v", err)
	}
	if err := d.DeleteMessage(t.Context(), echo, other, first); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("deletion of a message of another token: %v", err)
	}
}

// TestDeferred fills a deferred answer by an edit and by a follow-up.
func TestDeferred(t *testing.T) {
	t.Parallel()
	for name, fill := range map[string]func(d *fixture, token string) ([]byte, error){
		"by an edit": func(d *fixture, token string) ([]byte, error) {
			return d.EditMessage(d.t.Context(), echo, token, dispatch.Original, d.response(`{"content":"done"}`))
		},
		"by a follow-up": func(d *fixture, token string) ([]byte, error) {
			return d.FollowUp(d.t.Context(), echo, token, d.response(`{"content":"done","flags":0}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			c := d.register(echo, 0, ping)
			w := dispatch.NewWatch()
			defer w.Close()
			if _, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: ada, Body: parse(t, invokeBody(c, guild, general, "")), Watch: w}); err != nil {
				t.Fatal(err)
			}
			id, token := d.newestToken()
			if err := d.callback(id, token, `{"type":5,"data":{"flags":64}}`); err != nil {
				t.Fatal(err)
			}
			out := d.waitAnswer(w)
			if out.Result != dispatch.Deferred {
				t.Fatalf("outcome %+v", out)
			}
			wantGolden(t, "deferred", out.Messages[0])
			text, err := fill(d, token)
			if err != nil {
				t.Fatal(err)
			}
			wantGolden(t, "deferred-filled", text)
			out, err = w.Final(t.Context())
			if err != nil || out.Result != dispatch.Answered || len(out.Messages) != 1 {
				t.Fatalf("final outcome %+v, %v", out, err)
			}
			wantGolden(t, "deferred-final", out.Messages[0])
			if made, _ := d.events.named("MESSAGE_CREATE"); len(made) != 2 { // for the invoker and for the app
				t.Errorf("%d MESSAGE_CREATE events", len(made))
			}
			more, _ := followUp(d, token, `{"content":"and more"}`)
			if more == messageID(t, text) {
				t.Error("a second follow-up fills the same message")
			}
		})
	}
}

// TestDeferredUpdate edits the message with the button as the original response.
func TestDeferredUpdate(t *testing.T) {
	t.Parallel()
	d := open(t)
	first := answeredPing(d, buttons)
	id, token := pressButton(d, bob)
	if err := d.callback(id, token, `{"type":6}`); err != nil {
		t.Fatal(err)
	}
	text, err := d.EditMessage(t.Context(), echo, token, dispatch.Original, d.response(`{"content":"pressed"}`))
	if err != nil {
		t.Fatal(err)
	}
	wantGolden(t, "deferred-update", text)
	seen, err := d.Message(t.Context(), echo, first, dispatch.Original)
	if err != nil || string(seen) != string(text) {
		t.Errorf("by the first token: %s, %v", seen, err)
	}
	reply, err := d.FollowUp(t.Context(), echo, token, d.response(`{"content":"thanks"}`))
	if err != nil {
		t.Fatal(err)
	}
	wantGolden(t, "deferred-update-follow-up", reply)
}

// TestModalMetadata checks that the answer to a modal refers to the button that opened it.
func TestModalMetadata(t *testing.T) {
	t.Parallel()
	d := open(t)
	answeredPing(d, buttons)
	id, token := pressButton(d, ada)
	if err := d.callback(id, token, openModal); err != nil {
		t.Fatal(err)
	}
	submit := `{"type":5,"application_id":"100","guild_id":"300","channel_id":"310","data":{"id":"` + id.String() +
		`","custom_id":"fb","components":[{"type":1,"components":[{"type":4,"custom_id":"txt","value":"fine"}]}]}}`
	if _, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: bob, Body: parse(t, submit)}); !errors.Is(err, interaction.ErrUnknownInteraction) {
		t.Errorf("a modal of another user: %v", err)
	}
	d.invoke(ada, submit)
	id, token = d.newestToken()
	wantGolden(t, "modal-submit", reversed(d.waitEvents("INTERACTION_CREATE", 1))[0].Data)
	if err := d.callback(id, token, hello); err != nil {
		t.Fatal(err)
	}
	text, err := d.Message(t.Context(), echo, token, dispatch.Original)
	if err != nil {
		t.Fatal(err)
	}
	wantGolden(t, "modal-answer", text)
	d.clock.Advance(interaction.TokenLifetime)
	if _, err := d.Invoke(t.Context(), dispatch.InvokeRequest{User: ada, Body: parse(t, submit)}); !errors.Is(err, interaction.ErrUnknownInteraction) {
		t.Errorf("an expired modal: %v", err)
	}
}

// TestUserInstallLimits checks the limits of an app that only the user has installed.
func TestUserInstallLimits(t *testing.T) {
	t.Parallel()
	d := open(t)
	c := d.register(tool, 0, `{"name":"tool","description":"Tool","type":1,"integration_types":[1],"contexts":[0,1,2]}`)
	d.invoke(bob, invokeBody(c, guild, general, ""))
	id, token := d.newestToken()
	if err := d.callback(id, token, hello); err != nil {
		t.Fatal(err)
	}
	if e := d.waitEvents("MESSAGE_CREATE", 1)[0]; e.To.Guild != guild {
		t.Errorf("where the user may use external apps, the answer went to %+v", e.To)
	}
	for range interaction.MaxUserFollowUps {
		if _, err := d.FollowUp(t.Context(), tool, token, d.response(`{"content":"more"}`)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.FollowUp(t.Context(), tool, token, d.response(`{"content":"more"}`)); !errors.Is(err, interaction.ErrTooManyFollowUps) {
		t.Errorf("one follow-up too many: %v", err)
	}

	d.invoke(bob, invokeBody(c, guild, quiet, "")) // bob cannot send here
	id, token = d.newestToken()
	if err := d.callback(id, token, hello); err != nil {
		t.Fatal(err)
	}
	text, err := d.Message(t.Context(), tool, token, dispatch.Original)
	if err != nil {
		t.Fatal(err)
	}
	wantGolden(t, "user-install-quiet", text)
	follow, err := d.FollowUp(t.Context(), tool, token, d.response(`{"content":"more"}`))
	if err != nil {
		t.Fatal(err)
	}
	wantGolden(t, "user-install-quiet-follow-up", follow)
}

// TestFilesOfMessages stores, replaces and deletes files.
func TestFilesOfMessages(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, token := invokePing(d)
	large := upload(0, "large.bin", "x")
	large.Size = message.AttachmentSizeLimit + 1
	if err := d.callback(id, token, hello, large); !errors.Is(err, attachments.ErrFileTooLarge) {
		t.Errorf("a file that is too large: %v", err)
	}
	wrongSize := upload(0, "wrong.bin", strings.Repeat("x", message.AttachmentSizeLimit+1))
	wrongSize.Size = 1
	if err := d.callback(id, token, hello, wrongSize); !errors.Is(err, attachments.ErrFileTooLarge) || len(d.files.texts()) != 0 {
		t.Errorf("a file larger than its declared size: %v, stored %d", err, len(d.files.texts()))
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
	if _, err := d.EditMessage(t.Context(), echo, token, dispatch.Original, d.response(edit, upload(0, "b.txt", "two"))); err != nil {
		t.Fatal(err)
	}
	if got := d.files.texts(); len(got) != 2 {
		t.Errorf("stored %q, want both", got)
	}
	if _, err := d.EditMessage(t.Context(), echo, token, dispatch.Original, d.response(`{"content":"bare","attachments":[]}`)); err != nil {
		t.Fatal(err)
	}
	if got := d.files.texts(); len(got) != 0 {
		t.Errorf("stored %q after they were removed", got)
	}
	d.files.full = true
	if _, err := d.FollowUp(t.Context(), echo, token, d.response(`{"content":"x"}`, upload(0, "c.txt", "three"))); err == nil {
		t.Error("a file that cannot be stored was accepted")
	}
	broken := attachments.Upload{Name: "d.txt", Open: func() (io.ReadCloser, error) { return nil, errors.New("gone") }}
	if _, err := d.FollowUp(t.Context(), echo, token, d.response(`{"content":"x"}`, broken)); err == nil {
		t.Error("a file that cannot be read was accepted")
	}
}

// TestEditsAtOnce edits different members of a message at the same time. No edit may be lost.
func TestEditsAtOnce(t *testing.T) {
	t.Parallel()
	d := open(t)
	token := answeredPing(d, hello)
	var group sync.WaitGroup
	for _, body := range []string{`{"content":"new"}`, `{"embeds":[{"title":"T"}]}`, `{"flags":4}`} {
		group.Go(func() {
			if _, err := d.EditMessage(t.Context(), echo, token, dispatch.Original, d.response(body)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	text, err := d.Message(t.Context(), echo, token, dispatch.Original)
	if err != nil {
		t.Fatal(err)
	}
	wantGolden(t, "edits-at-once", text)
}

// TestEphemeralMessagesDeleted checks that old ephemeral messages are deleted with their files.
func TestEphemeralMessagesDeleted(t *testing.T) {
	t.Parallel()
	d := open(t)
	id, token := invokePing(d)
	if err := d.callback(id, token, ephemeral, upload(0, "a.txt", "one")); err != nil {
		t.Fatal(err)
	}
	answeredPing(d, hello)
	d.clock.Advance(25 * time.Hour)
	if got := d.files.texts(); len(got) != 0 {
		t.Errorf("stored %q", got)
	}
	list, err := d.config.Messages.List(t.Context(), viewer(ada), general, messages.Page{})
	if err != nil || strings.Count(string(list), `"content":"hello"`) != 1 {
		t.Errorf("the other messages: %s, %v", list, err)
	}
}

// TestLinked checks that Linked is called for messages that all members of a channel see, and only for those.
func TestLinked(t *testing.T) {
	t.Parallel()
	var called []string
	d := open(t, func(c *dispatch.Config) {
		c.Messages.Linked = func(_ context.Context, _ *store.Change, name string, m *store.Message) error {
			called = append(called, fmt.Sprint(name, " ", m.Channel))
			return nil
		}
	})
	token := answeredPing(d, hello)
	id, _ := followUp(d, token, `{"content":"more"}`)
	if _, err := d.EditMessage(t.Context(), echo, token, id, d.response(`{"content":"less"}`)); err != nil {
		t.Fatal(err)
	}
	if err := d.DeleteMessage(t.Context(), echo, token, id); err != nil {
		t.Fatal(err)
	}
	ephemeralID, _ := followUp(d, token, `{"content":"for you","flags":64}`)
	if err := d.DeleteMessage(t.Context(), echo, token, ephemeralID); err != nil {
		t.Fatal(err)
	}
	want := []string{"MESSAGE_CREATE 310", "MESSAGE_CREATE 310", "MESSAGE_UPDATE 310", "MESSAGE_DELETE 310"}
	if !slices.Equal(called, want) {
		t.Errorf("called with %q, want %q", called, want)
	}
}
