package redis

import (
	"context"
	"slices"
	"strconv"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/redis/rueidis"
)

const (
	// outbox is how many events wait while Redis is away.
	outbox = 1 << 14
	// together is how many events make up an entry at most, entryBytes how large it becomes by more than one.
	together   = 256
	entryBytes = 64 << 10
)

// Publish takes an event that is to be heard everywhere. It does not wait.
func (r *Relay) Publish(e events.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.waiting); n >= outbox {
		if r.waiting[n-1].Lost {
			return
		}
		e = events.Event{Lost: true} // in place of all that does not fit
	}
	r.waiting = append(r.waiting, e)
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// send hands what waits to Redis.
func (r *Relay) send(ctx context.Context) {
	for ctx.Err() == nil {
		batch, oldest := r.next()
		if len(batch) == 0 {
			select {
			case <-r.wake:
			case <-ctx.Done():
			}
			continue
		}
		if err := r.add(ctx, batch, oldest); err != nil {
			clock.Wait(ctx, clock.System{}, retry)
			continue
		}
		r.mu.Lock()
		r.waiting = slices.Delete(r.waiting, 0, len(batch))
		r.mu.Unlock()
	}
}

// next returns what is to be sent next, and the oldest entry that the history has to keep.
func (r *Relay) next() (batch []events.Event, oldest string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, size := 0, 0
	for n < min(len(r.waiting), together) {
		if size += r.waiting[n].Size(); n > 0 && size > entryBytes {
			break
		}
		n++
	}
	return r.waiting[:n], r.trail.oldest()
}

// add appends events to the history, as one entry.
func (r *Relay) add(ctx context.Context, batch []events.Event, oldest string) error {
	client, err := r.Client.reach()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	absent, err := r.absent(ctx, client, batch)
	if err != nil {
		return err
	}
	if len(absent) > 0 {
		batch = slices.Clone(batch)
		for i := range batch {
			if slices.Contains(absent, batch[i].To.Session) {
				batch[i].To.Session = ""
			}
		}
	}
	stream := client.B().Xadd().Key(r.stream())
	// The command may outlive the call, and what it says with it.
	entry := rueidis.BinaryString(events.AppendEntry(make([]byte, 0, sizeOf(batch)), batch))
	if oldest == "" {
		return client.Do(ctx, stream.Maxlen().Almost().Threshold(strconv.Itoa(history)).Id("*").FieldValue().FieldValue(entryField, entry).Build()).Error()
	}
	return client.Do(ctx, stream.Minid().Almost().Threshold(oldest).Id("*").FieldValue().FieldValue(entryField, entry).Build()).Error()
}

func sizeOf(batch []events.Event) int {
	size := 16
	for i := range batch {
		size += batch[i].Size()
	}
	return size
}

// absent returns the sessions that events are for and that no node has.
func (r *Relay) absent(ctx context.Context, client rueidis.Client, batch []events.Event) ([]string, error) {
	var ids []string
	var cmds rueidis.Commands
	for i := range batch {
		if id := batch[i].To.Session; id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
			cmds = append(cmds, client.B().Exists().Key(r.Client.sessionKey(id)).Build())
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	absent := ids[:0]
	for i, answer := range client.DoMulti(ctx, cmds...) {
		n, err := answer.AsInt64()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			absent = append(absent, ids[i])
		}
	}
	return absent, nil
}
