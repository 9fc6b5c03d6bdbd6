package sqlstore

import "database/sql/driver"

// Session runs statements on one connection, one at a time. Question marks stand for arguments, which are int64, string,
// []byte or nil. Errors are those of package store where one fits.
type Session interface {
	// Exec runs a statement and returns how many rows it changed.
	Exec(query string, args []any) (int64, error)
	// Do is Exec for a statement that does what it should whatever it finds: how many rows it changed may be wrong.
	Do(query string, args []any) (int64, error)
	// Attempt is Exec for a statement whose ErrConflict leaves the transaction as it was.
	Attempt(query string, args []any) (int64, error)
	// Query runs a statement and gives every row to scan, which runs no statement and keeps no row.
	Query(query string, scan func(Row) error, args []any) error
	// Steady is Query for a statement that most likely returns what it did last time.
	Steady(query string, scan func(Row) error, args []any) error
}

// Row is one row of a result. A value is an int64, a string, a []byte, which belongs to whoever scans it, or nil.
type Row []driver.Value

func (r Row) int(i int) int64 { n, _ := r[i].(int64); return n }

// text returns what some engines keep as text and some as bytes.
func (r Row) text(i int) string {
	if b, ok := r[i].([]byte); ok {
		return string(b)
	}
	s, _ := r[i].(string)
	return s
}

func (r Row) bytes(i int) []byte { b, _ := r[i].([]byte); return b }
