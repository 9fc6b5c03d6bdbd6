package bellhoptest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/snowflake"
)

// Server is a Bellhop that runs in a test. It is safe for concurrent use.
type Server struct {
	// URL is the address of the service, without a trailing slash.
	URL string
	// BaseURL is the address of the API, for the configuration of a bot.
	BaseURL string
	// World is the world that the service started with, with all defaults filled in.
	World World

	http *http.Client
	bots map[snowflake.Application]string
	keys map[snowflake.User]string
}

// Config has the options of a server. Start uses the defaults.
type Config struct {
	World World
	// Limits turns on the rate limits of production. The daily limit of created commands is always on.
	Limits bool
	// FailOnGaps fails the test at its end if the bot has called an operation of Discord that the service does not have. Without it,
	// such operations are only logged.
	FailOnGaps bool
	// Log receives a JSON line for each request. Nil turns the log off.
	Log io.Writer
	// Traffic receives every request, delivery and gateway payload as a line of JSON. Nil turns this off.
	Traffic io.Writer
}

// Start runs a server with a world until the test ends. Rate limits are off; use Fault to test one.
func Start(t testing.TB, w World) *Server {
	t.Helper()
	return Config{World: w}.Start(t)
}

// Start runs a server until the test ends.
func (cfg Config) Start(t testing.TB) *Server {
	t.Helper()
	full, err := cfg.World.complete()
	if err != nil {
		t.Fatalf("bellhoptest: the world: %v", err)
	}
	w, err := convert[World](full)
	if err != nil {
		t.Fatalf("bellhoptest: %v", err)
	}
	log := slog.New(slog.DiscardHandler)
	if cfg.Log != nil {
		log = slog.New(slog.NewJSONHandler(cfg.Log, nil))
	}
	limits := ratelimit.Default()
	if !cfg.Limits {
		limits = ratelimit.Off()
		limits.Creates = ratelimit.Default().Creates
	}
	ctx := t.Context()
	srv, err := server.Open(ctx, server.Config{
		Clock: clock.System{}, Data: t.TempDir(), World: &full, Dev: true, AllIntents: true, Volatile: true, Version: "test", Log: log, Limits: limits,
		Traffic: cfg.Traffic,
	})
	if err != nil {
		t.Fatalf("bellhoptest: %v", err)
	}
	s := &Server{World: w, bots: botTokens(w, srv.Applied), keys: userTokens(w, srv.Applied)}
	if err := s.run(t, srv); err != nil {
		t.Fatalf("bellhoptest: %v", err)
	}
	t.Cleanup(func() { s.reportGaps(t, cfg.FailOnGaps) }) // before the server stops
	return s
}

// reportGaps logs the operations of Discord that were called and that the service does not have.
func (s *Server) reportGaps(t testing.TB, fail bool) {
	t.Helper()
	filter := url.Values{"kind": {"request"}, "status": {"404"}, "limit": {"1000"}}
	list, err := s.client("").Dev().Requests(context.WithoutCancel(t.Context()), filter)
	if err != nil {
		t.Errorf("bellhoptest: %v", err)
	}
	var names []string
	for i := range list {
		names = append(names, list[i].Gap)
	}
	slices.Sort(names)
	if names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" }); len(names) == 0 {
		return
	}
	report := t.Logf
	if fail {
		report = t.Errorf
	}
	report("bellhoptest: gaps: Bellhop does not serve %s; see docs/parity.md", strings.Join(names, ", "))
}

// run serves on a free port until the test ends.
func (s *Server) run(t testing.TB, srv *server.Server) error {
	t.Helper()
	// The context of the test ends before its cleanup functions run, so the server needs another one.
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		cancel()
		return fmt.Errorf("%w, and %w", err, srv.Close(context.WithoutCancel(ctx)))
	}
	s.URL = "http://" + ln.Addr().String()
	s.BaseURL = s.URL + "/api/v10"
	srv.SetURL(s.URL)
	done := make(chan error, 1)
	go func() { done <- srv.Run(ctx, ln) }()
	transport := &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute}
	s.http = &http.Client{Transport: transport}
	stop := sync.OnceFunc(func() {
		transport.CloseIdleConnections()
		cancel()
		if err := <-done; err != nil {
			t.Errorf("bellhoptest: %v", err)
		}
		if err := srv.Close(context.WithoutCancel(ctx)); err != nil {
			t.Errorf("bellhoptest: %v", err)
		}
	})
	t.Cleanup(stop)
	return nil
}

// client returns a client that sends the given Authorization header.
func (s *Server) client(authorization string) *client.Client {
	return &client.Client{BaseURL: s.BaseURL, Authorization: authorization, HTTP: s.http}
}
