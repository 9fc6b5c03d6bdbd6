package main

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
)

// memory is a size in bytes. Its text form has a unit: 512MiB, 4GiB.
type memory int64

// UnmarshalText parses a size.
func (m *memory) UnmarshalText(text []byte) error {
	units := []struct {
		name string
		size int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}
	for _, u := range units {
		digits, ok := strings.CutSuffix(string(text), u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 32)
		if err == nil && n > 0 && n*u.size >= minMemory {
			*m = memory(n * u.size)
			return nil
		}
	}
	return fmt.Errorf("%q: want a size such as 512MiB or 4GiB, at least %dMiB", text, minMemory>>20)
}

// minMemory is the least memory that the service works with.
const minMemory = 64 << 20

// cacheBytes is the part of the memory that caches may use.
func (m memory) cacheBytes() int { return int(m) / 7 * 4 }

// setLimit sets the memory limit of the process. The garbage collector runs rarely below the limit, and as often as needed
// near it.
func (m memory) setLimit() {
	debug.SetGCPercent(garbagePercent)
	debug.SetMemoryLimit(int64(m))
}

// garbagePercent is the growth of the heap, in percent of the live heap, that starts a garbage collection below the limit.
const garbagePercent = 400
