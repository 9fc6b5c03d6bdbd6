package store

import (
	"time"

	"github.com/bellhop/bellhop/snowflake"
)

// Node is a node number, which keeps the ids of several processes apart, and its holder.
type Node struct {
	Number  uint16
	Holder  string
	Until   time.Time // when the lease ends
	Ceiling time.Time // no id after it was ever made under the number
}

func (n Node) subjects() []Subject { return []Subject{NodeSubject(n.Number)} }

func (n Node) write(w *writes) {
	w.put(nodesTable, int64(n.Number), n.Holder, micros(n.Until), micros(n.Ceiling))
}

// NodeQueries reads node numbers.
type NodeQueries struct{ *reader }

// All returns every number that was ever given out, in ascending order. A decision depends on those alone that it writes.
func (q NodeQueries) All() ([]Node, error) {
	rows, err := q.rows(nodesTable, page{}, nil)
	nodes := make([]Node, len(rows))
	for i, row := range rows {
		nodes[i] = Node{uint16(row.int(0)), row.text(1), fromMicros(row.int(2)), fromMicros(row.int(3))}
	}
	return nodes, err
}

// Tombstone is a deletion whose dependent rows are still being removed. The record itself is gone.
type Tombstone struct {
	Kind  Kind // of what was deleted
	ID    uint64
	Guild snowflake.Guild // of a role or a channel that was deleted
}

// TombstonesSubject is the list of all tombstones.
func TombstonesSubject() Subject { return Subject{Kind: KindTombstone} }

func (t Tombstone) subject() Subject { return Subject{KindTombstone, uint64(t.Kind), t.ID} }

func (t Tombstone) subjects() []Subject { return []Subject{t.subject(), TombstonesSubject()} }

func (t Tombstone) write(w *writes) {
	w.put(tombstonesTable, int64(t.Kind), key(t.ID), key(t.Guild))
}

// TombstoneKey names a tombstone whose rows are all removed.
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

// Tombstones returns all tombstones.
func (q DirectoryQueries) Tombstones() ([]Tombstone, error) {
	q.read(TombstonesSubject())
	rows, err := q.rows(tombstonesTable, page{}, nil)
	list := make([]Tombstone, len(rows))
	for i, row := range rows {
		list[i] = Tombstone{Kind(row.int(0)), uint64(row.int(1)), snowflake.Guild(row.int(2))}
	}
	return list, err
}
