package server

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/oauth"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/testkit/rules"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	echo  = "1300000000000000001"
	token = "bot-V7mQ2xK9tR4zL8pW3n-1"
)

func testWorld(t *testing.T) *world.World {
	t.Helper()
	w, err := world.Parse("world.yaml", []byte(`
users: [{id: "700000000000000001", username: ada}]
applications: [{id: "`+echo+`", name: Echo, owner: "700000000000000001", bot_token: `+token+`, client_secret: client-P4wZ9gT1uM7eY5hC8q}]
`))
	if err != nil {
		t.Fatal(err)
	}
	return &w
}

// lines is a log that is safe for concurrent use.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// running is a running server.
type running struct {
	base    string
	log     *lines
	stop    func() error // stops the server as SIGTERM does
	secured string       // URL over TLS
	server  *Server
}

// runServer runs a server, and one TLS listener for each certificate.
func runServer(t *testing.T, cfg Config, certificates ...tls.Certificate) running {
	t.Helper()
	log := &lines{}
	cfg.Log = slog.New(slog.NewJSONHandler(log, nil))
	cfg.Clock, cfg.Limits, cfg.Traffic = clock.System{}, ratelimit.Off(), rules.Recording()
	srv, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	r := running{base: "http://" + ln.Addr().String(), log: log, server: srv}
	var secured []TLSListener
	for _, c := range certificates {
		ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		secured = append(secured, TLSListener{Listener: ln, Config: &tls.Config{Certificates: []tls.Certificate{c}}})
		r.secured = "https://" + ln.Addr().String()
	}
	go func() { done <- srv.Run(ctx, ln, secured...) }()
	r.stop = sync.OnceValue(func() error {
		cancel()
		err := <-done
		http.DefaultClient.CloseIdleConnections()
		if closeErr := srv.Close(context.WithoutCancel(ctx)); err == nil {
			err = closeErr
		}
		return err
	})
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func ask(t *testing.T, method, url string, body io.Reader) (int, string) {
	t.Helper()
	return askAs(t, "Bot "+token, method, url, body)
}

func askAs(t *testing.T, authorization, method, url string, body io.Reader) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", authorization)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestRestartKeepsCommands(t *testing.T) {
	t.Parallel()
	cfg := Config{Data: t.TempDir(), World: testWorld(t)}
	first := runServer(t, cfg)
	status, created := ask(t, "POST", first.base+"/api/v10/applications/"+echo+"/commands", strings.NewReader(`{"name":"roll","description":"x"}`))
	if status != 201 {
		t.Fatalf("create: %d %s", status, created)
	}
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	again := runServer(t, cfg)
	status, list := ask(t, "GET", again.base+"/api/v10/applications/"+echo+"/commands?with_localizations=true", nil)
	if status != 200 || list != "["+created+"]" {
		t.Errorf("after a restart: %d %s, want %s", status, list, created)
	}
}

// TestStopFinishesRequests sends half of a request, stops the server, and sends the rest.
func TestStopFinishesRequests(t *testing.T) {
	t.Parallel()
	r := runServer(t, Config{Data: t.TempDir(), World: testWorld(t)})
	address := strings.TrimPrefix(r.base, "http://")
	conn := dialTo(t, address)
	body := `{"name":"roll","description":"x"}`
	write := func(text string) {
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
	}
	write("POST /api/v10/applications/" + echo + "/commands HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
		"Authorization: Bot " + token + "\r\nExpect: 100-continue\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n")
	answer := bufio.NewReader(conn)
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("the server answers %q, %v, want 100 Continue", line, err)
	}
	write(body[:10])
	stopped := make(chan error, 1)
	go func() { stopped <- r.stop() }()
	for { // until new connections are refused
		other, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			break
		}
		_ = other.Close()
		clock.Wait(t.Context(), clock.System{}, time.Millisecond)
	}
	write(body[10:])
	if _, err := answer.ReadString('\n'); err != nil { // the empty line after 100 Continue
		t.Fatal(err)
	}
	if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "201 Created") {
		t.Errorf("a request in progress was answered %q, %v, want 201", line, err)
	}
	if err := <-stopped; err != nil {
		t.Errorf("stop = %v", err)
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	r := runServer(t, Config{Data: t.TempDir(), World: testWorld(t), Dev: true})
	url := r.base + "/api/v10/applications/" + echo + "/commands"
	ask(t, "POST", url, strings.NewReader(`{"name":"roll","description":"x"}`))
	_, minted := ask(t, "POST", r.base+"/_dev/token", strings.NewReader(`{"application":"`+echo+`"}`))
	access := strings.Split(minted, `"`)[3]
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	log := r.log.String()
	for _, want := range []string{
		`"msg":"request"`, `"method":"POST"`, `"route":"/applications/{application_id}/commands"`, `"status":201`,
		`"took":`, `"application":"` + echo + `"`, `"request_id":`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s:\n%s", want, log)
		}
	}
	for _, secret := range []string{token, "hush", access} {
		if strings.Contains(log, secret) {
			t.Errorf("the log contains the secret %q", secret)
		}
	}
}

