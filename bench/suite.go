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

// suite returns all cases in the order of the table.
func (s *stage) suite() []compare.Case {
	return []compare.Case{
		s.selfCase(), s.selfDurableCase(),
		s.listCase(), s.getCase(),
		s.upsertCase("upsert", compare.AtLeast(0.4), smallApplications),
		s.upsertCase("upsert-one-app", compare.Bound{}, 1),
		s.bulkCase(),
		s.decideCase(), s.indexCase(), s.searchCase(),
		s.interactionCase(), s.addedCase("interaction-added-p50", 0.5, 0.5e6), s.addedCase("interaction-added-p99", 0.99, 5e6),
		s.deferredCase(),
		s.idleCase(), s.fanCase(), s.answeredCase(),
		s.limiterCase(), s.refusedCase(),
		s.nodesListCase(), s.nodesUpsertCase(), s.nodesJoinCase(), s.nodesInteractionCase(),
		s.twoNodesCase("two-nodes-list50", func() load.Source { return load.Repeat(workload.List(0).Raw) }),
		varied(s.twoNodesCase("two-nodes-upsert", func() load.Source { return workload.Varied(upserts(), &s.serial) })),
		s.moreConnections(s.twoNodesCase("two-nodes-join", s.nodesJoins)),
		s.farCase("far-nodes-upsert", func() load.Source { return workload.Varied(upserts(), &s.serial) }),
		s.moreConnections(s.farCase("far-nodes-join", s.nodesJoins)),
		s.largeListCase("large-list-p50", compare.P50), s.largeListCase("large-list-p99", compare.P99),
		s.largeMemoryCase(), s.largeReadyCase(),
		s.lobbyGetCase(), s.lobbyJoinCase(), s.lobbyCreateCase(),
		s.lobbyScaleCase("lobbies-get-p50", (*lobbyServer).anyLobby), s.lobbyScaleCase("lobbies-edit-p50", (*lobbyServer).anyEdit),
		s.lobbyScaleCase("lobbies-join-p50", (*lobbyServer).joins),
		s.lobbyScaleCase("lobbies-create-p50", (*lobbyServer).creates),
		s.lobbyMemoryCase(), s.lobbyEndCase(), s.lobbyEndLatencyCase(), s.deletionCase(), s.lobbyRateCase(),
	}
}

// selfCase compares the bare server with itself: what differs from 1 is the noise of the machine and of the method.
func (s *stage) selfCase() compare.Case {
	side := func(ctx context.Context) (compare.Runner, error) {
		answer := reply{"application/json", bytes.Repeat([]byte("x"), 12<<10)}
		return s.bare(ctx, answer, load.Repeat(workload.List(0).Raw))
	}
	return compare.Case{Name: "self", Bound: compare.Bound{Least: 0.9, Most: 1.1}, Subject: side, Yardstick: side}
}

// selfDurableCase compares the bare durable server with itself. It is not judged: disks are noisier than processors.
func (s *stage) selfDurableCase() compare.Case {
	side := func(ctx context.Context) (compare.Runner, error) {
		answer := reply{"application/json", bytes.Repeat([]byte("x"), 400)}
		return s.durable(ctx, answer, 1, workload.Varied(workload.RowWrites(smallApplications*workload.ListLength, 1, upsertBody), &s.serial))
	}
	return compare.Case{Name: "self-durable", Subject: side, Yardstick: side}
}

// listCase asks for the 50 commands of one application.
func (s *stage) listCase() compare.Case {
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

// smallLoad returns a side that loads the near-empty registry with requests.
func (s *stage) smallLoad(requests load.Source) func(context.Context) (compare.Runner, error) {
	return func(ctx context.Context) (compare.Runner, error) {
		r, err := s.smallRegistry(ctx)
		if err != nil {
			return compare.Runner{}, err
		}
		return s.loaded(r.Process, requests), nil
	}
}

// getCase asks for one command.
func (s *stage) getCase() compare.Case {
	var get []byte // known when the subject is ready
	return compare.Case{
		Name: "get1", Bound: compare.AtLeast(0.65),
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

// commandID asks for the id of command c in the list of application i.
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

// upsertCase overwrites single commands of so many applications.
func (s *stage) upsertCase(name string, bound compare.Bound, applications int) compare.Case {
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

// bulkCase overwrites all 50 commands of an application at a time.
func (s *stage) bulkCase() compare.Case {
	puts := make([]workload.Request, smallApplications)
	for i := range puts {
		puts[i] = workload.Overwrite(i)
	}
	return compare.Case{
		Name: "bulk50", Bound: compare.AtLeast(0.4),
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

// varied returns c as a case whose answers differ in size.
func varied(c compare.Case) compare.Case {
	c.Varied = true
	return c
}

// errUneven says that no single answer can stand for the others.
var errUneven = errors.New("no answer has nearly the mean size")

// typical sends each request once to a registry and returns the answer whose size is nearest to the mean. It fails if that
// size differs from the mean by more than 5 %.
func (s *stage) typical(ctx context.Context, of *registry, requests []workload.Request) (reply, error) {
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
		return reply{}, fmt.Errorf("%w: %.0f bytes, the mean is %.0f", errUneven, size, mean)
	}
	return nearest, nil
}
