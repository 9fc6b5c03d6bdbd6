package sqlite_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	callers  = 64 // goroutines that commit at the same time
	perScope = 50
	firstID  = 1_000_000_000_000_000_000
)

// pad makes a document as long as that of a command with two options.
var pad = fmt.Sprintf("%0500d", 0)

// definition returns a command of a caller's scope, with another document for every version.
func definition(caller, n, version int) store.Command {
	return store.Command{Command: command.Command{
		ID:      snowflake.Command(firstID + caller*perScope + n),
		Scope:   command.Scope{Application: snowflake.Application(firstID + caller)},
		Version: snowflake.Version(version),
		Type:    command.ChatInput,
		Name:    fmt.Sprintf("command-%d", n),
		Doc:     fmt.Appendf(nil, `{"name":"command-%d","description":"%d","pad":"%s"}`, n, version, pad),
	}}
}

// BenchmarkCommit commits changes of one subject each, with a given number of rows of 600 bytes besides the quota and
// the revision.
func BenchmarkCommit(b *testing.B) {
	for _, rows := range []int{1, perScope} {
		b.Run(fmt.Sprint("rows=", rows), func(b *testing.B) { benchmarkCommit(b, rows) })
	}
}

func benchmarkCommit(b *testing.B, rows int) {
	db := open(b)
	var revisions [callers]uint64
	db.Subscribe(func(c *store.Change) { revisions[c.Expect[0].Subject.A-firstID] = c.Revision })
	commit := func(caller, rows, i int) {
		c := store.Change{Put: make([]store.Record, 0, rows+1)}
		for n := range rows {
			c.Put = append(c.Put, definition(caller, (i+n)%perScope, i))
		}
		scope := command.Scope{Application: snowflake.Application(firstID + caller)}
		c.Put = append(c.Put, store.Quota{Scope: scope, Used: i})
		c.Expect = []store.Expectation{{Subject: store.ScopeSubject(scope), Revision: revisions[caller]}}
		if err := db.Commit(b.Context(), c); err != nil {
			b.Error(err)
		}
	}
	for caller := range callers {
		commit(caller, perScope, 0)
	}
	inParallel(b, func(caller, i int) { commit(caller, rows, i) })
}

// inParallel calls do from many goroutines, b.N times in all.
func inParallel(b *testing.B, do func(caller, i int)) {
	b.ReportAllocs()
	b.SetParallelism(callers / 2) // on two cores
	var next atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		caller := int(next.Add(1)-1) % callers
		for i := 0; pb.Next(); i++ {
			do(caller, i)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
}

// BenchmarkRead reads a scope of 50 commands.
func BenchmarkRead(b *testing.B) {
	db := open(b)
	scope := command.Scope{Application: firstID}
	err := store.Decide(b.Context(), db, func(tx *store.Tx) error {
		for n := range perScope {
			if err := tx.Put(definition(0, n, 1)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		err := db.Read(b.Context(), func(r store.Reader) error {
			commands, err := r.Commands.Commands(scope)
			if len(commands) != perScope {
				b.Errorf("Commands() returned %d commands, want %d", len(commands), perScope)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
