package sqlstore

import (
	"time"

	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	selectFreeNode = "SELECT number, ceiling FROM nodes WHERE until <= ? ORDER BY until, number LIMIT 1"
	countNodes     = "SELECT COUNT(*) FROM nodes"
	upsertNode     = "INSERT INTO nodes (number, holder, until, ceiling) VALUES (?, ?, ?, ?)" +
		" ON CONFLICT (number) DO UPDATE SET holder = excluded.holder, until = excluded.until"
	selectNodes = "SELECT number, holder, until FROM nodes ORDER BY number"
	updateNode  = "UPDATE nodes SET until = ?, ceiling = ? WHERE number = ? AND holder = ?"
)

// LeaseNode gives holder the number that was given up longest ago, or the first that nobody ever had.
func (t *Tx) LeaseNode(holder string, now, until time.Time) (uint16, time.Time, error) {
	number, ceiling := int64(-1), time.Time{}
	err := t.query(selectFreeNode, func(r Row) error {
		number, ceiling = r.int(0), fromMicros(r.int(1))
		return nil
	}, micros(now))
	if err == nil && number < 0 {
		err = t.query(countNodes, func(r Row) error {
			number = r.int(0)
			return nil
		})
	}
	if err != nil {
		return 0, time.Time{}, err
	}
	if number > snowflake.MaxNode {
		return 0, time.Time{}, store.ErrNotFound
	}
	err = t.do(upsertNode, number, holder, micros(until), micros(ceiling))
	return uint16(number), ceiling, err
}

// ExtendNode prolongs a lease and writes a new ceiling down.
func (t *Tx) ExtendNode(number uint16, holder string, until, ceiling time.Time) error {
	n, err := t.exec(updateNode, micros(until), micros(ceiling), int64(number), holder)
	if err == nil && n == 0 {
		err = store.ErrNotFound
	}
	return err
}

// Nodes returns every number that was ever given out.
func (t *Tx) Nodes() ([]store.Node, error) {
	var nodes []store.Node
	err := t.query(selectNodes, func(r Row) error {
		nodes = append(nodes, store.Node{Number: uint16(r.int(0)), Holder: r.text(1), Until: fromMicros(r.int(2))})
		return nil
	})
	return nodes, err
}
