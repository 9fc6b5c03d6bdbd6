// Package watch waits until a file in a folder changes.
package watch

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
)

const (
	interval = 300 * time.Millisecond
	maxFiles = 10_000
)

// Await waits until state differs from before and then stays the same for an interval: many editors write a file in
// several steps. It returns false when ctx ends first.
func Await(ctx context.Context, before string, state func() string) bool {
	last := before
	for {
		now := state()
		if now != before && now == last {
			return true
		}
		last = now
		if clock.Pause(ctx, interval); ctx.Err() != nil {
			return false
		}
	}
}

// Repeat calls run, and again each time when a file in the folder of one of the named files changes, until ctx ends. writes says that
// run writes such files itself: what it writes is no change.
func Repeat(ctx context.Context, names []string, writes bool, run func()) {
	for {
		before := State(names)
		run()
		if writes {
			before = State(names)
		}
		if ctx.Err() != nil || !Await(ctx, before, func() string { return State(names) }) {
			return
		}
	}
}

// State returns a text that changes when a file in the folder of one of the named files changes. Hidden folders and
// dependencies do not count, nor do snapshots, which a run of scenarios writes.
func State(names []string) string {
	var b strings.Builder
	n := 0
	seen := map[string]bool{}
	for _, name := range names {
		folder := filepath.Dir(name)
		if seen[folder] {
			continue
		}
		seen[folder] = true
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error { // a file that is gone is a change too
			if err != nil || n >= maxFiles { // without the folder there is no d
				return fs.SkipDir
			}
			hidden := strings.HasPrefix(d.Name(), ".") && path != folder || d.Name() == "node_modules" || d.Name() == "__pycache__"
			switch {
			case d.IsDir() && hidden:
				return fs.SkipDir
			case d.IsDir() || hidden || strings.HasSuffix(path, ".snap.yaml"):
				return nil
			}
			if info, err := d.Info(); err == nil {
				n++
				fmt.Fprintf(&b, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
			}
			return nil
		})
	}
	return b.String()
}
