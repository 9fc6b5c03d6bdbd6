package compat_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// botProgram is a bot with one library: a Go package in bots/ or a script in node/bots/.
type botProgram struct {
	name   string // of the program and of its application
	source string
	// noPermissionsEvent means that the library has no event for command permissions.
	noPermissionsEvent bool
}

// bots lists the bots under test.
var bots = []botProgram{
	{name: "discordgo", source: "bots/discordgo/main.go"},
	{name: "disgo", source: "bots/disgo/main.go"},
	{name: "arikawa", source: "bots/arikawa/main.go", noPermissionsEvent: true},
	{name: "discordjs", source: "node/bots/discordjs.mjs"},
	{name: "core", source: "node/bots/core.mjs"},
	{name: "oceanic", source: "node/bots/oceanic.mjs"},
	{name: "eris", source: "node/bots/eris.mjs"},
	{name: "discordeno", source: "node/bots/discordeno.mjs"},
	{name: "slash-create", source: "node/bots/slash-create.mjs", noPermissionsEvent: true},
	{name: "seyfert", source: "node/bots/seyfert.mjs"},
	{name: "discordpy", source: "bots/discordpy.py"},
}

// library returns the name of the bot's library.
func (b botProgram) library() string {
	switch b.name {
	case "core":
		return "@discordjs/rest"
	case "discordpy":
		return "discord.py"
	}
	for _, p := range programs {
		if p.name == b.name {
			return p.reportedName()
		}
	}
	return b.name
}

// botCommands are the commands that every bot answers.
const botCommands = `[
	{"name":"ping","description":"Answer"},
	{"name":"find","description":"Suggest","options":[{"type":3,"name":"what","description":"What","autocomplete":true,"required":true}]},
	{"name":"slow","description":"Answer later"},
	{"name":"form","description":"Ask back"},
	{"name":"Greet","type":2},
	{"name":"Quote","type":3}
]`

// TestBots runs bots that log in, answer a user in every way, receive changes of permissions, and resume after their
// connections were cut.
func TestBots(t *testing.T) {
	t.Parallel()
	binaries := build(t, ".", "compat/bots", "./bots/discordgo", "./bots/disgo", "./bots/arikawa")
	installPackages(t)
	s := startService(t)
	for i, b := range bots {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			b.check(t, s, botApplication(i), binaries)
		})
	}
}

func (b botProgram) check(t *testing.T, s *service, app, binaries string) {
	t.Helper()
	commands := s.register(t, app)
	plain, secured := newProxy(t, s.origin), newProxy(t, s.secured)
	bot := b.start(t, binaries, app, plain.url("http"), secured.url("https"), s.certificate)
	bot.wait("ready")
	user := s.connectUser(t, app, commands)

	pong := user.use("ping", `{}`)
	user.checkContent(pong, "pong")
	user.checkSuggestion("find", "so", "found so", "so!")
	user.checkContent(user.use("find", `{"options":[{"type":3,"name":"what","value":"so!"}]}`), "chose so!")
	user.checkContent(user.use("Greet", `{"target_id":"`+guest+`"}`), "greeted bob")
	user.checkContent(user.use("Quote", `{"target_id":"`+pong.ID+`"}`), "quoted pong")
	user.submitModal("form", "hello Ada")
	later := user.use("slow", `{}`)
	if later.Flags&128 == 0 {
		t.Errorf("a deferred answer has flags %d, want the flag 128 (loading)", later.Flags)
	}
	user.checkDeferred(later, "done", "and more")

	line := s.permit(t, app, commands["ping"].ID)
	if !b.noPermissionsEvent {
		bot.wait(line)
	}
	if b.name == "discordpy" {
		bot.wait(line) // the bot prints it again after it has read the permissions
	}

	plain.cut()
	secured.cut()
	bot.wait("resumed")
	user.checkContent(user.use("ping", `{}`), "pong")
}

// permit sets the permissions of a command and returns the line that a bot prints when it receives the event.
func (s *service) permit(t *testing.T, app, command string) string {
	t.Helper()
	body := fmt.Sprintf(`{"permissions":[{"id":%q,"type":1,"permission":false},{"id":%q,"type":2,"permission":true},{"id":%q,"type":3,"permission":true}]}`,
		guild, guest, channel)
	s.call(t, http.MethodPut, "/api/v10/applications/"+app+"/guilds/"+guild+"/commands/"+command+"/permissions", "Bearer "+s.userBearerToken(t, app), body, nil)
	return fmt.Sprintf("permissions %s 1/%s/false,2/%s/true,3/%s/true", command, guild, guest, channel)
}

