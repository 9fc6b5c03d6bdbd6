package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/bellhop/bellhop/internal/events"
	"github.com/redis/rueidis"
)

// entryField is the only field of an entry.
const entryField = "e"

// readBatch is the number of entries per read.
const readBatch = 32

var (
	// errLost means that events are missing from the stream.
	errLost = errors.New("events were lost")
	// errTrimmed means that a position is no longer in the stream.
	errTrimmed = errors.New("the stream does not reach back that far")
)

// EventsAfter returns the next events after a position, in order. It fails if the position is no longer in the stream
// or if events were lost after it.
func (r *Relay) EventsAfter(ctx context.Context, p events.Position) ([]events.Event, error) {
	client, err := r.Client.conn()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, r.Client.callTime())
	defer cancel()
	found, err := client.Do(ctx, client.B().Xrange().Key(r.stream()).Start(entryID(p)).End("+").Count(readBatch).Build()).AsXRangeSlices()
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || found[0].ID != entryID(p) {
		return nil, errTrimmed
	}
	var list []events.Event
	var reader events.EntryReader
	for i := range found {
		if list, err = readEntry(&reader, list, &found[i]); err != nil {
			return nil, err
		}
		if i == 0 {
			if int(p.Index) >= len(list) {
				return nil, errTrimmed
			}
			list = list[p.Index+1:]
		}
	}
	for i := range list {
		if list[i].Lost {
			return nil, errLost
		}
	}
	return list, nil
}

// readEntry appends the events of an entry to list. An entry that cannot be read is an error that wraps errLost.
func readEntry(reader *events.EntryReader, list []events.Event, entry *rueidis.XRangeSlice) ([]events.Event, error) {
	at, err := parsePosition(entry.ID)
	if err != nil {
		return list, err
	}
	if len(entry.FieldValues) != 1 || entry.FieldValues[0].Field != entryField {
		return list, fmt.Errorf("%w: entry %s has an unknown format", errLost, entry.ID)
	}
	list, err = reader.Read(list, []byte(entry.FieldValues[0].Value), at)
	if err != nil {
		return list, fmt.Errorf("%w: entry %s: %w", errLost, entry.ID, err)
	}
	return list, nil
}

// parsePosition parses the id of an entry, which is the position of its first event.
func parsePosition(id string) (events.Position, error) {
	ms, n, _ := strings.Cut(id, "-")
	at, err := strconv.ParseUint(ms, 10, 64)
	if err != nil {
		return events.Position{}, fmt.Errorf("parse the position of an event: %w", err)
	}
	count, err := strconv.ParseUint(n, 10, 64)
	if err != nil {
		return events.Position{}, fmt.Errorf("parse the position of an event: %w", err)
	}
	return events.Position{Time: at, Count: count}, nil
}

// entryID returns the id of the entry with the event at a position.
func entryID(p events.Position) string {
	return strconv.FormatUint(p.Time, 10) + "-" + strconv.FormatUint(p.Count, 10)
}
