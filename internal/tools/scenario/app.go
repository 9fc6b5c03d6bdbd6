package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/examples/guesthouse"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/tools/botrun"
	"github.com/bellhop/bellhop/snowflake"
)

const (
	maxOutput   = 64 << 10 // of an app that is kept, in bytes
	lookEvery   = 20 * time.Millisecond
	dialTimeout = time.Second
)

// runningApp is the app of a scenario while it runs.
type runningApp struct {
	output output
	ended  chan struct{} // closed when the app has ended by itself or was stopped
	err    error         // why it ended; set before ended is closed
	stop   func()        // ends the app and waits for it
	before uint64        // the entry of the last session of the app before it was started; 0: none
}

// startApp starts the app of a file and waits until it is ready.
func startApp(ctx context.Context, f *File, s *service, now clock.Clock) (*runningApp, error) {
	a := &runningApp{ended: make(chan struct{})}
	a.output.pattern = f.App.Ready.stdout
	a.output.found = make(chan struct{})
	var err error
	if a.before, err = lastSession(ctx, s); err != nil {
		return a, err
	}
	if f.App.Builtin != "" {
		err = a.startBuiltin(ctx, s)
	} else {
		err = a.startProcess(ctx, f, s, now)
	}
	if err != nil {
		return a, err
	}
	timeout := time.Duration(f.App.Start)
	if timeout == 0 {
		timeout = defaultStart
	}
	wait, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := a.awaitReady(wait, f.App.Ready, s); err != nil {
		if ctx.Err() == nil && wait.Err() != nil {
			err = fmt.Errorf("the app is not ready after %v: %w", timeout, err)
		}
		a.stop()
		return a, err
	}
	return a, nil
}

// startBuiltin runs the app Guesthouse in this process.
func (a *runningApp) startBuiltin(ctx context.Context, s *service) error {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	app := guesthouse.New(s.bot(), s.app.ID, 0)
	running, cancel := context.WithCancel(ctx)
	go func() {
		a.err = app.Serve(running, ln)
		close(a.ended)
	}()
	a.stop = func() { cancel(); <-a.ended }
	if err := app.Register(ctx, "http://"+ln.Addr().String()); err != nil {
		a.stop()
		return fmt.Errorf("start the app: %w", err)
	}
	return nil
}

// startProcess starts the command of the app in a process group of its own.
func (a *runningApp) startProcess(ctx context.Context, f *File, s *service, now clock.Clock) error {
	env, err := environment(ctx, f, s)
	if err != nil {
		return err
	}
	redirect, closeFront, err := botrun.Open(ctx, s.url, now.Now(), os.Environ(), func(host string) {
		_, _ = fmt.Fprintf(&a.output, "bellhop: %s was refused: it is not one of Discord's hosts\n", host) // it is in memory
	})
	if err != nil {
		return fmt.Errorf("start the app: %w", err)
	}
	cmd := botrun.Shell(f.App.Run)
	cmd.Dir, cmd.Env = filepath.Dir(f.path), slices.Concat(os.Environ(), redirect, env)
	cmd.Stdout, cmd.Stderr = &a.output, &a.output
	p, err := botrun.Start(cmd, now)
	if err != nil {
		return errors.Join(fmt.Errorf("start the app: %w", err), closeFront())
	}
	go func() {
		<-p.Ended
		a.err = errors.Join(p.Err, closeFront())
		close(a.ended)
	}()
	a.stop = func() { p.Stop(); <-a.ended }
	return nil
}

// environment returns the variables that tell an app where the service is, and as which application it runs.
func environment(ctx context.Context, f *File, s *service) ([]string, error) {
	self, err := s.bot().Application(ctx)
	if err != nil {
		return nil, err
	}
	bot := botrun.Bot{URL: s.url, Token: s.botTokens[s.app.ID], Application: s.app.ID.String(), PublicKey: self.VerifyKey}
	if len(s.world.Guilds) > 0 {
		bot.Guild = s.world.Guilds[0].ID.String()
	}
	env, err := bot.Variables(filepath.Dir(f.path))
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(f.App.Env)) {
		env = append(env, name+"="+f.App.Env[name])
	}
	return env, nil
}

