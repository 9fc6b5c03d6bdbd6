package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/internal/lobby"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// lobbyConnections is how many requests are under way in cases on lobbies.
	lobbyConnections = 128
	// lobbiesPerApplication leaves room below the limit on the lobbies of a user.
	lobbiesPerApplication = 96
	smallLobbies          = smallApplications * lobbiesPerApplication
	// lobbyUsers is how many people take part. The first fewMembers of them are in every lobby from the start.
	lobbyUsers = 400
	fewMembers = 2
	// firstLobby is the id of lobby 0, one that no clock of this year makes. The ids of all of them begin with lobbyPrefix.
	firstLobby  = 1000000000000000000
	lobbyPrefix = "10000000000"
	// lobbiesPerMember is how many new lobbies of an application have the same members before others take over.
	lobbiesPerMember = 90
)

// hall is a Bellhop that runs with lobbies 0 to lobbies-1, which belong to its applications in turn.
type lobbyServer struct {
	registry

	lobbies         int
	joined, created atomic.Int64 // members and lobbies that were asked for

	gets, edits, puts, posts []workload.Request // of each application
}

// newLobbyServer readies the requests to a Bellhop: the number of a lobby stands where its first mark is, then those of people.
func newLobbyServer(r registry, lobbies int) *lobbyServer {
	h := &lobbyServer{registry: r, lobbies: lobbies}
	one := "/api/v10/lobbies/" + lobbyPrefix + workload.Mark
	crew := strings.TrimSuffix(strings.Repeat(`{"id":"7`+workload.Mark+`"},`, createMembers), ",")
	made := `{"metadata":{"map":"dust"},"idle_timeout_seconds":604800,"members":[` + crew + `]}`
	for i := range r.applications {
		token := workload.BotToken(i)
		h.gets = append(h.gets, workload.New(http.MethodGet, one, token, nil))
		h.edits = append(h.edits, workload.New(http.MethodPatch, one, token, []byte(`{"metadata":{"map":"`+workload.Mark+`"}}`)))
		h.puts = append(h.puts, workload.New(http.MethodPut, one+"/members/7"+workload.Mark, token, []byte(memberBody)))
		h.posts = append(h.posts, workload.New(http.MethodPost, "/api/v10/lobbies", token, []byte(made)))
	}
	return h
}

func lobbyUser(i int) snowflake.User { return snowflake.User(700000000 + i) }

// fillLobbies writes count lobbies and the people to a database that no process uses, and closes it. timeout says how long
// a lobby stays.
func fillLobbies(ctx context.Context, db store.Store, applications, count int, timeout func(i int) time.Duration) (err error) {
	defer func() { err = errors.Join(err, db.Close()) }()
	var c store.Change
	for i := range lobbyUsers {
		u := store.User{ID: lobbyUser(i), Username: "user" + strconv.Itoa(i)}
		c.Put = append(c.Put, u)
		c.Expect = append(c.Expect, store.Expectation{Subject: store.UserSubject(u.ID)})
	}
	err = db.Commit(ctx, c)
	now := time.Now().UTC().Truncate(time.Microsecond)
	const atOnce = 1000
	for first := 0; first < count && err == nil; first += atOnce {
		var c store.Change
		for i := first; i < min(first+atOnce, count); i++ {
			putLobby(&c, i, snowflake.Application(workload.ApplicationID(i%applications)), timeout(i), now)
		}
		err = db.Commit(ctx, c)
	}
	return err
}

// putLobby adds a lobby with its members to a change. No service runs, so the seats of the members keep their revision.
func putLobby(c *store.Change, i int, app snowflake.Application, timeout time.Duration, now time.Time) {
	l := lobby.New(snowflake.Lobby(firstLobby+i), app, now)
	l.IdleTimeout, l.Metadata = timeout, `{"map":"dust"}`
	c.Expect = append(c.Expect, store.Expectation{Subject: store.LobbySubject(l.ID)})
	c.Put = append(c.Put, store.Lobby{Lobby: l, Due: now.Add(timeout)})
	members := fewMembers
	if i == 0 {
		members = lobby.MaxPerRequest // the one that is read
	}
	for j := range members {
		c.Put = append(c.Put, store.Seat{Member: lobby.Member{ID: lobbyUser(j)}, Lobby: l.ID, Application: app, Position: uint64(j + 1)})
	}
}

// week is how long lobbies stay that are not to end.
func week(int) time.Duration { return lobby.MaxIdleTimeout }

