package cluster

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// TestBackupUnderLoad backs up a service during concurrent writes. The backup must contain every write that was
// acknowledged before the backup began.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	dir, restored := t.TempDir(), filepath.Join(t.TempDir(), "restored")
	p := start(t, "serve", "--data", dir, "--world", writeAppsWorld(t, dir), "--listen", "127.0.0.1:0", "--limits", "off")
	var acknowledged [testApps]atomic.Int64
	began := make(chan struct{})
	var answers atomic.Int64
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i := range testApps {
		wg.Go(func() {
			for generation := 1; ; generation++ {
				status, text, err := write(ctx, p, i, generation)
				if err != nil {
					return // the test has ended the load
				}
				if status >= 300 {
					t.Errorf("write of generation %d: %d %s", generation, status, text)
					return
				}
				acknowledged[i].Store(int64(generation))
				if answers.Add(1) == 100 {
					close(began)
				}
			}
		})
	}
	<-began
	var before [testApps]int
	for i := range before {
		before[i] = int(acknowledged[i].Load())
	}
	file := filepath.Join(t.TempDir(), "backup")
	bellhop(t, "backup", "--data", dir, "-o", file, "--with-encryption-key")
	cancel()
	wg.Wait()
	p.StopCleanly(t)
	bellhop(t, "restore", "--data", restored, file)
	again := start(t, "serve", "--data", restored, "--listen", "127.0.0.1:0")
	for i := range testApps {
		checkGeneration(t, again, i, before[i])
	}
	again.StopCleanly(t)
}
