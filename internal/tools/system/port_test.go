package system

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestPortTaken checks the error for a port that this process has.
func TestPortTaken(t *testing.T) {
	t.Parallel()
	ln, err := Listen(t.Context(), "--listen", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	_, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	want := "--listen 127.0.0.1:" + port + ": the port is already in use: use --listen 127.0.0.1:0 for a free port"
	if runtime.GOOS == "linux" {
		name, err := os.ReadFile("/proc/self/comm")
		if err != nil {
			t.Fatal(err)
		}
		want = fmt.Sprintf("--listen 127.0.0.1:%s: the port is already in use by %s (process %d): "+
			"stop that process, or use --listen 127.0.0.1:0 for a free port", port, strings.TrimSpace(string(name)), os.Getpid())
	}
	if again, err := Listen(t.Context(), "--listen", ln.Addr().String()); err == nil || err.Error() != want {
		t.Errorf("Listen() = %v, %v, want %q", again, err, want)
	}
}

// TestPortHolder reads tables as Linux writes them.
func TestPortHolder(t *testing.T) {
	t.Parallel()
	proc := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(proc, name)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proc, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("net/tcp", "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"+
		"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0\n"+
		"   1: 0100007F:1F91 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 20 4 30 10 -1\n")
	write("31/comm", "caddy\n")
	write("31/fd/keep", "")
	for name, socket := range map[string]string{"31/fd/3": "socket:[4711]", "31/fd/4": "socket:[4712]"} {
		if err := os.Symlink(socket, filepath.Join(proc, name)); err != nil {
			t.Fatal(err)
		}
	}
	for port, want := range map[string]string{"8080": "caddy (process 31)", "8081": "", "9": "", "http": ""} {
		if got := portHolder(proc, port); got != want {
			t.Errorf("portHolder(%s) = %q, want %q", port, got, want)
		}
	}
}
