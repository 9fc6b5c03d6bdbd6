package main

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
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/jackc/pgx/v5"
)

// errNotEmpty means that the target database contains rows that were not written by an earlier, interrupted copy.
var errNotEmpty = errors.New("the PostgreSQL database is not empty")

// copyProgress is the progress of the copy of one table.
type copyProgress struct {
	table       string
	rows, total int64
	verified    bool // both databases have the same rows
}

// copyBatch is the number of rows that are copied in one transaction.
const copyBatch = 5000

// createProgressTable creates the table that records the progress of a copy, so that an interrupted copy can continue. The
// copy drops the table when it is complete.
const createProgressTable = `CREATE TABLE IF NOT EXISTS copied_from_sqlite (
	name TEXT PRIMARY KEY, count BIGINT NOT NULL, last BYTEA NOT NULL, whole BOOLEAN NOT NULL)`

// copyToPostgres copies the SQLite database at path into the empty PostgreSQL database at url and compares the two. It fails
// if another process has the SQLite database open. After an interruption, the next call continues where the copy stopped.
func copyToPostgres(ctx context.Context, path, url string, log *slog.Logger, report func(copyProgress)) (err error) {
	locked, err := sqlite.Open(ctx, path, clock.System{}, log) // locks out other processes and migrates the schema
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, locked.Close()) }()
	target, err := postgres.Open(ctx, url, clock.System{}, log)
	if err != nil {
		return err
	}
	if err := target.Close(); err != nil { // opening it has migrated the schema
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

// copier copies the tables of a SQLite database into a PostgreSQL database.
type copier struct {
	from   *sql.DB
	to     *pgx.Conn
	report func(copyProgress)
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

// begin fails if the target contains rows, unless an earlier copy was interrupted.
func (c *copier) begin(ctx context.Context, tables []table) error {
	var interrupted bool
	err := c.to.QueryRow(ctx, "SELECT to_regclass('copied_from_sqlite') IS NOT NULL").Scan(&interrupted)
	if err != nil || interrupted {
		return err
	}
	for _, t := range tables {
		var hasRows bool
		if err := c.to.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM "+t.name+")").Scan(&hasRows); err != nil {
			return err
		}
		if hasRows {
			return fmt.Errorf("%w: table %s", errNotEmpty, t.name)
		}
	}
	_, err = c.to.Exec(ctx, createProgressTable)
	return err
}

// table is a table of the schema.
type table struct {
	name    string
	columns []string
	key     []int // the primary key, as indexes into columns
}

// tables returns the tables of the source, ordered by name.
func (c *copier) tables(ctx context.Context) (tables []table, err error) {
	rows, err := c.from.QueryContext(ctx, "SELECT m.name, p.name, p.cid, p.pk FROM sqlite_master m JOIN pragma_table_info(m.name) p"+
		" WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'schema_versions' ORDER BY m.name, p.cid")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	keys := map[string]map[int]int{} // table, position in the primary key: index of the column
	for rows.Next() {
		var name, column string
		var index, position int
		if err := rows.Scan(&name, &column, &index, &position); err != nil {
			return nil, err
		}
		if len(tables) == 0 || tables[len(tables)-1].name != name {
			tables = append(tables, table{name: name})
			keys[name] = map[int]int{}
		}
		t := &tables[len(tables)-1]
		t.columns = append(t.columns, column)
		if position > 0 {
			keys[name][position] = index
		}
	}
	for i := range tables {
		for position := range len(keys[tables[i].name]) {
			tables[i].key = append(tables[i].key, keys[tables[i].name][position+1])
		}
	}
	return tables, rows.Err()
}

// query returns the query for the rows that match where, ordered by the primary key.
func (t *table) query(where string) string {
	return "SELECT " + strings.Join(t.columns, ", ") + " FROM " + t.name + where + " ORDER BY " + t.keyColumns()
}

// keyColumns returns the names of the columns of the primary key.
func (t *table) keyColumns() string {
	names := make([]string, len(t.key))
	for i, column := range t.key {
		names[i] = t.columns[column]
	}
	return strings.Join(names, ", ")
}

