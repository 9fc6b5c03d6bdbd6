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
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// nodeCases measure nodes that share a PostgreSQL and a Redis server.
type nodeCases struct {
	*environment
	interactions  *interactionCases
	lobbies       *lobbyCases
	cluster       *cluster
	sharedInvoked *registry   // as interactionCases.invoked, on PostgreSQL and Redis
	sharedInvoke  load.Source // of requests that invoke a command there
}

// cluster is nodes that share a PostgreSQL and a Redis server on this machine.
type cluster struct {
	postgres  *engines.Postgres
	redis     *engines.Redis
	url       string
	nodes     []*registry
	lobbies   *lobbyServer   // of the first node
	slowProxy *engines.Proxy // between far nodes and PostgreSQL
	far       []*registry    // nodes behind slowProxy
}

// yardstickConns is the number of connections of the bare server to PostgreSQL, the same as of a node.
const yardstickConns = 24

// startNodes returns the given number of nodes, with the commands of the small registry.
func (s *nodeCases) startNodes(ctx context.Context, nodes int) ([]*registry, error) {
	if s.cluster == nil {
		c, err := s.startCluster(ctx)
		if err != nil {
			return nil, err
		}
		s.cluster = c
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

// startCluster starts PostgreSQL and Redis with their default settings, and the first node.
func (s *nodeCases) startCluster(ctx context.Context) (*cluster, error) {
	c := &cluster{}
	var err error
	if c.postgres, err = engines.StartPostgres(ctx); err != nil {
		return nil, err
	}
	if c.redis, err = engines.StartRedis(ctx); err != nil {
		return nil, errors.Join(err, c.postgres.Stop())
	}
	s.cluster = c
	if c.url, err = c.postgres.Database(ctx); err != nil {
		return nil, err
	}
	if err := fillShared(ctx, c.url); err != nil {
		return nil, fmt.Errorf("write the records of the nodes: %w", err)
	}
	file, err := s.file("cluster.yaml", messageWorld())
	if err != nil {
		return nil, err
	}
	p, err := s.startNode(ctx, 0, file)
	if err != nil {
		return nil, err
	}
	r := &registry{p, smallApplications}
	c.nodes = append(c.nodes, r)
	c.lobbies = newLobbyServer(*r, smallLobbies)
	_, err = s.target(p.Addr, r.each(func(i int) []byte { return workload.Overwrite(i).Render(nil, s.serial.Next()) })).Drain(ctx)
	if err != nil {
		return nil, fmt.Errorf("write the records of the nodes: %w", err)
	}
	return c, nil
}

// fillShared writes the lobbies of the nodes. No node may run.
func fillShared(ctx context.Context, url string) error {
	db, err := postgres.Open(ctx, url, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return fillLobbies(ctx, db, smallApplications, smallLobbies, week)
}

// startNode starts node i.
func (s *nodeCases) startNode(ctx context.Context, i int, world string) (*process.Process, error) {
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

// startNodeOn starts a node with the database at url.
func (s *nodeCases) startNodeOn(ctx context.Context, binary, data, url, world string) (*process.Process, error) {
	args := []string{"serve", "--data", data, "--listen", "127.0.0.1:0", "--postgres", url, "--redis", s.cluster.redis.URL(), "--lobby-users", "auto"}
	if world != "" {
		args = append(args, "--world", world, "--limits", "off")
	} else {
		args = append(args, "--limits", "off")
	}
	return process.Start(ctx, binary, args...)
}

// stop stops the nodes, then PostgreSQL and Redis.
func (c *cluster) stop() error {
	var errs []error
	for _, r := range slices.Concat(c.nodes, c.far) {
		errs = append(errs, r.Stop())
	}
	if c.slowProxy != nil {
		errs = append(errs, c.slowProxy.Close())
	}
	return errors.Join(append(errs, c.redis.Stop(), c.postgres.Stop())...)
}

// nodeSource returns the requests for one of several nodes.
type nodeSource func(node, nodes int) load.Source

// sameFor returns the same requests for every node.
func sameFor(requests load.Source) nodeSource { return func(int, int) load.Source { return requests } }

// nodesLoad returns a side that distributes requests over the given number of nodes. Each gets its share of the connections. The
// other side of the case has most nodes, or this one.
func (s *nodeCases) nodesLoad(nodes, most int, requests nodeSource) func(context.Context) (compare.Runner, error) {
	return func(ctx context.Context) (compare.Runner, error) {
		list, err := s.startNodes(ctx, nodes)
		if err != nil {
			return compare.Runner{}, err
		}
		return spread(list, most, max(s.connections/nodes, 1), requests), nil
	}
}

// spread returns a side that loads all nodes at the same time, each by a number of connections, and adds up the results. A node
// gets the same requests on the side with most nodes and on the other one. Otherwise each side would begin with
// states that the other side has changed.
func spread(nodes []*registry, most, connections int, requests nodeSource) compare.Runner {
	targets := make([]load.Target, len(nodes))
	for i, r := range nodes {
		targets[i] = load.Target{Addr: r.Addr, Connections: connections, Requests: requests(i, most)}
	}
	return compare.Runner{Run: func(ctx context.Context, d time.Duration) (load.Result, error) {
		return measuredSum(ctx, nodes, targets, d)
	}}
}

// measuredSum loads each node by its target and adds up the results.
func measuredSum(ctx context.Context, nodes []*registry, targets []load.Target, d time.Duration) (load.Result, error) {
	type outcome struct {
		load.Result
		err error
	}
	results := make(chan outcome, len(nodes))
	for i, r := range nodes {
		go func() { // the loop below waits for it
			result, err := measured(ctx, r.Process, targets[i], d)
			results <- outcome{result, err}
		}()
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

// nodesListCase lists the 50 commands of one application at a node.
func (s *nodeCases) nodesListCase() compare.Case {
	return compare.Case{
		Name: "nodes-list50", Bound: compare.AtLeast(0.45),
		Subject: s.nodesLoad(1, 1, sameFor(load.Repeat(workload.List(0).Raw))),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.cluster.nodes[0].fetch(ctx, workload.List(0).Raw)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.bare(ctx, answer, load.Repeat(workload.List(0).Raw))
		},
	}
}

// nodesUpsertCase overwrites single commands at a node. The yardstick does one upsert in the same PostgreSQL per request.
func (s *nodeCases) nodesUpsertCase() compare.Case {
	posts := upserts(0, 1)
	return compare.Case{
		Name: "nodes-upsert", Bound: compare.AtLeast(0.4), Varied: true,
		Subject: s.nodesLoad(1, 1, s.nodesUpserts),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.typical(ctx, s.cluster.nodes[0], posts[:workload.ListLength])
			if err != nil {
				return compare.Runner{}, err
			}
			return s.bareUpserts(ctx, answer, workload.RowWrites(len(posts), 1, upsertBody))
		},
	}
}

// bareUpserts starts a bare server that does one upsert in the PostgreSQL of the nodes per request.
func (s *nodeCases) bareUpserts(ctx context.Context, a reply, writes []workload.Request) (compare.Runner, error) {
	file, err := s.file("answer", a.body)
	if err != nil {
		return compare.Runner{}, err
	}
	url := s.cluster.url + "&pool_max_conns=" + strconv.Itoa(yardstickConns)
	return s.yardstick(ctx, yardstick.PostgresArgs(file, a.contentType, url), workload.Varied(writes, &s.serial))
}

// nodesJoinCase adds members to lobbies at a node, against the same bare server. In the same round trip a join updates the
// revision of its lobby, checks those that it depends on, and a trigger notes the change for searches. That takes PostgreSQL
// 0.35 ms of processor time, and the upsert 0.08 ms: 0.21 to 0.27 were measured.
func (s *nodeCases) nodesJoinCase() compare.Case {
	return s.moreConnections(s.lobbiesRead(compare.Case{
		Name: "nodes-join", Bound: compare.AtLeast(0.2),
		Subject: s.nodesLoad(1, 1, s.nodesJoins),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.cluster.nodes[0].fetch(ctx, s.nodesJoins(0, 1)(0)())
			if err != nil {
				return compare.Runner{}, err
			}
			return s.bareUpserts(ctx, answer, workload.RowWrites(smallLobbies, 1, func(int) []byte { return []byte(numberedBody) }))
		},
	}, 1, s.startNodes))
}

// nodesMessageCase creates messages at a node, against the same bare server. In the same round trip a message updates the
// state and the revision of its channel, checks those that it depends on, and records its event: 0.28 to 0.34 were measured.
func (s *nodeCases) nodesMessageCase() compare.Case {
	posts := newMessages()
	return compare.Case{
		Name: "nodes-message", Bound: compare.AtLeast(0.25),
		Subject: s.nodesLoad(1, 1, sameFor(workload.Varied(posts, &s.serial))),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.cluster.nodes[0].fetch(ctx, posts[0].Render(nil, s.serial.Next()))
			if err != nil {
				return compare.Runner{}, err
			}
			return s.bareUpserts(ctx, answer, workload.RowWrites(smallLobbies, 1, func(int) []byte { return messageBody }))
		},
	}
}

// nodesUpserts returns a source that overwrites commands. Each of several nodes gets applications of its own.
func (s *nodeCases) nodesUpserts(node, nodes int) load.Source {
	return workload.Varied(upserts(node, nodes), &s.serial)
}

// nodesJoins returns a source that adds members to lobbies. Each of several nodes gets applications of its own.
func (s *nodeCases) nodesJoins(node, nodes int) load.Source {
	return s.cluster.lobbies.joinsAt(node, nodes)
}

// lobbiesRead makes each of the nodes that start returns read its lobbies before a case. Otherwise the first join of a lobby reads
// it, and a slow machine does not get beyond first joins.
func (s *nodeCases) lobbiesRead(
	c compare.Case, nodes int, start func(ctx context.Context, nodes int) ([]*registry, error),
) compare.Case {
	subject := c.Subject
	c.Subject = func(ctx context.Context) (compare.Runner, error) {
		list, err := start(ctx, nodes)
		if err != nil {
			return compare.Runner{}, err
		}
		if s.quick {
			return subject(ctx)
		}
		for i, r := range list {
			if _, err := s.target(r.Addr, s.cluster.lobbies.getsAt(i, nodes)).Drain(ctx); err != nil {
				return compare.Runner{}, fmt.Errorf("read the lobbies: %w", err)
			}
		}
		return subject(ctx)
	}
	return c
}

// shared returns the requests of one node for every node, so that all nodes write to the same subjects.
func shared(requests nodeSource) nodeSource {
	return func(int, int) load.Source { return requests(0, 1) }
}

// upserts returns a request for each command of the applications of a node that overwrites it.
func upserts(node, nodes int) (posts []workload.Request) {
	for i := node; i < smallApplications; i += nodes {
		for c := range workload.ListLength {
			posts = append(posts, workload.Upsert(i, c))
		}
	}
	return posts
}

// twoNodesCase compares two nodes with one. They share the CPUs of one machine, so two nodes are not much faster; they must not
// be slower.
func (s *nodeCases) twoNodesCase(name string, bound compare.Bound, requests nodeSource) compare.Case {
	return compare.Case{
		Name: name, Bound: bound,
		Subject: s.nodesLoad(2, 2, requests), Yardstick: s.nodesLoad(1, 2, requests),
	}
}

const (
	// farDelay delays each direction to PostgreSQL: a round trip takes 20 ms longer. So the distance limits what a node does with
	// its connections. Behind 2 ms, three nodes need more than two processors, and the case measures these.
	farDelay = 10 * time.Millisecond
	// farPool is the number of connections of a far node to PostgreSQL, farLoad the number of clients of a far node.
	farPool = 8
	farLoad = 32
)

// farNodes returns nodes with a slow network and few connections to PostgreSQL.
func (s *nodeCases) farNodes(ctx context.Context, nodes int) ([]*registry, error) {
	if _, err := s.startNodes(ctx, 1); err != nil {
		return nil, err
	}
	c := s.cluster
	if c.slowProxy == nil {
		var err error
		if c.slowProxy, err = engines.StartProxy(ctx, c.postgres.Addr()); err != nil {
			return nil, err
		}
		if !s.quick { // whose rounds are shorter than a few round trips
			c.slowProxy.Delay(farDelay)
		}
	}
	url, err := c.slowProxy.URL(c.url)
	if err != nil {
		return nil, err
	}
	binary, err := s.build(ctx)
	if err != nil {
		return nil, err
	}
	for i := len(c.far); i < nodes; i++ {
		data, err := s.folder("far" + strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		p, err := s.startNodeOn(ctx, binary, data, url+"&pool_max_conns="+strconv.Itoa(farPool), "")
		if err != nil {
			return nil, err
		}
		c.far = append(c.far, &registry{p, smallApplications})
	}
	return c.far[:nodes], nil
}

// farCase compares several far nodes with one. Nodes must not wait for each other.
func (s *nodeCases) farCase(name string, nodes int, bound compare.Bound, requests nodeSource) compare.Case {
	side := func(count int) func(context.Context) (compare.Runner, error) {
		return func(ctx context.Context) (compare.Runner, error) {
			list, err := s.farNodes(ctx, count)
			if err != nil {
				return compare.Runner{}, err
			}
			return spread(list, nodes, farLoad, requests), nil
		}
	}
	return compare.Case{Name: name, Bound: bound, Subject: side(nodes), Yardstick: side(1)}
}

// nodesInteractionCase invokes a command at a node. The yardstick is the same with SQLite.
func (s *nodeCases) nodesInteractionCase() compare.Case {
	return compare.Case{
		Name: "nodes-interaction", Bound: compare.AtLeast(0.25),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			if _, err := s.startNodes(ctx, 1); err != nil {
				return compare.Runner{}, err
			}
			if s.sharedInvoked == nil {
				url, err := s.cluster.postgres.Database(ctx)
				if err != nil {
					return compare.Runner{}, err
				}
				r, invoke, err := s.interactions.startInvoked(ctx, "shared-invoked", "--postgres", url, "--redis", s.cluster.redis.URL())
				if err != nil {
					return compare.Runner{}, err
				}
				s.sharedInvoked, s.sharedInvoke = r, invoke
			}
			return s.interactions.answeredLoad(s.sharedInvoked, s.sharedInvoke), nil
		},
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			r, err := s.interactions.invokedRegistry(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.interactions.answeredLoad(r, s.interactions.invoke), nil
		},
	}
}
