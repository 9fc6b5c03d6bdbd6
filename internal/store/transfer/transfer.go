// Package transfer moves the records of a store from one engine to another.
package transfer

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"log/slog"
	"slices"
	"strings"

	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/jackc/pgx/v5"
)

// ErrNotEmpty says that the target database has records that no earlier copy has put there.
var ErrNotEmpty = errors.New("the database has records already")

// Copied is the progress of a copy in one table.
type Copied struct {
	Table    string
	Rows, Of int64
	Verified bool // the table has the same rows in both databases
}

// copyBatch is how many rows are copied in one transaction.
const copyBatch = 5000

// createCopied makes the table that records the progress of a copy, so that an interrupted copy can be continued. The table
// is dropped at the end of the copy.
const createCopied = `CREATE TABLE IF NOT EXISTS copied_from_sqlite (
	name TEXT PRIMARY KEY, count BIGINT NOT NULL, last BYTEA NOT NULL, whole BOOLEAN NOT NULL)`

// ToPostgres copies the SQLite database at path, which no process may have open, into an empty PostgreSQL database, and
// compares the two. When it is interrupted, the next call continues where it stopped.
func ToPostgres(ctx context.Context, path, url string, log *slog.Logger, report func(Copied)) (err error) {
	locked, err := sqlite.Open(ctx, path, log) // locks the file for other processes, and migrates its schema
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, locked.Close()) }()
	target, err := postgres.Open(ctx, url, log)
	if err != nil {
		return err
	}
	if err := target.Close(); err != nil { // it was opened to migrate its schema
		return err
	}
	from, err := sqlite.OpenTables(path)
	if err != nil {
		return err
	}
	c := &copier{from: from, report: report}
	defer func() { err = errors.Join(err, c.from.Close()) }()
	if c.to, err = pgx.Connect(ctx, url); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.to.Close(ctx)) }()
	return c.run(ctx)
}

// copier copies from one engine to the other.
type copier struct {
	from   *sql.DB
	to     *pgx.Conn
	report func(Copied)
}

func (c *copier) run(ctx context.Context) error {
	tables, err := c.tables(ctx)
	if err != nil {
		return err
	}
	if err := c.begin(ctx, tables); err != nil {
		return err
	}
	for _, t := range tables {
		if err := c.copy(ctx, t); err != nil {
			return fmt.Errorf("copy %s: %w", t.name, err)
		}
	}
	for _, t := range tables {
		if err := c.verify(ctx, t); err != nil {
			return fmt.Errorf("compare %s: %w", t.name, err)
		}
	}
	_, err = c.to.Exec(ctx, "DROP TABLE copied_from_sqlite")
	return err
}

// begin makes sure that all records in the target come from this copy.
func (c *copier) begin(ctx context.Context, tables []table) error {
	var going bool
	err := c.to.QueryRow(ctx, "SELECT to_regclass('copied_from_sqlite') IS NOT NULL").Scan(&going)
	if err != nil || going {
		return err
	}
	for _, t := range tables {
		var there bool
		if err := c.to.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM "+t.name+")").Scan(&there); err != nil {
			return err
		}
		if there {
			return fmt.Errorf("%w: table %s", ErrNotEmpty, t.name)
		}
	}
	_, err = c.to.Exec(ctx, createCopied)
	return err
}

// table is a table of the schema.
type table struct {
	name    string
	columns []string
	key     []int // positions of the columns of the primary key, in its order
}

// tables returns the tables of the source, ordered by name.
func (c *copier) tables(ctx context.Context) (tables []table, err error) {
	rows, err := c.from.QueryContext(ctx, "SELECT m.name, p.name, p.cid, p.pk FROM sqlite_master m JOIN pragma_table_info(m.name) p"+
		" WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'schema_versions' ORDER BY m.name, p.cid")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	places := map[string]map[int]int{}
	for rows.Next() {
		var name, column string
		var place, rank int
		if err := rows.Scan(&name, &column, &place, &rank); err != nil {
			return nil, err
		}
		if len(tables) == 0 || tables[len(tables)-1].name != name {
			tables = append(tables, table{name: name})
			places[name] = map[int]int{}
		}
		t := &tables[len(tables)-1]
		t.columns = append(t.columns, column)
		if rank > 0 {
			places[name][rank] = place
		}
	}
	for i := range tables {
		for rank := range len(places[tables[i].name]) {
			tables[i].key = append(tables[i].key, places[tables[i].name][rank+1])
		}
	}
	return tables, rows.Err()
}

// all returns the query for every row.
func (t *table) all() string {
	return "SELECT " + strings.Join(t.columns, ", ") + " FROM " + t.name
}

// keys returns the columns of the primary key.
func (t *table) keys() string {
	names := make([]string, len(t.key))
	for i, place := range t.key {
		names[i] = t.columns[place]
	}
	return strings.Join(names, ", ")
}

