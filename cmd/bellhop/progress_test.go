package main

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

func TestProgressLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		done, total int64
		want        string
	}{
		{0, 10, "users [..............................] 0 %, 0 of 10, 3 s"},
		{5, 10, "users [###############...............] 50 %, 5 of 10, 3 s"},
		{20, 10, "users [##############################] 100 %, 10 of 10, 3 s"},
		{3, 0, "users, 3 s"},
	} {
		if got := progressLine("users", tt.done, tt.total, 3*time.Second); got != tt.want {
			t.Errorf("progressLine(%d, %d) = %q, want %q", tt.done, tt.total, got, tt.want)
		}
	}
}

// TestProgressNeedsTerminal checks that a file gets no progress, and that busy returns the error of its task.
func TestProgressNeedsTerminal(t *testing.T) {
	t.Parallel()
	f, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	p := newProgress(f, "users")
	p.began = p.began.Add(-time.Minute)
	p.step(1, 2)
	p.clear()
	failure := errors.New("failed")
	if err := busy(f, "users", func() error { return failure }); !errors.Is(err, failure) {
		t.Errorf("busy() = %v, want %v", err, failure)
	}
	if text, err := os.ReadFile(f.Name()); err != nil || len(text) > 0 {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// TestProgressOnTerminal checks that progress appears after a second, and is cleared.
func TestProgressOnTerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := newProgress(&out, "users")
	p.out = &out
	p.step(1, 2)
	if out.Len() > 0 {
		t.Errorf("progress in the first second: %q", out.String())
	}
	p.began = p.began.Add(-showProgressAfter)
	p.step(1, 2)
	p.clear()
	p.clear()
	if want := "\r\x1b[Kusers [###############...............] 50 %, 1 of 2, 1 s\r\x1b[K"; out.String() != want {
		t.Errorf("progress %q, want %q", out.String(), want)
	}
}

func TestPlural(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 entries", 1: "1 entry", 2: "2 entries"} {
		if got := plural(n, "entry"); got != want {
			t.Errorf("plural(%d) = %q, want %q", n, got, want)
		}
	}
	if got := plural(2, "command"); got != "2 commands" {
		t.Errorf("plural(2) = %q", got)
	}
}
