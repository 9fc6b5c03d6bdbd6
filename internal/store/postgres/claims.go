package postgres

import (
	"context"

	"github.com/bellhop/bellhop/internal/store"
)

// Statements about claims. Both are safe to run twice.
const (
	// claimWork also removes other claims that have ended. Claims that another node writes to are left.
	claimWork = "WITH ended AS (DELETE FROM claims WHERE (work, id) IN (SELECT work, id FROM claims" +
		" WHERE work = ? AND until <= " + serverMicros + " AND id <> ALL (CAST(? AS BIGINT[])) LIMIT 1024 FOR UPDATE SKIP LOCKED))" +
		" INSERT INTO claims (work, id, holder, until)" +
		" SELECT CAST(? AS BIGINT), id, CAST(? AS BIGINT), " + serverMicros + " + ? FROM UNNEST(CAST(? AS BIGINT[])) AS q (id) ORDER BY id" +
		" ON CONFLICT (work, id) DO UPDATE SET holder = EXCLUDED.holder, until = EXCLUDED.until" +
		" WHERE claims.holder = EXCLUDED.holder OR claims.until <= " + serverMicros + " RETURNING id"
	releaseWork = "DELETE FROM claims WHERE work = ? AND holder = ? AND id = ANY (CAST(? AS BIGINT[]))"
)

var _ store.Claimer = (*DB)(nil)

// Claim implements store.Claimer with one statement.
func (db *DB) Claim(ctx context.Context, w store.Work, ids []uint64) (granted []uint64, err error) {
	list := signed(ids)
	args := []any{int64(w), list, int64(w), db.holder, store.ClaimTime.Microseconds(), list}
	err = db.query(ctx, claimWork, args, func(row store.Row) error {
		granted = append(granted, number(row[0]))
		return nil
	})
	return granted, err
}

// Release implements store.Claimer with one statement.
func (db *DB) Release(ctx context.Context, w store.Work, ids []uint64) error {
	return db.query(ctx, releaseWork, []any{int64(w), db.holder, signed(ids)}, nil)
}

// signed returns numbers as columns hold them.
func signed(ids []uint64) []int64 {
	list := make([]int64, len(ids))
	for i, id := range ids {
		list[i] = int64(id)
	}
	return list
}
