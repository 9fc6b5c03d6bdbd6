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
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/rules/lobby"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	// lobbyConnections is the number of concurrent requests in lobby cases.
	lobbyConnections = 128
	// lobbiesPerApplication is below the limit of lobbies per user.
	lobbiesPerApplication = 96
	smallLobbies          = smallApplications * lobbiesPerApplication
	// lobbyUsers is the number of users. The first fewMembers users are in every lobby from the start.
	lobbyUsers = 400
	fewMembers = 2
	// firstLobby is the id of lobby 0. It is not an id that the service creates now. All lobby ids begin with lobbyPrefix.
	firstLobby  = 1000000000000000000
	lobbyPrefix = "10000000000"
	// lobbiesPerMember is the number of new lobbies of an application with the same members.
	lobbiesPerMember = 90
)

// lobbyCases measure lobbies.
type lobbyCases struct {
	*environment
	small     *lobbyServer // with smallLobbies lobbies
	few, many *lobbyServer // with fewLobbies, and with -scale lobbies
	running   []*lobbyServer
	expired   *expiry
}

// lobbyServer is a running Bellhop with lobbies 0 to lobbies-1. They belong to the applications in turn.
type lobbyServer struct {
	registry

	lobbies         int
	joined, created atomic.Int64 // number of requests

	gets, edits, puts, posts []workload.Request // one per application
}

// newLobbyServer prepares the requests. Their first mark is the number of the lobby, the others are numbers of users.
func newLobbyServer(r registry, lobbies int) *lobbyServer {
	l := &lobbyServer{registry: r, lobbies: lobbies}
	one := "/api/v10/lobbies/" + lobbyPrefix + workload.Mark
	users := strings.TrimSuffix(strings.Repeat(`{"id":"7`+workload.Mark+`"},`, createMembers), ",")
	body := `{"metadata":{"map":"dust"},"idle_timeout_seconds":604800,"members":[` + users + `]}`
	for i := range r.applications {
		token := workload.BotToken(i)
		l.gets = append(l.gets, workload.New(http.MethodGet, one, token, nil))
		l.edits = append(l.edits, workload.New(http.MethodPatch, one, token, []byte(`{"metadata":{"map":"`+workload.Mark+`"}}`)))
		l.puts = append(l.puts, workload.New(http.MethodPut, one+"/members/7"+workload.Mark, token, []byte(memberBody)))
		l.posts = append(l.posts, workload.New(http.MethodPost, "/api/v10/lobbies", token, []byte(body)))
	}
	return l
}

func lobbyUser(i int) snowflake.User { return snowflake.User(700000000 + i) }

// fillLobbies writes count lobbies and their users to a database and closes it. No process may use the database. shape describes
// the lobbies.
func fillLobbies(ctx context.Context, db store.Store, applications, count int, shape lobbyShape) (err error) {
	defer func() { err = errors.Join(err, db.Close()) }()
	var c store.Change
	for i := range lobbyUsers {
		u := store.User{ID: lobbyUser(i), Username: "user" + strconv.Itoa(i)}
		c.Put = append(c.Put, u)
		c.Expect = append(c.Expect, store.Expectation{Subject: store.UserSubject(u.ID)})
	}
	err = db.Commit(ctx, c)
	now := time.Now().UTC().Truncate(time.Microsecond)
	const batch = 1000
	for first := 0; first < count && err == nil; first += batch {
		var c store.Change
		for i := first; i < min(first+batch, count); i++ {
			putLobby(&c, i, snowflake.Application(workload.ApplicationID(i%applications)), shape, now)
		}
		err = db.Commit(ctx, c)
	}
	return err
}

// putLobby adds a lobby with its members to a change. No service runs, so the revisions of the memberships stay unchanged.
func putLobby(c *store.Change, i int, app snowflake.Application, shape lobbyShape, now time.Time) {
	timeout, first := shape(i)
	l := lobby.New(snowflake.Lobby(firstLobby+i), app, now)
	l.IdleTimeout, l.Metadata = timeout, `{"map":"dust"}`
	c.Expect = append(c.Expect, store.Expectation{Subject: store.LobbySubject(l.ID)})
	c.Put = append(c.Put, store.Lobby{Lobby: l, Due: now.Add(timeout)})
	members := fewMembers
	if i == 0 {
		members = lobby.MaxPerRequest // for lobbyGetCase
	}
	for j := range members {
		c.Put = append(c.Put, store.LobbyMembership{Member: lobby.Member{ID: lobbyUser(first + j)}, Lobby: l.ID, Application: app, Position: uint64(j + 1)})
	}
}

// lobbyShape returns the idle timeout of lobby i, and the number of its first member.
type lobbyShape func(i int) (timeout time.Duration, first int)

// week returns the longest idle timeout: these lobbies do not expire during the run. All have the same members.
func week(int) (timeout time.Duration, first int) { return lobby.MaxIdleTimeout, 0 }

// firstPlayer is the number of the first user who is in one lobby only.
const firstPlayer = 1 << 24

// player returns the number of the first member of lobby i, whose members are in no other lobby. A case that deletes lobbies uses it:
// one commit changes the list of a user's lobbies once, and users of the API are in at most 100 lobbies of an application.
func player(i int) int { return firstPlayer + fewMembers*i }

