package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/cache"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/enginetest"
	"github.com/bellhop/bellhop/internal/events"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/metrics"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/optional"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

// server is the Redis of this test process.
var server *enginetest.Redis

func TestMain(m *testing.M) {
	var err error
	if server, err = enginetest.StartRedis(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := errors.Join(server.Stop(), goleak.Find()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// Who and what the tests speak of.
const (
	echo  snowflake.Application = 1300000000000000001
	other snowflake.Application = 1300000000000000002
	lab   snowflake.Guild       = 900000000000000001
	attic snowflake.Guild       = 900000000004194304 // on the other of two shards
	ada   snowflake.User        = 700000000000000001
	bob   snowflake.User        = 700000000000000002
	hall  snowflake.Channel     = 900000000000000010
	vault snowflake.Channel     = 900000000000000011 // for ada and Echo
)

const testWorld = `
users:
  - {id: "700000000000000001", username: ada, token: user-ada}
  - {id: "700000000000000002", username: bob, token: user-bob}
applications:
  - {id: "1300000000000000001", name: Echo, owner: "700000000000000001", bot_token: bot-echo}
  - {id: "1300000000000000002", name: Other, owner: "700000000000000002", bot_token: bot-other}
guilds:
  - id: "900000000000000001"
    name: Lab
    owner: "700000000000000001"
    channels:
      - {id: "900000000000000010", name: hall}
      - {id: "900000000000000011", name: vault, permission_overwrites: [{id: "900000000000000001", type: 0, deny: "1024"}, {id: "1300000000000000001", type: 1, allow: "1024"}]}
    members: [{user: "700000000000000002", nick: Bobby}]
    installs: [{application: "1300000000000000001", scopes: [bot]}, {application: "1300000000000000002", scopes: [bot]}]
  - id: "900000000004194304"
    name: Attic
    owner: "700000000000000001"
    installs: [{application: "1300000000000000001", scopes: [bot]}]
`

// stage is a gateway that runs, with all that it asks.
type stage struct {
	*gateway.Gateway

	bus       *events.Bus
	directory *directory.Directory
	tokens    *auth.Authenticator
	clock     *clock.Movable // the service's
	time      *clock.Movable // the gateway's
	url       string
	stop      func() // as the end of the service does
}

// open runs a gateway. Changes to its configuration come last.
func open(t testing.TB, change ...func(*gateway.Config)) *stage {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &stage{bus: &events.Bus{}, clock: clock.NewMovable(clock.System{}), time: clock.NewMovable(clock.System{})}
	states := cache.New(db, 16<<20)
	db.Subscribe(func(c *store.Change) {
		for i := range c.Events {
			s.bus.Publish(c.Events[i].Event)
		}
	})
	s.tokens = &auth.Authenticator{Store: db, Cache: states, Clock: s.clock}
	s.directory = &directory.Directory{
		Store: db, Cache: states, Clock: s.clock, IDs: snowflake.NewGenerator(0, s.clock.Now, time.Time{}), Log: log,
	}
	s.tokens.Owners = s.directory
	w, err := world.Parse("world.yaml", []byte(testWorld))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.directory.Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	policy := ratelimit.Off()
	cfg := gateway.Config{
		Directory: s.directory, Tokens: s.tokens, Bus: s.bus, Clock: s.clock, Time: s.time, Metrics: metrics.New("test"), Log: log,
		Limits:   ratelimit.Guard{Policy: &policy, Limiter: ratelimit.NewMemory(1<<10, s.clock.Now())},
		Settings: gateway.Settings{Drain: 200 * time.Millisecond},
	}
	for _, f := range change {
		f(&cfg)
	}
	s.Gateway = gateway.New(cfg)
	s.run(t)
	return s
}

// run serves the gateway until the test ends.
func (s *stage) run(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.Upgrade(w, r); errors.Is(err, socket.ErrFull) {
			w.WriteHeader(http.StatusServiceUnavailable)
		} else if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(func() {
		s.stop()
		srv.Close()
	})
	s.url = "ws" + strings.TrimPrefix(srv.URL, "http") + "/gateway/"
}

// grant gives a person's client of Echo a token.
func (s *stage) grant(t *testing.T, token string, user snowflake.User, scopes ...string) {
	t.Helper()
	err := s.tokens.Put(t.Context(), store.Credential{
		Hash: auth.Hash(token), Kind: store.BearerToken, Application: echo, User: user, Scopes: scopes,
		Expires: s.clock.Now().Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// allow gives Echo the flags for all privileged intents.
func (s *stage) allow(t testing.TB) {
	t.Helper()
	p := directory.ApplicationPatch{Intents: optional.Of[uint64](directory.LimitedIntents)}
	if _, err := s.directory.EditApplication(t.Context(), echo, p); err != nil {
		t.Fatal(err)
	}
}

// revoke ends a token.
func (s *stage) revoke(t *testing.T, token string) {
	t.Helper()
	if err := s.tokens.Revoke(t.Context(), auth.Hash(token)); err != nil {
		t.Fatal(err)
	}
}

// oneLobby is a lobby that everybody is in.
type oneLobby struct{ words chan string }

func (*oneLobby) LobbiesOf(context.Context, snowflake.Application, snowflake.User) ([][]byte, error) {
	return [][]byte{[]byte(`{"id":"5"}`)}, nil
}

func (l *oneLobby) Arrived(_ context.Context, _ snowflake.Application, user snowflake.User) error {
	l.words <- "arrived " + user.String()
	return nil
}

func (l *oneLobby) Left(_ context.Context, _ snowflake.Application, user snowflake.User) error {
	l.words <- "left " + user.String()
	return nil
}
