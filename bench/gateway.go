package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/clients"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/process"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/bench/yardstick"
)

const (
	idleSessions  = 20_000
	eventSessions = 10_000
	quickSessions = 200
	// idleMemory is so little that the service collects its garbage at once, so that what it holds is what it needs.
	idleMemory = "64MiB"
	// opensWith is how many events every session begins with: READY and one guild.
	opensWith = 2
	socket    = "/gateway/?v=10&encoding=json"
	identify  = `{"op":2,"d":{"token":"bench-bot","intents":1,"properties":{}}}`
)

// gatewayWorld is one bot in one guild, with the person and the channel of invocations.
var gatewayWorld = fmt.Sprintf(`
users: [{id: "1100000000000000001", username: ada}, {id: "1200000000000000001", username: person}]
applications: [{id: "1300000000000000001", name: Echo, owner: "1100000000000000001", bot_token: bench-bot}]
guilds:
  - id: "%[1]d"
    name: Lab
    owner: "1100000000000000001"
    channels: [{id: "%[2]d", name: general}]
    members: [{user: "1200000000000000001"}]
    installs: [{application: "1300000000000000001", scopes: [bot]}]
`, uint64(pickerGuild), uint64(pickerChannel))

// startGateway starts Bellhop with one bot, and with further flags.
func (s *stage) startGateway(ctx context.Context, name string, flags ...string) (*gatewayProcess, error) {
	file, err := s.file(name+".yaml", []byte(gatewayWorld))
	if err != nil {
		return nil, err
	}
	data, err := s.folder(name)
	if err != nil {
		return nil, err
	}
	token, err := s.adminToken(ctx, data)
	if err != nil {
		return nil, err
	}
	p, err := s.startWith(ctx, data, file, "off", flags...)
	return &gatewayProcess{p, token}, err
}

// adminToken makes the operator's token for a data folder that no process uses.
func (s *stage) adminToken(ctx context.Context, data string) (string, error) {
	binary, err := s.build(ctx)
	if err != nil {
		return "", err
	}
	token, err := exec.CommandContext(ctx, binary, "token", "admin", "--data", data).Output() //nolint:gosec // G204: what is measured
	if err != nil {
		return "", fmt.Errorf("make the operator's token: %w", err)
	}
	return strings.TrimSpace(string(token)), nil
}

// gatewayProcess is a Bellhop that is measured, and the token of its operator.
type gatewayProcess struct {
	*process.Process

	operator string
}

// rename gives the guild another name, of which everybody in it hears.
func (p *gatewayProcess) rename(ctx context.Context, name string) error {
	body := fmt.Sprintf(`{"id":"%d","name":%q,"owner":"1100000000000000001"}`, uint64(pickerGuild), name)
	url := fmt.Sprintf("http://%s/admin/v1/guilds/%d", p.Addr, uint64(pickerGuild))
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(body)) //nolint:gosec // G704: of a process that this one started
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p.operator)
	return send(r)
}

// sessions returns how many sessions a case opens.
func (s *stage) sessions(wanted int, share float64) int {
	if s.quick {
		return quickSessions
	}
	return clients.Max(wanted, share)
}

// idleCase reads what an idle session costs: the memory that the service holds more with many of them, for each.
func (s *stage) idleCase() compare.Case {
	return compare.Case{
		Name: "gateway-idle", Bound: compare.AtMost(12), Unit: compare.Kibibytes,
		Reading: func(ctx context.Context) (_ float64, err error) {
			p, err := s.startGateway(ctx, "idle", "--memory", idleMemory)
			if err != nil {
				return 0, err
			}
			defer func() { err = errors.Join(err, p.Stop()) }()
			before, err := p.Memory()
			if err != nil {
				return 0, err
			}
			n := s.sessions(idleSessions, 1)
			c, err := clients.Open(ctx, p.Addr, socket, identify, n, opensWith)
			if err != nil {
				return 0, err
			}
			s.logf("%d idle sessions", n)
			after, err := p.Memory()
			kib := (float64(after.Resident) - float64(before.Resident)) / float64(n) / (1 << 10)
			return kib, errors.Join(err, c.Close())
		},
	}
}

