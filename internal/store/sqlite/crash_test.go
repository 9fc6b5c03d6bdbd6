package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

// hands is how many goroutines write in the process that is killed.
const hands = 12

// stage is a unit of work with writes that belong together: the scope of a hand and its three commands all tell the step.
func stage(hand int, from, step uint64) func(store.Tx) error {
	scope := command.Scope{Application: snowflake.Application(hand + 1)}
	return func(tx store.Tx) error {
		moved, err := tx.MoveScope(scope, from, store.Scope{Revision: step, QuotaUsed: int(step)})
		if err != nil || !moved {
			return fmt.Errorf("MoveScope() = %v, %w", moved, err)
		}
		for n := range 3 {
			err := tx.PutCommands(command.Command{
				ID: snowflake.Command(10*hand + n + 1), Scope: scope, Version: snowflake.Version(step), Type: command.ChatInput,
				Name: fmt.Sprint("command-", n), Doc: fmt.Appendf(nil, `{"step":"%0500d"}`, step),
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// writeUntilKilled is the child's part: every acknowledged step is told on standard output.
func writeUntilKilled(ctx context.Context, path string) error {
	db, err := sqlite.Open(ctx, path, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for hand := range hands {
		wg.Go(func() {
			var step uint64
			err := db.View(ctx, func(r store.Reader) (err error) {
				step, err = r.Revision(command.Scope{Application: snowflake.Application(hand + 1)})
				return err
			})
			for err == nil {
				if err = db.Update(ctx, stage(hand, step, step+1)); err == nil {
					step++
					_, err = fmt.Printf("%d %d\n", hand, step)
				}
			}
			fmt.Fprintln(os.Stderr, err)
		})
	}
	wg.Wait()
	return errors.New("nobody killed it")
}

func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	var acknowledged [hands]uint64
	for round := range 3 {
		process := child(t, "write until killed", path)
		out, err := process.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			var hand int
			var step uint64
			if _, err := fmt.Sscan(lines.Text(), &hand, &step); err != nil {
				break // the last line may be cut
			}
			acknowledged[hand] = step
			if n == 300+100*round {
				second, err := sqlite.Open(t.Context(), path, slog.New(slog.DiscardHandler))
				if !errors.Is(err, sqlite.ErrLocked) {
					t.Errorf("Open() = %v, %v while another process has it open", second, err)
				}
				if err := process.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := process.Wait(); err == nil {
			t.Fatal("the process ended well, want it killed")
		}
		checkSteps(t, path, acknowledged)
	}
}

// checkSteps checks that every acknowledged step is there and that no unit of work is there by half.
func checkSteps(t *testing.T, path string, acknowledged [hands]uint64) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(t.Context(), func(r store.Reader) error {
		for hand, want := range acknowledged {
			kept, err := r.Scope(command.Scope{Application: snowflake.Application(hand + 1)})
			if err != nil {
				return err
			}
			if kept.Revision < want {
				t.Errorf("hand %d stands at step %d, %d was acknowledged", hand, kept.Revision, want)
			}
			if kept.Revision == 0 {
				continue
			}
			if kept.QuotaUsed != int(kept.Revision) || len(kept.Commands) != 3 {
				t.Errorf("hand %d: half a unit of work: %d, %d, %d commands", hand, kept.Revision, kept.QuotaUsed, len(kept.Commands))
			}
			for _, c := range kept.Commands {
				if uint64(c.Version) != kept.Revision || !strings.Contains(string(c.Doc), fmt.Sprintf(`%0500d"`, kept.Revision)) {
					t.Errorf("hand %d: command %v is of step %d, want %d", hand, c.ID, c.Version, kept.Revision)
				}
			}
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// fullDisk is the child's part: the files may not grow past a limit, so that commits fail.
func fullDisk(ctx context.Context, path string) error {
	signal.Ignore(syscall.SIGXFSZ) // so that a write past the limit fails instead
	db, err := sqlite.OpenProbe(ctx, path, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	if err := db.Update(ctx, stage(0, 0, 1)); err != nil {
		return err
	}
	var free syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 128 << 10, Max: free.Max}); err != nil {
		return err
	}
	if err := oneFailingCommit(ctx, db); err != nil {
		return err
	}
	if err := failingBeforeTheCommit(ctx, db); err != nil {
		return err
	}
	if err := db.Update(ctx, stage(0, 1, 2)); err != nil { // small enough
		return fmt.Errorf("after the commit that failed: %w", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &free); err != nil {
		return err
	}
	return errors.Join(db.Update(ctx, large(1)), db.Close())
}

// large writes more than the limit of fullDisk.
func large(id snowflake.User) func(store.Tx) error {
	return func(tx store.Tx) error { return tx.PutUser(store.User{ID: id, Username: strings.Repeat("x", 256<<10)}) }
}

// oneFailingCommit makes units of work share a commit that fails. None may be kept, all must be told.
func oneFailingCommit(ctx context.Context, db *sqlite.Probe) error {
	begun, blocked := make(chan struct{}), make(chan struct{})
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			errs[i] = db.Update(ctx, func(tx store.Tx) error {
				if i == 0 {
					close(begun)
					<-blocked
					return large(1)(tx)
				}
				return tx.PutUser(store.User{ID: snowflake.User(i + 1)})
			})
		})
		if i == 0 {
			<-begun
		} else {
			waitInLine(db, i)
		}
	}
	close(blocked)
	wg.Wait()
	for i, err := range errs {
		if !errors.Is(err, store.ErrUnavailable) {
			return fmt.Errorf("unit %d of a commit that failed: %w, want %w", i, err, store.ErrUnavailable)
		}
	}
	return db.View(ctx, func(r store.Reader) error {
		users, err := r.Users(0, 10)
		if len(users) != 0 {
			return fmt.Errorf("%d users are there after a commit that failed", len(users))
		}
		return err
	})
}

// failingBeforeTheCommit has pages go to the log while a unit of work runs, until they do not get there.
func failingBeforeTheCommit(ctx context.Context, db *sqlite.Probe) error {
	if _, err := db.Run(ctx, "PRAGMA cache_size = 8"); err != nil {
		return err
	}
	ids := 0
	err := db.Update(ctx, func(tx store.Tx) error {
		for ids = range 300 {
			if err := tx.PutUser(store.User{ID: snowflake.User(ids + 1), Username: strings.Repeat("x", 4<<10)}); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, store.ErrUnavailable) || ids < 8 {
		return fmt.Errorf("a unit of work that does not fit ended at user %d: %w, want %w", ids, err, store.ErrUnavailable)
	}
	return db.View(ctx, func(r store.Reader) error {
		users, err := r.Users(0, 10)
		if len(users) != 0 {
			return fmt.Errorf("%d users are there of a unit of work that failed", len(users))
		}
		return err
	})
}

func TestFailedCommitKeepsNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	if out, err := child(t, "full disk", path).Output(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	checkSteps(t, path, [hands]uint64{2})
}

// TestFullDatabase lets statements fail for want of pages, on which SQLite may give up the whole transaction.
func TestFullDatabase(t *testing.T) {
	t.Parallel()
	db := open(t)
	pages, err := db.Run(t.Context(), "PRAGMA page_count")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Run(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", pages.(int64)+4)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var kept [40]bool
	for i := range kept {
		wg.Go(func() {
			fn := putUser(snowflake.User(i + 1))
			if i%2 == 0 {
				fn = large(snowflake.User(i + 1))
			}
			err := db.Update(t.Context(), fn)
			kept[i] = err == nil
			if err != nil && !errors.Is(err, store.ErrUnavailable) || err == nil && i%2 == 0 {
				t.Errorf("unit %d: Update() = %v", i, err)
			}
		})
	}
	wg.Wait()
	for i, want := range kept {
		if got := has(t, db, snowflake.User(i+1)); got != want {
			t.Errorf("user %d is there: %v, acknowledged: %v", i+1, got, want)
		}
	}
	if _, err := db.Run(t.Context(), "PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	if err := db.Update(t.Context(), large(100)); err != nil || !has(t, db, 100) {
		t.Errorf("Update() = %v once there is room, want it kept", err)
	}
}
