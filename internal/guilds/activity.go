package guilds

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// activityPause is the time between two writes of active users.
	activityPause = 5 * time.Second
	// activityBatch bounds the users in one commit.
	activityBatch = 256
	// maxActive bounds the users that are known to be active today. When there are more, some are written again.
	maxActive = 100_000
	// activityEnd bounds the last write when the service stops.
	activityEnd = 5 * time.Second
)

// Activity records the last day on which each user was active: had a session, or sent a request. It writes a user at most once a
// day on each node, and not in the request. It is safe for concurrent use. All exported fields are required.
type Activity struct {
	Store store.Store
	Clock clock.Clock // of the service
	Wall  clock.Clock
	Log   *slog.Logger

	mu      sync.Mutex
	day     store.Day
	today   map[snowflake.User]struct{} // active on that day
	pending []snowflake.User            // those that are not written yet
}

// Note records that a user is active now.
func (a *Activity) Note(user snowflake.User) {
	day := store.DayOf(a.Clock.Now())
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.day != day || len(a.today) >= maxActive {
		a.day, a.today = day, map[snowflake.User]struct{}{}
	}
	if _, known := a.today[user]; !known {
		a.today[user] = struct{}{}
		a.pending = append(a.pending, user)
	}
}

// Run writes active users until ctx ends.
func (a *Activity) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		clock.Wait(ctx, a.Wall, activityPause)
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), activityEnd)
		if err := a.Flush(end); err != nil {
			a.Log.ErrorContext(ctx, "active users not written", "err", err)
		}
		cancel()
	}
	return nil
}

// Flush writes the users that were active since the last write. After an error it writes the rest the next time.
func (a *Activity) Flush(ctx context.Context) error {
	a.mu.Lock()
	day, pending := a.day, a.pending
	a.pending = nil
	a.mu.Unlock()
	for len(pending) > 0 {
		batch := pending[:min(len(pending), activityBatch)]
		if err := a.write(ctx, day, batch); err != nil {
			a.mu.Lock()
			a.pending = slices.Concat(pending, a.pending)
			a.mu.Unlock()
			return err
		}
		pending = pending[len(batch):]
	}
	return nil
}

// write stores the day of users. A user who was deleted meanwhile gets no record.
func (a *Activity) write(ctx context.Context, day store.Day, users []snowflake.User) error {
	return store.Decide(ctx, a.Store, func(tx *store.Tx) error {
		for _, user := range users {
			last, err := tx.Directory.LastDay(user)
			if err == nil && last.Day >= day {
				continue
			}
			if _, err := tx.Directory.User(user); err != nil {
				continue
			}
			if err := tx.Put(store.LastDay{User: user, Day: day}); err != nil {
				return err
			}
		}
		return nil
	})
}
