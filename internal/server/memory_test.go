package server

import "testing"

func TestMemoryIsDivided(t *testing.T) {
	t.Parallel()
	for _, memory := range []int64{64 << 20, 256 << 20, 0, 64 << 30} {
		b := divide(memory)
		caches := b.states + 2*b.derived + b.definitions
		if int64(caches) > b.heap/2 {
			t.Errorf("divide(%d): caches of %d bytes take more than half of the heap of %d", memory, caches, b.heap)
		}
		total := memory
		if total == 0 {
			total = DefaultMemory
		}
		if sum := b.heap + int64(b.database) + programMemory; sum > total {
			t.Errorf("divide(%d) has parts of %d bytes together", memory, sum)
		}
	}
}
