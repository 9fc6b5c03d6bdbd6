package sqlite

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/bellhop/bellhop/internal/store/sqlstore"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// logRoom is how many bytes for the log wait at the most. SQLite gives the system no more than 128 KiB at a time.
const logRoom = 64 << 10

// logBuffer stands between a connection and its write-ahead log. SQLite hands the system every page of a commit by itself, and
// before it what it says about the page, then waits for the disk, and only then shows any of it to others. So they wait here
// until there are many, or SQLite asks for the disk.
//
// Bytes that could not be written are lost, and with them the transaction that they are of: until forgive nothing more is
// written, and nothing is read but what stands before them, which is of others.
type logBuffer struct {
	tls   *libc.TLS
	below logFile // the log itself
	table uintptr // of the functions that SQLite calls
	held  []any   // those functions, which the garbage collector does not see there

	room  uintptr // logRoom bytes
	used  int
	start int64 // where in the log the first of them belongs, or of those that were lost
	lost  int32 // with what result bytes were lost; 0: none were
}

// logFile is an open file as SQLite uses it. What a function returns is a result of SQLite.
type logFile struct {
	write, read func(tls *libc.TLS, file, memory uintptr, n int32, offset int64) int32
	truncate    func(tls *libc.TLS, file uintptr, size int64) int32
	sync        func(tls *libc.TLS, file uintptr, flags int32) int32
	size        func(tls *libc.TLS, file, size uintptr) int32
}

// Where in a table of functions those of logFile stand.
const (
	tableSize  = int(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{}))
	toWrite    = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxWrite)
	toRead     = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxRead)
	toTruncate = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxTruncate)
	toSync     = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxSync)
	toSize     = unsafe.Offsetof(sqlite3.Tsqlite3_io_methods{}.FxFileSize)
)

var errNoLog = errors.New("the database has no log")

// bufferLog puts a buffer before the log of a connection. It leaves alone one that does not wait for the disk with every
// commit: SQLite shows to others then what is not in the file yet.
func (c *conn) bufferLog() error {
	const full = 2
	var level int64
	err := c.Query("PRAGMA synchronous", func(r sqlstore.Row) error {
		level, _ = r[0].(int64)
		return nil
	}, nil)
	if err != nil || level < full {
		return err
	}
	file, err := c.logFile()
	if err != nil {
		return err
	}
	b := &logBuffer{tls: c.tls, table: libc.Xmalloc(c.tls, libc.Tsize_t(tableSize)), room: libc.Xmalloc(c.tls, logRoom)}
	c.log = b
	if b.table == 0 || b.room == 0 {
		return errNoMemory
	}
	table := libc.AtomicLoadNUintptr(file, 0)
	copy(libc.GoBytes(b.table, tableSize), libc.GoBytes(table, tableSize))
	replace(b, toWrite, &b.below.write, b.write)
	replace(b, toRead, &b.below.read, b.read)
	replace(b, toTruncate, &b.below.truncate, b.truncate)
	replace(b, toSync, &b.below.sync, b.sync)
	replace(b, toSize, &b.below.size, b.size)
	libc.AtomicStoreNUintptr(file, b.table, 0)
	return nil
}

// logFile returns SQLite's record of the connection's log. It begins with the address of the table of functions.
func (c *conn) logFile() (uintptr, error) {
	schema, err := libc.CString("main")
	if err != nil {
		return 0, err
	}
	defer libc.Xfree(c.tls, schema)
	file, code := c.handle(func(at uintptr) int32 {
		return sqlite3.Xsqlite3_file_control(c.tls, c.db, schema, sqlite3.SQLITE_FCNTL_JOURNAL_POINTER, at)
	})
	if err := c.check(code); err != nil {
		return 0, fmt.Errorf("find the log: %w", err)
	}
	if file == 0 || libc.AtomicLoadNUintptr(file, 0) == 0 {
		return 0, errNoLog
	}
	return file, nil
}

// replace makes f the function at a place of the buffer's table, and below the one that was there. SQLite, translated to Go,
// keeps in such a place what a value of Go's kind of function is.
func replace[F any](b *logBuffer, place uintptr, below *F, f F) {
	address := libc.AtomicLoadNUintptr(b.table+place, 0)
	*below = *(*F)(unsafe.Pointer(&address)) //nolint:gosec // a function of SQLite's, which stays where it is
	b.held = append(b.held, f)
	libc.AtomicStoreNUintptr(b.table+place, *(*uintptr)(unsafe.Pointer(&f)), 0) //nolint:gosec // held as long as the table
}

func (b *logBuffer) write(tls *libc.TLS, file, memory uintptr, n int32, offset int64) int32 {
	if b.used > 0 && (offset != b.start+int64(b.used) || b.used+int(n) > logRoom) {
		b.flush(file)
	}
	switch {
	case b.lost != 0:
		return b.lost
	case n > logRoom:
		return b.below.write(tls, file, memory, n, offset)
	case b.used == 0:
		b.start = offset
	}
	b.used += copy(libc.GoBytes(b.room+uintptr(b.used), int(n)), libc.GoBytes(memory, int(n)))
	return sqlite3.SQLITE_OK
}

// flush writes what waits, and returns with what result bytes were lost now or before.
func (b *logBuffer) flush(file uintptr) int32 {
	if b.used > 0 && b.lost == 0 {
		b.lost = b.below.write(b.tls, file, b.room, int32(b.used), b.start)
	}
	b.used = 0
	return b.lost
}

// forgive is called when the transaction is undone. What waits is of no use any more.
func (b *logBuffer) forgive() {
	if b != nil {
		b.used, b.lost = 0, 0
	}
}

func (b *logBuffer) read(tls *libc.TLS, file, memory uintptr, n int32, offset int64) int32 {
	if lost := b.flush(file); lost != 0 && offset+int64(n) > b.start {
		return lost
	}
	return b.below.read(tls, file, memory, n, offset)
}

func (b *logBuffer) truncate(tls *libc.TLS, file uintptr, size int64) int32 {
	if lost := b.flush(file); lost != 0 {
		return lost
	}
	return b.below.truncate(tls, file, size)
}

func (b *logBuffer) sync(tls *libc.TLS, file uintptr, flags int32) int32 {
	if lost := b.flush(file); lost != 0 {
		return lost
	}
	return b.below.sync(tls, file, flags)
}

func (b *logBuffer) size(tls *libc.TLS, file, size uintptr) int32 {
	if lost := b.flush(file); lost != 0 {
		return lost
	}
	return b.below.size(tls, file, size)
}

// free gives the memory back. The log is closed.
func (b *logBuffer) free() {
	if b == nil {
		return
	}
	for _, memory := range []uintptr{b.table, b.room} {
		if memory != 0 {
			libc.Xfree(b.tls, memory)
		}
	}
}
