package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bellhop/bellhop/bench/compare"
	"github.com/bellhop/bellhop/bench/load"
	"github.com/bellhop/bellhop/bench/process"
	"github.com/bellhop/bellhop/bench/workload"
	"github.com/bellhop/bellhop/bench/yardstick"
)

const (
	steadyRate   = 200    // invocations per second in addedCase
	openDeferred = 10_000 // interactions with a deferred response
	// invokedChannels is the number of channels that users invoke commands in, in turn.
	invokedChannels = 64
)

// answers are the responses of the two apps. Each app responds to every interaction with one of them.
var answers = []string{`{"type":4,"data":{"content":"pong"}}`, `{"type":5}`}

// interactionCases measure interactions: a user invokes a command, and an app responds over HTTP.
type interactionCases struct {
	*environment
	invoked *registry          // with a guild that has the apps
	invoke  load.Source        // of requests that invoke a command of the first app
	apps    []*process.Process // one for each of the answers
}

// interactionCase invokes a command: the checks, the signed POST to the app, the stored message, and its events. The
// user gets a response when the interaction is stored. So at the end of a round nearly all interactions must have their
// response from the app; the rest are in progress.
func (s *interactionCases) interactionCase() compare.Case {
	return compare.Case{
		Name: "interaction", Bound: compare.AtLeast(0.4),
		Subject: func(ctx context.Context) (compare.Runner, error) {
			r, err := s.invokedRegistry(ctx)
			if err != nil {
				return compare.Runner{}, err
			}
			return s.answeredLoad(r, s.invoke), nil
		},
		Yardstick: func(ctx context.Context) (compare.Runner, error) { return s.relay(ctx, 0) },
	}
}

// answeredLoad returns a side that invokes commands. It fails if the responses of the app lag behind.
func (s *interactionCases) answeredLoad(r *registry, invoke load.Source) compare.Runner {
	side := s.loaded(r.Process, invoke)
	run := side.Run
	side.Run = func(ctx context.Context, d time.Duration) (load.Result, error) {
		before, err := r.answered(ctx)
		if err != nil {
			return load.Result{}, err
		}
		result, err := run(ctx, d)
		if err != nil {
			return result, err
		}
		return result, s.awaitAnswers(ctx, r, before+float64(result.Requests)-float64(4*s.connections), result.Requests)
	}
	return side
}

// metricsAge is the highest age of the metrics of a service.
const metricsAge = time.Second

// awaitAnswers waits until the metrics are new, and fails if the app has sent fewer than want responses by then.
func (s *interactionCases) awaitAnswers(ctx context.Context, r *registry, want float64, requests uint64) error {
	for end := time.Now().Add(2 * metricsAge); ; time.Sleep(metricsAge / 10) {
		answered, err := r.answered(ctx)
		if err != nil || answered >= want {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w: %.0f of %d", errUnanswered, want-answered+float64(4*s.connections), requests)
		}
	}
}

var errUnanswered = errors.New("interactions without a response")

