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
	p.Partitioned = true
	if got := c.loads(p); math.Abs(got[0].share-0.05) > 1e-6 || math.Abs(got[2].share-(2+0.09)/4) > 1e-6 {
		t.Errorf("without events for other nodes: %v, want 0.05 of the processors of a node and 0.5225 of those of PostgreSQL", got)
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
	if err := c.write(&out, options{sessions: 10e6, messages: 100, invocations: 20}.plans(false)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "used up first") {
		t.Errorf("printed %s", out.String())
	}
}
