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

	"github.com/bellhop/bellhop/bench/clients"
	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/process"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/bench/yardstick"
)

const (
	idleSessions  = 20_000
	eventSessions = 10_000
	quickSessions = 200
	// Clients open abandonedRate sessions about once a second, abandonedRounds times, and do not resume them. Each time all
	// sessions get abandonedEvents events.
	abandonedRate   = 30
	abandonedRounds = 60
	abandonedEvents = 100
	// opensWith is the number of events at the start of a session: READY and one guild.
	opensWith = 2
	socket    = "/gateway/?v=10&encoding=json"
	identify  = `{"op":2,"d":{"token":"bot-V7mQ2xK9tR4zL8pW3n-1","intents":1,"properties":{}}}`
)

// gatewayWorld has a bot in a guild, and the user and the channel of invocations.
var gatewayWorld = fmt.Sprintf(`
users: [{id: "1100000000000000001", username: ada}, {id: "1200000000000000001", username: user}]
applications: [{id: "1300000000000000001", name: Echo, owner: "1100000000000000001", bot_token: bot-V7mQ2xK9tR4zL8pW3n-1}]
guilds:
  - id: "%[1]d"
    name: Lab
    owner: "1100000000000000001"
    channels: [{id: "%[2]d", name: general}]
    members: [{user: "1200000000000000001"}]
    installs: [{application: "1300000000000000001", scopes: [bot]}]
`, uint64(pickerGuild), uint64(pickerChannel))

// gatewayCases measure gateway sessions.
type gatewayCases struct {
	*environment
	interactions *interactionCases
}

// startGateway starts Bellhop with gatewayWorld and additional flags.
func (s *gatewayCases) startGateway(ctx context.Context, name string, flags ...string) (*gatewayProcess, error) {
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

// adminToken creates an admin token. No process may use the data folder.
func (s *environment) adminToken(ctx context.Context, data string) (string, error) {
	binary, err := s.build(ctx)
	if err != nil {
		return "", err
	}
	token, err := exec.CommandContext(ctx, binary, "token", "admin", "--data", data).Output()
	if err != nil {
		return "", fmt.Errorf("create an admin token: %w", err)
	}
	return strings.TrimSpace(string(token)), nil
}

// gatewayProcess is a running Bellhop and its admin token.
type gatewayProcess struct {
	*process.Process

	adminToken string
}

// rename renames the guild, which sends an event to every session.
func (p *gatewayProcess) rename(ctx context.Context, name string) error {
	body := fmt.Sprintf(`{"id":"%d","name":%q,"owner":"1100000000000000001"}`, uint64(pickerGuild), name)
	url := fmt.Sprintf("http://%s/admin/v1/guilds/%d", p.Addr, uint64(pickerGuild))
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p.adminToken)
	return send(r)
}

// sessions returns the number of sessions that a case opens: wanted, or less if the limit on open files is too low.
func (s *environment) sessions(wanted int, share float64) int {
	if s.quick {
		return quickSessions
	}
	return clients.Max(wanted, share)
}

