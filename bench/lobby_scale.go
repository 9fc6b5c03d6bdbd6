package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
)

// fewLobbies is the number of lobbies of the server that the one with -scale lobbies is compared with.
const fewLobbies = 1000

// manyServer returns the server with -scale lobbies.
func (s *lobbyCases) manyServer(ctx context.Context) (*lobbyServer, error) {
	if s.many != nil {
		return s.many, nil
	}
	var err error
	s.many, err = s.openServer(ctx, "many", s.scale, "off", week)
	return s.many, err
}

// fewServer returns the server with fewLobbies lobbies.
func (s *lobbyCases) fewServer(ctx context.Context) (*lobbyServer, error) {
	if s.few != nil {
		return s.few, nil
	}
	var err error
	s.few, err = s.openServer(ctx, "few", fewLobbies, "off", week)
	return s.few, err
}

// lobbyScaleCase compares the latency of a request with -scale lobbies and with few.
func (s *lobbyCases) lobbyScaleCase(name string, requests func(*lobbyServer) load.Source) compare.Case {
	side := func(open func(context.Context) (*lobbyServer, error)) func(context.Context) (compare.Runner, error) {
		return func(ctx context.Context) (compare.Runner, error) {
			l, err := open(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.loaded(l.Process, requests(l)), nil
		}
	}
	return s.moreConnections(compare.Case{
		Name: name, Bound: compare.AtMost(1.5), Measure: compare.P50, Subject: side(s.manyServer), Yardstick: side(s.fewServer),
	})
}

// anyLobby returns a source that reads random lobbies.
func (l *lobbyServer) anyLobby() load.Source {
	return l.random(func(buf []byte, i int, _ uint64) []byte { return l.get(buf, i) })
}

// anyEdit returns a source that edits random lobbies.
func (l *lobbyServer) anyEdit() load.Source {
	return l.random(func(buf []byte, i int, number uint64) []byte {
		return l.edits[i%l.applications].RenderEach(buf, uint64(i), number)
	})
}

// random returns a source of requests for random lobbies, each with a random number.
func (l *lobbyServer) random(render func(buf []byte, i int, number uint64) []byte) load.Source {
	return func(connection int) func() []byte {
		random := rand.New(rand.NewPCG(uint64(connection), 2)) // the same order in each run
		var buf []byte
		return func() []byte {
			buf = render(buf, random.IntN(l.lobbies), random.Uint64())
			return buf
		}
	}
}

// lobbyMemoryCase reads the peak memory of the server with -scale lobbies.
func (s *lobbyCases) lobbyMemoryCase() compare.Case {
	return compare.Case{
		Name: "lobby-memory", Bound: compare.AtMost(2 << 10), Unit: compare.Mebibytes,
		Reading: func(ctx context.Context) (float64, error) {
			l, err := s.manyServer(ctx)
			if err != nil {
				return 0, err
			}
			memory, err := l.Memory()
			return float64(memory.Peak) / (1 << 20), err
		},
	}
}

const (
	expiring    = 10000 // lobbies that expire within one second
	sampled     = 100   // size of the sample of them that is read
	expireAfter = 5 * time.Second
)

// expiry is the result of lobbies that expire together.
type expiry struct {
	took time.Duration // from the first deleted lobby to the last
	p99  time.Duration // latency of edits of other lobbies
}

// expire lets lobbies expire within one second while others are edited.
func (s *lobbyCases) expire(ctx context.Context) (*expiry, error) {
	if s.expired != nil {
		return s.expired, nil
	}
	count := expiring
	if s.quick {
		count /= 10
	}
	l, err := s.openServer(ctx, "expire", fewLobbies+count, "off", func(i int) (timeout time.Duration, first int) {
		if i < fewLobbies {
			return week(i)
		}
		return expireAfter + time.Second*time.Duration(i-fewLobbies)/time.Duration(count), player(i)
	})
	if err != nil {
		return nil, err
	}
	others := newLobbyServer(l.registry, fewLobbies)
	loaded, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan load.Result, 1)
	failed := make(chan error, 1)
	go func() {
		result, err := s.target(l.Addr, until(loaded, others.anyEdit())).Drain(ctx)
		done <- result
		failed <- err
	}()
	took, err := l.waitExpired(ctx, fewLobbies, count)
	stop()
	result := <-done
	if err := errors.Join(err, <-failed); err != nil {
		return nil, err
	}
	s.expired = &expiry{took, result.Latency.Quantile(0.99)}
	return s.expired, nil
}

