//go:build unix

package authorization_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellhop/bellhop/authorization"
)

// system installs script as xdg-open, open and rundll32. Tests that use it are not parallel, because PATH belongs to the
// process.
func system(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"xdg-open", "open", "rundll32"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// pipe returns a named pipe. The test holds both ends, so opening it never blocks. Reads have a deadline.
func pipe(t *testing.T) *os.File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closing(t, file) })
	if err := file.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSystemBrowser(t *testing.T) {
	const page = "https://bellhop.example/?a=b&c=$(d)"
	t.Run("passes the page as one argument", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "page")
		system(t, `printf '%s' "$#:$1" >'`+file+`'`)
		if err := authorization.SystemBrowser(t.Context(), page); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != "1:"+page {
			t.Errorf("the opener got %q, %v, want one argument %q", got, err, page)
		}
	})
	t.Run("reports that the opener failed", func(t *testing.T) {
		system(t, "exit 3")
		err := authorization.SystemBrowser(t.Context(), page)
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 3 {
			t.Errorf("SystemBrowser() error = %v, want exit status 3", err)
		}
	})
	t.Run("reports that there is no opener", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if err := authorization.SystemBrowser(t.Context(), page); !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("SystemBrowser() error = %v, want %v", err, exec.ErrNotFound)
		}
	})
	t.Run("neither waits for a browser that stays open nor ends it", func(t *testing.T) {
		asked, told := pipe(t), pipe(t)
		system(t, `read line <'`+asked.Name()+`'; echo "$line" >'`+told.Name()+`'`)
		ctx, cancel := context.WithCancel(t.Context())
		if err := authorization.SystemBrowser(ctx, page); err != nil {
			t.Errorf("SystemBrowser() error = %v", err)
		}
		cancel()
		if _, err := asked.WriteString("still there\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(told).ReadString('\n'); err != nil || line != "still there\n" {
			t.Errorf("the opener wrote %q, %v, want it to outlive the context", line, err)
		}
	})
	t.Run("opens nothing once the context has ended", func(t *testing.T) {
		system(t, "exit 3")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := authorization.SystemBrowser(ctx, page); !errors.Is(err, context.Canceled) {
			t.Errorf("SystemBrowser() error = %v, want %v", err, context.Canceled)
		}
	})
	t.Run("opens only pages", func(t *testing.T) {
		system(t, "exit 0")
		for _, page := range []string{"", "-help", "file:///etc/passwd", "mygame:/x", "javascript:alert(1)"} {
			if err := authorization.SystemBrowser(t.Context(), page); !errors.Is(err, authorization.ErrPage) {
				t.Errorf("SystemBrowser(%q) error = %v, want %v", page, err, authorization.ErrPage)
			}
		}
	})
}

// A client without an opener of its own uses the system's.
func TestAuthorizeSystemBrowser(t *testing.T) {
	system(t, "exit 4")
	args, _ := communication()
	_, err := newClient().Authorize(t.Context(), args)
	result := wantKind(t, err, authorization.ErrAuthorizationFailed, "no browser")
	if !strings.Contains(result.Error(), "exit status 4") {
		t.Errorf("error = %v, want the opener's exit status", result)
	}
}
