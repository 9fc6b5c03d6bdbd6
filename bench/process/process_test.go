package process_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/bench/process"
)

// Shell scripts that act as servers. tail and the empty loop do not end by themselves.
const (
	wellBehaved = `echo hello; printf 'listening on '; echo http://127.0.0.1:4711; echo more; exec tail -f /dev/null`
	rude        = `trap 'exit 3' TERM; echo listening on http://127.0.0.1:4711; while :; do :; done`
	early       = `echo no port left >&2; exit 4`
	brief       = `echo listening on http://127.0.0.1:4711; exit 5`
)

func TestProcess(t *testing.T) {
	t.Parallel()
	p, err := process.Start(t.Context(), "sh", "-c", wellBehaved)
	if err != nil {
		t.Fatal(err)
	}
	if p.Addr != "127.0.0.1:4711" {
		t.Errorf("Addr = %q", p.Addr)
	}
	if p.Ready <= 0 || p.Ready > time.Minute {
		t.Errorf("Ready = %v", p.Ready)
	}
	memory, err := p.Memory()
	if err != nil {
		t.Fatal(err)
	}
	if memory.Resident < 1<<12 || memory.Peak < memory.Resident || memory.Peak > 1<<30 {
		t.Errorf("Memory() = %+v, want a page or more, and no less at the peak", memory)
	}
	if cpu, err := p.CPU(); err != nil || cpu < 0 || cpu > time.Minute {
		t.Errorf("CPU() = %v, %v", cpu, err)
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := p.Memory(); err == nil {
		t.Error("Memory() after Stop = nil, want an error: the process still runs")
	}
}

func TestProcessKill(t *testing.T) {
	t.Parallel()
	p, err := process.Start(t.Context(), "sh", "-c", wellBehaved)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Memory(); err == nil {
		t.Error("Memory() after Kill = nil, want an error: the process still runs")
	}
}

func TestProcessFailures(t *testing.T) {
	t.Parallel()
	t.Run("no such program", func(t *testing.T) {
		t.Parallel()
		if _, err := process.Start(t.Context(), "./absent"); err == nil {
			t.Error("Start() = nil, want an error")
		}
	})
	t.Run("exits before it listens: the error quotes its output", func(t *testing.T) {
		t.Parallel()
		_, err := process.Start(t.Context(), "sh", "-c", early)
		if err == nil || !strings.Contains(err.Error(), "no port left") {
			t.Errorf("Start() = %v, want the output of the program", err)
		}
	})
	t.Run("exits by itself", func(t *testing.T) {
		t.Parallel()
		p, err := process.Start(t.Context(), "sh", "-c", brief)
		if err != nil {
			t.Fatal(err)
		}
		for err == nil { // until it has exited
			_, err = p.Memory()
		}
		if err := p.Stop(); err == nil {
			t.Error("Stop() = nil, want an error")
		}
	})
	t.Run("exits with a failure", func(t *testing.T) {
		t.Parallel()
		p, err := process.Start(t.Context(), "sh", "-c", rude)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Stop(); err == nil || !strings.Contains(err.Error(), "exit status 3") {
			t.Errorf("Stop() = %v, want exit status 3", err)
		}
	})
	t.Run("context ends during Start", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := process.Start(ctx, "tail", "-f", "/dev/null"); err == nil {
			t.Error("Start() = nil, want an error")
		}
	})
}
