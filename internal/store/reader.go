package store

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Reader reads records from one snapshot. Lists are in ascending order of ids. Methods that return one record return
// ErrNotFound when it does not exist. Times have a precision of one microsecond. No record has the id 0.
type Reader struct {
	Commands     CommandQueries
	Directory    DirectoryQueries
	Credentials  CredentialQueries
	Lobbies      LobbyQueries
	Interactions InteractionQueries
	Messages     MessageQueries
	Threads      ThreadQueries
	Webhooks     WebhookQueries
	Invites      InviteQueries
	Images       ImageQueries
	Grants       GrantQueries
	Nodes        NodeQueries
	Audit        AuditQueries
	Outbox       OutboxQueries
	Identities   IdentityQueries

	core *reader
}

// Querier runs queries on one snapshot. Question marks stand for the arguments: int64, string, []byte or nil. An engine
// implements it.
type Querier interface {
	// Query passes every row to scan. scan must not keep the Row or run a query. It may keep byte slices of the row.
	Query(sql string, args []any, scan func(Row) error) error
}

// RevisionQuerier is a Querier that returns the revisions of many subjects with one query, 0 for subjects that do not
// exist. An engine whose queries take a round trip each implements it.
type RevisionQuerier interface {
	Querier
	Revisions(subjects []Subject) ([]uint64, error)
}

// TimeQuerier is a Querier of a server that several processes share. Now returns the time of the server's clock.
type TimeQuerier interface {
	Querier
	Now() (time.Time, error)
}

// NewReader returns a reader of the snapshot that q queries. It reports damaged rows to d, which may be nil.
func NewReader(q Querier, d *Damage) Reader { return newReader(&reader{q: q, damage: d}) }

func newReader(r *reader) Reader {
	return Reader{
		CommandQueries{r},
		DirectoryQueries{r},
		CredentialQueries{r},
		LobbyQueries{r},
		InteractionQueries{r},
		MessageQueries{r},
		ThreadQueries{r},
		WebhookQueries{r},
		InviteQueries{r},
		ImageQueries{r},
		GrantQueries{r},
		NodeQueries{r},
		AuditQueries{r},
		OutboxQueries{r},
		IdentityQueries{r},
		r,
	}
}

// Revisions returns the revision of each subject in the snapshot, 0 for those that do not exist.
func (r Reader) Revisions(subjects ...Subject) ([]uint64, error) {
	return r.core.revisions(subjects)
}

// reader runs the queries of all groups.
type reader struct {
	q      Querier
	own    *overlay      // the writes of the decision that reads; nil for none
	onRead func(Subject) // called with each subject that is read; may be nil
	damage *Damage       // may be nil
}

// read records that a decision depends on a subject.
func (r *reader) read(s Subject) {
	if r.onRead != nil {
		r.onRead(s)
	}
}

const selectRevision = "SELECT revision FROM subjects WHERE kind = ? AND a = ? AND b = ?"