// idleCase reads the memory of the service per idle session.
func (s *gatewayCases) idleCase() compare.Case {
	return compare.Case{
		Name: "gateway-idle", Bound: compare.AtMost(12), Unit: compare.Kibibytes,
		Reading: func(ctx context.Context) (_ float64, err error) {
			p, err := s.startGateway(ctx, "idle", "--memory", smallFlag) // it collects garbage often, so that its memory is that of the sessions
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

// abandonedCase reads the peak of a service with --memory 80MiB whose clients open sessions and never resume them.
func (s *gatewayCases) abandonedCase() compare.Case {
	return compare.Case{
		Name: "memory-sessions", Bound: compare.AtMost(smallMemory), Unit: compare.Mebibytes,
		Reading: func(ctx context.Context) (_ float64, err error) {
			p, err := s.startGateway(ctx, "abandoned", "--memory", smallFlag)
			if err != nil {
				return 0, err
			}
			defer func() { err = errors.Join(err, p.Stop()) }()
			rounds := abandonedRounds
			if s.quick {
				rounds = 1
			}
			for range rounds {
				c, err := clients.Open(ctx, p.Addr, socket, identify, abandonedRate, opensWith)
				if err != nil {
					return 0, err
				}
				if err := c.Close(); err != nil { // without a close code: the sessions can be resumed
					return 0, err
				}
				for range abandonedEvents {
					if err := p.rename(ctx, fmt.Sprintf("Lab %d", s.serial.Next())); err != nil {
						return 0, err
					}
				}
				select {
				case <-time.After(time.Second):
				case <-ctx.Done():
				}
			}
			m, err := p.Memory()
			return float64(m.Peak) / (1 << 20), err
		},
	}
}

// fanCase compares an event for many sessions with a loop that writes as many bytes to as many sockets.
func (s *gatewayCases) fanCase() compare.Case {
	var size int // of the event; set by Subject
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
			s.logf("%d sessions receive every event", n)
			sendEvent := func() error {
				return p.rename(ctx, fmt.Sprintf("Lab %d", s.serial.Next()))
			}
			err = c.Deliver(ctx, sendEvent)
			size = c.Size()
			return eventRunner(p.Process, c, sendEvent), err
		},
		Yardstick: func(ctx context.Context) (compare.Runner, error) {
			return s.bareFan(ctx, size, s.sessions(eventSessions, 0.5))
		},
	}
}

// bareFan starts a server that writes an event of the given size to all sessions in a loop, and opens the sessions.
func (s *environment) bareFan(ctx context.Context, size, sessions int) (compare.Runner, error) {
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
	c, err := clients.Open(ctx, p.Addr, "/", "", sessions, 0)
	if err != nil {
		return compare.Runner{}, errors.Join(err, p.Stop())
	}
	return eventRunner(p, c, func() error { return post(ctx, "http://"+p.Addr+"/", nil) }), nil
}

// answeredCase compares interactions that a bot receives over the gateway and responds to with a request, with
// interactions that are posted to an app.
func (s *gatewayCases) answeredCase() compare.Case {
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
			r, err := s.interactions.invokedRegistry(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.loaded(r.Process, load.Repeat(invocation("echo0"))), nil
		},
	}
}

// startBot creates the command of the bot and starts the bot.
func (s *gatewayCases) startBot(ctx context.Context, p *process.Process) (*process.Process, error) {
	post := workload.New(http.MethodPost, workload.CommandsPath(1300000000000000001, ""), "bot-V7mQ2xK9tR4zL8pW3n-1", []byte(`{"name":"echo0","description":"Echo","type":1}`))
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
	return process.Start(ctx, program, append([]string{yardstickCommand}, yardstick.BotArgs(file, p.Addr, "bot-V7mQ2xK9tR4zL8pW3n-1")...)...)
}

// eventRunner returns a side that sends events to all clients, one after another.
func eventRunner(p *process.Process, c *clients.Group, sendEvent func() error) compare.Runner {
	return compare.Runner{
		Run: func(ctx context.Context, d time.Duration) (load.Result, error) {
			before, err := p.CPU()
			if err != nil {
				return load.Result{}, err
			}
			r := load.Result{Latency: &load.Histogram{}}
			for began := time.Now(); r.Elapsed < d; r.Elapsed = time.Since(began) {
				sent := time.Now()
				if err := c.Deliver(ctx, sendEvent); err != nil {
					return r, err
				}
				r.Requests++
				r.Bytes += uint64(c.Size())
				r.Latency.Add(time.Since(sent))
			}
			after, err := p.CPU()
			r.CPU = after - before
			return r, err
		},
		Close: func() error { return errors.Join(c.Close(), p.Stop()) },
	}
}

// post sends a POST request. It fails if the status is not 2xx.
func post(ctx context.Context, url string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	return send(r)
}

// send sends a request with a JSON body. It fails if the status is not 2xx.
func send(r *http.Request) error {
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(answer.Body)
	if answer.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: %s %s", r.Method, r.URL, answer.Status, text)
	}
	return errors.Join(err, answer.Body.Close())
}
