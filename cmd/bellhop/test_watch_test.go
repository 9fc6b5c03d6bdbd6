package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen collects what a command prints, and lets a test wait for a text.
type screen struct {
	mu      sync.Mutex
	text    string
	changed chan struct{}
}

func newScreen() *screen { return &screen{changed: make(chan struct{}, 1)} }

func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text += string(text)
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return len(text), nil
}

// String returns what was printed, without what await has returned.
func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text
}

// await waits for a text, and returns what was printed up to its end. The next call looks at what follows.
func (s *screen) await(t *testing.T, want string) string {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		s.mu.Lock()
		before, after, found := strings.Cut(s.text, want)
		if found {
			s.text = after
		}
		s.mu.Unlock()
		if found {
			return before + want
		}
		select {
		case <-s.changed:
		case <-late:
			t.Fatalf("no %q after 30 s in %q", want, before)
		}
	}
}

// put writes a file in one step, as a reader sees it.
func put(t *testing.T, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// TestWatch changes a scenario file while "bellhop test --watch" runs. Each change runs the scenarios again, also after a
// mistake in the file.
func TestWatch(t *testing.T) {
	t.Parallel()
	const good = "app: guesthouse\nscenarios:\n  - {name: rings, steps: [{as: bob, in: Lab/general, use: /bell}]}\n"
	folder := t.TempDir()
	put(t, folder, "s.yaml", good)
	shown := newScreen()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		o := testOptions{Watch: true, Format: "pretty", Files: []string{filepath.Join(folder, "s.yaml")}}
		ended <- o.Run(ctx, streams{shown, shown})
	}()
	for _, step := range []struct{ text, want string }{
		{"", "1 scenario: 1 passed, 0 failed"},
		{strings.Replace(good, "use: /bell", "use: /bell, expect: {content: x}", 1), "1 scenario: 0 passed, 1 failed"},
		{strings.Replace(good, "steps:", "stps:", 1), `did you mean "steps"?`},
		{good, "1 scenario: 1 passed, 0 failed"},
	} {
		if step.text != "" {
			put(t, folder, "s.yaml", step.text)
		}
		if got := shown.await(t, "waiting for a change"); !strings.Contains(got, step.want) {
			t.Errorf("printed %q, want %q", got, step.want)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run() = %v at the end of the watch", err)
	}
}
