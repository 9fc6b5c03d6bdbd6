package events

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// Sealed returns the body of an entry with its checksum.
func Sealed(body []byte) []byte {
	return binary.LittleEndian.AppendUint32(slices.Clone(body), crc32.Checksum(body, checksums))
}
