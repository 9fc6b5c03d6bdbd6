package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/permission"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	pickerApplications = 50 // in the guild of the picker, with 50 commands each
	pickerGuild        = 1100000000000000000
	pickerChannel      = 1100000000000000001
	userToken          = "user-H3kD8vB5yN0cF6jX2s-ada"
)

// pickerCases measure how the command picker lists and searches the commands of a guild.
type pickerCases struct {
	*environment
	guild *registry // with a guild that has many applications
}

// decideCase reads the time of a permission decision for a member with 20 roles, with 100 overwrites for the command
// and 100 for its app.
func (s *pickerCases) decideCase() compare.Case {
	return compare.Case{
		Name: "decide", Bound: compare.AtMost(1000), Unit: compare.Nanoseconds,
		Reading: func(context.Context) (float64, error) {
			q := worstCaseQuestion()
			result := testing.Benchmark(func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					permission.Decide(q)
				}
			})
			if allocations := result.AllocsPerOp(); allocations > 0 {
				return 0, fmt.Errorf("a decision allocates %d times", allocations)
			}
			return float64(result.NsPerOp()), nil
		},
	}
}

// worstCaseQuestion returns a question that the defaults decide, after all overwrites were checked.
func worstCaseQuestion() permission.Question {
	var roles []permission.Role
	var memberRoles []snowflake.Role
	for i := range 20 {
		id := snowflake.Role(1000 + 10*i)
		roles = append(roles, permission.Role{ID: id, Permissions: permission.ManageMessages})
		memberRoles = append(memberRoles, id)
	}
	entries := make([]permission.Entry, 100)
	for i := range entries {
		entries[i] = permission.Entry{ID: snowflake.Target(1001 + 2*i), Type: permission.ForRole, Allow: true}
	}
	everyone := permission.ViewChannel | permission.SendMessages | permission.UseApplicationCommands
	m := permission.NewGuild(1, 2, everyone, roles).Member(3, memberRoles)
	channel := permission.Channel{ID: 4}
	needed := permission.ManageMessages
	return permission.Question{
		Asked: 1, Command: permission.Command{Type: 1, Default: &needed},
		Overwrites: permission.NewSet(entries), App: permission.NewSet(entries),
		Installed: permission.Installs{Guild: true}, Adult: true,
		Member: &m, Channel: channel, Permissions: m.In(channel),
	}
}

// indexCase reads all commands that a member of a guild can use.
func (s *pickerCases) indexCase() compare.Case {
	index := userRequest("/api/v10/guilds/" + strconv.Itoa(pickerGuild) + "/application-command-index")
	return compare.Case{
		Name: "index2500", Bound: compare.AtLeast(0.5),
		Subject: s.pickerLoad(load.Repeat(index)),
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			answer, err := s.guild.fetch(ctx, index)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.bare(ctx, answer, load.Repeat(index))
		},
	}
}

// searchCase reads the 99th percentile of the latency of searches in the same commands, one request at a time.
func (s *pickerCases) searchCase() compare.Case {
	queries := []string{"r", "re", "wea", "list", "ticket-s", "x"}
	requests := make([][]byte, len(queries))
	for i, q := range queries {
		requests[i] = userRequest("/api/v10/channels/" + strconv.Itoa(pickerChannel) + "/application-commands/search?type=1&limit=25&query=" + q)
	}
	return compare.Case{
		Name: "search2500-p99", Bound: compare.AtMost(2e6), Unit: compare.Nanoseconds,
		Reading: func(ctx context.Context) (float64, error) {
			r, err := s.pickerRegistry(ctx)
			if err != nil {
				return 0, err
			}
			one := load.Target{Addr: r.Addr, Connections: 1, Requests: func(int) func() []byte {
				i := 0
				return func() []byte {
					i++
					return requests[i%len(requests)]
				}
			}}
			result, err := one.Run(ctx, time.Duration(2*s.seconds*float64(time.Second)))
			if err != nil {
				return 0, err
			}
			return float64(result.Latency.Quantile(0.99)), nil
		},
	}
}

// userRequest returns a GET request with the token of the user.
func userRequest(path string) []byte {
	r := workload.New(http.MethodGet, path, "", nil)
	return []byte(strings.Replace(string(r.Raw), "Authorization: Bot ", "Authorization: "+userToken, 1))
}

func (s *pickerCases) pickerLoad(requests load.Source) func(context.Context) (compare.Runner, error) {
	return func(ctx context.Context) (compare.Runner, error) {
		r, err := s.pickerRegistry(ctx)
		if err != nil {
			return compare.Runner{}, err
		}
		return s.loaded(r.Process, requests), nil
	}
}

// pickerRegistry returns a registry with a guild that has many applications.
func (s *pickerCases) pickerRegistry(ctx context.Context) (*registry, error) {
	if s.guild != nil {
		return s.guild, nil
	}
	data, err := s.folder("picker")
	if err != nil {
		return nil, err
	}
	world := strings.Replace(string(workload.World(pickerApplications)), "username: bench}", "username: bench}\n"+
		"  - {id: \"1200000000000000001\", username: user, token: "+userToken+"}", 1)
	var b strings.Builder
	b.WriteString(world)
	fmt.Fprintf(&b, "guilds:\n  - id: \"%d\"\n    name: Bench\n    owner: \"%d\"\n    channels: [{id: \"%d\", name: general}]\n"+
		"    members: [{user: \"1200000000000000001\"}]\n    installs:\n", uint64(pickerGuild), uint64(workload.Owner), uint64(pickerChannel))
	for i := range pickerApplications {
		fmt.Fprintf(&b, "      - {application: \"%d\", scopes: [applications.commands]}\n", workload.ApplicationID(i))
	}
	file, err := s.file("picker.yaml", []byte(b.String()))
	if err != nil {
		return nil, err
	}
	p, err := s.start(ctx, data, file)
	if err != nil {
		return nil, err
	}
	r := &registry{p, pickerApplications}
	_, err = s.target(p.Addr, r.each(func(i int) []byte { return workload.Overwrite(i).Render(nil, s.serial.Next()) })).Drain(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("create the commands: %w", err), p.Stop())
	}
	s.guild = r
	return r, nil
}
