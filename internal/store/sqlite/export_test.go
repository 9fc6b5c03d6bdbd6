package sqlite

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/store/sqlstore"
)

// MaxLog is the size above which the write-ahead log is folded into the database, MaxBatch how many units share a commit.
const (
	MaxLog   = maxLog
	MaxBatch = maxBatch
)

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
}

// OpenProbe is Open for those who look into it.
func OpenProbe(ctx context.Context, path string, log *slog.Logger) (*Probe, error) {
	e, err := openEngine(ctx, path, writerPragmas, log)
	if err != nil {
		return nil, err
	}
	return &Probe{sqlstore.New(e), e}, nil
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
