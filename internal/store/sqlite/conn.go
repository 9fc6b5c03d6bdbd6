package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// busyTimeout is the longest time that a statement waits for another process that has the file locked, such as a
// backup.
const busyTimeout = 2 * time.Second

// conn is a connection. One goroutine uses it at a time.
type conn struct {
	*sqlite.Conn

	statements map[string]*sqlite.Stmt // prepared statements, by their text
	row        store.Row               // the current row of a query
}

// connect opens a database that exists. It fails when the file system does not support a write-ahead log.
func connect(path string, pragmas []string) (*conn, error) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(busyTimeout)
	for _, p := range pragmas {
		if err := sqlitex.ExecuteTransient(c, "PRAGMA "+p, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("set %s: %w", p, err), c.Close())
		}
	}
	var mode string
	err = sqlitex.ExecuteTransient(c, "PRAGMA journal_mode", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error { mode = s.ColumnText(0); return nil },
	})
	if err == nil && mode != "wal" {
		err = fmt.Errorf("the file system does not support a write-ahead log: journal mode is %q", mode)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return &conn{Conn: c, statements: map[string]*sqlite.Stmt{}}, nil
}

// limits makes an expression of each limit that is a parameter. SQLite looks at the value of a bare parameter when it prepares the
// statement, and then prepares the statement again each time that the caller binds a value.
var limits = strings.NewReplacer("LIMIT ?", "LIMIT ? + 0")

// prepare returns a prepared statement. The caller binds every argument, and resets the statement after use.
func (c *conn) prepare(sql string) (*sqlite.Stmt, error) {
	if s := c.statements[sql]; s != nil {
		return s, nil
	}
	s, err := c.Prepare(limits.Replace(sql))
	if err != nil {
		return nil, storeError(err)
	}
	c.statements[sql] = s
	return s, nil
}

// exec runs a statement without arguments and results.
func (c *conn) exec(sql string) error { return c.Query(sql, nil, nil) }

// Query implements store.Querier. It also runs statements that return no rows; then scan may be nil.
func (c *conn) Query(sql string, args []any, scan func(store.Row) error) error {
	s, err := c.prepare(sql)
	if err != nil {
		return err
	}
	defer s.Reset() //nolint:errcheck // returns the error of the last step again
	if err := bind(s, args); err != nil {
		return err
	}
	for {
		if more, err := s.Step(); !more || err != nil {
			return storeError(err)
		}
		if scan == nil {
			continue
		}
		c.load(s)
		if err := scan(c.row); err != nil {
			return err
		}
	}
}

// bind sets the arguments of a statement.
func bind(s *sqlite.Stmt, args []any) error {
	for i, arg := range args {
		switch v := arg.(type) {
		case int64:
			s.BindInt64(i+1, v)
		case string:
			s.BindText(i+1, v)
		case []byte:
			s.BindBytes(i+1, v)
		case nil:
			s.BindNull(i + 1)
		default:
			return fmt.Errorf("argument %d of a statement is a %T", i+1, arg)
		}
	}
	return nil
}

// load copies the current row of a statement to c.row.
func (c *conn) load(s *sqlite.Stmt) {
	c.row = c.row[:0]
	for i := range s.ColumnCount() {
		var v any
		switch s.ColumnType(i) {
		case sqlite.TypeInteger:
			v = s.ColumnInt64(i)
		case sqlite.TypeText:
			v = s.ColumnText(i)
		case sqlite.TypeBlob:
			b := make([]byte, s.ColumnLen(i))
			s.ColumnBytes(i, b)
			v = b
		case sqlite.TypeNull, sqlite.TypeFloat: // the schema has no floating-point columns
		}
		c.row = append(c.row, v)
	}
}

// rollback rolls the transaction back, unless SQLite has done that already because of an error.
func (c *conn) rollback() {
	if !c.AutocommitEnabled() {
		_ = c.exec("ROLLBACK") // it fails only when no transaction is open
	}
}

// unavailable are the errors of SQLite that do not come from the statement, but from the disk, the file, memory or
// locks.
var unavailable = []sqlite.ResultCode{
	sqlite.ResultFull, sqlite.ResultIOErr, sqlite.ResultInterrupt, sqlite.ResultBusy, sqlite.ResultLocked,
	sqlite.ResultNoMem, sqlite.ResultCantOpen, sqlite.ResultReadOnly, sqlite.ResultProtocol, sqlite.ResultAbort,
}

// storeError converts an error of SQLite to an error of package store. It returns other errors, which come from
// mistakes in this program, unchanged.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	code := sqlite.ErrCode(err)
	switch {
	case code == sqlite.ResultConstraintUnique, code == sqlite.ResultConstraintPrimaryKey, code == sqlite.ResultConstraintRowID:
		return fmt.Errorf("%w: %w", store.ErrConflict, err)
	case code.ToPrimary() == sqlite.ResultCorrupt, code.ToPrimary() == sqlite.ResultNotADB:
		return fmt.Errorf("%w: %w", store.ErrDamaged, err)
	case code.ToPrimary() == sqlite.ResultFull:
		return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrNoRoom, err)
	case code.ToPrimary() == sqlite.ResultReadOnly:
		return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrReadOnly, err)
	case code.ToPrimary() == sqlite.ResultIOErr:
		return fmt.Errorf("%w: %w: %w", store.ErrUnavailable, store.ErrDisk, err)
	case slices.Contains(unavailable, code.ToPrimary()):
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}
