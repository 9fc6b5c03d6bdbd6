package store

import "time"

// OutgoingID names a delivery. It is a snowflake, so it has the time at which the delivery was made.
type OutgoingID uint64

// Outgoing is a delivery to another program. A change stores it together with what it reports, so it exists exactly if the
// change does. Package outbox makes and sends deliveries.
type Outgoing struct {
	ID    OutgoingID
	Queue string
	// Lane orders deliveries: those of a lane are sent one at a time, in the order of Revision and ID. The changes of a lane
	// write to one subject, so they have ascending revisions on all nodes. 0: no order.
	Lane     uint64
	Revision uint64 // of the change that added the delivery; 0: that of the change that stores it now
	Due      time.Time
	Attempts int // that failed
	// Waiting says that the delivery before it in the lane has failed. The end of that one makes this one due.
	Waiting bool
	Payload []byte
}

func (o Outgoing) subjects() []Subject { return []Subject{OutgoingSubject(o.ID)} }

func (o Outgoing) write(w *writes) {
	revision, due := o.Revision, micros(o.Due)
	if revision == 0 {
		revision = w.revision
	}
	if o.Waiting {
		due = waiting
	}
	w.put(outboxTable, int64(o.ID), o.Queue, int64(o.Lane), int64(revision), due, int64(o.Attempts), o.Payload)
}

// waiting is the due time of a delivery that waits for another one.
const waiting = -1

// OutgoingKey names a delivery.
func OutgoingKey(id OutgoingID) Key {
	return Key{ends: []Subject{OutgoingSubject(id)}, rows: []rowKey{{outboxTable, []string{"id"}, []any{int64(id)}}}}
}

// OutboxQueries reads deliveries.
type OutboxQueries struct{ *reader }

// Outgoing returns a delivery.
func (q OutboxQueries) Outgoing(id OutgoingID) (Outgoing, error) {
	q.read(OutgoingSubject(id))
	row, err := q.row(outboxTable, int64(id))
	if err != nil {
		return Outgoing{}, err
	}
	o := Outgoing{
		ID: id, Queue: row.text(1), Lane: uint64(row.int(2)), Revision: uint64(row.int(3)), Attempts: int(row.int(5)), Payload: row.bytes(6),
	}
	if due := row.int(4); due == waiting {
		o.Waiting = true
	} else {
		o.Due = fromMicros(due)
	}
	return o, nil
}

// Due returns up to limit deliveries of a queue that wait for no other one, ordered by Due.
func (q OutboxQueries) Due(queue string, limit int) ([]DueRecord[OutgoingID], error) {
	return dueRecords[OutgoingID](q.reader, "SELECT id, due FROM outbox WHERE due >= 0 AND queue = ? ORDER BY due, id LIMIT ?", limit, queue)
}

// Lane returns the first deliveries of a lane, up to limit, in their order. A decision does not see its own writes in the result.
func (q OutboxQueries) Lane(lane uint64, limit int) ([]OutgoingID, error) {
	return ids[OutgoingID](q.reader, "SELECT id FROM outbox WHERE lane = ? ORDER BY revision, id LIMIT ?", int64(lane), int64(limit))
}

// Oldest returns up to limit deliveries with ids below before, the oldest first.
func (q OutboxQueries) Oldest(before OutgoingID, limit int) ([]OutgoingID, error) {
	return ids[OutgoingID](q.reader, "SELECT id FROM outbox WHERE id < ? ORDER BY id LIMIT ?", int64(before), int64(limit))
}

// Beyond returns the newest delivery of those that are older than the newest keep ones; 0: there are no more than keep.
func (q OutboxQueries) Beyond(keep int) (OutgoingID, error) {
	list, err := ids[OutgoingID](q.reader, "SELECT id FROM outbox WHERE id > 0 ORDER BY id DESC LIMIT 1 OFFSET ?", int64(keep))
	if len(list) == 0 {
		return 0, err
	}
	return list[0], nil
}
