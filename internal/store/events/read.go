package events

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// maxNames bounds the event names that a reader remembers. There are fewer.
	maxNames = 256
	// userChunk is the number of user ids allocated at once.
	userChunk = 512
)

// EntryReader reads entries with few allocations: texts point into the entry, names are shared, lists of users share
// memory. The zero EntryReader is ready. It must not be used concurrently.
type EntryReader struct {
	names map[string]string
	users []snowflake.User // the rest of the capacity is unused
}

// Read returns the event of the entry at a position. It points into entry, which must not change any more. Read returns
// ErrEntry if entry is invalid.
func (r *EntryReader) Read(entry []byte, at Position) (Event, error) {
	body := entry[:max(len(entry)-checksumSize, 0)]
	c := cursor{rest: body}
	if c.byte() != entryVersion || binary.LittleEndian.Uint32(entry[len(body):]) != crc32.Checksum(body, checksums) {
		return Event{}, ErrEntry
	}
	e := Event{Position: at}
	r.event(&c, &e)
	if c.bad || len(c.rest) > 0 {
		return Event{}, ErrEntry
	}
	return e, nil
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
		to.Intents = uint32(intents) // a larger number makes the entry invalid
	}
	if parts&hasNeeds != 0 {
		to.Needs = permission.Bits(c.number())
	}
}

// name returns the shared copy of an event name.
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

// list reads ids of users.
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

// cursor reads the parts of an entry. If data is missing, it returns zero and sets bad.
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

// length reads the number of items of a size that follow.
func (c *cursor) length(size int) int {
	n := c.number()
	if n > uint64(len(c.rest)/size) {
		c.bad, c.rest = true, nil
		return 0
	}
	return int(n) // at most the number of bytes
}

func (c *cursor) text() []byte { return c.take(c.length(1)) }

func (c *cursor) id() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