// copy copies the rows that are not in the target yet.
func (c *copier) copy(ctx context.Context, t table) error {
	progress := copyProgress{table: t.name}
	if err := c.from.QueryRowContext(ctx, "SELECT COUNT(*) FROM "+t.name).Scan(&progress.total); err != nil {
		return err
	}
	var last []byte
	var complete bool
	err := c.to.QueryRow(ctx, "SELECT count, last, whole FROM copied_from_sqlite WHERE name = $1", t.name).
		Scan(&progress.rows, &last, &complete)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	for !complete {
		rows, err := c.read(ctx, t, last)
		if err != nil {
			return err
		}
		complete = len(rows) < copyBatch
		if len(rows) > 0 {
			last = t.encodeKey(rows[len(rows)-1])
		}
		progress.rows += int64(len(rows))
		if err := c.write(ctx, t, rows, progress.rows, last, complete); err != nil {
			return err
		}
		c.report(progress)
	}
	return nil
}

// read returns up to copyBatch rows after a key, ordered by the primary key.
func (c *copier) read(ctx context.Context, t table, after []byte) ([][]any, error) {
	where, args := "", []any(nil)
	if len(after) > 0 {
		marks := strings.TrimSuffix(strings.Repeat("?, ", len(t.key)), ", ")
		where = " WHERE (" + t.keyColumns() + ") > (" + marks + ")"
		var err error
		if args, err = decodeKey(after); err != nil {
			return nil, err
		}
	}
	rows, err := c.from.QueryContext(ctx, t.query(where)+" LIMIT "+strconv.Itoa(copyBatch), args...)
	if err != nil {
		return nil, err
	}
	var all [][]any
	err = scanAll(rows, len(t.columns), func(row []any) { all = append(all, slices.Clone(row)) })
	return all, err
}

// scanAll calls do with every row. It converts strings to bytes: the PostgreSQL schema stores them as BYTEA.
func scanAll(rows *sql.Rows, columns int, do func(row []any)) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	row, pointers := make([]any, columns), make([]any, columns)
	for i := range row {
		pointers[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
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
func (c *copier) write(ctx context.Context, t table, rows [][]any, count int64, last []byte, complete bool) error {
	return pgx.BeginFunc(ctx, c.to, func(tx pgx.Tx) error {
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromRows(rows)); err != nil {
			return err
		}
		if last == nil {
			last = []byte{}
		}
		_, err := tx.Exec(ctx, "INSERT INTO copied_from_sqlite (name, count, last, whole) VALUES ($1, $2, $3, $4)"+
			" ON CONFLICT (name) DO UPDATE SET count = excluded.count, last = excluded.last, whole = excluded.whole",
			t.name, count, last, complete)
		return err
	})
}

// verify compares the number and the checksum of the rows of a table in both databases.
func (c *copier) verify(ctx context.Context, t table) error {
	source, target := checksum{Hash: sha256.New()}, checksum{Hash: sha256.New()}
	rows, err := c.from.QueryContext(ctx, t.query(""))
	if err != nil {
		return err
	}
	if err := scanAll(rows, len(t.columns), source.add); err != nil {
		return err
	}
	copied, err := c.to.Query(ctx, t.query(""))
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
		return fmt.Errorf("the tables differ: %d rows in SQLite, %d rows in PostgreSQL", source.rows, target.rows)
	}
	c.report(copyProgress{table: t.name, rows: target.rows, total: source.rows, verified: true})
	return nil
}

// checksum is a hash over rows. The order of the rows matters.
type checksum struct {
	hash.Hash
	rows int64
}

func (s *checksum) add(row []any) {
	s.rows++
	_, _ = s.Write(encodeValues(row)) // writing to a hash cannot fail
}

// The types of values in an encoded row.
const (
	nullValue byte = iota
	numberValue
	bytesValue
)

// encodeValues encodes values so that different values have different encodings.
func encodeValues(values []any) []byte {
	var b []byte
	for _, v := range values {
		switch v := v.(type) {
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, numberValue), uint64(v))
		case []byte:
			b = append(binary.BigEndian.AppendUint64(append(b, bytesValue), uint64(len(v))), v...)
		default:
			b = append(b, nullValue)
		}
	}
	return b
}

func (t *table) encodeKey(row []any) []byte {
	key := make([]any, len(t.key))
	for i, column := range t.key {
		key[i] = row[column]
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
		return nil, errors.New("table copied_from_sqlite: the recorded progress is corrupt")
	}
	return values, nil
}
