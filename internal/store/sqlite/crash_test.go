//go:build unix

package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

// crashWriters is the number of goroutines that commit in the process that is killed.
const crashWriters = 12

func scopeOf(writer int) command.Scope {
	return command.Scope{Application: snowflake.Application(writer + 1)}
}

// nextStep returns a decision that writes several rows: the quota of a writer's scope, three commands and a user. All
// of them contain the number of the step. It sets step.
func nextStep(writer int, step *int) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		quota, err := tx.Commands.Quota(scopeOf(writer))
		if err != nil {
			return err
		}
		quota.Used++
		*step = quota.Used
		for n := range 3 {
			err := tx.Put(store.Command{Command: command.Command{
				ID: snowflake.Command(10*writer + n + 1), Scope: quota.Scope, Version: snowflake.Version(*step), Type: command.ChatInput,
				Name: fmt.Sprint("command-", n), Doc: fmt.Appendf(nil, `{"step":"%0500d"}`, *step),
			}})
			if err != nil {
				return err
			}
		}
		return tx.Put(quota, store.User{ID: snowflake.User(writer + 1), Username: strconv.Itoa(*step)})
	}
}

// commitUntilKilled is a task of a second process. It prints every step that was acknowledged.
func commitUntilKilled(ctx context.Context, path string) error {
	db, err := sqlite.Open(ctx, path, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	for writer := range crashWriters {
		wg.Go(func() {
			for step := 0; ; {
				err := store.Decide(ctx, db, nextStep(writer, &step))
				if err == nil {
					_, err = fmt.Printf("%d %d\n", writer, step)
				}
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.New("the process was not killed")
}

func TestKilledProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	var acknowledged [crashWriters]int
	for round := range 5 {
		killAfter := 100 + rand.IntN(400)
		t.Logf("round %d: kill after %d steps", round, killAfter)
		process := child(t, "commit until killed", path)
		out, err := process.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			var writer, step int
			if _, err := fmt.Sscan(lines.Text(), &writer, &step); err != nil {
				break // the last line may be incomplete
			}
			acknowledged[writer] = step
			if n != killAfter {
				continue
			}
			if second, err := sqlite.Open(t.Context(), path, clock.System{}, slog.New(slog.DiscardHandler)); !errors.Is(err, sqlite.ErrLocked) {
				t.Errorf("Open() = %v, %v while another process has the file open, want %v", second, err, sqlite.ErrLocked)
			}
			if err := process.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		if err := process.Wait(); err == nil {
			t.Fatal("the process ended by itself")
		}
		checkSteps(t, path, acknowledged)
	}
}

// checkSteps checks that every acknowledged step is stored and that no step is stored in part.
func checkSteps(t *testing.T, path string, acknowledged [crashWriters]int) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	err = db.Read(t.Context(), func(r store.Reader) error {
		for writer, want := range acknowledged {
			quota, err := r.Commands.Quota(scopeOf(writer))
			if err != nil {
				return err
			}
			if quota.Used < want {
				t.Errorf("writer %d is at step %d, but %d was acknowledged", writer, quota.Used, want)
			}
			if quota.Used > 0 {
				checkStep(t, r, writer, quota.Used)
			}
		}
		return nil
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// checkStep checks that all rows of a writer are of one step.
func checkStep(t *testing.T, r store.Reader, writer, step int) {
	t.Helper()
	commands, err := r.Commands.Commands(scopeOf(writer))
	if err != nil || len(commands) != 3 {
		t.Errorf("writer %d has %d commands, %v, want 3", writer, len(commands), err)
	}
	for _, c := range commands {
		if int(c.Version) != step || !strings.Contains(string(c.Doc), fmt.Sprintf(`%0500d"`, step)) {
			t.Errorf("writer %d: command %v is of step %d, want %d", writer, c.ID, c.Version, step)
		}
	}
	if u, err := r.Directory.User(snowflake.User(writer + 1)); err != nil || u.Username != strconv.Itoa(step) {
		t.Errorf("writer %d: the user is of step %s, %v, want %d", writer, u.Username, err, step)
	}
	revisions, err := r.Revisions(store.ScopeSubject(scopeOf(writer)), store.UserSubject(snowflake.User(writer+1)))
	if err != nil || revisions[0] == 0 || revisions[0] != revisions[1] {
		t.Errorf("writer %d: revisions = %d, %v, want one of the last step", writer, revisions, err)
	}
}

// fullDisk is a task of a second process, whose files cannot grow beyond a limit. Commits that exceed the limit fail.
func fullDisk(ctx context.Context, path string) error {
	signal.Ignore(syscall.SIGXFSZ) // then a write beyond the limit fails instead
	db, err := sqlite.Open(ctx, path, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	var step int
	if err := store.Decide(ctx, db, nextStep(0, &step)); err != nil {
		return err
	}
	var unlimited syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &unlimited); err != nil {
		return err
	}
	limit := syscall.Rlimit{Cur: 128 << 10, Max: unlimited.Max} // for the write-ahead log
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := commitsThatDoNotFit(ctx, db); err != nil {
		return err
	}
	if err := store.Decide(ctx, db, nextStep(0, &step)); err != nil { // fits
		return fmt.Errorf("after the commits that failed: %w", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &unlimited); err != nil {
		return err
	}
	return errors.Join(db.Commit(ctx, large(99)), db.Close())
}

// commitsThatDoNotFit commits large changes concurrently. All must fail and store nothing.
func commitsThatDoNotFit(ctx context.Context, db *sqlite.DB) error {
	errs := make([]error, 8)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = db.Commit(ctx, large(snowflake.User(i+100))) })
	}
	wg.Wait()
	for _, err := range errs {
		if !errors.Is(err, store.ErrUnavailable) {
			return fmt.Errorf("a commit that does not fit: %w, want %w", err, store.ErrUnavailable)
		}
	}
	return db.Read(ctx, func(r store.Reader) error {
		users, err := r.Directory.Users(99, 10)
		if len(users) != 0 {
			return fmt.Errorf("%d users are stored after commits that failed", len(users))
		}
		return err
	})
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	if out, err := child(t, "full disk", path).Output(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	checkSteps(t, path, [crashWriters]int{2})
}

// TestLockWhileProcessesStart opens a database again and again while other processes start. Between fork and exec they
// share the open files of this process.
func TestLockWhileProcessesStart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bellhop.db")
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for !stop.Load() {
				if err := child(t, "exit", "").Run(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		db, err := sqlite.OpenVolatile(t.Context(), path, clock.System{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Errorf("Open() = %v", err)
			continue
		}
		if err := db.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	}
	stop.Store(true)
	wg.Wait()
}
