package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlstore"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// conn is a connection with its prepared statements, for one goroutine at a time. It speaks to SQLite itself:
// database/sql and the driver below it cost as much as a small statement, and copy every text once more.
type conn struct {
	tls   *libc.TLS
	db    uintptr
	ctx   context.Context //nolint:containedctx // never ends; of what the connection does on its own
	stmts map[string]stmt
	texts texts        // of the statement that runs
	row   sqlstore.Row // of the query that runs
	log   *logBuffer   // nil: nothing stands before the log
}

// stmt is a prepared statement.
type stmt struct {
	handle     uintptr
	parameters int
	columns    int
}

// connect opens a database that exists.
func connect(ctx context.Context, path string, pragmas []string) (_ *conn, err error) {
	c := &conn{tls: libc.NewTLS(), ctx: context.WithoutCancel(ctx), stmts: map[string]stmt{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	name, err := libc.CString(path)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, name)
	const flags = sqlite3.SQLITE_OPEN_READWRITE | sqlite3.SQLITE_OPEN_NOMUTEX | sqlite3.SQLITE_OPEN_EXRESCODE
	var code int32
	c.db, code = c.handle(func(at uintptr) int32 { return sqlite3.Xsqlite3_open_v2(c.tls, name, at, flags, 0) })
	if err := c.check(code); err != nil {
		return nil, err
	}
	for _, p := range pragmas {
		if _, err := c.Exec("PRAGMA "+p, nil); err != nil {
			return nil, fmt.Errorf("set %s: %w", p, err)
		}
	}
	return c, nil
}

// handle returns what a function of SQLite makes and writes to an address, also when it fails, and the function's result.
func (c *conn) handle(create func(at uintptr) int32) (made uintptr, code int32) {
	const size = 8
	at := c.tls.Alloc(size)
	defer c.tls.Free(size)
	clear(libc.GoBytes(at, size))
	code = create(at)
	return libc.AtomicLoadNUintptr(at, 0), code
}

func (c *conn) close() error {
	for _, s := range c.stmts {
		sqlite3.Xsqlite3_finalize(c.tls, s.handle) // what it returns was reported when it ran
	}
	c.texts.free(c.tls)
	err := c.check(sqlite3.Xsqlite3_close_v2(c.tls, c.db))
	c.db = 0
	c.log.free()
	c.tls.Close()
	return err
}

// prepare returns the statement for a query with its arguments.
func (c *conn) prepare(query string, args []any) (stmt, error) {
	s, ok := c.stmts[query]
	if !ok {
		var err error
		if s, err = c.compile(query); err != nil {
			return s, err
		}
		c.stmts[query] = s
	}
	if len(args) != s.parameters {
		return s, fmt.Errorf("%d arguments for %d parameters", len(args), s.parameters)
	}
	return s, c.bind(s, args)
}

func (c *conn) compile(query string) (s stmt, err error) {
	text, err := libc.CString(query)
	if err != nil {
		return s, err
	}
	defer libc.Xfree(c.tls, text)
	var code int32
	s.handle, code = c.handle(func(at uintptr) int32 {
		return sqlite3.Xsqlite3_prepare_v3(c.tls, c.db, text, -1, sqlite3.SQLITE_PREPARE_PERSISTENT, at, 0)
	})
	if err := c.check(code); err != nil {
		return s, err
	}
	s.parameters = int(sqlite3.Xsqlite3_bind_parameter_count(c.tls, s.handle))
	s.columns = int(sqlite3.Xsqlite3_column_count(c.tls, s.handle))
	return s, nil
}

// bind gives a statement its arguments. Texts are the connection's own until the next statement is bound; this one is reset
// by then and does not look at them.
func (c *conn) bind(s stmt, args []any) error {
	size := 0
	for _, v := range args {
		switch v := v.(type) {
		case string:
			size += len(v)
		case []byte:
			size += len(v)
		}
	}
	if size > math.MaxInt32 {
		return fmt.Errorf("arguments of %d bytes", size)
	}
	if err := c.texts.reserve(c.tls, size); err != nil {
		return err
	}
	for i, v := range args {
		var code int32
		place := int32(i + 1)
		switch v := v.(type) {
		case int64:
			code = sqlite3.Xsqlite3_bind_int64(c.tls, s.handle, place, v)
		case string:
			code = sqlite3.Xsqlite3_bind_text(c.tls, s.handle, place, addText(&c.texts, v), int32(len(v)), static)
		case []byte:
			if v == nil {
				code = sqlite3.Xsqlite3_bind_null(c.tls, s.handle, place)
				break
			}
			code = sqlite3.Xsqlite3_bind_blob(c.tls, s.handle, place, addText(&c.texts, v), int32(len(v)), static)
		case nil:
			code = sqlite3.Xsqlite3_bind_null(c.tls, s.handle, place)
		default:
			return fmt.Errorf("argument %d is a %T", place, v)
		}
		if code != sqlite3.SQLITE_OK {
			return c.check(code)
		}
	}
	return nil
}

// static tells SQLite that a text stays where it is while the statement runs.
const static = 0

func (c *conn) Exec(query string, args []any) (int64, error) {
	s, err := c.prepare(query, args)
	if err != nil {
		return 0, err
	}
	for sqlite3.Xsqlite3_step(c.tls, s.handle) == sqlite3.SQLITE_ROW {
		continue // nobody asks
	}
	if err := c.check(sqlite3.Xsqlite3_reset(c.tls, s.handle)); err != nil {
		return 0, err
	}
	return sqlite3.Xsqlite3_changes64(c.tls, c.db), nil
}

func (c *conn) Do(query string, args []any) (int64, error) { return c.Exec(query, args) }

func (c *conn) Steady(query string, scan func(sqlstore.Row) error, args []any) error {
	return c.Query(query, scan, args)
}

// Attempt is Exec: a statement that fails undoes itself alone.
func (c *conn) Attempt(query string, args []any) (int64, error) { return c.Exec(query, args) }

func (c *conn) Query(query string, scan func(sqlstore.Row) error, args []any) (err error) {
	s, err := c.prepare(query, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.check(sqlite3.Xsqlite3_reset(c.tls, s.handle))) }()
	for sqlite3.Xsqlite3_step(c.tls, s.handle) == sqlite3.SQLITE_ROW {
		c.row = c.row[:0]
		for i := range s.columns {
			c.row = append(c.row, c.column(s, int32(i)))
		}
		if err := scan(c.row); err != nil {
			return err
		}
	}
	return nil
}

// column returns a value of the row at hand.
func (c *conn) column(s stmt, i int32) any {
	switch sqlite3.Xsqlite3_column_type(c.tls, s.handle, i) {
	case sqlite3.SQLITE_INTEGER:
		return sqlite3.Xsqlite3_column_int64(c.tls, s.handle, i)
	case sqlite3.SQLITE_TEXT:
		at := sqlite3.Xsqlite3_column_text(c.tls, s.handle, i)
		return string(libc.GoBytes(at, int(sqlite3.Xsqlite3_column_bytes(c.tls, s.handle, i))))
	case sqlite3.SQLITE_BLOB:
		at := sqlite3.Xsqlite3_column_blob(c.tls, s.handle, i)
		return append([]byte(nil), libc.GoBytes(at, int(sqlite3.Xsqlite3_column_bytes(c.tls, s.handle, i)))...)
	}
	return nil // no column holds another kind of number
}

// check puts a result of the connection into the words of the contract.
func (c *conn) check(code int32) error {
	if code == sqlite3.SQLITE_OK {
		return nil
	}
	err := fmt.Errorf("%s (%d)", libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db)), code)
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", store.ErrConflict, err)
	}
	switch code & 0xff { // the kind; the rest says more about it
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	return err
}