// copy copies the rows that are not in the target yet.
func (c *copier) copy(ctx context.Context, t table) error {
	progress := Copied{Table: t.name}
	if err := c.from.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+t.name).Scan(&progress.Of); err != nil {
		return err
	}
	var last []byte
	var whole bool
	err := c.to.QueryRow(ctx, "SELECT count, last, whole FROM copied_from_sqlite WHERE name = $1", t.name).
		Scan(&progress.Rows, &last, &whole)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	for !whole {
		rows, err := c.read(ctx, t, last)
		if err != nil {
			return err
		}
		whole = len(rows) < copyBatch
		if len(rows) > 0 {
			last = t.encodeKey(rows[len(rows)-1])
		}
		progress.Rows += int64(len(rows))
		if err := c.write(ctx, t, rows, progress.Rows, last, whole); err != nil {
			return err
		}
		c.report(progress)
	}
	return nil
}

// read returns the rows after a key in the order of the primary key.
func (c *copier) read(ctx context.Context, t table, after []byte) ([][]any, error) {
	query, args := t.all(), []any(nil)
	if len(after) > 0 {
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(t.key)), ", ")
		query += " WHERE (" + t.keys() + ") > (" + marks + ")"
		var err error
		if args, err = decodeKey(after); err != nil {
			return nil, err
		}
	}
	query += fmt.Sprintf(" ORDER BY %s LIMIT %d", t.keys(), copyBatch)
	rows, err := c.from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	var all [][]any
	err = scanAll(rows, len(t.columns), func(row []any) { all = append(all, slices.Clone(row)) })
	return all, err
}

// scanAll calls do with every row. Texts are bytes, as they are in PostgreSQL.
func scanAll(rows *sql.Rows, columns int, do func(row []any)) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	row, places := make([]any, columns), make([]any, columns)
	for i := range row {
		places[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		for i, v := range row {
			if s, ok := v.(string); ok {
				row[i] = []byte(s)
			}
		}
		do(row)
	}
	return rows.Err()
}

// write stores rows and the progress of the copy in one transaction.
func (c *copier) write(ctx context.Context, t table, rows [][]any, count int64, last []byte, whole bool) error {
	return pgx.BeginFunc(ctx, c.to, func(tx pgx.Tx) error {
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromRows(rows)); err != nil {
			return err
		}
		if last == nil {
			last = []byte{}
		}
		_, err := tx.Exec(ctx, "INSERT INTO copied_from_sqlite (name, count, last, whole) VALUES ($1, $2, $3, $4)"+
			" ON CONFLICT (name) DO UPDATE SET count = excluded.count, last = excluded.last, whole = excluded.whole",
			t.name, count, last, whole)
		return err
	})
}

// verify compares the number of rows of a table and their checksum on both sides.
func (c *copier) verify(ctx context.Context, t table) error {
	query := t.all() + " ORDER BY " + t.keys() //nolint:gosec // G202: names of the schema
	source, target := checksum{Hash: sha256.New()}, checksum{Hash: sha256.New()}
	rows, err := c.from.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	if err := scanAll(rows, len(t.columns), source.add); err != nil {
		return err
	}
	copied, err := c.to.Query(ctx, query)
	if err != nil {
		return err
	}
	defer copied.Close()
	for copied.Next() {
		row, err := copied.Values()
		if err != nil {
			return err
		}
		target.add(row)
	}
	if err := copied.Err(); err != nil {
		return err
	}
	if source.rows != target.rows || string(source.Sum(nil)) != string(target.Sum(nil)) {
		return fmt.Errorf("%d rows in SQLite, %d in PostgreSQL, or their contents differ", source.rows, target.rows)
	}
	c.report(Copied{Table: t.name, Rows: target.rows, Of: source.rows, Verified: true})
	return nil
}

// checksum is a hash over rows in order.
type checksum struct {
	hash.Hash
	rows int64
}

func (s *checksum) add(row []any) {
	s.rows++
	_, _ = s.Write(encodeValues(row)) // writing to a hash cannot fail
}

// The kinds of values in an encoded row.
const (
	noValue byte = iota
	numberValue
	bytesValue
)

// encodeValues encodes values unambiguously.
func encodeValues(values []any) []byte {
	var b []byte
	for _, v := range values {
		switch v := v.(type) {
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, numberValue), uint64(v))
		case []byte:
			b = append(binary.BigEndian.AppendUint64(append(b, bytesValue), uint64(len(v))), v...)
		default:
			b = append(b, noValue)
		}
	}
	return b
}

func (t *table) encodeKey(row []any) []byte {
	key := make([]any, len(t.key))
	for i, place := range t.key {
		key[i] = row[place]
	}
	return encodeValues(key)
}

// decodeKey decodes the result of encodeKey.
func decodeKey(b []byte) (values []any, err error) {
	for len(b) >= 9 {
		kind, n := b[0], binary.BigEndian.Uint64(b[1:9])
		b = b[9:]
		if kind == numberValue {
			values = append(values, int64(n))
			continue
		}
		if kind != bytesValue || uint64(len(b)) < n {
			break
		}
		values, b = append(values, b[:n]), b[n:]
	}
	if len(b) > 0 {
		return nil, errors.New("the recorded progress of the copy cannot be read")
	}
	return values, nil
}
