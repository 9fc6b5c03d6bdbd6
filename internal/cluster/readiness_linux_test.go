package cluster

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/jackc/pgx/v5"
)

func TestNodesReadiness(t *testing.T) {
	t.Parallel()
	cl := startFaultyCluster(t, 1, "--limits", "off")
	admin, err := pgx.Connect(t.Context(), cl.postgres.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = admin.Close(context.WithoutCancel(t.Context())) })
	data, err := pgx.Connect(t.Context(), cl.url)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(cl.url)
	if err != nil {
		t.Fatal(err)
	}
	database := pgx.Identifier{strings.Trim(u.Path, "/")}.Sanitize()
	for _, c := range []struct {
		reason         string
		on             *pgx.Conn
		breaks, repair string
		cut            bool // the change concerns new connections
	}{
		{
			reason: "schema too new", on: data, breaks: "INSERT INTO schema_versions (version_id, is_applied) VALUES (4711, true)",
			repair: "DELETE FROM schema_versions WHERE version_id = 4711",
		},
		{ // only the lease of the node cannot be written: an error, and no answer
			reason: "writes fail", on: data, breaks: "ALTER TABLE nodes ADD CONSTRAINT closed CHECK (false) NOT VALID",
			repair: "ALTER TABLE nodes DROP CONSTRAINT closed",
		},
		{reason: "database does not answer", on: data, breaks: "BEGIN; LOCK TABLE nodes IN EXCLUSIVE MODE", repair: "ROLLBACK"},
		{
			reason: "database read-only", on: admin, cut: true, breaks: "ALTER DATABASE " + database + " SET default_transaction_read_only = on",
			repair: "ALTER DATABASE " + database + " RESET default_transaction_read_only",
		},
		{
			reason: "database does not answer", on: admin, cut: true, breaks: "ALTER DATABASE " + database + " WITH ALLOW_CONNECTIONS false",
			repair: "ALTER DATABASE " + database + " WITH ALLOW_CONNECTIONS true",
		},
	} {
		do := func(statement string) {
			if _, err := c.on.Exec(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
			if c.cut {
				end := "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1"
				if _, err := admin.Exec(t.Context(), end, strings.Trim(u.Path, "/")); err != nil {
					t.Fatal(err)
				}
			}
		}
		cl.nodes[0].WaitReady(t, http.StatusOK)
		do(c.breaks)
		if text := cl.nodes[0].WaitReady(t, http.StatusServiceUnavailable); text != `{"status":"unavailable","reason":"`+c.reason+`"}` {
			t.Errorf("/readyz: %s, want the reason %q", text, c.reason)
		}
		do(c.repair)
		cl.nodes[0].WaitReady(t, http.StatusOK)
	}
	cl.nodes[0].StopCleanly(t)
}

// TestStartWithoutPostgres checks that a node answers while it waits for PostgreSQL, and serves when it is there.
func TestStartWithoutPostgres(t *testing.T) {
	t.Parallel()
	cl := &cluster{dir: t.TempDir()}
	cl.startEngines(t)
	cl.world = writeAppsWorld(t, cl.dir)
	if err := cl.postgres.Halt(); err != nil {
		t.Fatal(err)
	}
	early := &process{&engines.Node{Base: "http://" + freeAddress(t)}}
	started := make(chan *process)
	go func() {
		started <- start(t, "serve", "--data", filepath.Join(cl.dir, "node"), "--world", cl.world, "--postgres", cl.url, "--redis", cl.redis.URL(),
			"--listen", strings.TrimPrefix(early.Base, "http://"), "--lobby-users", "auto")
	}()
	early.waitAnswer(t)
	for path, want := range map[string]string{
		"/healthz":         `200 {"status":"ok"}`,
		"/readyz":          `503 {"status":"unavailable","reason":"starting"}`,
		"/api/v10/gateway": `503 {"message":"503: Service Unavailable","code":0}`,
	} {
		status, text, err := early.Send(t.Context(), http.MethodGet, path, "", "")
		if got := fmt.Sprint(status, " ", text); err != nil || got != want {
			t.Errorf("%s without PostgreSQL: %s %v, want %s", path, got, err, want)
		}
	}
	if err := cl.postgres.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var p *process
	select {
	case p = <-started:
	case <-time.After(30 * time.Second):
		t.Fatal("the node does not serve 30 s after PostgreSQL was started")
	}
	for _, path := range []string{"/readyz", "/api/v10/gateway"} { // the first requests after the line are served
		if status, text, err := p.Send(t.Context(), http.MethodGet, path, "", ""); err != nil || status != http.StatusOK {
			t.Errorf("%s with PostgreSQL: %d %s %v", path, status, text, err)
		}
	}
	p.StopCleanly(t)
}

// waitAnswer waits until the process answers at all.
func (p *process) waitAnswer(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		_, _, err := p.Send(t.Context(), http.MethodGet, "/healthz", "", "")
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not answer after 30 s: %v", p.Base, err)
		}
	}
}