// openServer starts Bellhop with the given number of lobbies.
func (s *lobbyCases) openServer(ctx context.Context, name string, lobbies int, limits string, shape lobbyShape) (*lobbyServer, error) {
	data, err := s.folder(name)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	db, err := sqlite.Open(ctx, filepath.Join(data, server.DatabaseFile), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	if err := fillLobbies(ctx, db, smallApplications, lobbies, shape); err != nil {
		return nil, fmt.Errorf("write lobbies: %w", err)
	}
	s.logf("wrote %d lobbies in %v", lobbies, time.Since(start).Round(time.Millisecond))
	world := strings.ReplaceAll(string(workload.World(smallApplications)), ", bot_token", ", requests_per_second: 1200, bot_token")
	file, err := s.file("world.yaml", []byte(world))
	if err != nil {
		return nil, err
	}
	p, err := s.startWith(ctx, data, file, limits)
	if err != nil {
		return nil, err
	}
	l := newLobbyServer(registry{p, smallApplications}, lobbies)
	s.running = append(s.running, l)
	return l, nil
}

// smallServer returns the server with smallLobbies lobbies, which most cases load.
func (s *lobbyCases) smallServer(ctx context.Context) (*lobbyServer, error) {
	if s.small != nil {
		return s.small, nil
	}
	var err error
	s.small, err = s.openServer(ctx, "small-lobbies", smallLobbies, "off", week)
	return s.small, err
}

// moreConnections makes a case use lobbyConnections connections.
func (s *environment) moreConnections(c compare.Case) compare.Case {
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

// get renders the request for lobby i into buf.
func (l *lobbyServer) get(buf []byte, i int) []byte {
	return l.gets[i%l.applications].RenderEach(buf, uint64(i))
}

// lobbyGetCase reads a lobby with 25 members.
func (s *lobbyCases) lobbyGetCase() compare.Case {
	var get []byte // set by Subject
	return s.moreConnections(compare.Case{
		Name: "lobby-get25", Bound: compare.AtLeast(0.6),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			l, err := s.smallServer(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			get = l.get(nil, 0)
			return s.loaded(l.Process, load.Repeat(get)), nil
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

// join renders the n-th request of an application that adds a member to a lobby. It adds every user before it repeats one.
func (l *lobbyServer) join(buf []byte, app, n int) []byte {
	all := l.lobbies / l.applications
	used := min(all, lobbiesPerApplication)
	i := app + l.applications*(n%used*(all/used))
	user := fewMembers + n/used%(lobbyUsers-fewMembers)
	return l.puts[app].RenderEach(buf, uint64(i), uint64(user))
}

// joins returns a source that adds members to lobbies of the applications in turn.
func (l *lobbyServer) joins() load.Source { return l.joinsAt(0, 1) }

// joinsAt is like joins, but uses only the applications of one of several nodes.
func (l *lobbyServer) joinsAt(node, nodes int) load.Source {
	own := l.applications / nodes
	return func(int) func() []byte {
		var buf []byte
		return func() []byte {
			n := int(l.joined.Add(1)) - 1
			buf = l.join(buf, node+n%own*nodes, n/own)
			return buf
		}
	}
}

// getsAt returns a source that reads each lobby of the applications of one of several nodes once.
func (l *lobbyServer) getsAt(node, nodes int) load.Source {
	var next atomic.Int64
	return func(int) func() []byte {
		var buf []byte
		return func() []byte {
			i := int(next.Add(1)) - 1
			for i < l.lobbies && i%l.applications%nodes != node {
				i = int(next.Add(1)) - 1
			}
			if i >= l.lobbies {
				return nil
			}
			buf = l.get(buf, i)
			return buf
		}
	}
}

// lobbyJoinCase adds members. Each writes two rows: the member and the lobby.
func (s *lobbyCases) lobbyJoinCase() compare.Case {
	return s.moreConnections(compare.Case{
		Name: "lobby-join", Bound: compare.AtLeast(0.35),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			l, err := s.smallServer(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.loaded(l.Process, l.joins()), nil
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

// createMembers is the number of members of a new lobby.
const createMembers = 5

// create renders the n-th request of an application that creates a lobby into buf.
func (l *lobbyServer) create(buf []byte, app, n int) []byte {
	var users [createMembers]uint64
	for j := range users {
		users[j] = uint64(lobbyUsers + n/lobbiesPerMember*createMembers + j)
	}
	return l.posts[app].RenderEach(buf, users[:]...)
}

// creates returns a source that creates lobbies of the applications in turn.
func (l *lobbyServer) creates() load.Source {
	return func(int) func() []byte {
		var buf []byte
		return func() []byte {
			n := int(l.created.Add(1)) - 1
			buf = l.create(buf, n%l.applications, n/l.applications)
			return buf
		}
	}
}

// lobbyCreateCase creates lobbies. Each writes a row for the lobby and one for each member.
func (s *lobbyCases) lobbyCreateCase() compare.Case {
	return s.moreConnections(compare.Case{
		Name: "lobby-create5", Bound: compare.AtLeast(0.2),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			l, err := s.smallServer(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.loaded(l.Process, l.creates()), nil
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
