package store

import "context"

// batchSize is the number of records that a decision of RemoveAll removes, so that other writes do not wait long.
const batchSize = 256

// RemoveAll runs decisions, each in a commit of its own, until one removes fewer records than its limit. remove removes up to limit
// records and returns how many.
func RemoveAll(ctx context.Context, s Store, remove func(tx *Tx, limit int) (int, error)) error {
	for {
		removed := 0
		err := Decide(ctx, s, func(tx *Tx) (err error) {
			removed, err = remove(tx, batchSize)
			return err
		})
		if err != nil || removed < batchSize {
			return err
		}
	}
}
