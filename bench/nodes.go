package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/process"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/bench/yardstick"
	"github.com/bellhop/bellhop/internal/enginetest"
	"github.com/bellhop/bellhop/internal/store/postgres"
)

// fleet is nodes that share a PostgreSQL and a Redis on this machine.
type cluster struct {
	postgres *enginetest.Postgres
	redis    *enginetest.Redis
	url      string
	nodes    []*registry
	hall     *lobbyServer             // of the first node
	distance *enginetest.Proxy // delays what far nodes send to PostgreSQL
	far      []*registry       // nodes behind distance
}

// yardstickConns is how many connections the bare server on PostgreSQL opens: as many as a node.
const yardstickConns = 24

// startNodes returns so many nodes with the commands of the near-empty registry.
func (s *stage) startNodes(ctx context.Context, nodes int) ([]*registry, error) {
	if s.cluster == nil {
		f, err := s.startCluster(ctx)
		if err != nil {
			return nil, err
		}
		s.cluster = f
	}
	for i := len(s.cluster.nodes); i < nodes; i++ {
		p, err := s.startNode(ctx, i, "")
		if err != nil {
			return nil, err
		}
		s.cluster.nodes = append(s.cluster.nodes, &registry{p, smallApplications})
	}
	return s.cluster.nodes[:nodes], nil
}

// startCluster runs the engines, which write to the disk as they ship, and the first node.
func (s *stage) startCluster(ctx context.Context) (*cluster, error) {
	f := &cluster{}
	var err error
	if f.postgres, err = enginetest.StartPostgres(ctx); err != nil {
		return nil, err
	}
	if f.redis, err = enginetest.StartRedis(ctx); err != nil {
		return nil, errors.Join(err, f.postgres.Stop())
	}
	s.cluster = f
	if f.url, err = f.postgres.Database(ctx); err != nil {
		return nil, err
	}
	if err := fillShared(ctx, f.url); err != nil {
		return nil, fmt.Errorf("fill the nodes: %w", err)
	}
	file, err := s.file("fleet.yaml", workload.World(smallApplications))
	if err != nil {
		return nil, err
	}
	p, err := s.startNode(ctx, 0, file)
	if err != nil {
		return nil, err
	}
	r := &registry{p, smallApplications}
	f.nodes = append(f.nodes, r)
	f.lobbies = newLobbyServer(*r, smallLobbies)
	_, err = s.target(p.Addr, r.each(func(i int) []byte { return workload.Overwrite(i).Render(nil, s.serial.Next()) })).Drain(ctx)
	if err != nil {
		return nil, fmt.Errorf("fill the nodes: %w", err)
	}
	return f, nil
}

