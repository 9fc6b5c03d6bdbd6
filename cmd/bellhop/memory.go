package main

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"strings"
)

// memory is an amount of memory, written as a number with a unit: 512MiB, 4GiB.
type memory int64

// UnmarshalText reads an amount.
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
	return fmt.Errorf("%q is no amount of memory such as 512MiB or 4GiB, or below %dMiB", text, minMemory>>20)
}

// minMemory is what the service needs to live.
const minMemory = 64 << 20

// share is how much of the memory may hold commands that are read often.
func (m memory) share() int { return int(m) / 7 * 4 }

// hold makes the process stay below the amount: garbage is collected seldom while there is room, and as often as it takes
// when there is not.
func (m memory) hold() {
	debug.SetGCPercent(garbagePercent)
	debug.SetMemoryLimit(int64(m))
}

// garbagePercent is how much garbage may gather, measured by what is alive, while there is room.
const garbagePercent = 400
