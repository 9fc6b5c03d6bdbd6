package sqlite_test

import (
	"context"
	"errors"
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

// block keeps the writer busy with a unit of work until release is called, which returns how the unit ended.
func block(t *testing.T, db *sqlite.Probe, fn func(store.Tx) error) (release func() error) {
	t.Helper()
	begun, blocked, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	once := sync.OnceFunc(func() { close(begun) })
	go func() {
		ended <- db.Update(t.Context(), func(tx store.Tx) error {
			once()
			<-blocked
			return fn(tx)
		})
	}()
	<-begun
	return func() error {
		close(blocked)
		return <-ended
	}
}

// waitInLine returns once n units of work wait.
func waitInLine(db *sqlite.Probe, n int) {
	for db.Waiting() < n {
		runtime.Gosched()
	}
}

func putUser(id snowflake.User) func(store.Tx) error {
	return func(tx store.Tx) error { return tx.PutUser(store.User{ID: id}) }
}

func has(t *testing.T, db *sqlite.Probe, id snowflake.User) bool {
	t.Helper()
	err := db.View(t.Context(), func(r store.Reader) error {
		_, err := r.User(id)
		return err
	})
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func TestUpdateContext(t *testing.T) {
	t.Parallel()

	t.Run("a unit in line is given up", func(t *testing.T) {
		t.Parallel()
		db := open(t)
		release := block(t, db, putUser(1))
		ctx, cancel := context.WithCancel(t.Context())
		answer := make(chan error, 1)
		go func() { answer <- db.Update(ctx, putUser(2)) }()
		waitInLine(db, 1)
		cancel()
		if err := <-answer; !errors.Is(err, context.Canceled) { // while the writer is still busy
			t.Errorf("Update() = %v, want %v", err, context.Canceled)
		}
		if err := release(); err != nil {
			t.Errorf("Update() = %v", err)
		}
		if err := db.Update(t.Context(), putUser(3)); err != nil { // behind the one that was given up
			t.Errorf("Update() = %v", err)
		}
		if !has(t, db, 1) || has(t, db, 2) || !has(t, db, 3) {
			t.Error("want what was written by the first and the last unit alone")
		}
	})

	t.Run("a unit in line behind a whole batch is given up", func(t *testing.T) {
		t.Parallel()
		db := open(t)
		release := block(t, db, putUser(1))
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for i := range sqlite.MaxBatch - 1 {
			wg.Go(func() {
				if err := db.Update(t.Context(), func(store.Tx) error { return nil }); err != nil {
					t.Errorf("Update() = %v", err)
				}
			})
			waitInLine(db, i+1)
		}
		answer := make(chan error, 1)
		go func() { answer <- db.Update(ctx, putUser(2)) }()
		waitInLine(db, sqlite.MaxBatch)
		cancel()
		if err := <-answer; !errors.Is(err, context.Canceled) {
			t.Errorf("Update() = %v, want %v", err, context.Canceled)
		}
		if err := release(); err != nil {
			t.Errorf("Update() = %v", err)
		}
		wg.Wait()
		if err := db.Update(t.Context(), putUser(3)); err != nil || has(t, db, 2) || !has(t, db, 3) {
			t.Errorf("Update() = %v, want what was written by the last unit alone", err)
		}
	})

	t.Run("a unit that has begun is finished", func(t *testing.T) {
		t.Parallel()
		db := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Update(ctx, func(tx store.Tx) error {
			cancel()
			return tx.PutUser(store.User{ID: 1})
		})
		if err != nil || !has(t, db, 1) {
			t.Errorf("Update() = %v, want it kept", err)
		}
	})

	t.Run("a view that waits for a reader is given up", func(t *testing.T) {
		t.Parallel()
		db := open(t)
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		begun, release := make(chan struct{}), make(chan struct{})
		var served, givenUp atomic.Int32
		for range 20 {
			wg.Go(func() {
				err := db.View(ctx, func(store.Reader) error {
					begun <- struct{}{}
					<-release
					return nil
				})
				if err == nil {
					served.Add(1)
				}
				if errors.Is(err, context.Canceled) {
					givenUp.Add(1)
				}
			})
		}
		for range 4 { // as many as there are readers
			<-begun
		}
		cancel()
		for givenUp.Load() < 16 {
			runtime.Gosched()
		}
		close(release)
		wg.Wait()
		if served.Load() != 4 || givenUp.Load() != 16 {
			t.Errorf("%d views were served and %d given up, want 4 and 16", served.Load(), givenUp.Load())
		}
	})
}

func TestUpdateInOneTransaction(t *testing.T) {
	t.Parallel()
	db := open(t)
	runs := make([]atomic.Int32, 40)
	release := block(t, db, putUser(1000))
	var wg sync.WaitGroup
	errs := make([]error, len(runs))
	for i := range runs {
		wg.Go(func() {
			errs[i] = db.Update(t.Context(), func(tx store.Tx) error {
				runs[i].Add(1)
				if err := tx.PutUser(store.User{ID: snowflake.User(i + 1)}); err != nil {
					return err
				}
				if i == 20 {
					return errors.ErrUnsupported
				}
				return nil
			})
		})
		waitInLine(db, i+1)
	}
	if err := release(); err != nil {
		t.Errorf("Update() = %v", err)
	}
	wg.Wait()
	for i, err := range errs {
		if (err == nil) != (i != 20) || has(t, db, snowflake.User(i+1)) != (i != 20) {
			t.Errorf("unit %d: Update() = %v", i, err)
		}
		want := int32(1)
		if i <= 20 {
			want = 2 // it shared its transaction with a unit that had to be undone
		}
		if got := runs[i].Load(); got != want {
			t.Errorf("unit %d ran %d times, want %d", i, got, want)
		}
	}
	if !has(t, db, 1000) {
		t.Error("the first unit of the transaction was lost")
	}
}

func TestUpdateSurvivesGoexit(t *testing.T) {
	t.Parallel()
	db := open(t)
	err := db.Update(t.Context(), func(tx store.Tx) error {
		if err := tx.PutUser(store.User{ID: 1}); err != nil {
			return err
		}
		runtime.Goexit()
		return nil
	})
	if err == nil || has(t, db, 1) {
		t.Errorf("Update() = %v, want an error and nothing kept", err)
	}
	if err := db.Update(t.Context(), putUser(2)); err != nil || !has(t, db, 2) {
		t.Errorf("Update() = %v, want it kept", err)
	}
}

func TestPanicKeepsItsStack(t *testing.T) {
	t.Parallel()
	db := open(t)
	err := db.Update(t.Context(), func(store.Tx) error { panic("on purpose") })
	if err == nil || !strings.Contains(err.Error(), "on purpose") || !strings.Contains(err.Error(), "writer_test.go") {
		t.Errorf("Update() = %v, want the panic and where it was", err)
	}
}

func TestKeptTxIsUseless(t *testing.T) {
	t.Parallel()
	db := open(t)
	var kept store.Tx
	if err := db.Update(t.Context(), func(tx store.Tx) error { kept = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := kept.PutUser(store.User{ID: 1}); err == nil || has(t, db, 1) {
		t.Errorf("PutUser() = %v outside of a unit of work", err)
	}
	var reader store.Reader
	if err := db.View(t.Context(), func(r store.Reader) error { reader = r; return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Users(0, 1); err == nil {
		t.Error("Users() = nil outside of a view")
	}
}

func TestViewCannotWrite(t *testing.T) {
	t.Parallel()
	db := open(t)
	err := db.View(t.Context(), func(r store.Reader) error { return r.(store.Tx).PutUser(store.User{ID: 1}) })
	if err == nil || has(t, db, 1) {
		t.Errorf("PutUser() = %v in a view", err)
	}
}

// logLimit is the limit of logs that tests fill.
const logLimit = 16 << 20

func limitLog(t *testing.T, db *sqlite.Probe) {
	t.Helper()
	if err := db.LimitLog(t.Context(), logLimit); err != nil {
		t.Fatal(err)
	}
}

// TestLogStaysSmall writes several times the log's limit, and every commit finds a view that has not seen it.
func TestLogStaysSmall(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	db := openAt(t, path)
	limitLog(t, db)
	var largest int64
	var wg sync.WaitGroup
	const size = 512 << 10
	for i := range 3 * logLimit / size {
		begun, written := make(chan struct{}), make(chan struct{})
		wg.Go(func() {
			err := db.View(t.Context(), func(r store.Reader) error {
				_, err := r.Users(0, 1)
				close(begun)
				<-written
				return err
			})
			if err != nil {
				t.Errorf("View() = %v", err)
			}
		})
		<-begun
		name := strings.Repeat(string(rune('a'+i%26)), size) // SQLite writes no page that stays as it is
		if err := db.Update(t.Context(), func(tx store.Tx) error {
			return tx.PutUser(store.User{ID: 1, Username: name})
		}); err != nil {
			t.Fatal(err)
		}
		close(written)
		// The writer comes to this one when it is done with the log, so the next view does not get in its way.
		if err := db.Update(t.Context(), func(store.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, info.Size())
	}
	wg.Wait()
	if limit := int64(logLimit + 2*size); largest > limit {
		t.Errorf("the log grew to %d bytes, want at most %d", largest, limit)
	}
}

// TestSlowViewDoesNotStopWrites keeps one view open while more is written than the log may hold.
func TestSlowViewDoesNotStopWrites(t *testing.T) {
	t.Parallel()
	db := open(t)
	limitLog(t, db)
	begun, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- db.View(t.Context(), func(r store.Reader) error {
			users, err := r.Users(0, 1)
			close(begun)
			<-release
			again, errAgain := r.Users(0, 1)
			if len(users) != 0 || len(again) != 0 {
				t.Errorf("the view shows %d and then %d users, want the state it began with", len(users), len(again))
			}
			return errors.Join(err, errAgain)
		})
	}()
	<-begun
	for i := range 2 * logLimit >> 20 {
		name := strings.Repeat(string(rune('a'+i%26)), 1<<20)
		if err := db.Update(t.Context(), func(tx store.Tx) error {
			return tx.PutUser(store.User{ID: 1, Username: name})
		}); err != nil {
			t.Fatal(err)
		}
		if !has(t, db, 1) { // views go on too
			t.Fatal("an acknowledged write is not there")
		}
	}
	close(release)
	if err := <-ended; err != nil {
		t.Errorf("View() = %v", err)
	}
}