// botRun is a running bot.
type botRun struct {
	t     *testing.T
	lines chan string
	log   *lockedBuffer
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// start runs the bot until the test ends.
func (b botProgram) start(t *testing.T, binaries, app, plain, secured, certificate string) *botRun {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, filepath.Join(binaries, b.name))
	switch filepath.Ext(b.source) {
	case ".mjs":
		cmd = exec.CommandContext(ctx, "node", b.source)
	case ".py":
		cmd = exec.CommandContext(ctx, "/usr/bin/python3", b.source) // the interpreter of Debian's packages
	}
	cmd.Env = append(os.Environ(), "BELLHOP_URL="+plain, "BELLHOP_TLS_URL="+secured, "NODE_EXTRA_CA_CERTS="+certificate,
		"BELLHOP_APPLICATION_ID="+app, "BELLHOP_GUILD_ID="+guild, "BELLHOP_BOT_TOKEN="+botToken(app))
	run := &botRun{t, make(chan string, 100), &lockedBuffer{}}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = run.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer close(run.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			select {
			case run.lines <- lines.Text():
			case <-ctx.Done():
			}
		}
		_ = cmd.Wait() // the cleanup kills the bot, so the exit code has no meaning
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		if t.Failed() {
			t.Logf("the bot printed on stderr:\n%s", run.log)
		}
	})
	return run
}

// wait waits until the bot prints a line.
func (r *botRun) wait(want string) {
	r.t.Helper()
	late, last := time.After(30*time.Second), "nothing"
	for {
		select {
		case line, ok := <-r.lines:
			if !ok {
				r.t.Fatalf("the bot ended before it printed %s; the last line was %s", want, last)
			}
			if line == want {
				return
			}
			last = line
		case <-late:
			r.t.Fatalf("the bot did not print %s within 30 s; the last line was %s", want, last)
		}
	}
}

// proxy forwards connections between a bot and the service, so that a test can cut them.
type proxy struct {
	ln      net.Listener
	mu      sync.Mutex
	to      string
	pairs   map[net.Conn]net.Conn
	workers sync.WaitGroup
	last    atomic.Int64 // when data was forwarded last, in nanoseconds
}

// timedConn records the time of the last write to a connection.
type timedConn struct {
	net.Conn

	at *atomic.Int64
}

func (c timedConn) Write(b []byte) (int, error) {
	c.at.Store(time.Now().UnixNano())
	return c.Conn.Write(b)
}

// newProxy forwards connections to the host of an address until the test ends.
func newProxy(t *testing.T, address string) *proxy {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{ln: ln, pairs: map[net.Conn]net.Conn{}}
	p.forwardTo(address)
	p.workers.Go(p.accept)
	t.Cleanup(func() {
		_ = ln.Close()
		p.close()
		p.workers.Wait()
	})
	return p
}

// forwardTo sets the host to which new connections go.
func (p *proxy) forwardTo(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, p.to, _ = strings.Cut(address, "://")
}

func (p *proxy) target() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.to
}

func (p *proxy) url(scheme string) string { return scheme + "://" + p.ln.Addr().String() }

func (p *proxy) accept() {
	for {
		in, err := p.ln.Accept()
		if err != nil {
			return
		}
		out, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.target())
		if err != nil {
			_ = in.Close()
			continue
		}
		p.mu.Lock()
		p.pairs[in] = out
		p.mu.Unlock()
		for _, direction := range [][2]net.Conn{{in, out}, {out, in}} {
			p.workers.Go(func() {
				_, _ = io.Copy(timedConn{direction[0], &p.last}, direction[1]) // one end is closed; then close the other
				_ = direction[0].Close()
				_ = direction[1].Close()
			})
		}
	}
}

// quiet is the time for which the connections must be idle before they are cut. Otherwise a library would repeat a
// running request, which this test does not cover.
const quiet = 300 * time.Millisecond

// cut closes every connection while all are idle.
func (p *proxy) cut() {
	for rest := quiet; rest > 0; rest = quiet - time.Since(time.Unix(0, p.last.Load())) {
		<-time.After(rest)
	}
	p.close()
}

func (p *proxy) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for in, out := range p.pairs {
		_ = in.Close()
		_ = out.Close()
	}
	clear(p.pairs)
}

// registered is a command as the service returns it.
type registered struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Type    int    `json:"type"`
	Version string `json:"version"`
}

// register registers the commands of the bots for an application.
func (s *service) register(t *testing.T, app string) map[string]registered {
	t.Helper()
	var list []registered
	s.call(t, http.MethodPut, "/api/v10/applications/"+app+"/guilds/"+guild+"/commands", "Bot "+botToken(app), botCommands, &list)
	byName := map[string]registered{}
	for _, c := range list {
		byName[c.Name] = c
	}
	return byName
}

// call sends a request that has to succeed.
func (s *service) call(t *testing.T, method, path, authorization, body string, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.origin+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", authorization)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %s %v", method, path, answer.Status, text, err)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%s %s: %s: %v", method, path, text, err)
		}
	}
}

// botApplication returns the id of the application of a bot.
func botApplication(index int) string { return strconv.Itoa(firstApplication + 1000 + index) }
