package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// limit sets the size beyond which no file of the process can grow.
func (p *process) limit(t *testing.T, size uint64) {
	t.Helper()
	var now unix.Rlimit
	if err := unix.Prlimit(p.Process.Pid, unix.RLIMIT_FSIZE, nil, &now); err != nil {
		t.Fatal(err)
	}
	if err := unix.Prlimit(p.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: now.Max}, nil); err != nil {
		t.Fatal(err)
	}
}

// waitReady waits until /readyz has a status, and returns the body.
func (p *process) waitReady(t *testing.T, status int) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		got, text, err := p.send(ctx, http.MethodGet, "/readyz", "", "")
		if err != nil {
			t.Fatalf("/readyz does not become %d: %v", status, err)
		}
		if got == status {
			return text
		}
		time.Sleep(50 * time.Millisecond)
	}
}

const unlimitedFiles = 1 << 40

func TestReadiness(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, "serve", "--data", dir, "--world", writeAppsWorld(t, dir), "--listen", "127.0.0.1:0", "--limits", "off")
	p.waitReady(t, http.StatusOK)
	p.limit(t, 0)
	if text := p.waitReady(t, http.StatusServiceUnavailable); !strings.Contains(text, `"status":"unavailable","reason":"disk`) {
		t.Errorf("/readyz on a full disk: %s", text)
	}
	if status, text, err := write(t.Context(), p, 1, 1); err != nil || status != http.StatusServiceUnavailable {
		t.Errorf("a write on a full disk: %d %s %v, want 503", status, text, err)
	}
	if status, text, err := p.send(t.Context(), http.MethodGet, "/healthz", "", ""); err != nil || status != http.StatusOK {
		t.Errorf("/healthz on a full disk: %d %s %v, want 200", status, text, err)
	}
	checkGeneration(t, p, 1, 0) // reads work
	p.limit(t, unlimitedFiles)
	p.waitReady(t, http.StatusOK)
	if status, text, err := write(t.Context(), p, 1, 2); err != nil || status >= 300 {
		t.Errorf("a write with room on the disk: %d %s %v", status, text, err)
	}
	p.stop(t)
}

func TestStartOnFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"serve", "--data", dir, "--world", writeAppsWorld(t, dir), "--listen", "127.0.0.1:0", "--limits", "off"}
	p := start(t, args...)
	for generation := range 5 {
		if status, text, err := write(t.Context(), p, 0, generation+1); err != nil || status >= 300 {
			t.Fatalf("write: %d %s %v", status, text, err)
		}
	}
	_ = p.Process.Kill() // the write-ahead log stays
	_ = p.Wait()
	p = startWith(t, []string{fileLimit + "=40960"}, args...)
	if text := p.waitReady(t, http.StatusServiceUnavailable); !strings.Contains(text, `"reason":"`) {
		t.Errorf("/readyz after a start on a full disk: %s", text)
	}
	checkGeneration(t, p, 0, 5)
	if status, text, err := write(t.Context(), p, 0, 6); err != nil || status != http.StatusServiceUnavailable {
		t.Errorf("a write on a full disk: %d %s %v, want 503", status, text, err)
	}
	p.limit(t, unlimitedFiles)
	p.waitReady(t, http.StatusOK)
	if status, text, err := write(t.Context(), p, 0, 7); err != nil || status >= 300 {
		t.Errorf("a write with room on the disk: %d %s %v", status, text, err)
	}
	p.stop(t)
}

func TestFewOpenFiles(t *testing.T) {
	t.Parallel()
	p := startWith(t, []string{openFiles + "=64"}, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0")
	p.stop(t)
	if log := p.Stderr.(*screen).String(); !strings.Contains(log, "1024") || !strings.Contains(log, "limit of open files is low") {
		t.Errorf("a start with 64 open files logs no number:\n%s", log)
	}
}
