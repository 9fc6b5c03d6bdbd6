package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/directory"
	"github.com/bellhop/bellhop/internal/directory/convert"
	"github.com/bellhop/bellhop/internal/gateway"
	"github.com/bellhop/bellhop/internal/gateway/socket"
	"github.com/bellhop/bellhop/internal/metrics"
	"github.com/bellhop/bellhop/internal/provision"
	"github.com/bellhop/bellhop/internal/store/cache"
	"github.com/bellhop/bellhop/internal/store/events"
	"github.com/bellhop/bellhop/internal/testkit/engines"

	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/world"
	"github.com/bellhop/bellhop/snowflake"
	"go.uber.org/goleak"
)

// server is the Redis server of this test process.
var server engines.SharedRedis

func TestMain(m *testing.M) {
	code := m.Run()
	if err := errors.Join(server.Stop(), goleak.Find()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// Ids in the tests.
const (
	echo  snowflake.Application = 1300000000000000001
	other snowflake.Application = 1300000000000000002
	lab   snowflake.Guild       = 900000000000000001
	attic snowflake.Guild       = 900000000004194304 // on the other of two shards
	ada   snowflake.User        = 700000000000000001
	bob   snowflake.User        = 700000000000000002
	hall  snowflake.Channel     = 900000000000000010
	vault snowflake.Channel     = 900000000000000011 // only Ada and Echo can see it
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

// harness is a running gateway with its dependencies.
type harness struct {
	*gateway.Gateway

	bus       *events.Bus
	store     store.Store
	directory *directory.Directory
	tokens    *auth.Authenticator
	clock     *clock.Movable // the service's clock, by which sessions are retained
	time      *clock.Movable // the gateway's ExpiryClock
	url       string
	stop      func() // like a shutdown of the service
}

// open starts a gateway. Functions can change its configuration.
func open(t testing.TB, change ...func(*gateway.Config)) *harness {
	t.Helper()
	return openOn(t, func(db store.Store) store.Store { return db }, change...)
}

// openOn is like open, with a store that wrap returns.
func openOn(t testing.TB, wrap func(store.Store) store.Store, change ...func(*gateway.Config)) *harness {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.OpenVolatile(t.Context(), filepath.Join(t.TempDir(), "bellhop.db"), clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s := &harness{bus: &events.Bus{}, store: wrap(db), clock: clock.NewMovable(clock.System{}), time: clock.NewMovable(clock.System{})}
	states := cache.New(s.store, 16<<20)
	db.Subscribe(func(c *store.Change) {
		for i := range c.Events {
			s.bus.Publish(c.Events[i].Event)
		}
	})
	s.directory = directory.New(directory.Config{
		Store: s.store, Cache: states, Clock: s.clock, IDs: store.NewIDs(0, s.clock.Now, time.Time{}), Log: log,
	})
	s.tokens = &auth.Authenticator{Records: s.directory.Credentials, Clock: s.clock}
	w, err := world.Parse("world.yaml", []byte(testWorld))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.provision().Apply(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	policy := ratelimit.Off()
	cfg := gateway.Config{
		Directory: s.directory, Tokens: s.tokens, Bus: s.bus, Clock: s.clock, Wall: clock.System{}, ExpiryClock: s.time, Metrics: metrics.New("test"), Log: log,
		Limits:   ratelimit.Guard{Policy: &policy, Limiter: ratelimit.NewMemory(1<<10, s.clock.Now())},
		Settings: gateway.Settings{DrainTimeout: 200 * time.Millisecond},
	}
	for _, f := range change {
		f(&cfg)
	}
	s.Gateway = gateway.New(cfg)
	s.run(t)
	return s
}

// run serves the gateway until the test ends.
func (s *harness) run(t testing.TB) {
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
		if err := s.Upgrade(w, r, netip.MustParseAddrPort(r.RemoteAddr).Addr()); errors.Is(err, socket.ErrFull) {
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

// grant stores an access token of a user for Echo.
func (s *harness) grant(t *testing.T, token string, user snowflake.User, scopes ...string) {
	t.Helper()
	c := store.Credential{
		Hash: auth.Hash(token), Kind: store.BearerToken, Application: echo, User: user, Scopes: scopes,
		Expires: s.clock.Now().Add(time.Hour),
	}
	err := store.Decide(t.Context(), s.store, func(tx *store.Tx) error { return tx.Put(c) })
	if err != nil {
		t.Fatal(err)
	}
}

// allow sets Echo's flags for all privileged intents.
func (s *harness) allow(t testing.TB) {
	t.Helper()
	if err := store.Decide(t.Context(), s.store, func(tx *store.Tx) error {
		app, err := tx.Directory.Application(echo)
		if err != nil {
			return err
		}
		app.Intents = convert.LimitedIntents
		return tx.Put(app)
	}); err != nil {
		t.Fatal(err)
	}
}

// revoke revokes a token.
func (s *harness) revoke(t *testing.T, token string) {
	t.Helper()
	if err := store.Decide(t.Context(), s.store, func(tx *store.Tx) error { return auth.Revoke(tx, auth.Hash(token)) }); err != nil {
		t.Fatal(err)
	}
}

// oneLobby is a fake of lobbies with one lobby that all users are in. It records calls.
type oneLobby struct{ calls chan string }

func (*oneLobby) LobbiesOf(context.Context, snowflake.Application, snowflake.User) ([][]byte, error) {
	return [][]byte{[]byte(`{"id":"5"}`)}, nil
}

func (l *oneLobby) ClientConnected(_ context.Context, _ snowflake.Application, user snowflake.User) error {
	l.calls <- "connected " + user.String()
	return nil
}

func (l *oneLobby) ClientDisconnected(_ context.Context, _ snowflake.Application, user snowflake.User) error {
	l.calls <- "disconnected " + user.String()
	return nil
}

// provision returns what writes worlds to the directory.
func (s *harness) provision() *provision.Provisioner {
	return &provision.Provisioner{Directory: s.directory, Clock: s.clock}
}
