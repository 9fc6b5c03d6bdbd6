package store

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// Node is a node number with its holder. Ids contain the node number, so different processes create different ids.
type Node struct {
	Number  uint16
	Holder  string
	Until   time.Time // when the lease ends, by the clock of NodeQueries.Now
	Ceiling time.Time // no id with the number has a later time
}

func (n Node) subjects() []Subject { return []Subject{NodeSubject(n.Number)} }

func (n Node) write(w *writes) {
	w.put(nodesTable, int64(n.Number), n.Holder, micros(n.Until), micros(n.Ceiling))
}

// NodeQueries reads node numbers.
type NodeQueries struct{ *reader }

// All returns all numbers that were ever leased, in ascending order. A decision depends only on the numbers that it
// writes.
func (q NodeQueries) All() ([]Node, error) {
	rows, err := q.rows(nodesTable, page{}, nil)
	return nodesOf(rows), err
}

// Intact returns all numbers like All, without those whose rows are damaged.
func (q NodeQueries) Intact() ([]Node, error) {
	rows, err := q.rows(nodesTable, page{"number", -1, MaxNode + 1}, nil)
	return nodesOf(rows), err
}

func nodesOf(rows []Row) []Node {
	nodes := make([]Node, len(rows))
	for i, row := range rows {
		nodes[i] = Node{uint16(row.int(0)), row.text(1), fromMicros(row.int(2)), fromMicros(row.int(3))}
	}
	return nodes
}

// Now returns the time that all processes of the store agree on: that of the server, or own if there is no server.
func (q NodeQueries) Now(own time.Time) (time.Time, error) {
	if server, ok := q.q.(TimeQuerier); ok {
		return server.Now()
	}
	return own, nil
}

// Tombstone is a deletion whose dependent rows are still being removed. The record itself is deleted.
type Tombstone struct {
	Kind  Kind // of the deleted subject
	ID    uint64
	Guild snowflake.Guild // of a deleted role or channel
}

// TombstonesSubject is the list of all tombstones.
func TombstonesSubject() Subject { return Subject{Kind: KindTombstone} }

func (t Tombstone) subject() Subject { return Subject{KindTombstone, uint64(t.Kind), t.ID} }

func (t Tombstone) subjects() []Subject { return []Subject{t.subject(), TombstonesSubject()} }

func (t Tombstone) write(w *writes) {
	w.put(tombstonesTable, int64(t.Kind), key(t.ID), key(t.Guild))
}

// TombstoneKey names a tombstone. Delete it when all dependent rows are removed.
func TombstoneKey(t Tombstone) Key {
	return Key{
		subs: []Subject{TombstonesSubject()}, ends: []Subject{t.subject()},
		rows: []rowKey{{tombstonesTable, []string{"kind", "id", "guild_id"}, []any{int64(t.Kind), key(t.ID), key(t.Guild)}}},
	}
}

// Tombstone reports whether dependent rows of a deleted subject are still being removed.
func (q DirectoryQueries) Tombstone(t Tombstone) (bool, error) {
	q.read(t.subject())
	_, err := q.row(tombstonesTable, int64(t.Kind), key(t.ID), key(t.Guild))
	return err == nil, except(err, ErrNotFound)
}

// Removals returns up to limit tombstones, without damaged ones.
func (q DirectoryQueries) Removals(limit int) ([]Tombstone, error) {
	rows, err := q.rows(tombstonesTable, page{"kind", 0, limit}, nil)
	return tombstonesOf(rows), err
}

// Tombstones returns all tombstones.
func (q DirectoryQueries) Tombstones() ([]Tombstone, error) {
	q.read(TombstonesSubject())
	rows, err := q.rows(tombstonesTable, page{}, nil)
	return tombstonesOf(rows), err
}

func tombstonesOf(rows []Row) []Tombstone {
	list := make([]Tombstone, len(rows))
	for i, row := range rows {
		list[i] = Tombstone{Kind(row.int(0)), uint64(row.int(1)), snowflake.Guild(row.int(2))}
	}
	return list
}
