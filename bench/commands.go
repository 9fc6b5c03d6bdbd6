package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/workload"
)

// commandCases measure commands: reads and writes of a small registry, and reads of a large one.
type commandCases struct {
	*environment
	small *registry // smallApplications applications
	large *registry // with -scale commands
}

// selfCase compares the bare server with itself. The difference from 1 is the noise of the machine and the method.
func (s *commandCases) selfCase() compare.Case {
	side := func(ctx context.Context) (compare.Runner, error) {
		answer := reply{"application/json", bytes.Repeat([]byte("x"), 12<<10)}
		return s.bare(ctx, answer, load.Repeat(workload.List(0).Raw))
	}
	return compare.Case{Name: "self", Bound: compare.Bound{Least: 0.9, Most: 1.1}, Subject: side, Yardstick: side}
}

// selfDurableCase compares the bare durable server with itself. It has no bound: disks are noisier than CPUs.
func (s *commandCases) selfDurableCase() compare.Case {
	side := func(ctx context.Context) (compare.Runner, error) {
		answer := reply{"application/json", bytes.Repeat([]byte("x"), 400)}
		return s.durable(ctx, answer, 1, workload.Varied(workload.RowWrites(smallApplications*workload.ListLength, 1, upsertBody), &s.serial))
	}
	return compare.Case{Name: "self-durable", Subject: side, Yardstick: side}
}

// listCase lists the 50 commands of one application.
func (s *commandCases) listCase() compare.Case {
	return compare.Case{
		Name: "list50", Bound: compare.AtLeast(0.7),
		Subject: s.smallLoad(load.Repeat(workload.List(0).Raw)),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.small.fetch(ctx, workload.List(0).Raw)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.bare(ctx, answer, load.Repeat(workload.List(0).Raw))
		},
	}
}

// smallLoad returns a side that sends requests to the small registry.
func (s *commandCases) smallLoad(requests load.Source) func(context.Context) (compare.Runner, error) {
	return func(ctx context.Context) (compare.Runner, error) {
		r, err := s.smallRegistry(ctx)
		if err != nil {
			return compare.Runner{}, err
		}
		return s.loaded(r.Process, requests), nil
	}
}

// getCase reads one command.
func (s *commandCases) getCase() compare.Case {
	var get []byte // set by Subject
	return compare.Case{
		Name: "get1", Bound: compare.AtLeast(0.5),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			r, err := s.smallRegistry(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			id, err := r.commandID(ctx, 0, 2)
			if err != nil {
				return compare.Runner{}, err
			}
			get = workload.New(http.MethodGet, workload.CommandsPath(workload.ApplicationID(0), "/"+id), workload.BotToken(0), nil).Raw
			return s.loaded(r.Process, load.Repeat(get)), nil
		},
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.small.fetch(ctx, get)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.bare(ctx, answer, load.Repeat(get))
		},
	}
}

// commandID returns the id of command c of application i.
func (r *registry) commandID(ctx context.Context, i, c int) (string, error) {
	answer, err := r.fetch(ctx, workload.List(i).Raw)
	if err != nil {
		return "", err
	}
	var commands []struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(answer.body, &commands); err != nil {
		return "", err
	}
	if c >= len(commands) {
		return "", fmt.Errorf("application %d has %d commands", workload.ApplicationID(i), len(commands))
	}
	return commands[c].ID, nil
}

// upsertCase overwrites single commands of the given number of applications.
func (s *commandCases) upsertCase(name string, bound compare.Bound, applications int) compare.Case {
	var posts []workload.Request
	for i := range applications {
		for c := range workload.ListLength {
			posts = append(posts, workload.Upsert(i, c))
		}
	}
	return compare.Case{
		Name: name, Bound: bound, Varied: true,
		Subject: s.smallLoad(workload.Varied(posts, &s.serial)),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.typical(ctx, s.small, posts[:workload.ListLength])
			if err != nil {
				return compare.Runner{}, err
			}
			return s.durable(ctx, answer, 1, workload.Varied(workload.RowWrites(len(posts), 1, upsertBody), &s.serial))
		},
	}
}

// bulkCase overwrites all 50 commands of an application with one request.
func (s *commandCases) bulkCase() compare.Case {
	puts := make([]workload.Request, smallApplications)
	for i := range puts {
		puts[i] = workload.Overwrite(i)
	}
	return compare.Case{
		Name: "bulk50", Bound: compare.AtLeast(0.35),
		Subject: s.smallLoad(workload.Varied(puts, &s.serial)),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.typical(ctx, s.small, puts[:1])
			if err != nil {
				return compare.Runner{}, err
			}
			writes := workload.RowWrites(len(puts), workload.ListLength, func(int) []byte { return workload.Definitions() })
			return s.durable(ctx, answer, workload.ListLength, workload.Varied(writes, &s.serial))
		},
	}
}

func upsertBody(i int) []byte { return []byte(workload.Definition(i % workload.ListLength)) }

// varied returns c with the field Varied set.
func varied(c compare.Case) compare.Case {
	c.Varied = true
	return c
}

// errUneven means that no response has a typical size.
var errUneven = errors.New("no response has about the mean size")

// typical sends each request once to a registry and returns the response whose size is closest to the mean. It fails if that
// size differs from the mean by more than 5 %.
func (s *environment) typical(ctx context.Context, of *registry, requests []workload.Request) (reply, error) {
	answers := make([]reply, len(requests))
	var total int
	for i, r := range requests {
		var err error
		if answers[i], err = of.fetch(ctx, r.Render(nil, s.serial.Next())); err != nil {
			return reply{}, err
		}
		total += len(answers[i].body)
	}
	mean := float64(total) / float64(len(answers))
	nearest := answers[0]
	for _, a := range answers {
		if math.Abs(float64(len(a.body))-mean) < math.Abs(float64(len(nearest.body))-mean) {
			nearest = a
		}
	}
	if size := float64(len(nearest.body)); size < 0.95*mean || size > 1.05*mean {
		return reply{}, fmt.Errorf("%w: %.0f bytes, mean %.0f", errUneven, size, mean)
	}
	return nearest, nil
}
