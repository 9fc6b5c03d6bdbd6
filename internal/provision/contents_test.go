package provision_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/testkit/lab"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/google/go-cmp/cmp"
)

const talk = `
users: [{id: 200, username: ada}, {id: 201, username: bob}]
applications: [{id: 100, name: Echo, owner: 200}]
guilds:
  - id: 300
    name: Lab
    owner: 200
    members: [{user: 200}, {user: 201}]
    installs: [{application: 100, scopes: [bot]}]
    channels:
      - id: 310
        name: general
        webhooks: [{id: 320, name: CI, creator: 200}, {id: 321, creator: 100}]
        messages:
          - {id: 330, author: 200, content: "hello <@201>", pinned: true}
          - {id: 331, author: 100, embeds: [{title: Build}], reply_to: 330}
          - {id: 332, webhook: 320, content: done}
        threads:
          - {id: 340, name: plans, owner: 201, members: [200], messages: [{id: 341, author: 201, content: first}]}
          - {id: 350, type: 12, archived: true, locked: true}
      - {id: 311, name: posts, type: 15, threads: [{id: 360, messages: [{id: 360, author: 200, content: post}]}]}
`

// TestContents checks that the contents of channels are stored once, and that an export has them.
func TestContents(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, talk)
	err := d.Store.Read(t.Context(), func(r store.Reader) error {
		state, err := r.Messages.Channel(310)
		if state.Count != 3 || state.Sent != 3 || state.Last != 332 || state.Pins != 1 || state.Guild != 300 {
			t.Errorf("messages of the channel: %+v", state)
		}
		if err != nil {
			return err
		}
		reply, err := r.Messages.Message(331)
		if reply.Reference != 330 || reply.Application != 100 || reply.Author() != 100 {
			t.Errorf("the reply of a bot is %+v", reply)
		}
		hook, hookErr := r.Webhooks.Webhook(321)
		if hookErr != nil || hook.Application != 100 || hook.Name != "webhook-321" || len(hook.Salt) == 0 {
			t.Errorf("the webhook of a bot is %+v, %v", hook, hookErr)
		}
		thread, threadErr := r.Directory.Channel(340)
		if threadErr != nil || thread.Thread == nil || thread.Parent != 310 || thread.Thread.Due.IsZero() {
			t.Errorf("the thread is %+v, %v", thread, threadErr)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	before := d.export(t)
	d.Now.Time = lab.Start.Add(time.Hour)
	if again := d.ApplyText(t, talk); again.Changed != 0 {
		t.Errorf("the second time changed %d records", again.Changed)
	}
	text, err := before.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if again := d.ApplyText(t, string(text)); again.Changed != 0 {
		t.Errorf("applying the export changed %d records:\n%s", again.Changed, text)
	}
	copied := open(t)
	copied.ApplyText(t, string(text))
	if diff := cmp.Diff(before, copied.export(t)); diff != "" {
		t.Errorf("a copy differs (-want +got):\n%s", diff)
	}
	general := before.Guilds[0].Channels[0]
	if len(general.Messages) != 3 || len(general.Threads) != 2 || len(general.Webhooks) != 2 || !general.Messages[0].Pinned {
		t.Errorf("the export has %+v", general)
	}
}

// TestContentsChange checks that a changed file changes a message, and keeps the token of a webhook.
func TestContentsChange(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.ApplyText(t, talk)
	salt := func() (salt string) {
		err := d.Store.Read(t.Context(), func(r store.Reader) error {
			h, err := r.Webhooks.Webhook(320)
			salt = h.Name + string(h.Salt)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return salt
	}
	before := salt()
	changed := strings.NewReplacer("name: CI", "name: Build", "content: done", "content: failed", "name: plans", "name: ideas").Replace(talk)
	if applied := d.ApplyText(t, changed); applied.Changed != 3 {
		t.Errorf("changed %d records, want 3: a webhook, its message and a thread", applied.Changed)
	}
	if after := salt(); after != "Build"+strings.TrimPrefix(before, "CI") {
		t.Error("the webhook got another token")
	}
	general := d.export(t).Guilds[0].Channels[0]
	if general.Messages[2].Content != "failed" || general.Threads[0].Name != "ideas" {
		t.Errorf("the export has %+v", general)
	}
}

func TestContentsProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ old, broken, want string }{
		{"author: 100", "author: 999", "guilds.0.channels.0.messages.1.author"},
		{"webhook: 320", "webhook: 999", "guilds.0.channels.0.messages.2.webhook"},
		{"id: 331", "id: 330", "guilds.0.channels.0.messages.1.id"},
		{"id: 341", "id: 330", "guilds.0.channels.0.threads.0.messages.0.id"},
		{"content: done", "content: \"\"", "guilds.0.channels.0.messages.2.content"},
		{"webhook: 320", "content: no author", "guilds.0.channels.0.messages.2.author"},
		{"members: [200]", "members: [999]", "guilds.0.channels.0.threads.0.members.0"},
		{"type: 12", "type: 5", "guilds.0.channels.0.threads.1.type"},
		{"type: 15,", "type: 15, messages: [{id: 1, author: 200, content: x}],", "guilds.0.channels.1.messages"},
		{"type: 15,", "type: 2,", "guilds.0.channels.1.threads"},
	} {
		text := strings.Replace(talk, tt.old, tt.broken, 1)
		w, err := world.Parse("test.yaml", []byte(text))
		if err == nil {
			_, err = (&provision.Provisioner{Directory: open(t).Directory, Clock: &lab.Clock{Time: lab.Start}}).Apply(t.Context(), w)
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want a problem at %s", tt.broken, err, tt.want)
		}
	}
}
