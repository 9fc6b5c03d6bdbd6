package events

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/bellhop/bellhop/snowflake"
)

// An entry is an event in a binary format, as the shared history stores it: the version of the format, a bit set of the
// event's parts, the parts in the order of the constants below, and a checksum of all that. Numbers are varints, ids
// eight bytes, texts and lists begin with their length.
const entryVersion = 2

// The parts of an event.
const (
	hasName = 1 << iota
	hasData
	hasReduced
	hasFull
	hasUsers
	hasSession
	hasApplication
	hasGuild
	hasChannel
	hasExcept
	hasKinds
	hasIntents
	hasChange
	isLost
	hasNeeds

	allParts = 1<<iota - 1
)

// The parts of a change.
const (
	changesGuild = 1 << iota
	changesJoined
	changesLeft
	changesClosed
	changesEverything
	changesRecheck

	allChanges = 1<<iota - 1
)

// ErrEntry means that data is not an entry, is damaged, or has a version that is not supported.
var ErrEntry = errors.New("not an entry of the event history")

// AppendEntry appends the entry of an event. The position is not part of it.
func AppendEntry(b []byte, e *Event) []byte {
	before := len(b)
	b = appendEvent(append(b, entryVersion), e)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[before:], checksums))
}

// checksums is the polynomial for which processors have an instruction.
var checksums = crc32.MakeTable(crc32.Castagnoli)

const checksumSize = 4

// Size estimates the size of the event's entry.
func (e *Event) Size() int {
	return 64 + len(e.Data) + len(e.Reduced) + 8*(len(e.To.Users)+len(e.To.Except)+len(e.Full))
}

func appendEvent(b []byte, e *Event) []byte {
	parts := partsOf(e)
	b = binary.LittleEndian.AppendUint16(b, parts)
	if parts&hasName != 0 {
		b = appendText(b, e.Name)
	}
	if parts&hasData != 0 {
		b = appendText(b, e.Data)
	}
	if parts&hasReduced != 0 {
		b = appendText(b, e.Reduced)
	}
	if parts&hasFull != 0 {
		b = appendIDs(b, e.Full)
	}
	if parts&hasChange == 0 {
		return appendAudience(b, &e.To, parts)
	}
	return appendChange(appendAudience(b, &e.To, parts), e.Change)
}

// partsOf returns the parts of an event. A text may be present and empty.
func partsOf(e *Event) uint16 {
	to := &e.To
	return when(e.Name != "", hasName) | when(e.Data != nil, hasData) | when(e.Reduced != nil, hasReduced) |
		when(len(e.Full) > 0, hasFull) | when(len(to.Users) > 0, hasUsers) | when(to.Session != "", hasSession) |
		when(to.Application != 0, hasApplication) | when(to.Guild != 0, hasGuild) | when(to.Channel != 0, hasChannel) |
		when(len(to.Except) > 0, hasExcept) | when(to.Kinds != 0, hasKinds) | when(to.Intents != 0, hasIntents) |
		when(e.Change != nil, hasChange) | when(e.Lost, isLost) | when(to.Needs != 0, hasNeeds)
}

func when(present bool, part uint16) uint16 {
	if present {
		return part
	}
	return 0
}

func appendAudience(b []byte, to *Audience, parts uint16) []byte {
	if parts&hasUsers != 0 {
		b = appendIDs(b, to.Users)
	}
	if parts&hasSession != 0 {
		b = appendText(b, to.Session)
	}
	if parts&hasApplication != 0 {
		b = appendID(b, to.Application)
	}
	if parts&hasGuild != 0 {
		b = appendID(b, to.Guild)
	}
	if parts&hasChannel != 0 {
		b = appendID(b, to.Channel)
	}
	if parts&hasExcept != 0 {
		b = appendIDs(b, to.Except)
	}
	if parts&hasKinds != 0 {
		b = append(b, byte(to.Kinds))
	}
	if parts&hasIntents != 0 {
		b = binary.AppendUvarint(b, uint64(to.Intents))
	}
	if parts&hasNeeds != 0 {
		b = binary.AppendUvarint(b, uint64(to.Needs))
	}
	return b
}

func appendChange(b []byte, c *Change) []byte {
	parts := when(c.Guild != 0, changesGuild) | when(c.Joined != 0, changesJoined) | when(c.Left != 0, changesLeft) |
		when(c.Closed, changesClosed) | when(c.Everything, changesEverything) |
		when(c.Recheck, changesRecheck)
	b = append(b, byte(parts))
	if c.Guild != 0 {
		b = appendID(b, c.Guild)
	}
	if c.Joined != 0 {
		b = appendID(b, c.Joined)
	}
	if c.Left != 0 {
		b = appendID(b, c.Left)
	}
	return b
}

func appendText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func appendID[K any](b []byte, id snowflake.ID[K]) []byte {
	return binary.LittleEndian.AppendUint64(b, uint64(id))
}

func appendIDs[K any](b []byte, ids []snowflake.ID[K]) []byte {
	b = binary.AppendUvarint(b, uint64(len(ids)))
	for _, id := range ids {
		b = appendID(b, id)
	}
	return b
}
