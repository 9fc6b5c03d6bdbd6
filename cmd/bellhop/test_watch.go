package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

const (
	watchInterval = 300 * time.Millisecond
	maxWatched    = 10_000 // files
)

// watch runs the scenarios, and again each time when a file in the folder of a scenario file changes, until ctx ends.
func (o testOptions) watch(ctx context.Context, s streams, match *regexp.Regexp) error {
	for {
		before := o.state()
		err := o.runOnce(ctx, s, match)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the user has ended the watch
		}
		if _, ok := errors.AsType[exitCode](err); !ok && err != nil {
			fmt.Fprintf(s.err, "bellhop: %v\n", err)
		}
		// A run can write files itself, such as snapshots.
		if o.Update {
			before = o.state()
		}
		fmt.Fprintln(s.out, "waiting for a change")
		if !awaitChange(ctx, before, o.state) {
			return nil
		}
	}
}

// awaitChange waits until state differs from before and then stays the same for an interval: many editors write a file in
// several steps. It returns false when ctx ends first.
func awaitChange(ctx context.Context, before string, state func() string) bool {
	last := before
	for {
		now := state()
		if now != before && now == last {
			return true
		}
		last = now
		select {
		case <-ctx.Done():
			return false
		case <-time.After(watchInterval):
		}
	}
}

// state returns a text that changes when a file changes. Hidden folders and dependencies do not count.
func (o testOptions) state() string {
	var b strings.Builder
	n := 0
	seen := map[string]bool{}
	for _, name := range o.Files {
		folder := filepath.Dir(name)
		if seen[folder] {
			continue
		}
		seen[folder] = true
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error { // a file that is gone is a change too
			if err != nil || n >= maxWatched { // without the folder there is no d
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
