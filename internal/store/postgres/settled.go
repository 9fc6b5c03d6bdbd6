package postgres

import (
	"context"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
)

// Settled waits until every change that another node was committing when it was called has ended. A change may have checked
// a subject just before another one wrote to it, and be committed after it: a caller that has to read the results of all
// such changes calls Settled first. It waits for a bounded time: PostgreSQL ends statements after statement_timeout.
func (db *DB) Settled(ctx context.Context) error {
	if err := db.begin(); err != nil {
		return err
	}
	defer db.calls.Done()
	ctx, cancel := context.WithTimeout(ctx, db.callTime)
	defer cancel()
	var end uint64 // larger than the numbers of all transactions that have begun to write
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		var settled uint64
		err := db.call(ctx, func(ctx context.Context, on *conn) error {
			_, err := on.query(ctx, []store.Statement{{SQL: "SELECT " + oldestOpen + ", " + aboveEnded}}, func(row store.Row) error {
				settled = number(row[0])
				if end == 0 {
					end = number(row[1])
				}
				return nil
			})
			if err != nil || settled >= end {
				return err
			}
			own, err := ownHorizon(ctx, on) // transactions of other programs do not count
			settled = max(settled, own)
			return err
		})
		if err != nil || settled >= end {
			return err
		}
		if clock.Wait(ctx, db.wall, pause); ctx.Err() != nil {
			return nil
		}
	}
}
