package postgres_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"

	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store/postgres"
	"github.com/bellhop/bellhop/internal/testkit/engines"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(withServer{m}) }

// withServer stops the server that tests share before goleak checks for goroutines.
type withServer struct{ *testing.M }

func (m withServer) Run() int {
	// The longest tests wait for a server that does not answer. More of them than there are processors run at a time, unless
	// the command line says otherwise.
	if err := flag.Set("test.parallel", "6"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.M.Run()
	if shared.server == nil {
		return code
	}
	if err := shared.server.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// shared is the server of all tests that do not break their server.
var shared struct {
	once   sync.Once
	server *engines.Postgres
	empty  string // a database with the schema and no records
	err    error

	mu   sync.Mutex
	free []string // databases of finished tests, which are empty again
}

// startShared starts the shared server and returns a database with the schema.
func startShared(ctx context.Context) (url string, err error) {
	if shared.server, err = engines.StartPostgres(ctx, engines.Quick...); err != nil {
		return "", err
	}
	if url, err = shared.server.Database(ctx); err != nil {
		return "", err
	}
	db, err := postgres.Open(ctx, url, clock.System{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", err
	}
	return url, db.Close()
}

// database returns the URL of an empty database that no other test uses.
func database(t testing.TB) string {
	t.Helper()
	engines.Need(t, "postgres")
	shared.once.Do(func() { shared.empty, shared.err = startShared(context.WithoutCancel(t.Context())) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	url, err := takeDatabase(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shared.server.Empty(context.WithoutCancel(t.Context()), url); err != nil {
			t.Error(err)
		}
		shared.mu.Lock()
		defer shared.mu.Unlock()
		shared.free = append(shared.free, url)
	})
	return url
}

func takeDatabase(ctx context.Context) (string, error) {
	shared.mu.Lock()
	if n := len(shared.free); n > 0 {
		defer shared.mu.Unlock()
		url := shared.free[n-1]
		shared.free = shared.free[:n-1]
		return url, nil
	}
	shared.mu.Unlock()
	return shared.server.Copy(ctx, shared.empty)
}

// ownServer returns a server that a test may break, and an empty database of it.
func ownServer(t *testing.T) (*engines.Postgres, string) {
	t.Helper()
	engines.Need(t, "postgres")
	server, err := engines.StartPostgres(t.Context(), engines.Quick...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	url, err := server.Database(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return server, url
}

// through returns a proxy to the server of a URL, and the URL through it.
func through(t testing.TB, addr, url string) (*engines.Proxy, string) {
	t.Helper()
	p, err := engines.StartProxy(t.Context(), addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	proxied, err := p.URL(url)
	if err != nil {
		t.Fatal(err)
	}
	return p, proxied
}

// open opens a database. Calls may take longer than by default, so that a busy machine does not change a result.
func open(t testing.TB, url string) *postgres.DB {
	t.Helper()
	return openAt(t, url, clock.System{})
}

// openAt opens a database like open, for a node with its own clock.
func openAt(t testing.TB, url string, wall clock.Clock) *postgres.DB {
	t.Helper()
	return openWith(t, url+"&statement_timeout=10000", wall)
}

// openPlain opens a database with the settings of its URL, for tests of a server that does not answer.
func openPlain(t testing.TB, url string) *postgres.DB {
	t.Helper()
	return openWith(t, url, clock.System{})
}

func openWith(t testing.TB, url string, wall clock.Clock) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, wall, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("Close() = %v", err)
		}
	})
	return db
}
