package main

import (
	"context"
	"errors"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/process"
	"github.com/bellhop/bellhop/bench/workload"
)

const (
	smallMemory = 80 // MiB, the least value of --memory
	smallFlag   = "80MiB"
	// returnTime is the longest time in which the service must return memory to the system after a load.
	returnTime = time.Minute
	// returnedMemory is the most memory that the service with the default --memory may hold at that time, in MiB.
	returnedMemory = 200
)

// memoryCases measure the memory of the process under load and after it.
type memoryCases struct{ *environment }

// boundCase reads the peak of a service with --memory 80MiB that reads and writes under load.
func (s *memoryCases) boundCase() compare.Case {
	return compare.Case{
		Name: "memory-bound", Bound: compare.AtMost(smallMemory), Unit: compare.Mebibytes,
		Reading: func(ctx context.Context) (float64, error) {
			peak, _, err := s.measure(ctx, 0, "--memory", smallFlag)
			return peak, err
		},
	}
}

// returnedCase reads the memory of a service a minute after a load.
func (s *memoryCases) returnedCase() compare.Case {
	return compare.Case{
		Name: "memory-returned", Bound: compare.AtMost(returnedMemory), Unit: compare.Mebibytes,
		Reading: func(ctx context.Context) (float64, error) {
			wait := returnTime
			if s.quick {
				wait = 0
			}
			_, after, err := s.measure(ctx, wait)
			return after, err
		},
	}
}

// measure loads a new service with reads and writes, and returns its peak and its memory after a pause, in MiB.
func (s *memoryCases) measure(ctx context.Context, pause time.Duration, flags ...string) (peak, after float64, err error) {
	data, err := s.folder("memory")
	if err != nil {
		return 0, 0, err
	}
	file, err := s.file("memory.yaml", workload.World(smallApplications))
	if err != nil {
		return 0, 0, err
	}
	p, err := s.startWith(ctx, data, file, "off", flags...)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if err := s.loadMemory(ctx, p); err != nil {
		return 0, 0, err
	}
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
	m, err := p.Memory()
	return float64(m.Peak) / (1 << 20), float64(m.Resident) / (1 << 20), err
}

// loadMemory writes and reads commands of all applications.
func (s *memoryCases) loadMemory(ctx context.Context, p *process.Process) error {
	r := &registry{p, smallApplications}
	fill := s.target(p.Addr, r.each(func(i int) []byte { return workload.Overwrite(i).Render(nil, s.serial.Next()) }))
	if _, err := fill.Drain(ctx); err != nil {
		return err
	}
	length := time.Duration(10 * s.seconds * float64(time.Second))
	for _, requests := range []load.Source{anyList(smallApplications), workload.Varied(upserts(0, 1), &s.serial)} {
		if _, err := s.target(p.Addr, requests).Run(ctx, length); err != nil {
			return err
		}
	}
	return nil
}
