package server

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/gobwas/ws"
)

func TestSplitMemory(t *testing.T) {
	t.Parallel()
	for _, memory := range []int64{80 << 20, 256 << 20, 0, 64 << 30} {
		b := splitMemory(memory)
		caches := b.states + 2*b.derived + b.definitions
		if int64(caches) > b.heap/2 {
			t.Errorf("splitMemory(%d): caches of %d bytes take more than half of the heap of %d", memory, caches, b.heap)
		}
		total := memory
		if total == 0 {
			total = DefaultMemory
		}
		if sum := b.heap + int64(b.database) + programMemory; sum > total {
			t.Errorf("splitMemory(%d) has parts of %d bytes together", memory, sum)
		}
	}
}

// TestMemoryOfSessions checks that the gateway keeps fewer events, and starts fewer sessions at the same time, in a small
// process than in one of the default size.
func TestMemoryOfSessions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		memory                    int64
		replay, backlog, starting int
	}{{80 << 20, 25 << 20 / 32, 25 << 20 / 4096, 1}, {0, 15 << 20, 16 << 10, 102}} {
		r := runServer(t, Config{Data: t.TempDir(), Memory: tt.memory})
		got := r.server.gateway.Settings
		if got.ReplayBytes != tt.replay || got.Backlog != tt.backlog || got.MaxStarting != tt.starting {
			t.Errorf("with the memory %d a session keeps %d bytes, %d events wait and %d sessions start at the same time, want %d, %d and %d",
				tt.memory, got.ReplayBytes, got.Backlog, got.MaxStarting, tt.replay, tt.backlog, tt.starting)
		}
	}
}

// TestShedEvents checks that sessions drop their events when the live heap is over its limit. It does not run beside other
// tests: the limit is that of the process.
func TestShedEvents(t *testing.T) {
	r := runServer(t, Config{Data: t.TempDir(), World: testWorld(t)})
	url := "ws" + strings.TrimPrefix(r.base, "http") + "/gateway/?v=10&encoding=json"
	_, send, receive := connect(t, ws.Dialer{}, url)
	send(`{"op":2,"d":{"token":"` + token + `","intents":0,"properties":{}}}`)
	_, id, _ := strings.Cut(receive(), `"session_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	resume := func() string {
		runtime.GC()
		_, send, receive := connect(t, ws.Dialer{}, url)
		send(`{"op":6,"d":{"token":"` + token + `","session_id":"` + id + `","seq":1}}`)
		return receive()
	}
	if got := resume(); !strings.Contains(got, `"t":"RESUMED"`) {
		t.Fatalf("a resume gets %s, want RESUMED", got)
	}
	limit := debug.SetMemoryLimit(1 << 20) // less than the program needs
	t.Cleanup(func() { debug.SetMemoryLimit(limit) })
	for began := time.Now(); !strings.Contains(resume(), `"op":9`); clock.Wait(t.Context(), clock.System{}, 50*time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("the session can still be resumed")
		}
	}
	if !strings.Contains(r.log.String(), "memory is short") {
		t.Error("the log does not say that memory is short")
	}
}
