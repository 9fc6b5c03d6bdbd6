package terminal

import (
	"errors"
	"io"
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

// TestProgressNeedsTerminal checks that a file gets no progress, and that Busy returns the error of its task.
func TestProgressNeedsTerminal(t *testing.T) {
	t.Parallel()
	f, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	p := NewProgress(f, "users")
	p.began = p.began.Add(-time.Minute)
	p.Step(1, 2)
	p.Clear()
	failure := errors.New("failed")
	if err := Busy(f, "users", func() error { return failure }); !errors.Is(err, failure) {
		t.Errorf("Busy() = %v, want %v", err, failure)
	}
	if text, err := os.ReadFile(f.Name()); err != nil || len(text) > 0 {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// TestProgressOnTerminal checks that progress appears after a second, and is cleared.
func TestProgressOnTerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	p := NewProgress(&out, "users")
	p.out = &out
	p.Step(1, 2)
	if out.Len() > 0 {
		t.Errorf("progress in the first second: %q", out.String())
	}
	p.began = p.began.Add(-ShowAfter)
	p.Step(1, 2)
	p.Clear()
	p.Clear()
	if want := "\r\x1b[Kusers [###############...............] 50 %, 1 of 2, 1 s\r\x1b[K"; out.String() != want {
		t.Errorf("progress %q, want %q", out.String(), want)
	}
}

// TestAsk checks that the last line needs no end, and that no input is io.EOF.
func TestAsk(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{" yes \nmore": "yes", "no": "no", "\n": ""} {
		var out strings.Builder
		if got, err := Ask(strings.NewReader(input), &out, "Apply? "); got != want || err != nil || out.String() != "Apply? " {
			t.Errorf("Ask() of %q = %q, %v after %q", input, got, err, out.String())
		}
	}
	if _, err := Ask(strings.NewReader(""), io.Discard, "Apply? "); !errors.Is(err, io.EOF) {
		t.Errorf("Ask() without input = %v", err)
	}
}

func TestPlural(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 entries", 1: "1 entry", 2: "2 entries"} {
		if got := Plural(n, "entry"); got != want {
			t.Errorf("Plural(%d) = %q, want %q", n, got, want)
		}
	}
	if got := Plural(2, "command"); got != "2 commands" {
		t.Errorf("Plural(2) = %q", got)
	}
}