func (r *reader) revisions(subjects []Subject) ([]uint64, error) {
	if q, ok := r.q.(RevisionQuerier); ok {
		return q.Revisions(subjects)
	}
	revisions := make([]uint64, len(subjects))
	for i, s := range subjects {
		err := r.q.Query(selectRevision, s.args(), func(row Row) error {
			revisions[i] = uint64(row.int(0))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return revisions, nil
}

// args returns the columns that name the subject.
func (s Subject) args() []any { return []any{int64(s.Kind), int64(s.A), int64(s.B)} }

// Row is one row of a result. A value is an int64, a string, a []byte or nil.
type Row []any

func (r Row) int(i int) int64 { n, _ := r[i].(int64); return n }

// text returns a column that some engines store as text and some as bytes.
func (r Row) text(i int) string {
	if b, ok := r[i].([]byte); ok {
		return string(b)
	}
	s, _ := r[i].(string)
	return s
}

func (r Row) bytes(i int) []byte { b, _ := r[i].([]byte); return b }

// page selects up to limit rows whose column is above after. The zero page selects all rows.
type page struct {
	column string
	after  int64
	limit  int
}

// rows returns the rows of a table whose columns have the given values, in the order of the key. A page leaves out
// damaged rows, which belong to other subjects than their neighbours. Without a page, a damaged row is an error.
func (r *reader) rows(t *table, p page, columns []string, values ...any) ([]Row, error) {
	return r.rowsWithout(t, "", p, columns, values...)
}

// rowsWithout is rows without those whose column null is set. An empty null leaves out nothing.
func (r *reader) rowsWithout(t *table, null string, p page, columns []string, values ...any) ([]Row, error) {
	if p.column != "" && p.limit <= 0 {
		return nil, nil
	}
	query, args := t.selectBy(columns), values
	if null != "" {
		query += " AND " + null + " IS NULL"
	}
	if p.column != "" {
		join := " WHERE "
		if len(columns) > 0 {
			join = " AND "
		}
		query += join + p.column + " > ?"
		args = append(slices.Clip(args), p.after)
	}
	query += t.orderByKey()
	var found []Row
	var err error
	if p.column != "" && !r.own.deletes(t) {
		found, err = r.limited(t, p.limit+r.own.size(t), query, args)
	} else {
		found, err = r.intact(t, p.column != "", query, args)
	}
	if err != nil {
		return nil, err
	}
	found = r.own.amend(t, found, p, columns, values)
	if null != "" {
		found = slices.DeleteFunc(found, func(row Row) bool { return row[t.column(null)] != nil })
	}
	if p.column != "" {
		found = found[:min(len(found), p.limit)]
	}
	return found, nil
}

// limited returns the first limit rows of a query that are not damaged. Damaged rows do not hide the rows behind them.
func (r *reader) limited(t *table, limit int, query string, args []any) ([]Row, error) {
	if limit <= 0 {
		return nil, nil
	}
	for asked := limit; ; {
		read := 0
		found, err := r.scanned(t, true, &read, query+" LIMIT ?", append(slices.Clip(args), int64(asked)))
		if err != nil || read < asked || len(found) >= limit {
			return found[:min(len(found), limit)], err
		}
		asked *= 2
	}
}

// intact returns the rows of a query. When skip is set it leaves out damaged rows; otherwise they are errors.
func (r *reader) intact(t *table, skip bool, query string, args []any) ([]Row, error) {
	read := 0
	return r.scanned(t, skip, &read, query, args)
}

// scanned is intact. It sets read to the number of rows, with those that are damaged.
func (r *reader) scanned(t *table, skip bool, read *int, query string, args []any) ([]Row, error) {
	var found []Row
	err := r.q.Query(query, args, func(row Row) error {
		*read++
		row, err := r.verify(t, row)
		if err != nil && skip {
			return nil
		}
		if err == nil {
			found = append(found, slices.Clone(row))
		}
		return err
	})
	return found, err
}

// row returns the row with a key, or ErrNotFound.
func (r *reader) row(t *table, key ...any) (Row, error) {
	if own, known := r.own.find(t, key); known {
		if own == nil {
			return nil, ErrNotFound
		}
		return own, nil
	}
	var found Row
	err := r.q.Query(t.selectBy(t.columns[:t.keys]), key, func(row Row) error {
		row, err := r.verify(t, row)
		found = slices.Clone(row)
		return err
	})
	if err == nil && (found == nil || r.own.deleted(t, found)) {
		err = ErrNotFound
	}
	return found, err
}

// find returns the record with a key in a table with documents.
func find[T any](r *reader, t *table, key ...any) (T, error) {
	var record T
	row, err := r.row(t, key...)
	if err == nil {
		err = decode(row.bytes(t.column("doc")), &record)
	}
	return record, err
}

// list returns the records of a table with documents.
func list[T any](r *reader, t *table, p page, columns []string, values ...any) ([]T, error) {
	rows, err := r.rows(t, p, columns, values...)
	if err != nil {
		return nil, err
	}
	return decodeAll[T](t, rows)
}

// decodeAll returns the records of rows.
func decodeAll[T any](t *table, rows []Row) ([]T, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	records := make([]T, len(rows))
	for i, row := range rows {
		if err := decode(row.bytes(t.column("doc")), &records[i]); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// listHashed is list for records whose first column is a hash that the document does not hold.
func listHashed[T any](r *reader, hash func(*T) *TokenHash, t *table, columns []string, values ...any) ([]T, error) {
	rows, err := r.rows(t, page{}, columns, values...)
	if err != nil {
		return nil, err
	}
	records := make([]T, len(rows))
	for i, row := range rows {
		copy(hash(&records[i])[:], row.bytes(0))
		if err := decode(row.bytes(t.column("doc")), &records[i]); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// findHashed is listHashed for one record.
func findHashed[T any](r *reader, hash func(*T) *TokenHash, t *table, columns []string, values ...any) (T, error) {
	found, err := listHashed(r, hash, t, columns, values...)
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		var none T
		return none, err
	}
	return found[0], nil
}

// number returns the first column of the first row that a query selects, 0 for none.
func (r *reader) number(query string, args ...any) (n int64, err error) {
	err = r.q.Query(query, args, func(row Row) error {
		n = row.int(0)
		return nil
	})
	return n, err
}

// decode reads a document. Its checksum was right, so an error comes from the program that stored it. The error does
// not wrap that of the parser, which would look like a mistake of the caller.
func decode(doc []byte, record any) error {
	if err := json.Unmarshal(doc, record); err != nil {
		return fmt.Errorf("%w: decode a stored %T: %v", ErrDamaged, record, err) //nolint:errorlint // see above
	}
	return nil
}

// key returns an id as it is stored.
func key[ID ~uint64](id ID) int64 { return int64(id) }

// micros returns a time as it is stored. The zero Time can be stored too.
func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }

// microsOrNull returns a time as it is stored in a column that is NULL for the zero Time.
func microsOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return micros(t)
}

// flag returns a bool as it is stored.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// blob returns bytes as they are stored: nil is NULL.
func blob(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

// overlay holds the rows that a decision has written, for its own reads. A nil overlay is empty.
type overlay struct {
	tables map[*table]*written
}

// written holds the rows of one table that a decision has written.
type written struct {
	rows    map[string]Row  // by key; nil for a deleted row
	groups  map[string]bool // the keys of the rows without their last column
	deleted []rowKey        // deleted rows of the snapshot
}

func (o *overlay) of(t *table) *written {
	if o == nil {
		return nil
	}
	return o.tables[t]
}

func (o *overlay) touch(t *table) *written {
	if o.tables == nil {
		o.tables = map[*table]*written{}
	}
	w := o.tables[t]
	if w == nil {
		w = &written{rows: map[string]Row{}, groups: map[string]bool{}}
		o.tables[t] = w
	}
	return w
}

func (o *overlay) put(t *table, values []any) {
	w := o.touch(t)
	w.rows[keyText(values[:t.keys])] = values
	w.groups[keyText(values[:t.keys-1])] = true
}

func (o *overlay) delete(t *table, columns []string, values []any) {
	w := o.touch(t)
	if slices.Equal(columns, t.columns[:t.keys]) {
		w.rows[keyText(values)] = nil
		return
	}
	d := rowKey{t, columns, values}
	w.deleted = append(w.deleted, d)
	if slices.Equal(columns, t.columns[:t.keys-1]) && !w.groups[keyText(values)] {
		return // no row to look for: importing a thousand members deletes the roles of each first
	}
	for k, row := range w.rows {
		if row != nil && d.matches(row) {
			w.rows[k] = nil
		}
	}
}

// clear deletes all rows of the snapshot.
func (o *overlay) clear() {
	for _, t := range allTables {
		o.touch(t).deleted = []rowKey{{table: t}}
	}
}

// find returns the row that the decision wrote with a key, nil when the decision deleted it. known is false when the
// decision did not write a row with the key.
func (o *overlay) find(t *table, key []any) (row Row, known bool) {
	w := o.of(t)
	if w == nil {
		return nil, false
	}
	row, known = w.rows[keyText(key)]
	return row, known
}

// deleted reports whether the decision deleted a row of the snapshot.
func (o *overlay) deleted(t *table, row Row) bool {
	w := o.of(t)
	return w != nil && slices.ContainsFunc(w.deleted, func(d rowKey) bool { return d.matches(row) })
}

func (o *overlay) deletes(t *table) bool {
	w := o.of(t)
	return w != nil && len(w.deleted) > 0
}

func (o *overlay) size(t *table) int {
	w := o.of(t)
	if w == nil {
		return 0
	}
	return len(w.rows)
}

// amend applies the writes of the decision to rows of the snapshot.
func (o *overlay) amend(t *table, rows []Row, p page, columns []string, values []any) []Row {
	w := o.of(t)
	if w == nil {
		return rows
	}
	rows = slices.DeleteFunc(rows, func(row Row) bool {
		_, written := w.rows[keyText(row[:t.keys])]
		return written || o.deleted(t, row)
	})
	wanted := rowKey{t, columns, values}
	for _, row := range w.rows {
		if row != nil && wanted.matches(row) && (p.column == "" || row.int(t.column(p.column)) > p.after) {
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return compareKeys(a[:t.keys], b[:t.keys]) })
	return rows
}

// matches reports whether a row has the values of the key. As in SQL, NULL is not equal to any value.
func (k rowKey) matches(row Row) bool {
	for i, c := range k.columns {
		v := row[k.table.column(c)]
		if v == nil || compareKeys(Row{v}, Row{k.values[i]}) != 0 {
			return false
		}
	}
	return true
}

func compareKeys(a, b Row) int {
	for i := range a {
		x, isInt := a[i].(int64)
		if y, also := b[i].(int64); isInt && also {
			if c := cmp.Compare(x, y); c != 0 {
				return c
			}
			continue
		}
		if c := cmp.Compare(a.text(i), b.text(i)); c != 0 {
			return c
		}
	}
	return 0
}

func keyText(values []any) string {
	var b strings.Builder
	for i := range values {
		switch v := values[i].(type) {
		case int64:
			b.WriteString(strconv.FormatInt(v, 36))
		default:
			b.WriteString(Row(values).text(i))
		}
		b.WriteByte(0)
	}
	return b.String()
}