// openServer runs Bellhop on a database with so many lobbies.
func (s *stage) openServer(ctx context.Context, name string, lobbies int, limits string, timeout func(int) time.Duration) (*lobbyServer, error) {
	data, err := s.folder(name)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	db, err := sqlite.Open(ctx, filepath.Join(data, server.DatabaseFile), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	if err := fillLobbies(ctx, db, smallApplications, lobbies, timeout); err != nil {
		return nil, fmt.Errorf("fill a database with lobbies: %w", err)
	}
	s.logf("wrote %d lobbies in %v", lobbies, time.Since(start).Round(time.Millisecond))
	people := strings.ReplaceAll(string(workload.World(smallApplications)), ", bot_token", ", requests_per_second: 1200, bot_token")
	file, err := s.file("world.yaml", []byte(people))
	if err != nil {
		return nil, err
	}
	p, err := s.startWith(ctx, data, file, limits)
	if err != nil {
		return nil, err
	}
	h := newLobbyServer(registry{p, smallApplications}, lobbies)
	s.running = append(s.running, h)
	return h, nil
}

// smallServer returns the Bellhop with few lobbies that most cases load.
func (s *stage) smallServer(ctx context.Context) (*lobbyServer, error) {
	if s.small != nil {
		return s.small, nil
	}
	var err error
	s.small, err = s.openServer(ctx, "hall", smallLobbies, "off", week)
	return s.small, err
}

// wide makes a case use as many connections as cases on lobbies do.
func (s *stage) moreConnections(c compare.Case) compare.Case {
	ready := func(side func(context.Context) (compare.Runner, error)) func(context.Context) (compare.Runner, error) {
		return func(ctx context.Context) (compare.Runner, error) {
			usual := s.connections
			defer func() { s.connections = usual }()
			if !s.quick {
				s.connections = max(usual, lobbyConnections)
			}
			return side(ctx)
		}
	}
	c.Subject, c.Yardstick = ready(c.Subject), ready(c.Yardstick)
	return c
}

// get writes the request for lobby i over buf.
func (h *lobbyServer) get(buf []byte, i int) []byte {
	return h.gets[i%h.applications].RenderEach(buf, uint64(i))
}

// lobbyGetCase asks for a lobby of 25 members.
func (s *stage) lobbyGetCase() compare.Case {
	var get []byte // known when the subject is ready
	return s.moreConnections(compare.Case{
		Name: "lobby-get25", Bound: compare.AtLeast(0.7),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			h, err := s.smallServer(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			get = h.get(nil, 0)
			return s.loaded(h.Process, load.Repeat(get)), nil
		},
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.small.fetch(ctx, get)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.bare(ctx, answer, load.Repeat(get))
		},
	})
}

const (
	memberBody   = `{"metadata":{"team":"red"},"flags":1}`
	numberedBody = `{"metadata":{"team":"` + workload.Mark + `"},"flags":1}`
)

// join writes over buf the n-th request of an application that makes somebody a member of one of its lobbies. Nobody
// joins one twice before everybody has.
func (h *lobbyServer) join(buf []byte, app, n int) []byte {
	all := h.lobbies / h.applications
	used := min(all, lobbiesPerApplication)
	i := app + h.applications*(n%used*(all/used))
	user := fewMembers + n/used%(lobbyUsers-fewMembers)
	return h.puts[app].RenderEach(buf, uint64(i), uint64(user))
}

// joins returns a source that adds members to lobbies of one application after another.
func (h *lobbyServer) joins() load.Source {
	return func(int) func() []byte {
		var buf []byte
		return func() []byte {
			n := int(h.joined.Add(1)) - 1
			buf = h.join(buf, n%h.applications, n/h.applications)
			return buf
		}
	}
}

// lobbyJoinCase adds members: a row for the member, and the lobby's own.
func (s *stage) lobbyJoinCase() compare.Case {
	return s.moreConnections(compare.Case{
		Name: "lobby-join", Bound: compare.AtLeast(0.4),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			h, err := s.smallServer(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.loaded(h.Process, h.joins()), nil
		},
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.small.fetch(ctx, s.small.joins()(0)())
			if err != nil {
				return compare.Runner{}, err
			}
			writes := workload.RowWrites(smallLobbies, 2, func(int) []byte { return []byte(numberedBody) })
			return s.durable(ctx, answer, 2, workload.Varied(writes, &s.serial))
		},
	})
}

// createMembers is how many members new lobbies have.
const createMembers = 5

// create writes over buf the n-th request of an application that makes a lobby.
func (h *lobbyServer) create(buf []byte, app, n int) []byte {
	var crew [createMembers]uint64
	for j := range crew {
		crew[j] = uint64(lobbyUsers + n/lobbiesPerMember*createMembers + j)
	}
	return h.posts[app].RenderEach(buf, crew[:]...)
}

// creates returns a source that makes lobbies of one application after another.
func (h *lobbyServer) creates() load.Source {
	return func(int) func() []byte {
		var buf []byte
		return func() []byte {
			n := int(h.created.Add(1)) - 1
			buf = h.create(buf, n%h.applications, n/h.applications)
			return buf
		}
	}
}

// lobbyCreateCase makes lobbies: a row for the lobby and one for each member.
func (s *stage) lobbyCreateCase() compare.Case {
	return s.moreConnections(compare.Case{
		Name: "lobby-create5", Bound: compare.AtLeast(0.4),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			h, err := s.smallServer(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.loaded(h.Process, h.creates()), nil
		},
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			post := s.small.creates()(0)()
			answer, err := s.small.fetch(ctx, post)
			if err != nil {
				return compare.Runner{}, err
			}
			_, body, _ := strings.Cut(string(post), "\r\n\r\n")
			body = strings.Replace(body, "dust", workload.Mark, 1)
			writes := workload.RowWrites(smallLobbies, 1+createMembers, func(int) []byte { return []byte(body) })
			return s.durable(ctx, answer, 1+createMembers, workload.Varied(writes, &s.serial))
		},
	})
}
