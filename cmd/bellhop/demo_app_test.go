package main

import (
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/tools/devservice"
)

// useBell uses a command of the demo app and returns the answer of the service.
func (p *process) useBell(t *testing.T) string {
	t.Helper()
	_, text, err := p.Send(t.Context(), "POST", "/_dev/invoke", "", `{"as":"bob","in":"Lab/general","command":"/bell"}`)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// answersSoon waits until the demo app has registered its commands and answers.
func (p *process) answersSoon(t *testing.T) {
	t.Helper()
	text := ""
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if text = p.useBell(t); strings.Contains(text, `"outcome":"answered"`) {
			return
		}
	}
	t.Fatalf("the demo app does not answer after 30 s: %s", text)
}

// TestDemoApp checks that the demo app answers: after a start, after a reset, and after a restart with the same data.
func TestDemoApp(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for _, run := range []string{"a new folder", "the same folder"} {
		p := start(t, "dev", "--listen", "127.0.0.1:0", "--data", data)
		p.answersSoon(t)
		status, text, err := p.Send(t.Context(), "POST", "/_dev/reset", "", "")
		if err != nil || status != 204 {
			t.Fatalf("%s: reset: %d %s %v", run, status, text, err)
		}
		if text := p.useBell(t); !strings.Contains(text, `"outcome":"answered"`) { // at once
			t.Errorf("%s: after a reset: %s", run, text)
		}
		if strings.Contains(p.Output, devservice.DemoAppLogin) || !strings.Contains(p.Output, "the app Guesthouse answers") {
			t.Errorf("%s: dev prints\n%s", run, p.Output)
		}
		p.StopCleanly(t)
	}
}

// TestDemoAppOnAllAddresses checks that the demo app reaches a service that listens on all addresses.
func TestDemoAppOnAllAddresses(t *testing.T) {
	t.Parallel()
	p := start(t, "dev", "--listen", "0.0.0.0:0")
	p.Base = devservice.Reachable(p.Base)
	p.answersSoon(t)
	p.StopCleanly(t)
}

// TestNoDemoApp checks when the demo app is left out.
func TestNoDemoApp(t *testing.T) {
	t.Parallel()
	file := writeText(t, "world.yaml", `users: [{id: "200", username: ada}]`)
	for _, args := range [][]string{{"--no-demo-app"}, {"--world", file}} {
		p := start(t, append([]string{"dev", "--listen", "127.0.0.1:0"}, args...)...)
		_, text, err := p.Send(t.Context(), "GET", "/_dev/world", "", "")
		if err != nil || strings.Contains(text, "Guesthouse") || strings.Contains(p.Output, "Guesthouse") {
			t.Errorf("%v: the world has the demo app: %s, %v", args, text, err)
		}
		p.StopCleanly(t)
	}
}