// fanCase compares one event to many sessions with a bare loop of writes of as many bytes to as many sockets.
func (s *stage) fanCase() compare.Case {
	var size int // of the event, known when the subject is ready
	return compare.Case{
		Name: "gateway-fan", Bound: compare.AtLeast(0.5),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			p, err := s.startGateway(ctx, "fan")
			if err != nil {
				return compare.Runner{}, err
			}
			n := s.sessions(eventSessions, 0.5)
			c, err := clients.Open(ctx, p.Addr, socket, identify, n, opensWith)
			if err != nil {
				return compare.Runner{}, errors.Join(err, p.Stop())
			}
			s.logf("%d sessions hear every event", n)
			tell := func() error {
				return p.rename(ctx, fmt.Sprintf("Lab %d", s.serial.Next()))
			}
			err = c.Hear(ctx, tell)
			size = c.Size()
			return eventRunner(p.Process, c, tell), err
		},
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			file, err := s.file("event", bytes.Repeat([]byte("x"), size))
			if err != nil {
				return compare.Runner{}, err
			}
			program, err := os.Executable()
			if err != nil {
				return compare.Runner{}, err
			}
			p, err := process.Start(ctx, program, append([]string{yardstickCommand}, yardstick.FanArgs(file)...)...)
			if err != nil {
				return compare.Runner{}, err
			}
			c, err := clients.Open(ctx, p.Addr, "/", "", s.sessions(eventSessions, 0.5), 0)
			if err != nil {
				return compare.Runner{}, errors.Join(err, p.Stop())
			}
			return eventRunner(p, c, func() error { return post(ctx, "http://"+p.Addr+"/", nil) }), nil
		},
	}
}

// answeredCase compares round trips of interactions that travel by the gateway, and whose bot answers with a request, with
// those that are posted to an app, which answers in place.
func (s *stage) answeredCase() compare.Case {
	return compare.Case{
		Name: "gateway-interaction", Bound: compare.AtLeast(0.5),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			p, err := s.startGateway(ctx, "answered", "--dev")
			if err != nil {
				return compare.Runner{}, err
			}
			bot, err := s.startBot(ctx, p.Process)
			if err != nil {
				return compare.Runner{}, errors.Join(err, p.Stop())
			}
			side := s.loaded(p.Process, load.Repeat(invocation("echo0")))
			side.Close = func() error { return errors.Join(bot.Stop(), p.Stop()) }
			return side, nil
		},
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			r, err := s.invokedRegistry(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.loaded(r.Process, load.Repeat(invocation("echo0"))), nil
		},
	}
}

// startBot gives the bot its command and lets it log in.
func (s *stage) startBot(ctx context.Context, p *process.Process) (*process.Process, error) {
	post := workload.New(http.MethodPost, workload.CommandsPath(1300000000000000001, ""), "bench-bot", []byte(`{"name":"echo0","description":"Echo","type":1}`))
	if _, err := (&registry{p, 1}).fetch(ctx, post.Raw); err != nil {
		return nil, err
	}
	file, err := s.file("answer", []byte(answers[0]))
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return process.Start(ctx, program, append([]string{yardstickCommand}, yardstick.BotArgs(file, p.Addr, "bench-bot")...)...)
}

// crowded returns a side that tells a crowd something again and again.
func eventRunner(p *process.Process, c *clients.Group, tell func() error) compare.Runner {
	return compare.Runner{
		Run: func(ctx context.Context, d time.Duration) (load.Result, error) {
			before, err := p.CPU()
			if err != nil {
				return load.Result{}, err
			}
			r := load.Result{Latency: &load.Histogram{}}
			for begun := time.Now(); r.Elapsed < d; r.Elapsed = time.Since(begun) {
				told := time.Now()
				if err := c.Hear(ctx, tell); err != nil {
					return r, err
				}
				r.Requests++
				r.Bytes += uint64(c.Size())
				r.Latency.Add(time.Since(told))
			}
			after, err := p.CPU()
			r.CPU = after - before
			return r, err
		},
		Close: func() error { return errors.Join(c.Close(), p.Stop()) },
	}
}

// post sends a request that has to succeed.
func post(ctx context.Context, url string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body)) //nolint:gosec // G704: of a process that this one started
	if err != nil {
		return err
	}
	return send(r)
}

// send makes a request that changes something.
func send(r *http.Request) error {
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r) //nolint:gosec // G704: of a process that this one started
	if err != nil {
		return err
	}
	text, err := io.ReadAll(answer.Body)
	if answer.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: %s %s", r.Method, r.URL, answer.Status, text)
	}
	return errors.Join(err, answer.Body.Close())
}
