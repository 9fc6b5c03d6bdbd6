package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/store"
)

// outgoingCase is the record of a delivery.
func outgoingCase() recordCase {
	return recordCase{
		name: "delivery",
		full: store.Outgoing{ID: 5, Queue: "hook ☃", Lane: 1<<63 - 1, Revision: 7, Due: noon, Attempts: 3, Payload: []byte("{}")},
		bare: store.Outgoing{ID: 5, Queue: "hook", Revision: 7, Waiting: true, Payload: []byte("x")}, key: new(store.OutgoingKey(5)),
		get: func(r store.Reader) (any, error) { return value(r.Outbox.Outgoing(5)) },
	}
}

func outgoingQueries() queryCase {
	row := func(id store.OutgoingID, lane, revision uint64, minutes int) store.Outgoing {
		return store.Outgoing{ID: id, Queue: "a", Lane: lane, Revision: revision, Due: noon.Add(time.Duration(minutes) * time.Minute), Payload: []byte("{}")}
	}
	waiting, other := row(13, 8, 9, 0), row(14, 0, 1, 0)
	waiting.Waiting, waiting.Due, other.Queue = true, time.Time{}, "b"
	type list = []store.OutgoingID
	type due = store.DueRecord[store.OutgoingID]
	return queryCase{
		name:   "deliveries",
		put:    []store.Record{row(10, 8, 3, 5), row(11, 8, 2, 4), row(12, 8, 2, 1), waiting, other, row(15, 9, 1, 0)},
		delete: []store.Key{store.OutgoingKey(15)},
		queries: []query{
			snapshotQuery("Due()", []due{{ID: 12, Due: noon.Add(time.Minute)}, {ID: 11, Due: noon.Add(4 * time.Minute)}},
				func(r store.Reader) ([]due, error) { return r.Outbox.Due("a", 2) }),
			snapshotQuery("Lane()", list{11, 12, 10}, func(r store.Reader) (list, error) { return r.Outbox.Lane(8, 3) }),
			snapshotQuery("Lane() without deliveries", list(nil), func(r store.Reader) (list, error) { return r.Outbox.Lane(9, 3) }),
			snapshotQuery("Oldest()", list{10, 11}, func(r store.Reader) (list, error) { return r.Outbox.Oldest(12, 9) }),
			snapshotQuery("Beyond()", store.OutgoingID(12), func(r store.Reader) (store.OutgoingID, error) { return r.Outbox.Beyond(2) }),
			snapshotQuery("Beyond() all", store.OutgoingID(0), func(r store.Reader) (store.OutgoingID, error) { return r.Outbox.Beyond(5) }),
		},
	}
}

// outgoingOrder checks that deliveries of a lane have the order of the changes that added them, whatever their ids are.
func outgoingOrder(t *testing.T, s store.Store) {
	add := func(ids ...store.OutgoingID) {
		decide(t, s, func(tx *store.Tx) error {
			tx.Touch(store.LobbySubject(500))
			for _, id := range ids {
				if err := tx.Put(store.Outgoing{ID: id, Queue: "a", Lane: 8, Due: noon, Payload: []byte("{}")}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	add(30, 31)
	add(20, 21)
	add(10)
	read(t, s, func(r store.Reader) (any, error) {
		got, err := r.Outbox.Lane(8, 9)
		if want := []store.OutgoingID{30, 31, 20, 21, 10}; !slices.Equal(got, want) {
			t.Errorf("Lane() = %v, want the order of the changes %v", got, want)
		}
		return nil, err
	})
}
