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

// TestMemoryOfSessions checks that a session keeps fewer bytes for a resume in a small process, and as many as before in one
// of the default size.
func TestMemoryOfSessions(t *testing.T) {
	t.Parallel()
	for memory, want := range map[int64]int{64 << 20: 28 << 20 / 32, 0: 15 << 20} {
		r := runServer(t, Config{Data: t.TempDir(), Memory: memory})
		if got := r.server.gateway.Settings.ReplayBytes; got != want {
			t.Errorf("a session with the memory %d keeps %d bytes, want %d", memory, got, want)
		}
	}
}
