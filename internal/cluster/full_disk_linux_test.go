package cluster

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestFullDisk fills the disk while clients write. Writes must fail with 503, /readyz must say why and recover by itself, and every
// acknowledged write must be there after a crash and a restart.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"serve", "--data", dir, "--world", writeAppsWorld(t, dir), "--listen", "127.0.0.1:0", "--limits", "off"}
	p := start(t, args...)
	var acknowledged [testApps]int
	var stored, refused atomic.Int32
	var done atomic.Bool
	var load sync.WaitGroup
	for i := range testApps {
		load.Go(func() {
			for generation := 1; !done.Load(); generation++ {
				status, text, err := write(context.WithoutCancel(t.Context()), p, i, generation)
				switch {
				case err == nil && status == http.StatusServiceUnavailable:
					refused.Add(1)
				case err != nil || status >= 300:
					t.Errorf("write of generation %d: %d %s %v", generation, status, text, err)
					return
				default:
					acknowledged[i] = generation
					stored.Add(1)
				}
			}
		})
	}
	more := func(what string, n *atomic.Int32) {
		goal := n.Load() + 50
		waitFor(t, fmt.Sprintf("50 more %s (%d and %d were stored and refused)", what, stored.Load(), refused.Load()), func() bool { return n.Load() >= goal })
	}
	for range 3 {
		more("writes", &stored)
		p.limit(t, 0)
		if text := p.WaitReady(t, http.StatusServiceUnavailable); !strings.Contains(text, `"reason":"disk`) {
			t.Errorf("/readyz on a full disk: %s", text)
		}
		more("refused writes", &refused)
		p.limit(t, unlimitedFiles)
		p.WaitReady(t, http.StatusOK)
	}
	more("writes with room on the disk", &stored)
	done.Store(true)
	load.Wait()
	_ = p.Process.Kill()
	_ = p.Wait()
	p = start(t, args...)
	for i := range testApps {
		checkGeneration(t, p, i, acknowledged[i])
	}
	p.StopCleanly(t)
	bellhop(t, "doctor", "--data", dir)
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s after 30 s", what)
		}
	}
}
