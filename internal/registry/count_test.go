package registry_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellhop/bellhop/command"
	"github.com/bellhop/bellhop/internal/registry"
)

func TestCountLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rule  string
		scope command.Scope
		body  string
		max   int
	}{
		{"global CHAT_INPUT commands: 100", global, `{"name":"c%d","description":"x"}`, 100},
		{"global USER commands: 15", global, `{"type":2,"name":"C %d"}`, 15},
		{"global MESSAGE commands: 15", global, `{"type":3,"name":"C %d"}`, 15},
		{"guild CHAT_INPUT commands: 100", inGuild, `{"name":"c%d","description":"x"}`, 100},
		{"guild USER commands: 15", inGuild, `{"type":2,"name":"C %d"}`, 15},
		{"guild MESSAGE commands: 15", inGuild, `{"type":3,"name":"C %d"}`, 15},
	} {
		t.Run(tt.rule+" exact under concurrency", func(t *testing.T) {
			t.Parallel()
			d := open(t)
			var made, refused atomic.Int32
			var wg sync.WaitGroup
			for i := range tt.max + 20 {
				wg.Go(func() {
					_, _, err := d.Create(t.Context(), tt.scope, env(tt.scope), fmt.Appendf(nil, tt.body, i))
					limit, limited := errors.AsType[*registry.LimitError](err)
					switch {
					case err == nil:
						made.Add(1)
					case limited && limit.Max == tt.max:
						refused.Add(1)
					default:
						t.Errorf("Create() = %v", err)
					}
				})
			}
			wg.Wait()
			if int(made.Load()) != tt.max || refused.Load() != 20 || len(d.names(t, tt.scope)) != tt.max {
				t.Errorf("%d created, %d refused, %d listed", made.Load(), refused.Load(), len(d.names(t, tt.scope)))
			}
			// At the limit a command can still be overwritten.
			var kept int
			if _, err := fmt.Sscan(strings.TrimLeft(d.names(t, tt.scope)[0], "cC "), &kept); err != nil {
				t.Fatal(err)
			}
			d.create(t, tt.scope, strings.Replace(fmt.Sprintf(tt.body, kept), "}", `,"nsfw":true}`, 1))
		})
	}
}

func TestDailyCreates(t *testing.T) {
	t.Parallel()
	fill := func(t *testing.T, d fixture, s command.Scope, n, round int) error {
		t.Helper()
		items := make([]string, n)
		for i := range items {
			items[i] = definition(fmt.Sprintf("c%d-%d", round, i), "x")
		}
		_, err := d.Overwrite(t.Context(), s, env(s), []byte("["+strings.Join(items, ",")+"]"))
		return err
	}

	t.Run("200 a day per scope, then refused until the day is over", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		for round := range 2 {
			if err := fill(t, d, inGuild, 100, round); err != nil {
				t.Fatal(err)
			}
		}
		quota, ok := errors.AsType[*registry.QuotaError](fill(t, d, inGuild, 1, 9))
		if !ok || quota.Max != 200 || quota.RetryAfter <= 23*time.Hour || quota.RetryAfter > 24*time.Hour {
			t.Fatalf("create 201 = %+v", quota)
		}
		if got := d.names(t, inGuild); len(got) != 100 || got[0] != "c1-0" {
			t.Errorf("a refused overwrite left %v", got)
		}
		if err := fill(t, d, global, 100, 0); err != nil {
			t.Errorf("another scope has its own quota, got %v", err)
		}
		// Overwriting an existing command does not count.
		d.create(t, inGuild, definition("c1-0", "changed"))
		d.clock.Advance(24 * time.Hour)
		if err := fill(t, d, inGuild, 100, 3); err != nil {
			t.Errorf("a day later = %v", err)
		}
	})

	t.Run("exact under concurrency", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		for round, n := range []int{100, 50} {
			if err := fill(t, d, inGuild, n, round); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := d.Overwrite(t.Context(), inGuild, env(inGuild), []byte("[]")); err != nil {
			t.Fatal(err)
		}
		var made atomic.Int32
		var wg sync.WaitGroup
		for i := range 90 {
			wg.Go(func() {
				if _, _, err := d.Create(t.Context(), inGuild, env(inGuild), []byte(definition(fmt.Sprint("n", i), "x"))); err == nil {
					made.Add(1)
				}
			})
		}
		wg.Wait()
		if made.Load() != 50 {
			t.Errorf("%d creates passed, want the 50 that were left", made.Load())
		}
	})

	t.Run("deletes give nothing back", func(t *testing.T) {
		t.Parallel()
		d := open(t)
		for i := range 200 {
			c := d.create(t, global, definition(fmt.Sprint("c", i), "x"))
			if err := d.Delete(t.Context(), global, c.ID); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := d.Create(t.Context(), global, env(global), []byte(definition("one-more", "x")))
		if _, ok := errors.AsType[*registry.QuotaError](err); !ok {
			t.Errorf("create 201 = %v", err)
		}
	})
}
