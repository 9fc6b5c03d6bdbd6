package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/tools/botrun"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func (t *Toolbox) addBotTools(s *sdk.Server) {
	add(t, s, "start_bot", adds, "Start a bot that was written for Discord, unchanged, as one of the applications, and wait until it is connected. "+
		"It replaces the bot that runs. The bot reaches nothing but this service.", t.startBot)
	add(t, s, "restart_bot", adds, "Start the bot again with the same command, for example after its code has changed.", t.restartBot)
	add(t, s, "stop_bot", adds, "Stop the bot.", t.stopBot)
	add(t, s, "bot_output", reads, "Read what the bot has printed, and whether it runs.", t.botOutput)
}

// Bounds of the output of a bot.
const (
	fewLines  = 20
	maxLines  = 200  // in one answer
	keptLines = 1000 // in memory
	maxLine   = 500  // bytes of a line
)

// Bounds of the time to wait for a bot.
const (
	startTimeout = 30 * time.Second
	lookEvery    = 50 * time.Millisecond
	// registerTime is the time after its start in which a bot may still register commands.
	registerTime = 5 * time.Second
)

// bots holds the bot that runs, or that ran last.
type bots struct {
	starting sync.Mutex // held while a bot replaces another

	mu   sync.Mutex
	last *running // nil: no bot was started
}

// running is a bot with its output.
type running struct {
	start  botStart
	began  time.Time
	cancel context.CancelFunc
	ended  chan struct{}
	code   int   // of the process; set before ended is closed
	err    error // why it did not start; set before ended is closed

	mu    sync.Mutex
	lines []string
	total int // of all lines
}

// Write adds a whole line of the output.
func (r *running) Write(line []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, cut(strings.TrimSuffix(string(line), "\n"), maxLine))
	if r.total++; len(r.lines) > keptLines {
		r.lines = r.lines[1:]
	}
	return len(line), nil
}

// tail returns the last n lines, and the number of all lines.
func (r *running) tail(n int) ([]string, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.lines[max(0, len(r.lines)-n):]...), r.total
}

// hasEnded reports whether the process has ended.
func (r *running) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// current returns the bot that was started last; nil: none.
func (b *bots) current() *running {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last
}

// stop stops the bot and waits for its end.
func (b *bots) stop() {
	if r := b.current(); r != nil {
		r.cancel()
		<-r.ended
	}
}

type botStart struct {
	Command     []string `json:"command" jsonschema:"the program and its arguments, such as node, index.js"`
	Folder      string   `json:"folder,omitempty" jsonschema:"the folder of the bot; default: the folder in which bellhop mcp runs"`
	Application string   `json:"application,omitempty" jsonschema:"the id of the application that the bot runs as; default: the first"`
}

type botStatus struct {
	State    string   `json:"state" jsonschema:"none, running or ended"`
	Command  string   `json:"command,omitempty"`
	ExitCode int      `json:"exit_code,omitempty"`
	Problem  string   `json:"problem,omitempty" jsonschema:"why the bot is not ready"`
	Lines    int      `json:"lines" jsonschema:"how many lines the bot has printed"`
	Output   []string `json:"output" jsonschema:"the last lines"`
}

// status describes the bot that was started last, with the last lines of its output.
func (b *bots) status(lines int) botStatus {
	r := b.current()
	if r == nil {
		return botStatus{State: "none", Output: []string{}}
	}
	return r.status(lines)
}

func (r *running) status(lines int) botStatus {
	s := botStatus{State: "running", Command: strings.Join(r.start.Command, " ")}
	if r.hasEnded() {
		s.State, s.ExitCode = "ended", r.code
		if r.err != nil {
			s.Problem = r.err.Error()
		}
	}
	s.Output, s.Lines = r.tail(lines)
	return s
}

