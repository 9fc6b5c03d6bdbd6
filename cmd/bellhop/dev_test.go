package main

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/world"
)

// TestRecordCloseError checks that an error of closing the file of --record is not lost.
func TestRecordCloseError(t *testing.T) {
	t.Parallel()
	o := devOptions{Record: filepath.Join(t.TempDir(), "record")}
	err := o.recorded(func(traffic io.Writer) error { return traffic.(io.Closer).Close() })
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("recorded() = %v, want the error of closing the file again", err)
	}
	if err := (devOptions{}).recorded(func(traffic io.Writer) error {
		if traffic != nil {
			t.Errorf("traffic is recorded without --record: %v", traffic)
		}
		return nil
	}); err != nil {
		t.Errorf("recorded() without a file = %v", err)
	}
}

// TestPortTaken checks that dev fails without a word on the standard output when its port is taken.
func TestPortTaken(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	var out, errs strings.Builder
	code := run(t.Context(), []string{"dev", "--listen", ln.Addr().String()}, &out, &errs)
	if code != exitFailed || out.Len() > 0 || !strings.HasPrefix(errs.String(), "bellhop: --listen "+ln.Addr().String()+": the port is already in use") {
		t.Errorf("exit code %d, dev printed %q and %q", code, out.String(), errs.String())
	}
}

// TestDevPrintsInteractions invokes a command of an app without a connection, and waits for its line.
func TestDevPrintsInteractions(t *testing.T) {
	t.Parallel()
	p := start(t, "dev", "--listen", "127.0.0.1:0", "--log-level", "debug")
	bot := "Bot " + world.Demo().Applications[0].BotToken
	app := world.Demo().Applications[0].ID.String()
	status, body, err := p.Send(t.Context(), http.MethodPost, "/api/v10/applications/"+app+"/commands", bot, `{"name":"roll","description":"Roll dice"}`)
	if err != nil || status != http.StatusCreated {
		t.Fatalf("create a command: %d %s %v", status, body, err)
	}
	if status, body, err = p.Send(t.Context(), http.MethodPost, "/_dev/invoke", "", `{"as":"ada","in":"Lab/general","command":"/roll"}`); err != nil {
		t.Fatalf("invoke: %d %s %v", status, body, err)
	}
	p.WaitLine(t, func(line string) bool {
		return strings.Contains(line, "  ada        /roll                Echo         failed ")
	})
	p.StopCleanly(t)
	if log := p.Log(); strings.Contains(log, `{"`) || !strings.Contains(log, "level=DEBUG msg=\"schema migrated\"") {
		t.Errorf("the log of dev is no text, or has no debug lines:\n%s", log)
	}
}
