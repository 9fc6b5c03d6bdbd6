package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

// putUser returns a change that stores a user who is at a revision.
func putUser(id snowflake.User, revision uint64, name string) store.Change {
	return store.Change{
		Expect: []store.Expectation{{Subject: store.UserSubject(id), Revision: revision}},
		Put:    []store.Record{store.User{ID: id, Username: name}},
	}
}

// large returns a change that needs many pages.
func large(id snowflake.User) store.Change { return putUser(id, 0, strings.Repeat("x", 256<<10)) }

func has(t *testing.T, db *sqlite.DB, id snowflake.User) bool {
	t.Helper()
	err := db.Read(t.Context(), func(r store.Reader) error {
		_, err := r.Directory.User(id)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

// holdWriter commits user 999 and blocks the writer in a subscriber until release is called. Changes that are committed
// meanwhile wait in the queue and become one batch.
func holdWriter(t *testing.T, db *sqlite.DB) (release func()) {
	t.Helper()
	held, released, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	db.Subscribe(func(c *store.Change) {
		if c.Expects(store.UserSubject(999)) != nil {
			close(held)
			<-released
		}
	})
	go func() { done <- db.Commit(t.Context(), putUser(999, 0, "")) }()
	<-held
	return func() {
		close(released)
		if err := <-done; err != nil {
			t.Errorf("Commit() = %v", err)
		}
	}
}

// queue commits a change in a goroutine and returns when it is in the queue.
func queue(t *testing.T, db *sqlite.DB, ctx context.Context, c store.Change) (answer chan error) {
	t.Helper()
	n := db.Queued()
	answer = make(chan error, 1)
	go func() { answer <- db.Commit(ctx, c) }()
	for db.Queued() == n {
		runtime.Gosched()
	}
	return answer
}

func TestBatch(t *testing.T) {
	t.Parallel()
	db := openVolatile(t)
	var order []string
	db.Subscribe(func(c *store.Change) {
		for _, r := range c.Put {
			if u, ok := r.(store.User); ok {
				order = append(order, u.Username)
			}
		}
	})
	taken := store.Device{Hash: store.TokenHash{1}, UserCode: store.TokenHash{7}}
	if err := db.Commit(t.Context(), store.Change{Put: []store.Record{taken}}); err != nil {
		t.Fatal(err)
	}
	conflict := func(id snowflake.User) store.Change {
		c := putUser(id, 0, "conflict")
		c.Put = append(c.Put, store.Device{Hash: store.TokenHash{byte(id)}, UserCode: taken.UserCode})
		return c
	}
	checked := putUser(6, 0, "checked")
	checked.Check = []store.Expectation{{Subject: store.UserSubject(2)}}
	release := holdWriter(t, db)
	var want []string
	var answers []chan error
	changes := []struct {
		name   string
		change store.Change
		want   error
	}{
		{"first", putUser(1, 0, "first"), nil},
		{"stale because of the first", putUser(1, 0, "stale"), store.ErrStale},
		{"conflict", conflict(2), store.ErrConflict},
		{"succeeds because the conflict stored nothing", putUser(2, 0, "second"), nil},
		{"stale because of a check", checked, store.ErrStale},
		{"conflict again", conflict(3), store.ErrConflict},
		{"third", putUser(3, 0, "third"), nil},
		{"stale from the beginning", putUser(4, 12345, "stale"), store.ErrStale},
		{"last", putUser(5, 0, "last"), nil},
	}
	for _, c := range changes {
		answers = append(answers, queue(t, db, t.Context(), c.change))
	}
	release()
	for i, c := range changes {
		if err := <-answers[i]; !errors.Is(err, c.want) {
			t.Errorf("%s: Commit() = %v, want %v", c.name, err, c.want)
		}
		if c.want == nil {
			want = append(want, c.change.Put[0].(store.User).Username)
		}
	}
	if got := strings.Join(order[1:], ","); got != strings.Join(want, ",") {
		t.Errorf("subscribers got %s, want %s", got, want)
	}
	for id := snowflake.User(1); id <= 6; id++ {
		if got, want := has(t, db, id), id != 4 && id != 6; got != want {
			t.Errorf("user %v is stored: %v, want %v", id, got, want)
		}
	}
}

func TestCommitContext(t *testing.T) {
	t.Parallel()

	t.Run("a change in the queue is withdrawn", func(t *testing.T) {
		t.Parallel()
		db := openVolatile(t)
		release := holdWriter(t, db)
		ctx, cancel := context.WithCancel(t.Context())
		withdrawn := queue(t, db, ctx, putUser(1, 0, ""))
		kept := queue(t, db, t.Context(), putUser(2, 0, ""))
		cancel()
		if err := <-withdrawn; !errors.Is(err, context.Canceled) || !errors.Is(err, store.ErrUnavailable) { // while the writer is held
			t.Errorf("Commit() = %v, want %v and %v", err, context.Canceled, store.ErrUnavailable)
		}
		release()
		if err := <-kept; err != nil || has(t, db, 1) || !has(t, db, 2) {
			t.Errorf("Commit() = %v, want the second change stored alone", err)
		}
	})

	t.Run("a change behind a whole batch is withdrawn", func(t *testing.T) {
		t.Parallel()
		db := openVolatile(t)
		release := holdWriter(t, db)
		var answers []chan error
		for i := range sqlite.MaxBatch {
			answers = append(answers, queue(t, db, t.Context(), putUser(snowflake.User(1000+i), 0, "")))
		}
		ctx, cancel := context.WithCancel(t.Context())
		withdrawn := queue(t, db, ctx, putUser(1, 0, ""))
		cancel()
		if err := <-withdrawn; !errors.Is(err, context.Canceled) {
			t.Errorf("Commit() = %v, want %v", err, context.Canceled)
		}
		release()
		for _, a := range answers {
			if err := <-a; err != nil {
				t.Errorf("Commit() = %v", err)
			}
		}
		if has(t, db, 1) {
			t.Error("a change was stored after it had been withdrawn")
		}
	})

	t.Run("a change that the writer has taken is finished", func(t *testing.T) {
		t.Parallel()
		db := openVolatile(t)
		ctx, cancel := context.WithCancel(t.Context())
		db.Subscribe(func(*store.Change) { cancel() })
		if err := db.Commit(ctx, putUser(1, 0, "")); err != nil || !has(t, db, 1) {
			t.Errorf("Commit() = %v, want it stored", err)
		}
	})

	t.Run("a read that waits for a connection ends with its context", func(t *testing.T) {
		t.Parallel()
		db := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		begun, release := make(chan struct{}), make(chan struct{})
		var served, givenUp atomic.Int32
		var wg sync.WaitGroup
		for range sqlite.Readers + 10 {
			wg.Go(func() {
				err := db.Read(ctx, func(store.Reader) error {
					begun <- struct{}{}
					<-release
					return nil
				})
				switch {
				case err == nil:
					served.Add(1)
				case errors.Is(err, context.Canceled):
					givenUp.Add(1)
				default:
					t.Errorf("Read() = %v", err)
				}
			})
		}
		for range sqlite.Readers {
			<-begun
		}
		cancel()
		for givenUp.Load() < 10 {
			runtime.Gosched()
		}
		close(release)
		wg.Wait()
		if served.Load() != sqlite.Readers {
			t.Errorf("%d reads were served, want %d", served.Load(), sqlite.Readers)
		}
	})
}

// TestFullDatabase limits the number of pages, so that statements fail in the middle of a transaction.
func TestFullDatabase(t *testing.T) {
	t.Parallel()
	db := openVolatile(t)
	pages, err := db.Number("PRAGMA page_count")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Exec(fmt.Sprint("PRAGMA max_page_count = ", pages+4)); err != nil {
		t.Fatal(err)
	}
	var stored [40]bool
	var wg sync.WaitGroup
	for i := range stored {
		wg.Go(func() {
			c := putUser(snowflake.User(i+1), 0, "small")
			if i%2 == 0 {
				c = large(snowflake.User(i + 1))
			}
			err := db.Commit(t.Context(), c)
			if stored[i] = err == nil; stored[i] != (i%2 == 1) || err != nil && !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("change %d: Commit() = %v", i, err)
			}
		})
	}
	wg.Wait()
	for i, want := range stored {
		if got := has(t, db, snowflake.User(i+1)); got != want {
			t.Errorf("user %d is stored: %v, acknowledged: %v", i+1, got, want)
		}
	}
	if err := db.Exec("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if err := db.Commit(t.Context(), large(100)); err != nil || !has(t, db, 100) {
		t.Errorf("Commit() = %v once there is room, want it stored", err)
	}
}

// maxLog is the limit of the write-ahead log in tests that fill it.
const maxLog = 4 << 20

// TestLogStaysSmall writes more than the write-ahead log may hold, while at least one read is always in progress.
func TestLogStaysSmall(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	db := openVolatileAt(t, path)
	if err := db.LimitLog(maxLog); err != nil {
		t.Fatal(err)
	}
	const size = 256 << 10
	var largest int64
	var revision uint64
	db.Subscribe(func(c *store.Change) { revision = max(revision, c.Revision) }) // Exec has none
	var wg sync.WaitGroup
	for i := range 4 * maxLog / size {
		begun, written := make(chan struct{}), make(chan struct{})
		wg.Go(func() {
			err := db.Read(t.Context(), func(r store.Reader) error {
				_, err := r.Directory.Users(0, 1)
				close(begun)
				<-written
				return err
			})
			if err != nil {
				t.Errorf("Read() = %v", err)
			}
		})
		<-begun
		name := strings.Repeat(string(rune('a'+i%26)), size) // SQLite writes no page that stays the same
		err := db.Commit(t.Context(), putUser(1, revision, name))
		close(written)
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Exec("SELECT 1"); err != nil { // the writer runs it after its work on the log
			t.Fatal(err)
		}
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, info.Size())
	}
	wg.Wait()
	if limit := int64(maxLog + 2*size); largest > limit {
		t.Errorf("the log grew to %d bytes, want at most %d", largest, limit)
	}
}

// TestSlowReadDoesNotStopWrites keeps one read open while more is written than the write-ahead log may hold.
func TestSlowReadDoesNotStopWrites(t *testing.T) {
	t.Parallel()
	db := openVolatile(t)
	if err := db.LimitLog(maxLog); err != nil {
		t.Fatal(err)
	}
	var revision uint64
	db.Subscribe(func(c *store.Change) { revision = max(revision, c.Revision) })
	err := db.Read(t.Context(), func(r store.Reader) error {
		before, err := r.Directory.Users(0, 1)
		const size = 256 << 10
		for i := range 2 * maxLog / size {
			name := strings.Repeat(string(rune('a'+i%26)), size)
			if err := db.Commit(t.Context(), putUser(1, revision, name)); err != nil {
				return err
			}
			if !has(t, db, 1) { // other reads are served
				return errors.New("an acknowledged change is not stored")
			}
		}
		after, again := r.Directory.Users(0, 1)
		if len(before) != 0 || len(after) != 0 {
			t.Errorf("the read sees %d and then %d users, want the state that it began with", len(before), len(after))
		}
		return errors.Join(err, again)
	})
	if err != nil {
		t.Errorf("Read() = %v", err)
	}
}
