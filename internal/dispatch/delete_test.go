package dispatch_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/dispatch"
	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/rules/interaction"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

var _ directory.Dependent = (*messages.Messages)(nil)

// maxBatch is the highest number of records that a change deletes.
const maxBatch = 256

// countDeletes counts the changes that delete records, and checks their size.
func countDeletes(d *fixture) func() int {
	count := 0
	var mu sync.Mutex
	d.db.before(func(c *store.Change) {
		mu.Lock()
		defer mu.Unlock()
		if len(c.Delete) > maxBatch || len(c.Expect) > maxBatch {
			d.t.Errorf("a change deletes %d records and writes to %d subjects", len(c.Delete), len(c.Expect))
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

// fillChannel stores messages of an interaction in a channel, each with a file.
func fillChannel(d *fixture, channel snowflake.Channel, interaction snowflake.Interaction, count int) {
	d.t.Helper()
	err := store.Decide(d.t.Context(), d.db, func(tx *store.Tx) error {
		for n := range count {
			id := snowflake.Message(channel)<<20 + snowflake.Message(n) + 1
			m := store.Message{
				ID: id, Channel: channel, Application: echo, Interaction: interaction, User: ada,
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

// messageCount returns how many messages a channel has.
func messageCount(d *fixture, channel snowflake.Channel) int {
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

// TestChannelDeleted deletes the messages of a channel in batches. After a failure, the next call deletes the rest.
func TestChannelDeleted(t *testing.T) {
	t.Parallel()
	const count = 600
	d := open(t)
	id, token := invokePing(d)
	if err := d.callback(id, token, hello); err != nil {
		t.Fatal(err)
	}
	fillChannel(d, general, id, count) // in addition to the answer
	fillChannel(d, thread, 0, 3)
	d.db.before(func(*store.Change) {
		d.db.before(nil)
		d.db.refuse(true) // from the second batch on
	})
	if err := d.config.Messages.ChannelDeleted(t.Context(), store.Channel{ID: general, Guild: guild}); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("ChannelDeleted() = %v", err)
	}
	if left := messageCount(d, general); left == 0 || left > count {
		t.Errorf("%d messages are left after a failure", left)
	}
	d.db.refuse(false)
	batches := countDeletes(d)
	if err := d.config.Messages.ChannelDeleted(t.Context(), store.Channel{ID: general, Guild: guild}); err != nil {
		t.Fatal(err)
	}
	if messageCount(d, general) != 0 || messageCount(d, thread) != 3 || batches() < 2 {
		t.Errorf("%d messages are left, %d in another channel, deleted in %d batches", messageCount(d, general), messageCount(d, thread), batches())
	}
	files := []snowflake.Attachment{snowflake.Attachment(general)<<20 + 1, snowflake.Attachment(thread)<<20 + 1}
	if used, err := d.config.Messages.FilesInUse(t.Context(), files); err != nil || len(used) != 1 || used[0] != files[1] {
		t.Errorf("FilesInUse() = %v, %v, want the file in the other channel", used, err)
	}
	// The interaction of the messages still exists.
	if _, err := d.Message(t.Context(), echo, token, dispatch.Original); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("Message() = %v", err)
	}
	if _, err := d.FollowUp(t.Context(), echo, token, d.response(`{"content":"more"}`)); err != nil {
		t.Errorf("FollowUp() = %v", err)
	}
}

// TestCleanUpInBatches checks that old interactions and ephemeral messages are deleted in batches.
func TestCleanUpInBatches(t *testing.T) {
	t.Parallel()
	const count = 2*maxBatch + 10
	d := open(t)
	c := d.register(echo, 0, ping)
	for range count {
		d.invoke(ada, invokeBody(c, guild, general, ""))
		id, token := d.newestToken()
		if err := d.callback(id, token, ephemeral); err != nil {
			t.Fatal(err)
		}
	}
	batches := countDeletes(d)
	d.clock.Advance(25 * time.Hour)
	if messageCount(d, general) != 0 || batches() < 4 {
		t.Errorf("%d messages are left, deleted in %d batches", messageCount(d, general), batches())
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

// TestCleanUpOfNothing checks that moving the clock by a month does not look for old records more often than once an hour.
func TestCleanUpOfNothing(t *testing.T) {
	t.Parallel()
	d := open(t)
	var reads atomic.Int64
	d.db.mu.Lock()
	d.db.read = func() { reads.Add(1) }
	d.db.mu.Unlock()
	d.clock.Advance(30 * 24 * time.Hour)
	// One for each kind of record, one for the oldest interaction, one for those that are due. The first clean-up is that of the start.
	const perCleanUp, cleanUps = 7, 30*24 + 1
	if n := reads.Load(); n > perCleanUp*cleanUps {
		t.Errorf("the store was read %d times in a month, want at most %d reads an hour", n, perCleanUp)
	}
}

// TestOldMessageEdits edits a message whose interaction was deleted, through several other interactions at the same
// time. No edit may be lost.
func TestOldMessageEdits(t *testing.T) {
	t.Parallel()
	t.Run("public", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		answeredPing(d, buttons)
		testOldMessageEdits(d, `"flags":4,`)
		checkRevision(d, store.MessagesSubject(general), true)
	})
	t.Run("ephemeral", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		answeredPing(d, strings.Replace(buttons, `"content"`, `"flags":64,"content"`, 1))
		first, _ := d.newestToken()
		testOldMessageEdits(d, `"flags":68,`)
		// The edits and the deletion have written to the subject of the deleted interaction. A clean-up ends it.
		checkRevision(d, store.InteractionSubject(first), true)
		d.clock.Advance(2 * time.Hour)
		checkRevision(d, store.InteractionSubject(first), false)
	})
}

// checkRevision checks whether a subject has a revision.
func checkRevision(d *fixture, subject store.Subject, want bool) {
	d.t.Helper()
	if revisions, err := d.db.Revisions(d.t.Context(), subject); err != nil || revisions[0] != 0 != want {
		d.t.Errorf("the revision of %v is %v, %v; want one: %v", subject, revisions, err, want)
	}
}

func testOldMessageEdits(d *fixture, flags string) {
	t := d.t
	t.Helper()
	d.clock.Advance(3 * time.Hour)
	var tokens []string
	for range 3 {
		id, token := pressButton(d, ada)
		if err := d.callback(id, token, `{"type":6}`); err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, token)
	}
	for range 2 { // in the first round the subject does not exist, in the second it does
		var group sync.WaitGroup
		for i, body := range []string{`{"content":"new"}`, `{"embeds":[{"title":"T"}]}`, `{"flags":4}`} {
			group.Go(func() {
				if _, err := d.EditMessage(t.Context(), echo, tokens[i], dispatch.Original, d.response(body)); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	text, err := d.Message(t.Context(), echo, tokens[0], dispatch.Original)
	for _, part := range []string{`"content":"new"`, `"title":"T"`, flags} {
		if err != nil || !strings.Contains(string(text), part) {
			t.Errorf("%s lacks %s, %v", text, part, err)
		}
	}
	if err := d.DeleteMessage(t.Context(), echo, tokens[0], dispatch.Original); err != nil {
		t.Error(err)
	}
	if _, err := d.EditMessage(t.Context(), echo, tokens[1], dispatch.Original, d.response(`{"content":"late"}`)); !errors.Is(err, interaction.ErrUnknownMessage) {
		t.Errorf("an edit of a deleted message: %v", err)
	}
}
