package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
)

// worldCases measure "bellhop world apply" with a file of -scale users that are all members of one guild.
type worldCases struct {
	*environment
	done   bool
	took   time.Duration
	memory float64 // peak in MiB
}

// worldTimeCase reads how long the import takes.
func (s *worldCases) worldTimeCase() compare.Case {
	return compare.Case{
		Name: "world-apply-time", Bound: compare.AtMost(90), Unit: compare.Seconds,
		Reading: func(ctx context.Context) (float64, error) {
			err := s.apply(ctx)
			return s.took.Seconds(), err
		},
	}
}

// worldMemoryCase reads the peak memory of the import.
func (s *worldCases) worldMemoryCase() compare.Case {
	return compare.Case{
		Name: "world-apply-memory", Bound: compare.AtMost(300), Unit: compare.Mebibytes,
		Reading: func(ctx context.Context) (float64, error) {
			err := s.apply(ctx)
			return s.memory, err
		},
	}
}

// apply applies the file once.
func (s *worldCases) apply(ctx context.Context) error {
	if s.done {
		return nil
	}
	data, err := s.folder("world")
	if err != nil {
		return err
	}
	binary, err := s.build(ctx)
	if err != nil {
		return err
	}
	file := filepath.Join(data, "world.json")
	if err := writeWorld(file, s.scale); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, binary, "world", "apply", "--data", filepath.Join(data, "data"), file)
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("world apply: %w: %s", err, out)
	}
	s.took, s.done = time.Since(began), true
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("the system does not tell the peak memory of a process")
	}
	s.memory = float64(usage.Maxrss) / (1 << 10) // Linux: in KiB
	return nil
}

// writeWorld writes a world file with n users, all of them members of one guild.
func writeWorld(file string, n int) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	list := func(head, item string) {
		_, _ = w.WriteString(head) // Flush returns the first error
		for i := range n {
			if i > 0 {
				_ = w.WriteByte(',')
			}
			_, _ = fmt.Fprintf(w, item, 1_000_000+i)
		}
	}
	list(`{"users":[`, `{"id":"%[1]d","username":"u%[1]d"}`)
	list(`],"guilds":[{"id":"300","members":[`, `{"user":"%d"}`)
	_, _ = w.WriteString("]}]}\n")
	return w.Flush()
}
