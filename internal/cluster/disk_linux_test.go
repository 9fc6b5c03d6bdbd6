package cluster

import (
	"net/http"
	"strings"
	"testing"

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

// startLimited is start with limits that a command of the shell sets.
func startLimited(t *testing.T, limits string, args ...string) *process {
	t.Helper()
	return startProgram(t, "bash", nil, append([]string{"-c", limits + ` && exec "$0" "$@"`, programs.Path(t, "bellhop")}, args...)...)
}

const unlimitedFiles = 1 << 40

func TestReadiness(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := start(t, "serve", "--data", dir, "--world", writeAppsWorld(t, dir), "--listen", "127.0.0.1:0", "--limits", "off")
	p.WaitReady(t, http.StatusOK)
	p.limit(t, 0)
	if text := p.WaitReady(t, http.StatusServiceUnavailable); !strings.Contains(text, `"status":"unavailable","reason":"disk`) {
		t.Errorf("/readyz on a full disk: %s", text)
	}
	if status, text, err := write(t.Context(), p, 1, 1); err != nil || status != http.StatusServiceUnavailable {
		t.Errorf("a write on a full disk: %d %s %v, want 503", status, text, err)
	}
	if status, text, err := p.Send(t.Context(), http.MethodGet, "/healthz", "", ""); err != nil || status != http.StatusOK {
		t.Errorf("/healthz on a full disk: %d %s %v, want 200", status, text, err)
	}
	checkGeneration(t, p, 1, 0) // reads work
	p.limit(t, unlimitedFiles)
	p.WaitReady(t, http.StatusOK)
	if status, text, err := write(t.Context(), p, 1, 2); err != nil || status >= 300 {
		t.Errorf("a write with room on the disk: %d %s %v", status, text, err)
	}
	p.StopCleanly(t)
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
	p = startLimited(t, "ulimit -S -f 40", args...)
	if text := p.WaitReady(t, http.StatusServiceUnavailable); !strings.Contains(text, `"reason":"`) {
		t.Errorf("/readyz after a start on a full disk: %s", text)
	}
	checkGeneration(t, p, 0, 5)
	if status, text, err := write(t.Context(), p, 0, 6); err != nil || status != http.StatusServiceUnavailable {
		t.Errorf("a write on a full disk: %d %s %v, want 503", status, text, err)
	}
	p.limit(t, unlimitedFiles)
	p.WaitReady(t, http.StatusOK)
	if status, text, err := write(t.Context(), p, 0, 7); err != nil || status >= 300 {
		t.Errorf("a write with room on the disk: %d %s %v", status, text, err)
	}
	p.StopCleanly(t)
}

func TestFewOpenFiles(t *testing.T) {
	t.Parallel()
	p := startLimited(t, "ulimit -n 64", "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0")
	p.StopCleanly(t)
	if log := p.Log(); !strings.Contains(log, "1024") || !strings.Contains(log, "limit of open files is low") {
		t.Errorf("a start with 64 open files logs no number:\n%s", log)
	}
}
