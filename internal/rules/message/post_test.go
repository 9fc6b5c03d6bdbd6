package message_test

import (
	"flag"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/rules/message"
	"github.com/bellhop/bellhop/internal/rules/wire"
	"github.com/bellhop/bellhop/internal/testkit/rules"
	"github.com/bellhop/bellhop/snowflake"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var (
	rhea   = wire.User{ID: 700000000000000001, Username: "rhea", GlobalName: "Rhea"}
	helper = wire.User{ID: 1200000000000000001, Username: "Helper", Bot: true}
)

// game is a cause other than an interaction.
type game string

func (g game) PrintCause(p *wire.Printer) { p.Text(`,"game":`, string(g)) }

// TestPostGolden tests messages without an interaction. Package interaction tests messages with one.
func TestPostGolden(t *testing.T) {
	t.Parallel()
	const whole = `{"content":"Hi <@42>","tts":true,"embeds":[{"title":"e","color":"255","fields":[{"name":"n","value":"v"}],"image":{"url":"attachment://Cat.PNG"},"footer":{"text":"f","icon_url":"attachment://gone.png"}}],
		"components":[{"type":1,"components":[{"type":2,"style":1,"label":"<b>","custom_id":"b"}]}],"attachments":[{"id":0,"description":"A cat"}],
		"poll":{"question":{"text":"q"},"answers":[{"poll_media":{"text":"a","emoji":{"name":"🐈"}}}],"duration":48}}`
	const filled = `{"flags":32768,"components":[
		{"type":17,"components":[{"type":14},{"type":12,"items":[{"media":{"url":"attachment://Cat.PNG"}},{"media":{"url":"https://example.com/b.png"},"description":"b","spoiler":true}]}]},
		{"type":9,"components":[{"type":10,"content":"c"}],"accessory":{"type":11,"media":{"url":"https://example.com/d.png"}}},
		{"type":13,"file":{"url":"attachment://notes.txt"}},
		{"type":1,"components":[{"type":5,"custom_id":"u"}]},
		{"type":1,"components":[{"type":3,"custom_id":"s","max_values":2,"options":[{"label":"a","value":"a"},{"label":"b","value":"b"}]}]}]}`
	c, media := read(t, whole, uploads[:1]), read(t, filled, uploads[:2])
	created := time.Date(2026, 1, 2, 3, 4, 5, 678000000, time.UTC)
	said := message.Post{ID: 959, Channel: 10, Application: 1200000000000000001, Author: rhea, Content: message.Content{Text: "Hello", Flags: message.FromSocialLayer}, Created: created}
	for _, tt := range []struct {
		name string
		give message.Post
	}{
		{"post_lobby", said},
		{"post_everything", message.Post{
			ID: 960, Type: message.Reply, Channel: 10, Application: 1200000000000000001, Author: helper, Content: c, Created: created, Edited: created.Add(time.Minute),
			Mentions: []wire.User{{ID: 42, Username: "theo"}}, Roles: []snowflake.Role{301}, Everyone: true, Reference: message.Reference{Message: 959}, Webhook: 1200000000000000001, Referenced: said.AppendJSON(nil), Cause: game("chess"),
			Guild: 300, Member: &wire.Member{User: helper, Nick: "H", JoinedAt: wire.Time(created), Permissions: 8}, Nonce: message.TextNonce("n1"),
		}},
		{"post_media", message.Post{ID: 960, Channel: 10, Application: 1200000000000000001, Webhook: 1200000000000000001, Author: helper, Content: media, Created: created, Thread: created.Add(-time.Hour)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rules.Golden(t, tt.name, tt.give.AppendJSON(nil), *update)
		})
	}
}

// read reads a message that is valid.
func read(t *testing.T, body string, files []message.File) message.Content {
	t.Helper()
	c, err := message.Read(parse(t, body), files)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
