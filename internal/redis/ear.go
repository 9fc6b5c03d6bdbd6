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
	// blockTime is how long a read waits for something to be added to the history.
	blockTime = time.Second
	// look is how often it is looked whether Redis has been reached.
	look = 20 * time.Millisecond
	// roomPause is how often it is looked whether there is room for more, roomTries how many times.
	roomPause = time.Millisecond
	roomTries = 5000
)

// ear is how far the history was heard. It belongs to one goroutine.
type ear struct {
	last   events.Position
	reader events.EntryReader
	list   []events.Event // of the entry at hand
}

// hear gives everything that is added to the history to the bus.
func (r *Relay) hear(ctx context.Context) {
	for ctx.Err() == nil {
		err := r.begin(ctx)
		if errors.Is(err, errAway) {
			clock.Wait(ctx, clock.System{}, look)
			continue
		}
		if err == nil {
			err = r.follow(ctx)
			if ctx.Err() != nil {
				return
			}
			r.Client.log.WarnContext(ctx, "events between nodes pause", "err", err)
		}
		clock.Wait(ctx, clock.System{}, retry)
	}
}

// begin finds the place in the history from which on to listen: its end at first, then where it was left. When that is no
// longer there, events were lost.
func (r *Relay) begin(ctx context.Context) error {
	client, err := r.Client.reach()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	before := r.ear.last
	if !before.IsZero() {
		at := place(before)
		found, err := client.Do(ctx, client.B().Xrange().Key(r.stream()).Start(at).End(at).Build()).AsXRangeSlices()
		if err != nil || len(found) > 0 {
			return err
		}
	}
	if r.ear.last, err = r.end(ctx, client); err != nil {
		r.ear.last = before
		return err
	}
	r.mu.Lock()
	r.trail.forget()
	r.mu.Unlock()
	r.Bus.Interrupt() // nobody who listens has heard what was up to here
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

// end returns the position of the last event. A history begins with something that says nothing, so that everything has a
// place behind it; the same is put behind what cannot be read.
func (r *Relay) end(ctx context.Context, client rueidis.Client) (events.Position, error) {
	newest, err := client.Do(ctx, client.B().Xrevrange().Key(r.stream()).End("+").Start("-").Count(1).Build()).AsXRangeSlices()
	if err != nil {
		return events.Position{}, err
	}
	if len(newest) > 0 {
		if list, err := read(&r.ear.reader, nil, &newest[0]); err == nil {
			return list[len(list)-1].Position, nil
		}
	}
	nothing := rueidis.BinaryString(events.AppendEntry(nil, []events.Event{{}}))
	first, err := client.Do(ctx, client.B().Xadd().Key(r.stream()).Id("*").FieldValue().FieldValue(entryField, nothing).Build()).ToString()
	if err != nil {
		return events.Position{}, err
	}
	return position(first)
}

// follow listens from the place that begin has found, until Redis fails or ctx ends. Whoever listens here hears also where
// that is.
func (r *Relay) follow(ctx context.Context) error {
	client, err := r.Client.reach()
	if err != nil {
		return err
	}
	r.Bus.Deliver(events.Event{Position: r.ear.last})
	for ctx.Err() == nil {
		streams, err := client.Do(ctx, client.B().Xread().Count(atOnce).Block(blockTime.Milliseconds()).Streams().Key(r.stream()).
			Id(place(r.ear.last)).Build()).AsXReadSlices()
		if err != nil && !rueidis.IsRedisNil(err) {
			return err
		}
		for _, entries := range streams { // of which there is one
			for i := range entries {
				if err := r.take(ctx, &entries[i]); err != nil {
					return err
				}
			}
		}
	}
	return errors.Join(ctx.Err())
}

// take gives the events of an entry to the bus. Where some were lost everybody is told that they have missed them.
func (r *Relay) take(ctx context.Context, entry *rueidis.XRangeSlice) error {
	at, err := position(entry.ID)
	if err != nil {
		return err
	}
	list, err := read(&r.ear.reader, r.ear.list[:0], entry)
	if err != nil {
		r.Client.log.WarnContext(ctx, "events between nodes cannot be read", "err", err)
		list = append(list, events.Event{Position: at, Lost: true})
	}
	r.ear.last = list[len(list)-1].Position
	r.mu.Lock()
	r.trail.heard(entry.ID, len(list))
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
		r.deliver(ctx, rest[:n])
		rest = rest[n:]
	}
	clear(list)
	r.ear.list = list
	return nil
}

// deliver gives events to the bus as there is room for them: the history can wait, and comes faster than it is handed out
// when much of it is read at once. Who makes no room for long is cut off.
func (r *Relay) deliver(ctx context.Context, list []events.Event) {
	for tries := 0; len(list) > 0 && ctx.Err() == nil; {
		n := min(r.Bus.Room(), len(list))
		if n == 0 && tries < roomTries {
			tries++
			clock.Wait(ctx, clock.System{}, roomPause)
			continue
		}
		n, tries = max(n, 1), 0
		r.Bus.Deliver(list[:n]...)
		list = list[n:]
	}
}
