package store

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Snapshot reads all tables at one moment, while other processes use the database. It is for tools that copy or check a
// whole database. One goroutine uses it.
type Snapshot interface {
	Querier
	Close() error
}

// Loader fills an empty database in one transaction. A column that is a text in the schema takes a string or bytes.
type Loader interface {
	// Insert stores rows. columns names the values of each row.
	Insert(table string, columns []string, rows []Row) error
	// Commit makes the rows durable. Without it, Close discards them.
	Commit() error
	Close() error
}

// Select returns the query for all rows of the table in the order of the key, with the checksum as the last column.
func (t Table) Select() string {
	return "SELECT " + strings.Join(t.All(), ", ") + " FROM " + t.Name + " ORDER BY " + strings.Join(t.Columns[:t.Keys], ", ")
}

// All returns the names of all columns, with the checksum as the last one.
func (t Table) All() []string {
	if !t.Checksum {
		return t.Columns
	}
	return append(t.Columns[:len(t.Columns):len(t.Columns)], "checksum")
}

// Key returns the SQL condition that selects a row, which begins with the columns of the key. The engines write bytes
// differently.
func (t Table) Key(row Row, postgres bool) string {
	parts := make([]string, t.Keys)
	for i := range parts {
		value := literal(row[i])
		if postgres && strings.HasPrefix(value, "x'") {
			value = `'\x` + value[2:]
		}
		parts[i] = t.Columns[i] + " = " + value
	}
	return strings.Join(parts, " AND ")
}

// Intact reports whether the checksum of a row is right. The row has the columns of All.
func (t Table) Intact(row Row) bool {
	last := len(row) - 1
	sum, ok := row[last].(int64)
	return !t.Checksum || ok && sum == checksum(row[:last])
}

// Schema returns the number of the schema that this version creates.
func Schema() (int64, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		return 0, fmt.Errorf("no migrations: %w", err)
	}
	number, _, _ := strings.Cut(strings.TrimPrefix(names[len(names)-1], "migrations/"), "_") // Glob sorts
	return strconv.ParseInt(number, 10, 64)
}

// SchemaOf returns the number of the schema that a database has. It fails when this version cannot read all of it.
func SchemaOf(q Querier) (int64, error) {
	knows, err := Schema()
	if err != nil {
		return 0, err
	}
	var has int64
	err = q.Query("SELECT MAX(version_id) FROM schema_versions", nil, func(row Row) error {
		has = row.int(0)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("read the version of the schema: %w", err)
	}
	if err := CheckSchema(has); err != nil {
		return has, err
	}
	if has < knows {
		return has, fmt.Errorf("the schema is %d, this version needs %d: start the service with this version once", has, knows)
	}
	return has, nil
}

// CheckSchema returns ErrNewerSchema when this version cannot use a schema.
func CheckSchema(has int64) error {
	knows, err := Schema()
	if err == nil && has/generation > knows/generation {
		err = fmt.Errorf("%w: the schema is %d, this version knows %d", ErrNewerSchema, has, knows)
	}
	return err
}

var created = regexp.MustCompile(`(?m)^(CREATE|DROP) (?:UNIQUE )?(TABLE|INDEX) (\w+)`)

// SchemaNames returns the names of the tables and indexes that exist after all migrations.
func SchemaNames() (tables, indexes []string, err error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range created.FindAllStringSubmatch(string(text), -1) {
			list := &tables
			if m[2] == "INDEX" {
				list = &indexes
			}
			if m[1] == "CREATE" {
				*list = append(*list, m[3])
			} else {
				*list = slices.DeleteFunc(*list, func(name string) bool { return name == m[3] })
			}
		}
	}
	return tables, indexes, nil
}