// fillShared writes the lobbies of the nodes before the first of them runs.
func fillShared(ctx context.Context, url string) error {
	db, err := postgres.Open(ctx, url, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return fillLobbies(ctx, db, smallApplications, smallLobbies, week)
}

// startNode runs a node of the fleet.
func (s *stage) startNode(ctx context.Context, i int, world string) (*process.Process, error) {
	binary, err := s.build(ctx)
	if err != nil {
		return nil, err
	}
	data, err := s.folder("node" + strconv.Itoa(i))
	if err != nil {
		return nil, err
	}
	return s.startNodeOn(ctx, binary, data, s.cluster.url, world)
}

// startNodeOn runs a node on a database.
func (s *stage) startNodeOn(ctx context.Context, binary, data, url, world string) (*process.Process, error) {
	args := []string{"serve", "--data", data, "--listen", "127.0.0.1:0", "--postgres", url, "--redis", s.cluster.redis.URL()}
	if world != "" {
		args = append(args, "--world", world, "--limits", "off")
	} else {
		args = append(args, "--limits", "off")
	}
	return process.Start(ctx, binary, args...)
}

// stop ends the nodes and then what they share.
func (f *cluster) stop() error {
	var errs []error
	for _, r := range slices.Concat(f.nodes, f.far) {
		errs = append(errs, r.Stop())
	}
	if f.slowProxy != nil {
		errs = append(errs, f.slowProxy.Close())
	}
	return errors.Join(append(errs, f.redis.Stop(), f.postgres.Stop())...)
}

// nodesLoad returns a side that spreads requests over so many nodes, each with its share of the connections.
func (s *stage) nodesLoad(nodes int, requests func() load.Source) func(context.Context) (compare.Runner, error) {
	return func(ctx context.Context) (compare.Runner, error) {
		list, err := s.startNodes(ctx, nodes)
		if err != nil {
			return compare.Runner{}, err
		}
		share := s.target("", requests())
		share.Connections = max(share.Connections/nodes, 1)
		return compare.Runner{Run: func(ctx context.Context, d time.Duration) (load.Result, error) {
			return spread(ctx, list, share, d)
		}}, nil
	}
}

// spread loads nodes at the same time.
func spread(ctx context.Context, nodes []*registry, share load.Target, d time.Duration) (load.Result, error) {
	type outcome struct {
		load.Result
		err error
	}
	results := make(chan outcome, len(nodes))
	for _, r := range nodes {
		share.Addr = r.Addr
		go func(target load.Target) { // ends with the run, which is waited for below
			result, err := measured(ctx, r.Process, target, d)
			results <- outcome{result, err}
		}(share)
	}
	sum := load.Result{Latency: &load.Histogram{}}
	var errs []error
	for range nodes {
		r := <-results
		if errs = append(errs, r.err); r.err != nil {
			continue
		}
		sum.Requests += r.Requests
		sum.Bytes += r.Bytes
		sum.CPU += r.CPU
		sum.Elapsed = max(sum.Elapsed, r.Elapsed)
		sum.Latency.Merge(r.Latency)
	}
	return sum, errors.Join(errs...)
}

// nodesListCase asks a node on PostgreSQL and Redis for the 50 commands of one application.
func (s *stage) nodesListCase() compare.Case {
	return compare.Case{
		Name: "nodes-list50", Bound: compare.AtLeast(0.45),
		Subject: s.nodesLoad(1, anyTime(load.Repeat(workload.List(0).Raw))),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.cluster.nodes[0].fetch(ctx, workload.List(0).Raw)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.bare(ctx, answer, load.Repeat(workload.List(0).Raw))
		},
	}
}

// anyTime returns a source that does not depend on what runs.
func anyTime(requests load.Source) func() load.Source { return func() load.Source { return requests } }

// nodesUpsertCase overwrites single commands on a node, against a bare server that does one upsert in the same PostgreSQL.
func (s *stage) nodesUpsertCase() compare.Case {
	posts := upserts()
	return compare.Case{
		Name: "nodes-upsert", Bound: compare.AtLeast(0.4), Varied: true,
		Subject: s.nodesLoad(1, anyTime(workload.Varied(posts, &s.serial))),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.typical(ctx, s.cluster.nodes[0], posts[:workload.ListLength])
			if err != nil {
				return compare.Runner{}, err
			}
			return s.bareUpserts(ctx, answer, workload.RowWrites(len(posts), 1, upsertBody))
		},
	}
}

// bareUpserts starts a bare server that does one upsert in the nodes' PostgreSQL for each request.
func (s *stage) bareUpserts(ctx context.Context, a reply, writes []workload.Request) (compare.Runner, error) {
	file, err := s.file("answer", a.body)
	if err != nil {
		return compare.Runner{}, err
	}
	url := s.cluster.url + "&pool_max_conns=" + strconv.Itoa(yardstickConns)
	return s.yardstick(ctx, yardstick.PostgresArgs(file, a.contentType, url), workload.Varied(writes, &s.serial))
}

// nodesJoinCase adds members to lobbies on a node, against the same bare server.
func (s *stage) nodesJoinCase() compare.Case {
	return s.moreConnections(compare.Case{
		Name: "nodes-join", Bound: compare.AtLeast(0.4),
		Subject: s.nodesLoad(1, s.nodesJoins),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.cluster.nodes[0].fetch(ctx, s.nodesJoins()(0)())
			if err != nil {
				return compare.Runner{}, err
			}
			return s.bareUpserts(ctx, answer, workload.RowWrites(smallLobbies, 1, func(int) []byte { return []byte(numberedBody) }))
		},
	})
}

