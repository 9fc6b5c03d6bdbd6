package scenario_test

import (
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bellhop/bellhop/client"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/ratelimit"
	"github.com/bellhop/bellhop/internal/server"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/bellhop/bellhop/internal/tools/scenario"
	"github.com/bellhop/bellhop/internal/world"
)

// openServer opens a service in process. Its clock is slow, so an app is never too late on a busy machine.
func openServer(ctx context.Context, w *world.World, folder string, limited bool) (*scenario.Server, error) {
	limits := ratelimit.Off()
	if limited {
		limits = ratelimit.Default()
	}
	srv, err := server.Open(ctx, server.Config{
		Clock: engines.NewSlowClock(), Data: folder, World: w, Dev: true, Volatile: true, Version: "test", Log: slog.New(slog.DiscardHandler), Limits: limits,
	})
	if err != nil {
		return nil, err
	}
	return &scenario.Server{
		Secrets: client.Secrets{BotTokens: reveal(srv.Applied.BotTokens), UserTokens: reveal(srv.Applied.UserTokens)},
		Serve:   func(ctx context.Context, ln net.Listener) error { return srv.Run(ctx, ln) },
		Close:   srv.Close,
	}, nil
}

func reveal[K comparable](secrets map[K]auth.Secret) map[K]string {
	texts := map[K]string{}
	for id, secret := range secrets {
		texts[id] = secret.Reveal()
	}
	return texts
}

// write writes a file into a new folder and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// parse writes a scenario file into a new folder and reads it. Its steps wait for 30 s, unless it has another timeout.
func parse(t *testing.T, text string) *scenario.File {
	t.Helper()
	f, err := scenario.Load(write(t, "scenarios.yaml", text))
	if err != nil {
		t.Fatal(err)
	}
	if f.Timeout == 0 {
		f.Timeout = scenario.Duration(30 * time.Second)
	}
	return f
}

// runFiles runs scenario files.
func runFiles(t *testing.T, files ...*scenario.File) []scenario.Result {
	t.Helper()
	return runFilesWith(t, clock.System{}, files...)
}

// runFilesWith runs scenario files. Expectations are awaited for the timeout of the file by the given clock.
func runFilesWith(t *testing.T, c clock.Clock, files ...*scenario.File) []scenario.Result {
	t.Helper()
	r := scenario.Runner{Open: openServer, Clock: c}
	results, err := r.Run(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	return results
}
