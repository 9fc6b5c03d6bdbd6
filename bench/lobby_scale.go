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

// fewLobbies is how many there are in the hall that the crowded one is compared with.
const fewLobbies = 1000

// manyServer returns the Bellhop with scale lobbies, fewServer the one with few.
func (s *stage) manyServer(ctx context.Context) (*lobbyServer, error) {
	if s.many != nil {
		return s.many, nil
	}
	var err error
	s.many, err = s.openServer(ctx, "crowded", s.scale, "off", week)
	return s.many, err
}

func (s *stage) fewServer(ctx context.Context) (*lobbyServer, error) {
	if s.few != nil {
		return s.few, nil
	}
	var err error
	s.few, err = s.openServer(ctx, "quiet", fewLobbies, "off", week)
	return s.few, err
}

// lobbyScaleCase compares the latency of an operation among scale lobbies with that among few.
func (s *stage) lobbyScaleCase(name string, requests func(*lobbyServer) load.Source) compare.Case {
	side := func(open func(context.Context) (*lobbyServer, error)) func(context.Context) (compare.Runner, error) {
		return func(ctx context.Context) (compare.Runner, error) {
			h, err := open(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.loaded(h.Process, requests(h)), nil
		}
	}
	return s.moreConnections(compare.Case{
		Name: name, Bound: compare.AtMost(1.5), Measure: compare.P50, Subject: side(s.manyServer), Yardstick: side(s.fewServer),
	})
}

// anyLobby returns a source that asks for one lobby after another, at random.
func (h *lobbyServer) anyLobby() load.Source {
	return h.random(func(buf []byte, i int, _ uint64) []byte { return h.get(buf, i) })
}

// anyEdit returns a source that changes one lobby after another, at random.
func (h *lobbyServer) anyEdit() load.Source {
	return h.random(func(buf []byte, i int, number uint64) []byte {
		return h.edits[i%h.applications].RenderEach(buf, uint64(i), number)
	})
}

// random returns a source of requests about lobbies at random, each with a number of its own.
func (h *lobbyServer) random(about func(buf []byte, i int, number uint64) []byte) load.Source {
	return func(connection int) func() []byte {
		random := rand.New(rand.NewPCG(uint64(connection), 2)) //nolint:gosec // G404: the same order in each run
		var buf []byte
		return func() []byte {
			buf = about(buf, random.IntN(h.lobbies), random.Uint64())
			return buf
		}
	}
}

// lobbyMemoryCase reads the most memory that the Bellhop with scale lobbies has held.
func (s *stage) lobbyMemoryCase() compare.Case {
	return compare.Case{
		Name: "lobby-memory", Bound: compare.AtMost(2 << 10), Unit: compare.Mebibytes,
		Reading: func(ctx context.Context) (float64, error) {
			h, err := s.manyServer(ctx)
			if err != nil {
				return 0, err
			}
			memory, err := h.Memory()
			return float64(memory.Peak) / (1 << 20), err
		},
	}
}

const (
	expiring    = 10000 // lobbies that end within one second
	watched     = 100   // of them, that somebody looks at
	expireAfter = 5 * time.Second
)

// expiry is what came of lobbies that ended together.
type expiry struct {
	took time.Duration // from the first that was gone to the last
	p99  time.Duration // of everything else meanwhile
}

// lobbyEnd lets lobbies end within one second while others are read and written.
func (s *stage) expire(ctx context.Context) (*expiry, error) {
	if s.expired != nil {
		return s.expired, nil
	}
	count := expiring
	if s.quick {
		count /= 10
	}
	h, err := s.openServer(ctx, "expiry", fewLobbies+count, "off", func(i int) time.Duration {
		if i < fewLobbies {
			return week(i)
		}
		return expireAfter + time.Second*time.Duration(i-fewLobbies)/time.Duration(count)
	})
	if err != nil {
		return nil, err
	}
	others := newLobbyServer(h.registry, fewLobbies)
	loaded, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan load.Result, 1)
	failed := make(chan error, 1)
	go func() {
		result, err := s.target(h.Addr, until(loaded, others.anyEdit())).Drain(ctx)
		done <- result
		failed <- err
	}()
	took, err := h.watch(ctx, fewLobbies, count)
	stop()
	result := <-done
	if err := errors.Join(err, <-failed); err != nil {
		return nil, err
	}
	s.expired = &expiry{took, result.Latency.Quantile(0.99)}
	return s.expired, nil
}

// until returns a source that is dry when ctx ends.
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

var errStays = errors.New("a lobby does not end")

// watch looks at lobbies from first on until all of them are gone, and returns how long that took from the first.
func (h *lobbyServer) watch(ctx context.Context, first, count int) (time.Duration, error) {
	left := map[int]bool{}
	for n := range watched {
		left[first+n*(count-1)/(watched-1)] = true
	}
	var since time.Time
	for deadline := time.Now().Add(time.Minute); len(left) > 0; {
		for i := range left {
			if _, err := h.fetch(ctx, h.get(nil, i)); err != nil {
				delete(left, i)
				if since.IsZero() {
					since = time.Now()
				}
			}
		}
		if time.Now().After(deadline) {
			return 0, fmt.Errorf("%w: %d are left", errStays, len(left))
		}
		time.Sleep(10 * time.Millisecond)
	}
	return time.Since(since), ctx.Err()
}

// lobbyEndCase reads how long it takes until 10,000 lobbies that end within one second are gone.
func (s *stage) lobbyEndCase() compare.Case {
	return compare.Case{
		Name: "lobby-end", Bound: compare.AtMost(2), Unit: compare.Seconds,
		Reading: func(ctx context.Context) (float64, error) {
			e, err := s.expire(ctx)
			if err != nil {
				return 0, err
			}
			return e.took.Seconds(), nil
		},
	}
}

// lobbyEndLatencyCase reads the latency that 99 of 100 edits of other lobbies keep meanwhile.
func (s *stage) lobbyEndLatencyCase() compare.Case {
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

// What the specification lets each application do, and how many do it at once.
const (
	createsPerSecond = 500 / 10
	joinsPerSecond   = 5000 / 10
	busyApplications = 20
)

// lobbyRateCase reads which share of the specification's rates is served to 20 applications at once, with the shipped
// limits.
func (s *stage) lobbyRateCase() compare.Case {
	return compare.Case{
		Name: "lobby-rates", Bound: compare.AtLeast(0.95), Unit: compare.Share,
		Reading: func(ctx context.Context) (float64, error) {
			h, err := s.openServer(ctx, "rates", smallLobbies, "", week)
			if err != nil {
				return 0, err
			}
			length := 9900 * time.Millisecond // within one window
			if s.quick {
				length = time.Second
			}
			const perSecond = busyApplications * (createsPerSecond + joinsPerSecond)
			connections := max(s.connections, lobbyConnections)
			target := load.Target{Addr: h.Addr, Connections: connections, Requests: load.Paced(perSecond, connections, h.busy())}
			result, err := target.Run(ctx, length)
			return result.Rate() / perSecond, err
		},
	}
}

// busy returns the requests of 20 applications: for each lobby that one of them makes it adds ten members to others.
func (h *lobbyServer) busy() func(i int) []byte {
	return func(i int) []byte {
		const each = 1 + joinsPerSecond/createsPerSecond
		app, n := i%busyApplications, i/busyApplications
		if n%each == 0 {
			return h.create(nil, app, n/each)
		}
		return h.join(nil, app, n-n/each)
	}
}