func (t *Toolbox) startBot(ctx context.Context, in botStart) (botStatus, error) {
	if len(in.Command) == 0 || in.Command[0] == "" {
		return botStatus{}, errors.New("command: name the program that starts the bot, and its arguments")
	}
	if _, err := exec.LookPath(in.Command[0]); err != nil && !strings.ContainsAny(in.Command[0], `/\`) {
		return botStatus{}, fmt.Errorf("there is no program %s", in.Command[0])
	}
	identity, err := botrun.FindBot(ctx, t.Service, func(name string) string {
		return map[string]string{"BELLHOP_APPLICATION_ID": in.Application}[name]
	})
	if err != nil {
		return botStatus{}, err
	}
	r, last, err := t.replaceBot(ctx, in, identity)
	if err != nil {
		return botStatus{}, err
	}
	problem, err := t.awaitBot(ctx, r, identity.Application, last)
	status := r.status(fewLines)
	if status.Problem == "" {
		status.Problem = problem
	}
	return status, err
}

// replaceBot stops the bot that runs and starts another. It returns the newest exchange from before the start. Of two calls at the same
// time the second waits, and replaces the bot of the first.
func (t *Toolbox) replaceBot(ctx context.Context, in botStart, identity botrun.Bot) (*running, uint64, error) {
	t.bot.starting.Lock()
	defer t.bot.starting.Unlock()
	t.bot.stop()
	last, err := t.lastExchange(ctx)
	if err != nil {
		return nil, 0, err
	}
	// The bot runs until it is stopped, not until the call ends.
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &running{start: in, began: t.Clock.Now(), cancel: cancel, ended: make(chan struct{})}
	lines := &botrun.Lines{Out: r}
	runner := &botrun.Runner{
		Command: in.Command, Folder: in.Folder, Clock: t.Clock, Environment: t.Environment,
		Service: lines.Writer("bellhop: "), Output: lines.Writer(""),
	}
	t.bot.mu.Lock()
	t.bot.last = r
	t.bot.mu.Unlock()
	go func() {
		defer close(r.ended)
		defer cancel()
		r.code, r.err = runner.Run(lasting, identity)
	}()
	return r, last, nil
}

// awaitBot waits until the bot has a gateway session or an endpoint. It returns why the bot is not ready, or "".
func (t *Toolbox) awaitBot(ctx context.Context, r *running, app string, last uint64) (string, error) {
	for {
		if r.hasEnded() {
			return fmt.Sprintf("the bot has ended with exit code %d before it was connected", r.code), nil
		}
		ready, err := t.isReady(ctx, app, last)
		if err != nil || ready {
			return "", err
		}
		if t.Clock.Now().Sub(r.began) > startTimeout {
			return fmt.Sprintf("after %v the bot has no gateway session and no endpoint URL", startTimeout), nil
		}
		clock.Pause(ctx, lookEvery)
	}
}

// isReady reports whether an application has got READY after an exchange, or has an endpoint.
func (t *Toolbox) isReady(ctx context.Context, app string, last uint64) (bool, error) {
	frames, err := t.dev().Requests(ctx, url.Values{"application": {app}, "kind": {"frame"}, "route": {"READY"}, "limit": {"1"}})
	if err != nil || len(frames) > 0 && frames[0].ID > last {
		return err == nil, err
	}
	apps, err := t.applications(ctx)
	for _, a := range apps {
		if a.ID == app && a.State != "online" && a.State != "offline" {
			return true, nil
		}
	}
	return false, err
}

// lastExchange returns the id of the newest exchange; 0: there is none.
func (t *Toolbox) lastExchange(ctx context.Context) (uint64, error) {
	list, err := t.dev().Requests(ctx, url.Values{"limit": {"1"}})
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].ID, nil
}

func (t *Toolbox) restartBot(ctx context.Context, _ none) (botStatus, error) {
	r := t.bot.current()
	if r == nil {
		return botStatus{}, errors.New("no bot was started: use start_bot")
	}
	return t.startBot(ctx, r.start)
}

func (t *Toolbox) stopBot(context.Context, none) (botStatus, error) {
	t.bot.stop()
	return t.bot.status(fewLines), nil
}

type outputQuery struct {
	Lines int `json:"lines,omitempty" jsonschema:"how many of the last lines, up to 200; default 20"`
}

func (t *Toolbox) botOutput(_ context.Context, in outputQuery) (botStatus, error) {
	lines := fewLines
	if in.Lines > 0 {
		lines = min(in.Lines, maxLines)
	}
	return t.bot.status(lines), nil
}

// mayRegister reports whether the bot is so new that it may still register commands.
func (t *Toolbox) mayRegister() bool {
	r := t.bot.current()
	return r != nil && !r.hasEnded() && t.Clock.Now().Sub(r.began) < startTimeout+registerTime
}