// awaitReady waits until the app is ready.
func (a *runningApp) awaitReady(ctx context.Context, ready Ready, s *service) error {
	for {
		select {
		case <-a.ended:
			return fmt.Errorf("the app has ended before it was ready: %w", errors.Join(a.err, errEnded))
		case <-a.output.found:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if ready.stdout == nil {
			state, err := appState(ctx, s, s.app.ID)
			if err != nil {
				return err
			}
			switch state {
			case "online":
				state, err = a.sessionState(ctx, s)
			case "endpoint", "failing":
				state, err = endpointState(ctx, s)
			}
			if err != nil {
				return err
			}
			if state == ready.state || ready.state == "" && (state == "online" || state == "endpoint") {
				return nil
			}
		}
		clock.Pause(ctx, lookEvery)
	}
}

// sessionState returns online if the app has opened a session since it was started. An app that was killed stays online
// until its session can no longer be resumed.
func (a *runningApp) sessionState(ctx context.Context, s *service) (string, error) {
	if last, err := lastSession(ctx, s); err != nil || last > a.before {
		return "online", err
	}
	return "offline", nil
}

// endpointState returns endpoint if something listens at the endpoint URL of the app. The URL alone can be that of an
// earlier run.
func endpointState(ctx context.Context, s *service) (string, error) {
	app, err := s.bot().Application(ctx)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(app.InteractionsEndpointURL)
	if err != nil {
		return "", err
	}
	port := u.Port()
	if port == "" {
		port = u.Scheme
	}
	dialer := net.Dialer{Timeout: dialTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return "offline", nil //nolint:nilerr // the app does not listen yet
	}
	return "endpoint", conn.Close()
}

// lastSession returns the entry of the last gateway session that the app has opened, or 0.
func lastSession(ctx context.Context, s *service) (uint64, error) {
	filter := url.Values{"application": {s.app.ID.String()}, "kind": {"frame"}, "route": {"READY"}, "limit": {"1"}}
	list, err := s.client("").Dev().Requests(ctx, filter)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].ID, nil
}

var errEnded = errors.New("see its output")

// appState returns the status of an application: online, offline, endpoint, failing or paused.
func appState(ctx context.Context, s *service, id snowflake.Application) (string, error) {
	answer, err := s.client("").Do(ctx, client.Request{Method: "GET", Path: s.url + "/_dev/applications"})
	if err != nil {
		return "", err
	}
	v, err := parseAnswer(answer)
	if err != nil {
		return "", err
	}
	for _, item := range v.Items() {
		if item.Get("id").Text() == id.String() {
			return item.Get("status").Get("state").Text(), nil
		}
	}
	return "", fmt.Errorf("the service does not list the application %v", id)
}

// output collects the output of an app. It keeps the last maxOutput bytes, and looks for a line that matches the
// pattern.
type output struct {
	pattern *regexp.Regexp // nil: none
	found   chan struct{}

	mu   sync.Mutex
	text []byte
	line []byte
	seen bool
}

// Write adds output.
func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, text...)
	if excess := len(o.text) - maxOutput; excess > 0 {
		o.text = append(o.text[:0], o.text[excess:]...)
	}
	o.look(text)
	return len(text), nil
}

// prepend adds the output of an earlier run of the app.
func (o *output) prepend(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append([]byte(text), o.text...)
}

// String returns the kept output.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.ToValidUTF8(string(o.text), "\uFFFD")
}

// look searches new output for the pattern.
func (o *output) look(text []byte) {
	if o.pattern == nil || o.seen {
		return
	}
	o.line = append(o.line, text...)
	for {
		line, rest, whole := bytes.Cut(o.line, []byte("\n"))
		if o.pattern.Match(line) {
			o.seen = true
			close(o.found)
			return
		}
		if !whole {
			break
		}
		o.line = rest
	}
	if len(o.line) > maxOutput {
		o.line = o.line[:0]
	}
}
