package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/tools/remote"
	"github.com/bellhop/bellhop/internal/tools/terminal"
	"golang.org/x/sys/unix"
)

// openTerminal opens a pseudo-terminal: what a program writes to tty can be read from controller.
func openTerminal(t *testing.T) (controller, tty *os.File) {
	t.Helper()
	controller, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = controller.Close() })
	fd := int(controller.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	return controller, tty
}

// onTerminal runs bellhop on a terminal and returns what it printed.
func onTerminal(t *testing.T, env []string, args ...string) string {
	t.Helper()
	controller, tty := openTerminal(t)
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], args...)
	cmd.Env = append(os.Environ(), append(env, asProgram+"=1", "TERM=xterm")...)
	cmd.Stdout, cmd.Stderr = tty, tty
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	buffer := make([]byte, 4096)
	for stopped := false; ; {
		n, err := controller.Read(buffer)
		text.Write(buffer[:n])
		if !stopped && strings.Contains(text.String(), "listening on") {
			stopped = true
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
		if err == io.EOF || err != nil { // Linux reports EIO when the program has closed the terminal
			break
		}
	}
	_ = cmd.Wait() // some commands fail on purpose
	return text.String()
}

// TestColours checks that the banner has colours on a terminal, and none with NO_COLOR.
func TestColours(t *testing.T) {
	t.Parallel()
	if text := onTerminal(t, nil, "dev", "--listen", "127.0.0.1:0"); !strings.Contains(text, "\x1b[36mhttp://127.0.0.1:") {
		t.Errorf("no colours on a terminal: %q", text)
	}
	if text := onTerminal(t, []string{"NO_COLOR=1"}, "dev", "--listen", "127.0.0.1:0"); strings.Contains(text, "\x1b") {
		t.Errorf("colours with NO_COLOR: %q", text)
	}
}

// TestScenariosOnTerminal checks that "bellhop test" shows its progress and colours on a terminal. The first scenario takes
// longer than a second, after which progress is shown.
func TestScenariosOnTerminal(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	put(t, folder, "s.yaml", "timeout: 1200ms\napp: guesthouse\nscenarios:\n"+
		"  - {name: waits, steps: [{as: bob, in: Lab/general, use: /bell, expect: {messages: 2}}]}\n"+
		"  - {name: rings, steps: [{as: bob, in: Lab/general, use: /bell}]}\n")
	text := onTerminal(t, nil, "test", "--parallel", "1", folder+"/s.yaml")
	for _, want := range []string{
		"\x1b[31mFAIL\x1b[0m", "\x1b[32m  want 2\x1b[0m", "\r\x1b[Kscenarios [###############...............] 50 %, 1 of 2, ",
		"\r\x1b[K\x1b[32mpass\x1b[0m", "2 scenarios: 1 passed, 1 failed",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
}

// TestUploadOnTerminal checks that a terminal shows how much of a file was sent, and then that it is being applied.
func TestUploadOnTerminal(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, 1<<20)           // the test fails if it cannot be read
		time.Sleep(terminal.ShowAfter + 4*terminal.Interval) // the network is slow
		_, _ = io.Copy(io.Discard, r.Body)                   // the same
		time.Sleep(terminal.ShowAfter + time.Second/2)       // the service applies the file
	}))
	defer service.Close()
	controller, tty := openTerminal(t)
	text := make(chan string)
	go func() {
		shown, _ := io.ReadAll(controller) // it ends with EIO when the terminal is closed
		text <- string(shown)
	}()
	file := make([]byte, 64<<20) // more than the buffers of a connection
	err := terminal.Upload(tty, "big.yaml", int64(len(file)), func(sent *atomic.Int64) error {
		_, err := remote.Request{Method: http.MethodPost, URL: service.URL, Body: file, Sent: sent}.Send(t.Context())
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	shown := <-text
	sending := strings.Index(shown, "\r\x1b[KSending big.yaml [")
	applying := strings.LastIndex(shown, "\r\x1b[KApplying big.yaml, ")
	if sending < 0 || applying < sending || !strings.Contains(shown, " of 67108864, ") || !strings.HasSuffix(shown, "\r\x1b[K") {
		t.Errorf("the terminal shows %q", shown)
	}
}
