package sqlite

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

// Snapshot reads a database at one moment. The service may run meanwhile.
type Snapshot struct{ *conn }

var _ store.Snapshot = Snapshot{}

// OpenSnapshot returns a snapshot of the database at path, which exists.
func OpenSnapshot(path string) (_ Snapshot, err error) {
	if _, err := os.Stat(path); err != nil {
		return Snapshot{}, err
	}
	c, err := connect(path, readerPragmas)
	if err != nil {
		return Snapshot{}, fmt.Errorf("open %s: %w", path, storeError(err))
	}
	err = c.exec("BEGIN")
	if err == nil {
		err = c.exec("SELECT 1 FROM sqlite_master LIMIT 1") // the snapshot begins with the first read
	}
	if err != nil {
		return Snapshot{}, errors.Join(fmt.Errorf("read %s: %w", path, err), c.Close())
	}
	return Snapshot{c}, nil
}

// Close ends the snapshot.
func (s Snapshot) Close() error {
	s.rollback()
	return s.conn.Close()
}

// InUse reports whether a process has the database at path open. A snapshot does not count.
func InUse(path string) (bool, error) {
	if _, err := os.Stat(path + ".lock"); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	lock, err := lockFile(path + ".lock")
	if errors.Is(err, ErrLocked) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, lock.Close()
}

// Loader fills a new database.
type Loader struct {
	conn  *conn
	db    *DB                        // holds the lock
	texts map[string]map[string]bool // columns of tables that are texts
}

var _ store.Loader = (*Loader)(nil)

// OpenLoader creates the database at path and returns a loader for it. Nothing else can open the database meanwhile.
func OpenLoader(ctx context.Context, path string, wall clock.Clock, log *slog.Logger) (*Loader, error) {
	db, err := Open(ctx, path, wall, log)
	if err != nil {
		return nil, err
	}
	l := &Loader{db: db, texts: map[string]map[string]bool{}}
	if l.conn, err = connect(path, writerPragmas); err == nil {
		err = l.conn.Query("SELECT m.name, p.name FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND p.type = 'TEXT'",
			nil, func(row store.Row) error {
				table, _ := row[0].(string)
				column, _ := row[1].(string)
				if l.texts[table] == nil {
					l.texts[table] = map[string]bool{}
				}
				l.texts[table][column] = true
				return nil
			})
	}
	if err == nil {
		err = l.conn.exec("BEGIN IMMEDIATE")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), l.Close())
	}
	return l, nil
}

// Insert implements store.Loader.
func (l *Loader) Insert(table string, columns []string, rows []store.Row) error {
	insert := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ")"
	for _, row := range rows {
		for i, c := range columns {
			if b, ok := row[i].([]byte); ok && l.texts[table][c] {
				row[i] = string(b)
			}
		}
		if err := l.conn.Query(insert, row, nil); err != nil {
			return fmt.Errorf("insert into %s: %w", table, err)
		}
	}
	return nil
}

// Commit implements store.Loader.
func (l *Loader) Commit() error { return l.conn.exec("COMMIT") }

// Close implements store.Loader.
func (l *Loader) Close() error {
	var err error
	if l.conn != nil {
		l.conn.rollback()
		err = l.conn.Close()
	}
	return errors.Join(err, l.db.Close())
}