// nodesJoins returns a source that adds members to lobbies of the nodes.
func (s *stage) nodesJoins() load.Source { return s.cluster.lobbies.joins() }

// upserts are the requests that overwrite each command of each application.
func upserts() (posts []workload.Request) {
	for i := range smallApplications {
		for c := range workload.ListLength {
			posts = append(posts, workload.Upsert(i, c))
		}
	}
	return posts
}

// twoNodesCase compares two nodes with one. All share the processors of one machine, so that two cannot do much better;
// they must not do worse.
func (s *stage) twoNodesCase(name string, requests func() load.Source) compare.Case {
	return compare.Case{
		Name: name, Bound: compare.AtLeast(0.9),
		Subject: s.nodesLoad(2, requests), Yardstick: s.nodesLoad(1, requests),
	}
}

const (
	// farDelay is what the way to PostgreSQL adds to each direction: 2 ms to a round trip.
	farDelay = time.Millisecond
	// farPool is how many connections a far node has, farLoad how many clients load it.
	farPool = 8
	farLoad = 32
)

// farNodes returns so many nodes that are some way from PostgreSQL and have few connections to it.
func (s *stage) farNodes(ctx context.Context, nodes int) ([]*registry, error) {
	if _, err := s.startNodes(ctx, 1); err != nil {
		return nil, err
	}
	f := s.cluster
	if f.slowProxy == nil {
		var err error
		if f.slowProxy, err = enginetest.StartProxy(ctx, f.postgres.Addr()); err != nil {
			return nil, err
		}
		f.slowProxy.Delay(farDelay)
	}
	url, err := f.slowProxy.URL(f.url)
	if err != nil {
		return nil, err
	}
	binary, err := s.build(ctx)
	if err != nil {
		return nil, err
	}
	for i := len(f.far); i < nodes; i++ {
		data, err := s.folder("far" + strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		p, err := s.startNodeOn(ctx, binary, data, url+"&pool_max_conns="+strconv.Itoa(farPool), "")
		if err != nil {
			return nil, err
		}
		f.far = append(f.far, &registry{p, smallApplications})
	}
	return f.far[:nodes], nil
}

// farCase compares what two far nodes can do with what one can: nodes do not wait for each other.
func (s *stage) farCase(name string, requests func() load.Source) compare.Case {
	side := func(nodes int) func(context.Context) (compare.Runner, error) {
		return func(ctx context.Context) (compare.Runner, error) {
			list, err := s.farNodes(ctx, nodes)
			if err != nil {
				return compare.Runner{}, err
			}
			share := s.target("", requests())
			share.Connections = farLoad
			return compare.Runner{Run: func(ctx context.Context, d time.Duration) (load.Result, error) {
				return spread(ctx, list, share, d)
			}}, nil
		}
	}
	return compare.Case{Name: name, Bound: compare.AtLeast(1.8), Subject: side(2), Yardstick: side(1)}
}

// nodesInteractionCase lets a person use a command at a node on PostgreSQL and Redis, against the same on SQLite.
func (s *stage) nodesInteractionCase() compare.Case {
	return compare.Case{
		Name: "nodes-interaction", Bound: compare.AtLeast(0.5),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			if _, err := s.startNodes(ctx, 1); err != nil {
				return compare.Runner{}, err
			}
			if s.sharedInvoked == nil {
				url, err := s.cluster.postgres.Database(ctx)
				if err != nil {
					return compare.Runner{}, err
				}
				r, use, err := s.startInvoked(ctx, "shared-invoked", "--postgres", url, "--redis", s.cluster.redis.URL())
				if err != nil {
					return compare.Runner{}, err
				}
				s.sharedInvoked, s.sharedInvoke = r, use
			}
			return s.answeredLoad(s.sharedInvoked, s.sharedInvoke), nil
		},
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			r, err := s.invokedRegistry(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.answeredLoad(r, s.invoke), nil
		},
	}
}
