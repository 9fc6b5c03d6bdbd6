package sqlite

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// ErrLocked says that another process, or another DB of this one, has the database open.
var ErrLocked = errors.New("the database is in use by another process")

// lockFile locks a file until the returned connection is closed or the process ends. The file is an empty SQLite
// database with an open exclusive transaction, because SQLite can lock files on every operating system. The file is
// never removed: a lock on a removed file does not stop other processes.
func lockFile(path string) (_ *sqlite.Conn, err error) {
	if err := createFile(path); err != nil {
		return nil, err
	}
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(0)
	err = sqlitex.ExecuteTransient(c, "BEGIN EXCLUSIVE", nil)
	if err == nil {
		return c, nil
	}
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy {
		err = ErrLocked
	}
	return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), c.Close())
}
