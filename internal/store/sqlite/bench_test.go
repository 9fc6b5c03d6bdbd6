package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	callers  = 64
	perScope = 50
	epoch    = 1_000_000_000_000_000_000
)

// pad makes a document about as long as those of commands with two options.
var pad = fmt.Sprintf("%0400d", 0)

// definition returns a command of a caller's scope, and another document for every version.
func definition(caller, n int, version uint64) command.Command {
	return command.Command{
		ID:      snowflake.Command(epoch + caller*perScope + n),
		Scope:   command.Scope{Application: snowflake.Application(epoch + caller)},
		Version: snowflake.Version(version),
		Type:    command.ChatInput,
		Name:    fmt.Sprintf("command-%d", n),
		Doc:     fmt.Appendf(nil, `{"name":"command-%d","description":"%d","pad":"%s"}`, n, version, pad),
	}
}

// BenchmarkUpsertCommand changes one command in a unit of work; its ratio to BenchmarkRawUpsert is what the store costs.
func BenchmarkUpsertCommand(b *testing.B) { benchmarkUnits(b, 1) }

// BenchmarkBulkCommands changes all commands of a scope in a unit of work; compare with BenchmarkRawBulk.
func BenchmarkBulkCommands(b *testing.B) { benchmarkUnits(b, perScope) }

// BenchmarkRawUpsert upserts single rows through database/sql; many callers share a commit.
func BenchmarkRawUpsert(b *testing.B) { benchmarkRaw(b, 1) }

// BenchmarkRawBulk upserts as many rows as a scope has; many callers share a commit.
func BenchmarkRawBulk(b *testing.B) { benchmarkRaw(b, perScope) }

// benchmarkUnits lets every caller write size commands of its own scope at a time, with the move that belongs to it.
func benchmarkUnits(b *testing.B, size int) {
	db := open(b)
	revisions := make([]uint64, callers)
	fill := make([]command.Command, perScope)
	for caller := range callers {
		for n := range fill {
			fill[n] = definition(caller, n, 0)
		}
		write(b, db, 0, &revisions[caller], fill)
	}
	inParallel(b, func(caller, i int) {
		commands := make([]command.Command, size)
		for n := range commands {
			commands[n] = definition(caller, (i+n)%perScope, uint64(i))
		}
		write(b, db, revisions[caller], &revisions[caller], commands)
	})
}

func write(b *testing.B, db *sqlite.Probe, from uint64, to *uint64, commands []command.Command) {
	err := db.Update(b.Context(), func(tx store.Tx) error {
		moved, err := tx.MoveScope(commands[0].Scope, from, store.Scope{Revision: from + 1, QuotaSince: time.Unix(1, 0)})
		if err != nil || !moved {
			return fmt.Errorf("MoveScope() = %v, %w", moved, err)
		}
		return tx.PutCommands(commands...)
	})
	if err != nil {
		b.Error(err)
	}
	*to = from + 1
}

// inParallel calls do from callers goroutines, b.N times in all, and reports how often a second.
func inParallel(b *testing.B, do func(caller, i int)) {
	b.ReportAllocs()
	b.SetParallelism(callers / 2)
	var next atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		caller := int(next.Add(1)-1) % callers
		for i := 0; pb.Next(); i++ {
			do(caller, i)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "units/s")
}

type rawWrite struct {
	commands []command.Command
	done     chan error
}

// benchmarkRaw does the least that a program can do to store rows durably: one table, one prepared statement a row, one
// commit for all that wait.
func benchmarkRaw(b *testing.B, size int) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "raw.db")+
		"?_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=cache_size(-65536)")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	if _, err := db.Exec("CREATE TABLE raw (id INTEGER PRIMARY KEY, version INTEGER, doc BLOB)"); err != nil {
		b.Fatal(err)
	}
	upsert, err := db.Prepare("INSERT INTO raw VALUES (?, ?, ?)" +
		" ON CONFLICT (id) DO UPDATE SET version = excluded.version, doc = excluded.doc")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = upsert.Close() }() // what fails here, failed before
	queue := make(chan rawWrite, callers)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for first := range queue {
			rawBatch(db, upsert, first, queue)
		}
	}()
	raw := func(commands []command.Command) {
		w := rawWrite{commands, make(chan error, 1)}
		queue <- w
		if err := <-w.done; err != nil {
			b.Error(err)
		}
	}
	for caller := range callers {
		for n := range perScope {
			raw([]command.Command{definition(caller, n, 0)})
		}
	}
	inParallel(b, func(caller, i int) {
		commands := make([]command.Command, size)
		for n := range commands {
			commands[n] = definition(caller, (i+n)%perScope, uint64(i))
		}
		raw(commands)
	})
	close(queue)
	<-ended
}

// rawBatch writes first and all that wait behind it in one transaction, and answers.
func rawBatch(db *sql.DB, upsert *sql.Stmt, first rawWrite, queue <-chan rawWrite) {
	batch := []rawWrite{first}
	err := func() error {
		tx, err := db.BeginTx(context.Background(), nil)
		if err != nil {
			return err
		}
		stmt := tx.Stmt(upsert)
		defer func() { _ = stmt.Close() }() // what fails here, failed before
		for i := 0; i < len(batch); i++ {
			for _, c := range batch[i].commands {
				if _, err := stmt.Exec(int64(c.ID), int64(c.Version), c.Doc); err != nil {
					return errors.Join(err, tx.Rollback())
				}
			}
			select {
			case w, ok := <-queue:
				if ok {
					batch = append(batch, w)
				}
			default:
			}
		}
		return tx.Commit()
	}()
	for _, w := range batch {
		w.done <- err
	}
}

// BenchmarkScope reads a scope of 50 commands.
func BenchmarkScope(b *testing.B) {
	db := open(b)
	var revision uint64
	commands := make([]command.Command, perScope)
	for n := range commands {
		commands[n] = definition(0, n, 0)
	}
	write(b, db, 0, &revision, commands)
	b.ReportAllocs()
	for b.Loop() {
		err := db.View(b.Context(), func(r store.Reader) error {
			s, err := r.Scope(commands[0].Scope)
			if len(s.Commands) != perScope {
				b.Errorf("Scope() holds %d commands, want %d", len(s.Commands), perScope)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
