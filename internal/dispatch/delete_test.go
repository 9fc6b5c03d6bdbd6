package dispatch_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/interaction"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

var _ directory.Dependent = (*messages.Messages)(nil)

// maxPiece is how many records a change may remove at the most.
const maxPiece = 256

// removals counts the changes that remove something, and checks how large they are.
func removals(d *desk) func() int {
	count := 0
	var mu sync.Mutex
	d.db.before(func(c *store.Change) {
		mu.Lock()
		defer mu.Unlock()
		if len(c.Delete) > maxPiece || len(c.Expect) > maxPiece {
			d.t.Errorf("a change removes %d records and writes to %d subjects", len(c.Delete), len(c.Expect))
		}
		if len(c.Delete) > 0 {
			count++
		}
	})
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return count
	}
}

// fillChannel stores messages in a channel, each with a file. of made them.
func fillChannel(d *desk, channel snowflake.Channel, of snowflake.Interaction, count int) {
	d.t.Helper()
	err := store.Decide(d.t.Context(), d.db, func(tx *store.Tx) error {
		for n := range count {
			id := snowflake.Message(channel)<<20 + snowflake.Message(n) + 1
			m := store.Message{
				ID: id, Channel: channel, Application: echo, Interaction: of, User: ada,
				Content: []byte(`{"content":"x"}`), Files: []snowflake.Attachment{snowflake.Attachment(id)},
			}
			if err := tx.Put(m); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// leftIn returns how many messages a channel has.
func leftIn(d *desk, channel snowflake.Channel) int {
	d.t.Helper()
	n := 0
	err := d.db.Read(d.t.Context(), func(r store.Reader) error {
		ids, err := r.Messages.InChannel(channel, 1<<20)
		n = len(ids)
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

// TestChannelDeleted deletes the messages of a channel in pieces. A failure in between leaves some, and the next call
// removes them.
func TestChannelDeleted(t *testing.T) {
	t.Parallel()
	const count = 600
	d := open(t)
	id, token := begun(d)
	if err := d.callback(id, token, hello); err != nil {
		t.Fatal(err)
	}
	fillChannel(d, general, id, count) // beside the answer
	fillChannel(d, thread, 0, 3)
	d.db.before(func(*store.Change) {
		d.db.before(nil)
		d.db.refuse(true) // from the second piece on
	})
	if err := d.Messages().ChannelDeleted(t.Context(), store.Channel{ID: general, Guild: guild}); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("ChannelDeleted() = %v", err)
	}
	if left := leftIn(d, general); left == 0 || left > count {
		t.Errorf("%d messages are left after a failure", left)
	}
	d.db.refuse(false)
	pieces := removals(d)
	if err := d.Messages().ChannelDeleted(t.Context(), store.Channel{ID: general, Guild: guild}); err != nil {
		t.Fatal(err)
	}
	if leftIn(d, general) != 0 || leftIn(d, thread) != 3 || pieces() < 2 {
		t.Errorf("%d messages are left, %d in another channel, removed in %d pieces", leftIn(d, general), leftIn(d, thread), pieces())
	}
	files := []snowflake.Attachment{snowflake.Attachment(general)<<20 + 1, snowflake.Attachment(thread)<<20 + 1}
	if used, err := d.Messages().FilesInUse(t.Context(), files); err != nil || len(used) != 1 || used[0] != files[1] {
		t.Errorf("FilesInUse() = %v, %v, want that of the other channel", used, err)
	}
	// The interaction of the messages goes on.
	if _, err := d.Message(t.Context(), echo, token, dispatch.Original); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("Message() = %v", err)
	}
	if _, err := d.FollowUp(t.Context(), echo, token, d.reply(`{"content":"more"}`)); err != nil {
		t.Errorf("FollowUp() = %v", err)
	}
}

// TestCleanInPieces removes many old interactions and ephemeral messages, a piece at a time.
func TestCleanInPieces(t *testing.T) {
	t.Parallel()
	const count = 2*maxPiece + 10
	d := open(t)
	c := d.register(echo, 0, ping)
	for range count {
		d.invoke(ada, uses(c, guild, general, ""))
		id, token := d.token()
		if err := d.callback(id, token, secretly); err != nil {
			t.Fatal(err)
		}
	}
	pieces := removals(d)
	d.clock.Advance(25 * time.Hour)
	if leftIn(d, general) != 0 || pieces() < 4 {
		t.Errorf("%d messages are left, removed in %d pieces", leftIn(d, general), pieces())
	}
	err := d.db.Read(t.Context(), func(r store.Reader) error {
		if ids, err := r.Interactions.Old(snowflake.Max, 1); err != nil || len(ids) != 0 {
			return fmt.Errorf("%v are left, %w", ids, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOldMessageEdits edits a message whose interaction is not kept any more, through several other interactions at the
// same time: no edit is lost.
func TestOldMessageEdits(t *testing.T) {
	t.Parallel()
	d := open(t)
	answered(d, buttons)
	d.clock.Advance(3 * time.Hour)
	var tokens []string
	for range 3 {
		id, token := press(d, ada)
		if err := d.callback(id, token, `{"type":6}`); err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, token)
	}
	for range 2 { // the first edits find no subject, the others the one that these left
		var group sync.WaitGroup
		for i, body := range []string{`{"content":"new"}`, `{"embeds":[{"title":"T"}]}`, `{"flags":4}`} {
			group.Go(func() {
				if _, err := d.EditMessage(t.Context(), echo, tokens[i], dispatch.Original, d.reply(body)); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	text, err := d.Message(t.Context(), echo, tokens[0], dispatch.Original)
	for _, part := range []string{`"content":"new"`, `"title":"T"`, `"flags":4`} {
		if err != nil || !strings.Contains(string(text), part) {
			t.Errorf("%s lacks %s, %v", text, part, err)
		}
	}
	if err := d.DeleteMessage(t.Context(), echo, tokens[0], dispatch.Original); err != nil {
		t.Error(err)
	}
	if _, err := d.EditMessage(t.Context(), echo, tokens[1], dispatch.Original, d.reply(`{"content":"late"}`)); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("an edit of a deleted message: %v", err)
	}
}
