// Package retention removes the oldest messages of channels that have too many.
package retention

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/bellhop/bellhop/internal/messages"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

// batch is the number of messages that one commit removes. A channel may have as many more than the bound.
const batch = 128

// Trimmer removes the oldest messages of channels that have too many. It is safe for concurrent use.
type Trimmer struct {
	store store.Store
	max   int
	log   *slog.Logger

	mu    sync.Mutex
	full  map[snowflake.Channel]bool // channels with too many messages
	found chan struct{}              // has a value when there may be such channels
}

// New returns a Trimmer that keeps up to limit messages of each channel, 0 for all. It must be called before the first commit.
func New(s store.Store, limit int, log *slog.Logger) *Trimmer {
	t := &Trimmer{store: s, max: limit, log: log, full: map[snowflake.Channel]bool{}, found: make(chan struct{}, 1)}
	if limit > 0 {
		s.Subscribe(t.committed)
	}
	return t
}

// committed notes the channels that a change gave too many messages.
func (t *Trimmer) committed(c *store.Change) {
	for _, r := range c.Put {
		if known, ok := r.(store.ChannelMessages); ok && known.Count >= t.max+batch {
			t.mu.Lock()
			t.full[known.Channel] = true
			t.mu.Unlock()
			select {
			case t.found <- struct{}{}:
			default: // the next pass finds it
			}
		}
	}
}

// Run removes old messages until ctx ends. It is called once. A channel that a failure or a restart left with too many messages is
// trimmed after its next message.
func (t *Trimmer) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.found:
		}
		t.mu.Lock()
		full := t.full
		t.full = map[snowflake.Channel]bool{}
		t.mu.Unlock()
		for id := range full {
			err := store.Exclusively(ctx, t.store, store.MessageCleanWork, uint64(id), func(ctx context.Context) error {
				return t.trim(ctx, id)
			})
			if err != nil && ctx.Err() == nil {
				t.log.ErrorContext(ctx, "old messages not removed", "channel", id, "err", err)
			}
		}
	}
}

// trim removes the oldest messages of a channel, without events. Each commit removes a few.
func (t *Trimmer) trim(ctx context.Context, id snowflake.Channel) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := store.Decide(ctx, t.store, func(tx *store.Tx) (err error) {
			more, err = t.trimOnce(tx, id)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// trimOnce removes up to batch messages. It reports whether there are more to remove.
func (t *Trimmer) trimOnce(tx *store.Tx, id snowflake.Channel) (more bool, err error) {
	known, err := tx.Messages.Channel(id)
	if errors.Is(err, store.ErrNotFound) { // the channel was deleted
		return false, nil
	}
	over := known.Count - t.max
	if err != nil || over <= 0 {
		return false, err
	}
	oldest, err := tx.Messages.After(id, 0, min(over, batch))
	if err != nil || len(oldest) == 0 {
		return false, err
	}
	for i := range oldest {
		if err := messages.Remove(tx, oldest[i].ID); err != nil {
			return false, err
		}
		if !oldest[i].Pinned.IsZero() {
			known.Pins = max(known.Pins-1, 0)
		}
	}
	known.Count -= len(oldest)
	return known.Count > t.max, tx.Put(known)
}
