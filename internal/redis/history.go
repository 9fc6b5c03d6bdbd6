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

// entryField is the one field of an entry.
const entryField = "e"

// atOnce is how many entries of the history are read at once.
const atOnce = 32

var (
	// errLost says that events are missing at some place in the history.
	errLost = errors.New("events were lost")
	// errTrimmed says that a place in the history is there no longer.
	errTrimmed = errors.New("the history does not reach back that far")
)

// After returns the next events behind a position, in order. It fails when the position is no longer in the history, or
// events were lost behind it.
func (r *Relay) After(ctx context.Context, p events.Position) ([]events.Event, error) {
	client, err := r.Client.reach()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	found, err := client.Do(ctx, client.B().Xrange().Key(r.stream()).Start(place(p)).End("+").Count(atOnce).Build()).AsXRangeSlices()
	if err != nil {
		return nil, err
	}
	if len(found) == 0 || found[0].ID != place(p) {
		return nil, errTrimmed
	}
	var list []events.Event
	var reader events.EntryReader
	for i := range found {
		if list, err = read(&reader, list, &found[i]); err != nil {
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

// read appends the events of an entry. What is none is events that were lost: nobody can tell what was in it.
func read(reader *events.EntryReader, list []events.Event, entry *rueidis.XRangeSlice) ([]events.Event, error) {
	at, err := position(entry.ID)
	if err != nil {
		return list, err
	}
	if len(entry.FieldValues) != 1 || entry.FieldValues[0].Field != entryField {
		return list, fmt.Errorf("%w: entry %s is of somebody else", errLost, entry.ID)
	}
	list, err = reader.Read(list, []byte(entry.FieldValues[0].Value), at)
	if err != nil {
		return list, fmt.Errorf("%w: entry %s: %w", errLost, entry.ID, err)
	}
	return list, nil
}

// position reads the name of an entry, which is that of its first event, and place writes it.
func position(id string) (events.Position, error) {
	ms, n, _ := strings.Cut(id, "-")
	at, err := strconv.ParseUint(ms, 10, 64)
	if err != nil {
		return events.Position{}, fmt.Errorf("read the place of an event: %w", err)
	}
	count, err := strconv.ParseUint(n, 10, 64)
	if err != nil {
		return events.Position{}, fmt.Errorf("read the place of an event: %w", err)
	}
	return events.Position{Time: at, Count: count}, nil
}

func place(p events.Position) string {
	return strconv.FormatUint(p.Time, 10) + "-" + strconv.FormatUint(p.Count, 10)
}
