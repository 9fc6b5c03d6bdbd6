package store

import (
	"fmt"
	"slices"
	"time"

	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/go-json-experiment/json"
)

// Change is a write to the store: the result of a decision. The cache, the event feed and the metrics use the same
// Change.
type Change struct {
	// Expect names every subject that the change writes to. After the commit each of them has the revision Revision.
	Expect []Expectation
	// Check names subjects that the decision depends on and the change does not write to. Of two changes that check what the
	// other one writes or creates, at most one is committed (docs/decisions, number 17).
	Check []Expectation
	// Seen names subjects that the request has read before the decision, such as the caller's token. They must be at these
	// revisions at some moment of the commit. Unlike those of Check, they may change at the same time.
	Seen   []Expectation
	Delete []Key // removed before Put is stored
	Put    []Record
	Events []Event // recorded with the change
	// Clear removes all records except node numbers before the rest of the change is applied. Only the reset of a dev
	// service uses it.
	Clear bool
	// Extendable names subjects of the change. Decisions on them build on their states while the change waits for its commit, so that
	// they share the commit. It requires that the change alters nothing else that these decisions read.
	Extendable []Subject
	// Queued, when set, is called when the change has its revision and a place in the order of commits: a change that expects
	// this revision can be committed from then on. Commit calls it before it waits for the commit, with its own copy of the
	// change. An engine without such an order does not call it.
	Queued func(*Change)

	// Revision is set by Commit. It is larger than every revision that the change expects, and no other change has it.
	Revision uint64
}

// Expectation is a subject and the revision that a decision has read, 0 for a subject that does not exist.
type Expectation struct {
	Subject  Subject
	Revision uint64
	// Ends removes the subject: its revision is 0 after the commit.
	Ends bool
	// State is the state of the subject after the commit, for the cache. When it is nil, the cache reads the state when it
	// is needed.
	State any
}

// Event is an event about a subject that the change writes to. Sessions receive the events of a subject in the order of
// its revisions.
type Event struct {
	Subject Subject
	events.Event
}

// Record is one row or a few rows. Storing a record replaces the rows with the same key. The record types of this
// package implement Record.
type Record interface {
	subjects() []Subject
	write(w *writes)
}

// Key names rows to remove. The functions of this package whose names end in Key make keys.
type Key struct {
	subs []Subject
	ends []Subject // subjects that do not exist after the change
	rows []rowKey
}

// rowKey selects the rows of a table whose columns have the given values.
type rowKey struct {
	table   *table
	columns []string
	values  []any
}

func (k Key) write(w *writes) {
	for _, r := range k.rows {
		w.delete(r.table, r.columns, r.values...)
	}
}

// Expects returns the expectation of a subject, nil when the change does not write to it.
func (c *Change) Expects(s Subject) *Expectation {
	i := slices.IndexFunc(c.Expect, func(e Expectation) bool { return e.Subject == s })
	if i < 0 {
		return nil
	}
	return &c.Expect[i]
}

// Statement is one SQL statement of a commit. Question marks stand for the arguments: int64, string, []byte or nil.
type Statement struct {
	SQL  string
	Args []any
}

// Statements returns the statements that store the records of a change, without the revisions and events. Engines run
// them in this order. The capacity of the result has room for more further statements.
func (c *Change) Statements(more int) ([]Statement, error) {
	w := writes{list: make([]Statement, 0, len(c.Delete)+len(c.Put)+1+more), revision: c.Revision}
	if c.Clear {
		for _, t := range allTables {
			w.list = append(w.list, Statement{SQL: "DELETE FROM " + t.name})
		}
		w.list = append(w.list, Statement{SQL: "DELETE FROM " + memberCountsTable.name}) // after members, whose triggers write it
	}
	for _, k := range c.Delete {
		k.write(&w)
	}
	for _, r := range c.Put {
		r.write(&w)
	}
	return w.list, w.err
}

// writes collects the statements of a change.
type writes struct {
	list []Statement
	// own, when set, receives the rows instead of list, so that a decision can read its own writes.
	own  *overlay
	main rowKey // the row that was put last, which is the main row of a record
	err  error  // the first error of encoding a document

	revision uint64 // of the change
}

// doc returns the document of a record.
func (w *writes) doc(record any) []byte {
	doc, err := json.Marshal(record)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("encode %T: %w", record, err)
	}
	return doc
}

// put stores a row and replaces the row with the same key. values has a value for each column of the table.
func (w *writes) put(t *table, values ...any) {
	row := append(make([]any, 0, len(values)+1), values...) // a copy, so that the values need no slice in the heap
	if w.own != nil {
		w.own.put(t, row)
		w.main = rowKey{table: t, values: row}
		return
	}
	w.list = append(w.list, Statement{t.upsert, append(row, checksum(values))})
}

// delete removes the rows whose columns have the given values.
func (w *writes) delete(t *table, columns []string, values ...any) {
	if w.own != nil {
		w.own.delete(t, columns, values)
		return
	}
	w.list = append(w.list, Statement{t.deleteBy(columns), values})
}

// Revise sets the revision of the change to a new one that is larger than all revisions that the change expects. It also
// sorts the expectations into the order in which engines lock subjects. Engines call it once, before the first attempt to
// commit.
func (c *Change) Revise(r *Revisions, now time.Time) {
	above := uint64(0)
	for _, e := range c.Expect {
		above = max(above, e.Revision)
	}
	c.Revision = r.next(now, above)
	slices.SortFunc(c.Expect, func(a, b Expectation) int { return a.Subject.Compare(b.Subject) })
	slices.SortFunc(c.Check, func(a, b Expectation) int { return a.Subject.Compare(b.Subject) })
}

// Writes returns the subjects that the records and keys of a change write to. The value is true when the change removes
// the subject.
func (c *Change) Writes() (ends map[Subject]bool) {
	ends = make(map[Subject]bool, len(c.Put)+len(c.Delete))
	for _, k := range c.Delete {
		for _, s := range k.subs {
			touch(ends, s)
		}
		for _, s := range k.ends {
			ends[s] = true
		}
	}
	for _, r := range c.Put {
		for _, s := range r.subjects() {
			ends[s] = false
		}
	}
	return ends
}

// touch adds a subject to written, unless the subject is there.
func touch(written map[Subject]bool, s Subject) {
	if _, already := written[s]; !already {
		written[s] = false
	}
}
