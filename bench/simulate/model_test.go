package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestLoads compares a calculation with one by hand.
func TestLoads(t *testing.T) {
	t.Parallel()
	c := costs{
		Message: use{Node: time.Millisecond, Postgres: 2 * time.Millisecond, Redis: time.Microsecond, Log: 1000},
		Foreign: use{Node: 100 * time.Microsecond, Postgres: 50 * time.Microsecond}, EventBytes: 500, SessionBytes: 1 << 10,
		Passed:  use{Postgres: 10 * time.Microsecond},
		Connect: use{Redis: 10 * time.Microsecond, Commands: 10},
	}
	p := plan{
		Nodes: 10, Sessions: 1 << 20, SessionTime: time.Hour, Active: 0.5, Messages: 100, NodeCores: 2, PostgresCore: 4, NodeMemory: 1 << 30, Network: 1e9, Disk: 1e8,
	}
	// 1,000 messages a second, 9,000 reads of other nodes, 104,858 commands for active sessions, 2,913 for sessions that begin.
	want := map[string]float64{
		"processors of a node":     (1 + 0.9) / 10 / 2,
		"memory of a node":         0.1,
		"processors of PostgreSQL": (2 + 0.45) / 4,
		"network of PostgreSQL":    10_000 * 500 / 1e9,
		"log of PostgreSQL":        1000 * 1000 / 1e8,
		"thread of Redis":          0.001 + 104_857.6e-6 + 291.2711e-5,
	}
	for _, l := range c.loads(p) {
		if math.Abs(l.share-want[l.what]) > 1e-6 {
			t.Errorf("%s = %v, want %v", l.what, l.share, want[l.what])
		}
	}
	if got := first(c.loads(p)).what; got != "processors of PostgreSQL" {
		t.Errorf("used up first: %s", got)
	}
	for what, want := range map[string]int{"processors of PostgreSQL": 15, "thread of Redis": 0, "network of PostgreSQL": 142} {
		if got := c.usedUp(p, what); got != want {
			t.Errorf("%s are used up with %d nodes, want %d", what, got, want)
		}
	}
	p.Readers = 1
	if got := c.loads(p); math.Abs(got[0].share-0.05) > 1e-6 || math.Abs(got[2].share-(2+0.09)/4) > 1e-6 {
		t.Errorf("without events for other nodes: %v, want 0.05 of the processors of a node and 0.5225 of those of PostgreSQL", got)
	}
}

// TestReaders calculates events that some of the nodes read. Only PostgreSQL looks at an event for the others.
func TestReaders(t *testing.T) {
	t.Parallel()
	c := costs{Foreign: use{Node: time.Millisecond, Postgres: time.Millisecond}, Passed: use{Postgres: 100 * time.Microsecond}, EventBytes: 1000}
	for _, tt := range []struct {
		readers              int
		node, postgres, sent float64 // seconds, seconds, bytes in a second of 1,000 events and 10 nodes
	}{{0, 9, 9, 10e6}, {1, 0, 0.9, 1e6}, {4, 3, 3.6, 4e6}, {20, 9, 9, 10e6}} {
		got := c.loads(plan{Nodes: 10, Messages: 100, SessionTime: 1, NodeCores: 0.1, PostgresCore: 1, NodeMemory: 1, Network: 1, Disk: 1, Readers: tt.readers})
		for i, want := range map[int]float64{0: tt.node, 2: tt.postgres, 3: tt.sent} {
			if math.Abs(got[i].share-want) > 1e-6 {
				t.Errorf("%d readers: %s = %v, want %v", tt.readers, got[i].what, got[i].share, want)
			}
		}
	}
}

// TestCosts checks that the committed figures can be read, and that the model prints a table of them.
func TestCosts(t *testing.T) {
	t.Parallel()
	c, err := readCosts("costs.json")
	if err != nil {
		t.Fatal(err)
	}
	if c.Message.Postgres <= 0 || c.Foreign.Postgres <= 0 || c.EventBytes <= 0 || c.SessionBytes <= 0 || c.Date == "" {
		t.Errorf("the figures are not complete: %+v", c)
	}
	var out strings.Builder
	plans := options{sessions: 10e6, messages: 100, invocations: 20}.plans(0)
	if err := c.write(&out, plans); err != nil {
		t.Fatal(err)
	}
	c.writeLimits(&out, plans[0])
	if !strings.Contains(out.String(), "used up first") || !strings.Contains(out.String(), "processors of PostgreSQL used up: with ") {
		t.Errorf("printed %s", out.String())
	}
}
