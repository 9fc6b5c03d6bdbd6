package events

import (
	"encoding/binary"
	"math"

	"github.com/bellhop/bellhop/snowflake"
)

const (
	// maxNames is how many names of events a reader remembers: more than there are.
	maxNames = 256
	// userChunk is for how many ids of users a reader makes room at once.
	userChunk = 512
)

// EntryReader reads entries. It makes next to nothing anew for an event: texts stay where they are in the entry, names are
// made once, lists of users share their memory. The zero EntryReader is ready. It belongs to one goroutine.
type EntryReader struct {
	names map[string]string
	users []snowflake.User // the rest of its capacity is free
}

// Read appends the events of an entry that stands at a place. They share its memory, which does not change any more. It
// returns ErrEntry, and list as it was, for what is not an entry from its beginning to its end.
func (r *EntryReader) Read(list []Event, entry []byte, at Position) ([]Event, error) {
	c := cursor{rest: entry}
	if c.byte() != form {
		return list, ErrEntry
	}
	n := c.number()
	if n == 0 || n > uint64(len(c.rest)) {
		return list, ErrEntry
	}
	was := len(list)
	for i := range n {
		at.Index = uint32(i) // an entry is not that long
		list = append(list, Event{Position: at})
		r.event(&c, &list[len(list)-1])
		if c.bad {
			break
		}
	}
	if c.bad || len(c.rest) > 0 {
		clear(list[was:])
		return list[:was], ErrEntry
	}
	return list, nil
}

func (r *EntryReader) event(c *cursor, e *Event) {
	parts := c.parts()
	if parts&hasName != 0 {
		e.Name = r.name(c.text())
	}
	if parts&hasData != 0 {
		e.Data = c.text()
	}
	if parts&hasReduced != 0 {
		e.Reduced = c.text()
	}
	if parts&hasFull != 0 {
		e.Full = readIDs[snowflake.Application](c, c.length(8), nil)
	}
	r.audience(c, &e.To, parts)
	if parts&hasChange != 0 {
		e.Change = readChange(c)
	}
	e.Lost = parts&isLost != 0
}

func (r *EntryReader) audience(c *cursor, to *Audience, parts uint16) {
	if parts&hasUsers != 0 {
		to.Users = r.list(c)
	}
	if parts&hasSession != 0 {
		to.Session = string(c.text())
	}
	if parts&hasApplication != 0 {
		to.Application = snowflake.Application(c.id())
	}
	if parts&hasGuild != 0 {
		to.Guild = snowflake.Guild(c.id())
	}
	if parts&hasChannel != 0 {
		to.Channel = snowflake.Channel(c.id())
	}
	if parts&hasExcept != 0 {
		to.Except = r.list(c)
	}
	if parts&hasKinds != 0 {
		to.Kinds = Kinds(c.byte())
	}
	if parts&hasIntents != 0 {
		intents := c.number()
		c.bad = c.bad || intents > math.MaxUint32
		to.Intents = uint32(intents) // else the entry is none
	}
}

// name returns a name that was made before, where there is one.
func (r *EntryReader) name(b []byte) string {
	if name, known := r.names[string(b)]; known {
		return name
	}
	name := string(b)
	if r.names == nil {
		r.names = map[string]string{}
	}
	if len(r.names) < maxNames {
		r.names[name] = name
	}
	return name
}

// list returns ids of users.
func (r *EntryReader) list(c *cursor) []snowflake.User {
	n := c.length(8)
	if cap(r.users)-len(r.users) < n {
		r.users = make([]snowflake.User, 0, max(n, userChunk))
	}
	list := readIDs(c, n, r.users[len(r.users):])
	r.users = r.users[:len(r.users)+len(list)]
	return list[:len(list):len(list)]
}

// readIDs appends the next n ids.
func readIDs[T ~uint64](c *cursor, n int, list []T) []T {
	for b := c.take(8 * n); len(b) >= 8; b = b[8:] {
		list = append(list, T(binary.LittleEndian.Uint64(b)))
	}
	return list
}

func readChange(c *cursor) *Change {
	parts := c.byte()
	c.bad = c.bad || parts&^allChanges != 0
	change := &Change{Closed: parts&changesClosed != 0, Everything: parts&changesEverything != 0, Recheck: parts&changesRecheck != 0}
	if parts&changesGuild != 0 {
		change.Guild = snowflake.Guild(c.id())
	}
	if parts&changesJoined != 0 {
		change.Joined = snowflake.User(c.id())
	}
	if parts&changesLeft != 0 {
		change.Left = snowflake.User(c.id())
	}
	return change
}

// cursor takes an entry apart. What is not there reads as zero and makes it bad.
type cursor struct {
	rest []byte
	bad  bool
}

// take returns the next n bytes.
func (c *cursor) take(n int) []byte {
	if n > len(c.rest) {
		c.bad, c.rest = true, nil
		return nil
	}
	b := c.rest[:n:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) byte() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) parts() uint16 {
	b := c.take(2)
	if b == nil {
		return 0
	}
	parts := binary.LittleEndian.Uint16(b)
	c.bad = c.bad || parts&^allParts != 0
	return parts
}

func (c *cursor) number() uint64 {
	n, size := binary.Uvarint(c.rest)
	if size <= 0 {
		c.bad, c.rest = true, nil
		return 0
	}
	c.rest = c.rest[size:]
	return n
}

// length returns how many things of a size follow.
func (c *cursor) length(size int) int {
	n := c.number()
	if n > uint64(len(c.rest)/size) {
		c.bad, c.rest = true, nil
		return 0
	}
	return int(n) // not more than there are bytes
}

func (c *cursor) text() []byte { return c.take(c.length(1)) }

func (c *cursor) id() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
