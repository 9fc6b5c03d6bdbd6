package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

// The lobbies that a search looks at. All belong to one application.
const (
	searchedLobbies = 100_000
	searchedMaps    = 50  // values of the metadata "map"
	searchedLevels  = 100 // values of the metadata "level"
)

// openSearched starts Bellhop with the lobbies of one application, which searches them.
func (s *lobbyCases) openSearched(ctx context.Context) (*lobbyServer, error) {
	data, err := s.folder("searched")
	if err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, filepath.Join(data, server.DatabaseFile), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	return s.startSearched(ctx, data, db)
}

// openSearched is the same with PostgreSQL and Redis.
func (s *nodeCases) openSearched(ctx context.Context) (*lobbyServer, error) {
	if _, err := s.startNodes(ctx, 1); err != nil {
		return nil, err
	}
	url, err := s.cluster.postgres.Database(ctx)
	if err != nil {
		return nil, err
	}
	data, err := s.folder("searched-shared")
	if err != nil {
		return nil, err
	}
	db, err := postgres.Open(ctx, url, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	return s.lobbies.startSearched(ctx, data, db, "--postgres", url, "--redis", s.cluster.redis.URL())
}

// startSearched fills a database, and starts Bellhop with it. It waits until the lobbies are in memory.
func (s *lobbyCases) startSearched(ctx context.Context, data string, db store.Store, flags ...string) (*lobbyServer, error) {
	count := searchedLobbies
	if s.quick {
		count /= 100
	}
	if err := fillSearched(ctx, db, count); err != nil {
		return nil, fmt.Errorf("write lobbies: %w", err)
	}
	world := strings.ReplaceAll(string(workload.World(1)), ", bot_token", ", lobby_search: true, requests_per_second: 1200, bot_token")
	file, err := s.file("searched.yaml", []byte(world))
	if err != nil {
		return nil, err
	}
	p, err := s.startWith(ctx, data, file, "off", flags...)
	if err != nil {
		return nil, err
	}
	l := newLobbyServer(registry{p, 1}, count)
	s.running = append(s.running, l)
	start := time.Now()
	_, err = l.fetch(ctx, l.search(nil, 0))
	s.logf("the first search of %d lobbies took %v", count, time.Since(start).Round(time.Millisecond))
	none := workload.New(http.MethodGet, "/api/v10/lobbies?metadata%5Bmap%5D=none", workload.BotToken(0), nil).RenderEach(nil)
	for err == nil {
		var answer reply
		if answer, err = l.fetch(ctx, none); err == nil && strings.Contains(string(answer.body), `"after":null`) {
			break // a search in the store ends before that, and has a cursor
		}
		if time.Since(start) > time.Minute {
			return l, fmt.Errorf("waited a minute for %d lobbies in memory", count)
		}
		clock.Pause(ctx, 10*time.Millisecond)
	}
	s.logf("after %v they were in memory", time.Since(start).Round(time.Millisecond))
	return l, err
}

// fillSearched writes lobbies to a database and closes it.
func fillSearched(ctx context.Context, db store.Store, count int) error {
	app := snowflake.Application(workload.ApplicationID(0))
	now := time.Now().UTC().Truncate(time.Microsecond)
	const batch = 1000
	for first := 0; first < count; first += batch {
		var c store.Change
		for i := first; i < min(first+batch, count); i++ {
			l := lobby.New(snowflake.Lobby(firstLobby+i), app, now)
			l.IdleTimeout = lobby.MaxIdleTimeout
			l.Metadata = lobby.Metadata(fmt.Sprintf(`{"map":"m%d","level":"%d","max_members":"4"}`, i%searchedMaps, i/searchedMaps%searchedLevels))
			c.Expect = append(c.Expect, store.Expectation{Subject: store.LobbySubject(l.ID)})
			c.Put = append(c.Put, store.Lobby{Lobby: l, Due: now.Add(l.IdleTimeout)})
		}
		if err := db.Commit(ctx, c); err != nil {
			_ = db.Close() // the commit's error matters
			return err
		}
	}
	return db.Close()
}

// search renders a request for a page of the lobbies on one map, in a range of levels, with a free place.
func (l *lobbyServer) search(buf []byte, n int) []byte {
	low := n % (searchedLevels - 10)
	path := fmt.Sprintf("/api/v10/lobbies?metadata%%5Bmap%%5D=m%d&min%%5Blevel%%5D=%d&max%%5Blevel%%5D=%d&free=1", n%searchedMaps, low, low+9)
	return workload.New(http.MethodGet, path, workload.BotToken(0), nil).RenderEach(buf)
}

// searchCase compares a filtered page of 100,000 lobbies with reading one of them.
func (s *lobbyCases) searchCase(name string, open func(context.Context) (*lobbyServer, error)) compare.Case {
	var l *lobbyServer // set by Subject
	return compare.Case{
		Name: name, Bound: compare.AtMost(5), Measure: compare.P99, Varied: true,
		Subject: func(ctx context.Context) (runner compare.Runner, err error) {
			if l, err = open(ctx); err != nil {
				return runner, err
			}
			return s.loaded(l.Process, func(connection int) func() []byte {
				random := rand.New(rand.NewPCG(uint64(connection), 3)) // the same order in each run
				requests := make([][]byte, 256)
				for i := range requests {
					requests[i] = l.search(nil, random.IntN(1<<20))
				}
				n := 0
				return func() []byte {
					n++
					return requests[n%len(requests)]
				}
			}), nil
		},
		Yardstick: func(context.Context) (compare.Runner, error) { return s.loaded(l.Process, l.anyLobby()), nil },
	}
}