// answered returns the number of command interactions that apps have responded to.
func (r *registry) answered(ctx context.Context) (float64, error) {
	numbers, err := r.fetch(ctx, []byte("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))
	if err != nil {
		return 0, err
	}
	const line = `bellhop_interactions_total{kind="command",outcome="answered"} `
	_, rest, found := strings.Cut(string(numbers.body), line)
	if !found {
		return 0, fmt.Errorf("/metrics does not contain %s", line)
	}
	digits, _, _ := strings.Cut(rest, "\n")
	return strconv.ParseFloat(digits, 64)
}

// addedCase reads how much longer a quantile of the latency is than with the bare relay, at a low rate.
func (s *interactionCases) addedCase(name string, share, most float64) compare.Case {
	return compare.Case{
		Name: name, Bound: compare.AtMost(most), Unit: compare.Nanoseconds,
		Reading: func(ctx context.Context) (float64, error) {
			r, err := s.invokedRegistry(ctx)
			if err != nil {
				return 0, err
			}
			const connections = 20
			steady := load.Target{Addr: r.Addr, Connections: connections, Requests: load.Paced(steadyRate, connections, func(int) []byte {
				return invocation("echo0")
			})}
			bare, err := s.relay(ctx, steadyRate)
			if err != nil {
				return 0, err
			}
			added, err := s.added(ctx, steady, bare, share)
			return added, errors.Join(err, bare.Close())
		},
	}
}

// added loads two sides in turn and returns by how many nanoseconds the first is slower, at least 1.
func (s *interactionCases) added(ctx context.Context, subject load.Target, bare compare.Runner, share float64) (float64, error) {
	with, without := new(load.Histogram), new(load.Histogram)
	for range s.rounds {
		d := time.Duration(s.seconds * float64(time.Second))
		one, err := subject.Run(ctx, d)
		if err != nil {
			return 0, err
		}
		other, err := bare.Run(ctx, d)
		if err != nil {
			return 0, err
		}
		with.Merge(one.Latency)
		without.Merge(other.Latency)
	}
	return max(float64(with.Quantile(share)-without.Quantile(share)), 1), nil
}

// relay starts the bare relay to the same app. A rate of 0 means full load.
func (s *interactionCases) relay(ctx context.Context, rate int) (compare.Runner, error) {
	r, err := s.invokedRegistry(ctx)
	if err != nil {
		return compare.Runner{}, err
	}
	answer, err := r.fetch(ctx, invocation("echo0"))
	if err != nil {
		return compare.Runner{}, err
	}
	var outcome struct {
		Interaction json.RawMessage `json:"interaction"`
	}
	if err := json.Unmarshal(answer.body, &outcome); err != nil {
		return compare.Runner{}, err
	}
	body, err := s.file("interaction", outcome.Interaction)
	if err != nil {
		return compare.Runner{}, err
	}
	shown := answer.body
	if rate == 0 {
		shown = nil // POST /interactions responds without a body
	}
	file, err := s.file("answer", shown)
	if err != nil {
		return compare.Runner{}, err
	}
	data, err := s.folder("relay")
	if err != nil {
		return compare.Runner{}, err
	}
	row := workload.New(http.MethodPut, "/"+workload.Mark, "", []byte(strings.Repeat("x", 400)))
	requests := load.Source(workload.Varied([]workload.Request{row}, &s.serial))
	if rate > 0 {
		requests = load.Paced(rate, s.connections, func(int) []byte { return row.Render(nil, s.serial.Next()) })
	}
	return s.yardstick(ctx, yardstick.RelayArgs(file, answer.contentType, data, "http://"+s.apps[0].Addr+"/", body), requests)
}

// deferredCase reads the memory of interactions whose response is deferred. As many before them have filled the caches and the pages
// of SQLite, and the garbage of their requests has been collected.
func (s *interactionCases) deferredCase() compare.Case {
	return compare.Case{
		Name: "deferred-memory", Bound: compare.AtMost(100), Unit: compare.Mebibytes,
		Reading: func(ctx context.Context) (float64, error) {
			r, _, err := s.startInvoked(ctx, "deferred")
			if err != nil {
				return 0, err
			}
			before, err := s.afterDeferred(ctx, r)
			if err != nil {
				return 0, err
			}
			after, err := s.afterDeferred(ctx, r)
			const page = 4 << 10 // the least growth
			return max(float64(after)-float64(before), page) / (1 << 20), err
		},
	}
}

// afterDeferred invokes a command whose response is deferred many times, and returns the memory when the service is idle again.
func (s *interactionCases) afterDeferred(ctx context.Context, r *registry) (resident uint64, err error) {
	count, pause := openDeferred, returnTime
	if s.quick {
		count, pause = count/100, 0
	}
	var sent atomic.Int64
	defers := invocation("echo1")
	_, err = s.target(r.Addr, func(int) func() []byte {
		return func() []byte {
			if sent.Add(1) > int64(count) {
				return nil
			}
			return defers
		}
	}).Drain(ctx)
	if err != nil {
		return 0, err
	}
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
	memory, err := r.Memory()
	return memory.Resident, err
}

// invocation returns the request that invokes a command as the user and waits for the response of the app.
func invocation(name string) []byte {
	body := fmt.Sprintf(`{"as":"1200000000000000001","in":"%d","command":{"name":"%s"},"wait":"answer"}`, uint64(pickerChannel), name)
	return workload.New(http.MethodPost, "/_dev/invoke", "", []byte(body)).Raw
}

// invokedRegistry returns a registry with a guild that has both apps.
func (s *interactionCases) invokedRegistry(ctx context.Context) (*registry, error) {
	if s.invoked != nil {
		return s.invoked, nil
	}
	var err error
	s.invoked, s.invoke, err = s.startInvoked(ctx, "invoked")
	return s.invoked, err
}

// startInvoked starts a registry with a guild that has both apps. It returns the requests that invoke the first command.
func (s *interactionCases) startInvoked(ctx context.Context, name string, args ...string) (r *registry, invoke load.Source, err error) {
	if err := s.startApps(ctx); err != nil {
		return nil, nil, err
	}
	data, err := s.folder(name)
	if err != nil {
		return nil, nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "users:\n  - {id: \"%d\", username: bench}\n  - {id: \"1200000000000000001\", username: user, token: "+userToken+"}\napplications:\n", uint64(workload.Owner))
	for i, app := range s.apps {
		fmt.Fprintf(&b, "  - {id: \"%d\", name: App %d, owner: \"%d\", bot_token: %s, interactions_endpoint_url: \"http://%s/\"}\n",
			workload.ApplicationID(i), i, uint64(workload.Owner), workload.BotToken(i), app.Addr)
	}
	const everyone = 1<<10 | 1<<11 | 1<<31 // view channels, send messages, use commands
	fmt.Fprintf(&b, "guilds:\n  - id: \"%d\"\n    name: Bench\n    owner: \"%d\"\n    everyone: \"%d\"\n    members: [{user: \"1200000000000000001\"}]\n    channels:\n",
		uint64(pickerGuild), uint64(workload.Owner), uint64(everyone))
	for i := range invokedChannels {
		fmt.Fprintf(&b, "      - {id: \"%d\", name: general-%d}\n", pickerChannel+i, i)
	}
	b.WriteString("    installs:\n")
	for i := range s.apps {
		fmt.Fprintf(&b, "      - {application: \"%d\", scopes: [applications.commands]}\n", workload.ApplicationID(i))
	}
	file, err := s.file(name+".yaml", []byte(b.String()))
	if err != nil {
		return nil, nil, err
	}
	p, err := s.startWith(ctx, data, file, "off", append(args, "--dev")...) // without --dev, Bellhop does not connect to loopback addresses
	if err != nil {
		return nil, nil, err
	}
	r = &registry{p, len(s.apps)}
	for i := range s.apps {
		definition := fmt.Sprintf(`{"name":"echo%d","description":"Echo","type":1}`, i)
		post := workload.New(http.MethodPost, workload.CommandsPath(workload.ApplicationID(i), ""), workload.BotToken(i), []byte(definition))
		answer, err := r.fetch(ctx, post.Raw)
		if err != nil {
			return r, nil, err
		}
		if i > 0 {
			continue
		}
		if invoke, err = invokeRequests(answer.body); err != nil {
			return r, nil, err
		}
	}
	return r, invoke, nil
}

// invokeRequests returns the requests with which a client invokes a command of the first application, in each channel in turn.
func invokeRequests(registered []byte) (load.Source, error) {
	var c struct{ ID, Version, Name string }
	if err := json.Unmarshal(registered, &c); err != nil {
		return nil, err
	}
	requests := make([][]byte, invokedChannels)
	for i := range requests {
		body := fmt.Sprintf(`{"type":2,"application_id":"%d","guild_id":"%d","channel_id":"%d","data":{"id":"%s","version":"%s","name":"%s","type":1}}`,
			workload.ApplicationID(0), uint64(pickerGuild), pickerChannel+i, c.ID, c.Version, c.Name)
		raw := workload.New(http.MethodPost, "/api/v10/interactions", "", []byte(body)).Raw
		requests[i] = []byte(strings.Replace(string(raw), "Authorization: Bot ", "Authorization: "+userToken, 1))
	}
	return func(connection int) func() []byte {
		next := connection
		return func() []byte {
			next++
			return requests[next%invokedChannels]
		}
	}, nil
}

// startApps starts an app for each of the answers.
func (s *interactionCases) startApps(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	for _, text := range answers[len(s.apps):] {
		file, err := s.file("app", []byte(text))
		if err != nil {
			return err
		}
		p, err := process.Start(ctx, program, append([]string{yardstickCommand}, yardstick.Args(file, "application/json")...)...)
		if err != nil {
			return err
		}
		s.apps = append(s.apps, p)
	}
	return nil
}
