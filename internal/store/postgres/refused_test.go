package postgres_test

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// TestOpenRefused opens databases that the server refuses, directly and through a pooler. Open must not try again.
func TestOpenRefused(t *testing.T) {
	t.Parallel()
	b, direct := pooler(t), database(t)
	pooled, err := b.URL(direct)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, base, user, database string }{
		{"role", direct, "stranger", ""},
		{"database", direct, "", "missing"},
		{"database behind PgBouncer", pooled, "", "missing"},
	} {
		u, err := url.Parse(tt.base)
		if err != nil {
			t.Fatal(err)
		}
		if tt.user != "" {
			u.User = url.User(tt.user)
		}
		if tt.database != "" {
			u.Path = "/" + tt.database
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		_, err = postgres.Open(ctx, u.String(), clock.System{}, slog.New(slog.DiscardHandler))
		if ctx.Err() != nil || err == nil || !strings.Contains(err.Error(), "the server refuses the user, the password or the database") {
			t.Errorf("%s: Open() = %v, and the context has %v; want a refusal at once", tt.name, err, ctx.Err())
		}
		cancel()
	}
}

// hurriedClock is the system's clock whose elapsed time grows by a minute with each look.
type hurriedClock struct {
	clock.System

	elapsed *time.Duration
}

func (c hurriedClock) Elapsed() time.Duration { *c.elapsed += time.Minute; return *c.elapsed }

// TestOpenBounded opens a database whose server does not run. Open gives up after two minutes.
func TestOpenBounded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := postgres.Open(ctx, "postgres://bellhop@127.0.0.1:1/bellhop?sslmode=disable", hurriedClock{elapsed: new(time.Duration)}, slog.New(slog.DiscardHandler))
	if ctx.Err() != nil || err == nil || !strings.Contains(err.Error(), "the server did not answer within 2m0s") {
		t.Errorf("Open() = %v, want an error after two minutes", err)
	}
}

// TestOpenWaitsBehindPgBouncer opens a database while the server behind a pooler does not run yet.
func TestOpenWaitsBehindPgBouncer(t *testing.T) {
	t.Parallel()
	engines.Long(t)
	engines.Need(t, "pgbouncer")
	server, direct := ownServer(t)
	b, err := engines.StartPgBouncer(t.Context(), server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Stop(); err != nil {
			t.Error(err)
		}
	})
	pooled, err := b.URL(direct)
	if err != nil {
		t.Fatal(err)
	}
	opensAfterStart(t, server, pooled, 3*time.Second)
}