// until returns a source that ends with ctx.
func until(ctx context.Context, requests load.Source) load.Source {
	return func(connection int) func() []byte {
		next := requests(connection)
		return func() []byte {
			if ctx.Err() != nil {
				return nil
			}
			return next()
		}
	}
}

var errNotExpired = errors.New("lobbies did not expire")

// waitExpired waits until a sample of count lobbies, starting at first, has expired. It returns the time from the first
// to the last.
func (l *lobbyServer) waitExpired(ctx context.Context, first, count int) (time.Duration, error) {
	left := map[int]bool{}
	for n := range sampled {
		left[first+n*(count-1)/(sampled-1)] = true
	}
	var since time.Time
	for deadline := time.Now().Add(time.Minute); len(left) > 0; {
		for i := range left {
			if _, err := l.fetch(ctx, l.get(nil, i)); err != nil {
				delete(left, i)
				if since.IsZero() {
					since = time.Now()
				}
			}
		}
		if time.Now().After(deadline) {
			return 0, fmt.Errorf("%w: %d left", errNotExpired, len(left))
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(since), ctx.Err()
}

// lobbyEndCase reads the time until 10,000 lobbies that expire within one second are deleted.
func (s *lobbyCases) lobbyEndCase() compare.Case {
	return compare.Case{
		Name: "lobby-end", Bound: compare.AtMost(3), Unit: compare.Seconds,
		Reading: func(ctx context.Context) (float64, error) {
			e, err := s.expire(ctx)
			if err != nil {
				return 0, err
			}
			return e.took.Seconds(), nil
		},
	}
}

// lobbyEndLatencyCase reads the 99th percentile of the latency of edits of other lobbies meanwhile.
func (s *lobbyCases) lobbyEndLatencyCase() compare.Case {
	return compare.Case{
		Name: "lobby-end-p99", Bound: compare.AtMost(0.05), Unit: compare.Seconds,
		Reading: func(ctx context.Context) (float64, error) {
			e, err := s.expire(ctx)
			if err != nil {
				return 0, err
			}
			return e.p99.Seconds(), nil
		},
	}
}

// The rates that the specification allows for each application, and the number of applications that use them. Together they send 5,500
// requests per second, which two cores serve that also run the generator. More applications would measure the machine.
const (
	createsPerSecond = 500 / 10
	joinsPerSecond   = 5000 / 10
	busyApplications = 10
)

// lobbyRateCase reads the share of the rates in the specification that the service achieves for several applications at once, with
// the default rate limits.
func (s *lobbyCases) lobbyRateCase() compare.Case {
	return compare.Case{
		Name: "lobby-rates", Bound: compare.AtLeast(0.95), Unit: compare.Share,
		Reading: func(ctx context.Context) (float64, error) {
			l, err := s.openServer(ctx, "rates", smallLobbies, "", week)
			if err != nil {
				return 0, err
			}
			length := 9900 * time.Millisecond // within one window
			if s.quick {
				length = time.Second
			}
			const perSecond = busyApplications * (createsPerSecond + joinsPerSecond)
			connections := max(s.connections, lobbyConnections)
			target := load.Target{Addr: l.Addr, Connections: connections, Requests: load.Paced(perSecond, connections, l.busy())}
			result, err := target.Run(ctx, length)
			return result.Rate() / perSecond, err
		},
	}
}

// busy returns the requests of the busy applications. Each adds ten members for every lobby that it creates.
func (l *lobbyServer) busy() func(i int) []byte {
	return func(i int) []byte {
		const each = 1 + joinsPerSecond/createsPerSecond
		app, n := i%busyApplications, i/busyApplications
		if n%each == 0 {
			return l.create(nil, app, n/each)
		}
		return l.join(nil, app, n-n/each)
	}
}
