package redis

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/redis/rueidis"
)

const (
	// blockTime is how long a read waits for new entries.
	blockTime = time.Second
	// connectPoll is the pause before looking again whether Redis is connected.
	connectPoll = 20 * time.Millisecond
	// roomPause is the pause before looking again whether the bus has room, roomTries the number of attempts.
	roomPause = time.Millisecond
	roomTries = 5000
)

// streamReader is the state of reading the stream. One goroutine uses it.
type streamReader struct {
	last    events.Position
	entries events.EntryReader
	list    []events.Event // events of the current entry
}

// read delivers everything that is added to the stream to the bus.
func (r *Relay) read(ctx context.Context) {
	for ctx.Err() == nil {
		err := r.seek(ctx)
		if errors.Is(err, errNotConnected) {
			clock.Wait(ctx, r.Client.clock, connectPoll)
			continue
		}
		if err == nil {
			err = r.readStream(ctx)
			if ctx.Err() != nil {
				return
			}
			r.Client.log.WarnContext(ctx, "reading events from redis interrupted", "err", err)
		}
		clock.Wait(ctx, r.Client.clock, retry)
	}
}

// seek finds the position to read from: the end of the stream at first, then the last position. If that position is
// gone, events were lost, and the subscribers of the bus are interrupted.
func (r *Relay) seek(ctx context.Context) error {
	client, err := r.Client.conn()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, r.Client.callTime())
	defer cancel()
	before := r.reader.last
	if !before.IsZero() {
		at := entryID(before)
		found, err := client.Do(ctx, client.B().Xrange().Key(r.stream()).Start(at).End(at).Build()).AsXRangeSlices()
		if err != nil || len(found) > 0 {
			return err
		}
	}
	if r.reader.last, err = r.lastPosition(ctx, client); err != nil {
		r.reader.last = before
		return err
	}
	r.mu.Lock()
	r.trimPoint.reset()
	r.mu.Unlock()
	r.Bus.Interrupt() // no subscriber has got the events up to here
	if !before.IsZero() {
		r.lost.Inc()
	}
	select {
	case <-r.begun:
	default:
		close(r.begun)
	}
	return nil
}

// lastPosition returns the position of the last event. An empty stream gets an entry without an event, so that every
// event has a position before it. The same happens if the last entry cannot be read.
func (r *Relay) lastPosition(ctx context.Context, client rueidis.Client) (events.Position, error) {
	newest, err := client.Do(ctx, client.B().Xrevrange().Key(r.stream()).End("+").Start("-").Count(1).Build()).AsXRangeSlices()
	if err != nil {
		return events.Position{}, err
	}
	if len(newest) > 0 {
		if list, err := readEntry(&r.reader.entries, nil, &newest[0]); err == nil {
			return list[len(list)-1].Position, nil
		}
	}
	empty := rueidis.BinaryString(events.AppendEntry(nil, []events.Event{{}}))
	first, err := client.Do(ctx, client.B().Xadd().Key(r.stream()).Id("*").FieldValue().FieldValue(entryField, empty).Build()).ToString()
	if err != nil {
		return events.Position{}, err
	}
	return parsePosition(first)
}

// readStream reads from the position that seek has found, until Redis fails or ctx ends. It delivers an empty event
// first, so that subscribers learn the position.
func (r *Relay) readStream(ctx context.Context) error {
	client, err := r.Client.conn()
	if err != nil {
		return err
	}
	r.Bus.Deliver(events.Event{Position: r.reader.last})
	for ctx.Err() == nil {
		streams, err := client.Do(ctx, client.B().Xread().Count(readBatch).Block(blockTime.Milliseconds()).Streams().Key(r.stream()).
			Id(entryID(r.reader.last)).Build()).AsXReadSlices()
		if err != nil && !rueidis.IsRedisNil(err) {
			return err
		}
		for _, entries := range streams { // there is only one stream
			for i := range entries {
				if err := r.deliverEntry(ctx, &entries[i]); err != nil {
					return err
				}
			}
		}
	}
	return errors.Join(ctx.Err())
}

// deliverEntry delivers the events of an entry. Where events were lost, it interrupts the subscribers.
func (r *Relay) deliverEntry(ctx context.Context, entry *rueidis.XRangeSlice) error {
	at, err := parsePosition(entry.ID)
	if err != nil {
		return err
	}
	list, err := readEntry(&r.reader.entries, r.reader.list[:0], entry)
	if err != nil {
		r.Client.log.WarnContext(ctx, "events from redis not readable", "err", err)
		list = append(list, events.Event{Position: at, Lost: true})
	}
	r.reader.last = list[len(list)-1].Position
	r.mu.Lock()
	r.trimPoint.advance(entry.ID, len(list))
	r.mu.Unlock()
	for rest := list; len(rest) > 0; {
		if rest[0].Lost {
			r.lost.Inc()
			r.Bus.Interrupt()
			rest = rest[1:]
			continue
		}
		n := 1
		for n < len(rest) && !rest[n].Lost {
			n++
		}
		r.deliverPaced(ctx, rest[:n])
		rest = rest[n:]
	}
	clear(list)
	r.reader.list = list
	return nil
}

// deliverPaced delivers events as fast as the subscribers take them. A subscriber that makes no room for long is
// interrupted by the bus.
func (r *Relay) deliverPaced(ctx context.Context, list []events.Event) {
	for tries := 0; len(list) > 0 && ctx.Err() == nil; {
		n := min(r.Bus.Room(), len(list))
		if n == 0 && tries < roomTries {
			tries++
			clock.Wait(ctx, r.Client.clock, roomPause)
			continue
		}
		n, tries = max(n, 1), 0
		r.Bus.Deliver(list[:n]...)
		list = list[n:]
	}
}
