package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// highestMemory returns the most memory that a process has used, in bytes.
func highestMemory(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatalf("no VmHWM in %s", text)
	return 0
}

// TestBodiesOfOneCallerAreBounded sends 95 bodies of 8 MiB with one bot token and does not finish them. The service refuses
// those beyond the share of the caller, keeps its memory, and serves other callers.
func TestBodiesOfOneCallerAreBounded(t *testing.T) {
	t.Parallel()
	const token, other = "kqzvwxjyhbrtmnpsdfglcae-4718203956", "wmtrqpzxvbnlkjhgfdsayuioec-9263740158"
	world := filepath.Join(t.TempDir(), "world.yaml")
	text := fmt.Sprintf(`{users: [{id: "200", username: ada}], applications: [{id: "100", name: Echo, owner: "200", bot_token: %s},
  {id: "101", name: Other, owner: "200", bot_token: %s}]}`, token, other)
	if err := os.WriteFile(world, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--world", world, "--memory", "256MiB", "--limits", "off")
	const requests, size = 95, 8 << 20
	statuses, held := make(chan int, requests), make(chan struct{}, requests)
	var sent sync.WaitGroup
	for range requests {
		c := connect(t, p)
		sent.Go(func() {
			defer func() { held <- struct{}{} }()
			_, err := io.WriteString(c, "POST /api/v10/applications/100/commands HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bot "+
				token+"\r\nContent-Length: "+strconv.Itoa(size)+"\r\n\r\n")
			chunk := strings.Repeat("x", 256<<10)
			for n := 0; n < size-len(chunk) && err == nil; n += len(chunk) {
				_, err = io.WriteString(c, chunk)
			}
			if err == nil {
				return // the service has all of it but the last chunk
			}
			if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil {
				statuses <- resp.StatusCode
				_ = resp.Body.Close()
			}
		})
	}
	for range requests {
		if status, text, err := p.Send(t.Context(), "GET", "/api/v10/applications/101/commands", "Bot "+other, ""); err != nil || status != 200 {
			t.Errorf("another caller gets %d %s %v, want 200", status, text, err)
		}
		<-held
	}
	sent.Wait()
	if status, text, err := p.Send(t.Context(), "POST", "/api/v10/applications/101/commands", "Bot "+other, `{"name":"roll","description":"Roll dice"}`); err != nil || status != 201 {
		t.Errorf("another caller gets %d %s %v, want 201", status, text, err)
	}
	close(statuses)
	for status := range statuses {
		if status != http.StatusRequestEntityTooLarge {
			t.Errorf("a body beyond the share of the caller gets %d, want 413", status)
		}
	}
	used := highestMemory(t, p.Process.Pid)
	t.Logf("%d MiB", used>>20)
	if used > 256<<20 {
		t.Errorf("the service has used %d MiB, want 256 MiB at most", used>>20)
	}
}
