package sqlite

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/store/sqlstore"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// MaxBatch is how many units share a commit.
const MaxBatch = maxBatch

// CopyBlank makes a database that has its schema, which is quicker than to bring one up to date.
var CopyBlank = copyBlank

// Echo opens a connection and returns a function that has SQLite say back what it is given as arguments.
func Echo(ctx context.Context, path string) (echo func(args ...any) ([]any, error), closed func() error, err error) {
	c, err := connect(ctx, path, nil)
	if err != nil {
		return nil, nil, err
	}
	echo = func(args ...any) (said []any, err error) {
		query := "SELECT " + strings.TrimSuffix(strings.Repeat("?,", max(len(args), 1)), ",")
		err = c.Query(query, func(r sqlstore.Row) error {
			for _, v := range r {
				said = append(said, v)
			}
			return nil
		}, args)
		return said, err
	}
	return echo, c.close, nil
}

// MaxTexts is how much memory for texts a connection keeps.
const MaxTexts = maxTexts

// Probe is a store whose engine can be looked into.
type Probe struct {
	*sqlstore.DB

	engine *engine
	log    logFile // before FailLog
}

// OpenProbe is Open for those who look into it.
func OpenProbe(ctx context.Context, path string, log *slog.Logger) (*Probe, error) {
	e, err := openEngine(ctx, path, writerPragmas, log)
	if err != nil {
		return nil, err
	}
	return &Probe{DB: sqlstore.New(e), engine: e}, nil
}

// Run runs a statement on the writer's connection, outside of the contract, and returns the first column of its last row.
func (p *Probe) Run(ctx context.Context, query string) (any, error) {
	var last any
	err := p.engine.Update(ctx, func(*sqlstore.Tx) error {
		return p.engine.conn.Query(query, func(r sqlstore.Row) error {
			last = r[0]
			return nil
		}, nil)
	})
	return last, err
}

// LimitLog sets the size above which the log is folded, and that at which SQLite does so by itself to half of it.
func (p *Probe) LimitLog(ctx context.Context, limit int64) error {
	_, err := p.Run(ctx, fmt.Sprintf("PRAGMA wal_autocheckpoint = %d", limit/2/pageSize))
	if err == nil {
		_, err = p.Run(ctx, fmt.Sprintf("PRAGMA journal_size_limit = %d", limit/2))
	}
	if err != nil {
		return err
	}
	return p.engine.Update(ctx, func(*sqlstore.Tx) error {
		p.engine.limit, p.engine.foldAt = limit, limit
		return nil
	})
}

// FailLog makes one write to the log fail, after so many that succeed; a negative number: none.
func (p *Probe) FailLog(ctx context.Context, after int) error {
	return p.engine.Update(ctx, func(*sqlstore.Tx) error {
		b := p.engine.conn.log
		if p.log.write == nil {
			p.log = b.below
		}
		b.below.write = func(tls *libc.TLS, file, memory uintptr, n int32, offset int64) int32 {
			if after--; after == -1 {
				return sqlite3.SQLITE_FULL
			}
			return p.log.write(tls, file, memory, n, offset)
		}
		return nil
	})
}

// Waiting returns how many units of work wait in line.
func (p *Probe) Waiting() int { return len(p.engine.queue) }

// Statements returns the statements that have been prepared so far. Nothing may be under way.
func (p *Probe) Statements() []string {
	e := p.engine
	all := maps.Clone(e.conn.stmts)
	for range len(e.idle) {
		r := <-e.idle
		maps.Copy(all, r.stmts)
		e.idle <- r
	}
	return slices.Collect(maps.Keys(all))
}