// setClock is a clock that the test sets, also backwards.
type setClock struct {
	clock.System

	mu  sync.Mutex
	now time.Time
}

func (j *setClock) Now() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.now
}

func (j *setClock) set(t time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.now = t
}

// TestIDsNeverRepeat runs processes that die or stop. The clock of each next one is set back.
func TestIDsNeverRepeat(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), DatabaseFile), clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	now := &setClock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	seen := map[uint64]bool{}
	for round, end := range []string{"dies", "stops", "dies", "stops"} {
		l := &lease{store: db, clock: now, wall: clock.System{}, holder: "holder", log: log}
		if err := l.take(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 5000 {
			id := l.ids.Next()
			if seen[id] {
				t.Fatalf("round %d makes the id %d again", round, id)
			}
			seen[id] = true
		}
		if end == "stops" {
			if err := l.release(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		now.set(now.Now().Add(-time.Minute))
	}
}

func TestAdvanceMovesIDs(t *testing.T) {
	t.Parallel()
	r := runServer(t, Config{Data: t.TempDir(), World: testWorld(t), Dev: true})
	url := r.base + "/api/v10/applications/" + echo + "/commands"
	_, before := ask(t, "POST", url, strings.NewReader(`{"name":"a","description":"x"}`))
	if status, text := ask(t, "POST", r.base+"/_dev/clock", strings.NewReader(`{"advance":"720h"}`)); status != 200 {
		t.Fatalf("advance: %d %s", status, text)
	}
	_, after := ask(t, "POST", url, strings.NewReader(`{"name":"b","description":"x"}`))
	if got := idTime(t, after).Sub(idTime(t, before)); got < 719*time.Hour {
		t.Errorf("ids are %v apart after the clock moved 720h", got)
	}
}

// idTime returns the time in the id of a command.
func idTime(t *testing.T, answer string) time.Time {
	t.Helper()
	var c struct {
		ID snowflake.Command `json:"id"`
	}
	if err := json.Unmarshal([]byte(answer), &c); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	return c.ID.Time()
}

// TestPublishedTokensAreRefused checks that the tokens and client secrets of the demo world are refused without dev
// controls, also when the data folder was filled with dev controls.
func TestPublishedTokensAreRefused(t *testing.T) {
	t.Parallel()
	demo, data := world.Demo(), t.TempDir()
	for _, dev := range []bool{true, false} {
		cfg := Config{
			Clock: clock.System{}, Data: data, Dev: dev, Version: "test", Log: slog.New(slog.DiscardHandler),
			Limits: ratelimit.Off(),
		}
		if dev {
			cfg.World = &demo
		}
		s, err := Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		for _, header := range []string{demo.Users[0].Token, "Bot " + demo.Applications[0].BotToken} {
			if _, err := s.tokens.Authenticate(t.Context(), header); (err == nil) != dev {
				t.Errorf("dev %v: Authenticate(%q) = %v", dev, header, err)
			}
		}
		_, err = s.oauth.Token(t.Context(), oauth.TokenRequest{
			GrantType: "client_credentials", Scope: "identify",
			Client: oauth.Client{ID: demo.Applications[0].ID.String(), Secrets: []string{demo.Applications[0].ClientSecret}},
		})
		if (err == nil) != dev {
			t.Errorf("dev %v: a token for the client secret of the demo: %v", dev, err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWeakTokens checks that a world with tokens that can be guessed is refused in production and accepted with dev
// controls.
func TestWeakTokens(t *testing.T) {
	t.Parallel()
	w, err := world.Parse("world.yaml", []byte(`users: [{id: "700000000000000001", username: ada, token: x}]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, dev := range []bool{true, false} {
		s, err := Open(t.Context(), Config{
			Clock: clock.System{}, Data: t.TempDir(), Volatile: true, World: &w, Dev: dev, Version: "test", Log: slog.New(slog.DiscardHandler),
			Limits: ratelimit.Off(),
		})
		if err == nil {
			err = s.Close(t.Context())
		} else if !strings.Contains(err.Error(), "users.0.token") {
			t.Errorf("error %v does not name the token", err)
		}
		if dev != (err == nil) {
			t.Errorf("dev %v: Open() = %v", dev, err)
		}
	}
}
