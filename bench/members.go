package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/snowflake"
)

// The guilds of memberCases. Both have the bot of application 0, which is above the role that it gives.
const (
	smallGuild      = 0 // with fewGuildMembers members
	largeGuild      = 1 // with -scale members
	fewGuildMembers = 100
	firstRole       = 1700000000000000000
)

// memberCases measure members of guilds.
type memberCases struct {
	*environment
	running *registry
}

func guildID(i int) uint64 { return firstGuild + uint64(i) }

// roleID returns the id of the role that members get.
func roleID(i int) uint64 { return firstRole + uint64(i) }

// memberWorld returns a world file with the guilds of memberCases.
func memberWorld() []byte {
	var b strings.Builder
	b.Write(workload.World(smallApplications))
	b.WriteString("guilds:\n")
	bot := workload.ApplicationID(0)
	for i := range 2 {
		fmt.Fprintf(&b, "  - {id: \"%d\", name: Guild %d, owner: \"%d\", roles: [{id: \"%d\", name: cook, position: 1}, {id: \"%d\", name: crew, position: 5}], "+
			"members: [{user: \"%d\", roles: [\"%d\"]}], installs: [{application: \"%d\", scopes: [bot], permissions: \"8\"}]}\n",
			guildID(i), i, uint64(workload.Owner), roleID(i), roleID(i+10), bot, roleID(i+10), bot)
	}
	return []byte(b.String())
}

// fillMembers writes users, of whom the first are members of the guilds. No process may use the database.
func (s *memberCases) fillMembers(ctx context.Context, db store.Store) error {
	now := time.Now().UTC().Truncate(time.Microsecond)
	const batch = 1000
	for first := 0; first < s.scale+s.connections; first += batch {
		var c store.Change
		for i := first; i < min(first+batch, s.scale+s.connections); i++ {
			c.Put = append(c.Put, store.User{ID: lobbyUser(i), Username: "user" + strconv.Itoa(i)})
			for guild, members := range s.sizes() {
				if i < members {
					c.Put = append(c.Put, store.Member{Guild: snowflake.Guild(guildID(guild)), User: lobbyUser(i), JoinedAt: now})
				}
			}
		}
		if err := db.Commit(ctx, c); err != nil {
			return fmt.Errorf("write members: %w", err)
		}
	}
	return nil
}

// sizes returns the number of members of each guild.
func (s *memberCases) sizes() [2]int { return [2]int{min(fewGuildMembers, s.scale), s.scale} }

// open returns the running service. The first call starts it.
func (s *memberCases) open(ctx context.Context) (*registry, error) {
	if s.running != nil {
		return s.running, nil
	}
	data, err := s.folder("members")
	if err != nil {
		return nil, err
	}
	start := time.Now()
	db, err := sqlite.Open(ctx, filepath.Join(data, server.DatabaseFile), clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(s.fillMembers(ctx, db), db.Close()); err != nil {
		return nil, err
	}
	s.logf("wrote %d members in %v", s.scale, time.Since(start).Round(time.Millisecond))
	file, err := s.file("members.yaml", memberWorld())
	if err != nil {
		return nil, err
	}
	p, err := s.startWith(ctx, data, file, "off", "--dev")
	if err != nil {
		return nil, err
	}
	s.running = &registry{p, smallApplications}
	return s.running, nil
}

// memberCase compares the latency of requests in the guild with -scale members and in the one with few. Each connection sends the
// requests in turn, again and again. requests gets a guild and a user.
func (s *memberCases) memberCase(name string, user func(guild, connection, step int) snowflake.User, requests ...func(guild int, user snowflake.User) []byte) compare.Case {
	side := func(guild int) func(context.Context) (compare.Runner, error) {
		return func(ctx context.Context) (compare.Runner, error) {
			r, err := s.open(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.loaded(r.Process, s.cycle(guild, user, requests)), nil
		}
	}
	return compare.Case{Name: name, Bound: compare.AtMost(1.5), Measure: compare.P50, Varied: true, Subject: side(largeGuild), Yardstick: side(smallGuild)}
}

// cycle returns a source that sends requests in turn. A connection continues where it ended in the last round.
func (s *memberCases) cycle(guild int, user func(guild, connection, step int) snowflake.User, requests []func(int, snowflake.User) []byte) load.Source {
	steps := make([]int, s.connections)
	return func(connection int) func() []byte {
		return func() []byte {
			step := steps[connection]
			steps[connection]++
			return requests[step%len(requests)](guild, user(guild, connection, step/len(requests)))
		}
	}
}

// newcomer returns the user who joins and leaves on a connection.
func (s *memberCases) newcomer(_, connection, _ int) snowflake.User {
	return lobbyUser(s.scale + connection)
}

// anyMember returns a random member of a guild.
func (s *memberCases) anyMember(guild, connection, step int) snowflake.User {
	random := rand.New(rand.NewPCG(uint64(connection), uint64(step))) // the same order in each run
	return lobbyUser(random.IntN(s.sizes()[guild]))
}

func joinGuild(guild int, user snowflake.User) []byte {
	body := fmt.Sprintf(`{"as":"%d","guild":"%d","join":true}`, user, guildID(guild))
	return workload.New(http.MethodPost, "/_dev/members", "", []byte(body)).Raw
}

// aboutMember returns a request of the bot about a user of a guild.
func aboutMember(method, list, rest string) func(guild int, user snowflake.User) []byte {
	return func(guild int, user snowflake.User) []byte {
		path := fmt.Sprintf("/api/v10/guilds/%d/%s/%d", guildID(guild), list, user)
		if rest != "" {
			path += fmt.Sprintf("/%s/%d", rest, roleID(guild))
		}
		return workload.New(method, path, workload.BotToken(0), nil).Raw
	}
}

// joinCase lets users join and removes them.
func (s *memberCases) joinCase() compare.Case {
	return s.memberCase("members-join-p50", s.newcomer, joinGuild, aboutMember(http.MethodDelete, "members", ""))
}

// roleCase gives a role to random members and takes it away.
func (s *memberCases) roleCase() compare.Case {
	return s.memberCase("members-role-p50", s.anyMember, aboutMember(http.MethodPut, "members", "roles"), aboutMember(http.MethodDelete, "members", "roles"))
}

// banCase bans members who have joined, and lifts the bans.
func (s *memberCases) banCase() compare.Case {
	return s.memberCase("members-ban-p50", s.newcomer, joinGuild, aboutMember(http.MethodPut, "bans", ""), aboutMember(http.MethodDelete, "bans", ""))
}
