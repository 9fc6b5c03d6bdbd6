package message_test

import (
	"errors"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bellhop/bellhop/internal/rules/jsonbody"
	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/snowflake"
)

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"content":"\u2028<@42>","embeds":[{"title":"t","color":1e2,"fields":[{"name":"a","value":"b"}],"image":{"url":"attachment://Cat.PNG"}}],"flags":64}`,
		`{"flags":32768,"components":[{"type":17,"id":"3","components":[{"type":10,"content":"a"},{"type":13,"file":{"url":"attachment://Cat.PNG"}}]}]}`,
		`{"components":[{"type":1,"components":[{"type":3,"custom_id":"pick","options":[{"label":"a","value":"a"}]}]}],"attachments":[{"id":0}]}`,
		`{"poll":{"question":{"text":"q"},"answers":[{"poll_media":{"text":"a","emoji":{"id":5}}}],"duration":"3"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := jsonbody.Parse(in)
		if err != nil {
			return
		}
		c, err := message.Read(v, uploads)
		if err == nil {
			checkContent(t, c)
		} else if !errors.Is(err, message.ErrEmpty) {
			findings(t, err) // fails if err is not a *jsonbody.Tree
		}
	})
}

// checkContent checks the limits of an accepted message, its stored form, and that JavaScript writes its JSON the same
// way.
func checkContent(t *testing.T, c message.Content) {
	t.Helper()
	if utf8.RuneCountInString(c.Text) > message.MaxContent || len(c.Embeds.Items()) > message.MaxEmbeds || len(c.Attachments) > message.MaxAttachments {
		t.Errorf("content beyond its limits: %s", c.Doc())
	}
	if c.Flags.Has(message.IsComponentsV2) && (c.Text != "" || len(c.Embeds.Items()) > 0) {
		t.Errorf("V2 with text or embeds: %s", c.Doc())
	}
	wantJS(t, c.Doc())
	again, err := message.ParseContent(c.Doc())
	if err != nil || string(again.Doc()) != string(c.Doc()) {
		t.Errorf("document came back as %s, %v, was %s", again.Doc(), err, c.Doc())
	}
	post := message.Post{ID: 1, Author: helper, Content: c, Created: time.Unix(0, 0), Mentions: []wire.User{rhea}}
	for _, id := range c.Mentioned().Users {
		post.Mentions = append(post.Mentions, wire.User{ID: id})
	}
	wantJS(t, post.AppendJSON(nil))
}

func FuzzEdit(f *testing.F) {
	f.Add([]byte(`{"content":null,"embeds":[],"attachments":[{"id":"900"},{"id":"0"}],"flags":32768,"components":[{"type":10,"content":"a"}]}`), []byte(`{"content":"a"}`))
	f.Add([]byte(`{"content":"a"}`), []byte(`{"components":null,"content":"","flags":4}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		c := message.Content{Text: "old", Attachments: []wire.Attachment{uploads[0].Attachment}}
		for _, in := range [][]byte{first, second} {
			v, err := jsonbody.Parse(in)
			if err != nil {
				return
			}
			next, err := message.ReadEdit(v, c, []message.File{{Attachment: wire.Attachment{ID: snowflake.Attachment(len(in)), Filename: "x"}}})
			if err != nil {
				if !errors.Is(err, message.ErrEmpty) {
					findings(t, err)
				}
				continue
			}
			if c.Flags.Has(message.IsComponentsV2) && !next.Flags.Has(message.IsComponentsV2) {
				t.Error("V2 was unset")
			}
			c = next
			checkContent(t, c)
		}
	})
}
