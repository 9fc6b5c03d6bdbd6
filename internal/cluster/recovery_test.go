package cluster

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
	"github.com/jackc/pgx/v5"
)

// TestPointInTimeRecovery recovers PostgreSQL from a base backup and its write-ahead log, as docs/backup.md describes. Writes from
// before and after the base backup must be there, a write after the chosen time must not, and the data must be sound.
func TestPointInTimeRecovery(t *testing.T) {
	t.Parallel()
	cl := &cluster{dir: t.TempDir(), args: []string{"--limits", "off"}}
	cl.startEngines(t, engines.Archiving...)
	cl.world = writeAppsWorld(t, cl.dir)
	p := cl.start(t, 0)
	mustWrite(t, p, 1, 1)
	base, err := cl.postgres.BaseBackup(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopEngine(t, base.Stop) })
	mustWrite(t, p, 3, 2)
	at := serverTime(t, cl.url)
	mustWrite(t, p, 1, 3) // the mistake
	mustWrite(t, p, 5, 3)
	p.StopCleanly(t)
	if err := cl.postgres.Halt(); err != nil { // a clean stop archives the rest of the log
		t.Fatal(err)
	}

	if err := base.Recover(t.Context(), "recovery_target_time="+at); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(cl.url)
	if err != nil {
		t.Fatal(err)
	}
	recovered := base.URL(strings.Trim(u.Path, "/"))
	bellhop(t, "doctor", "--postgres", recovered)
	redis, err := engines.StartRedis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopEngine(t, redis.Stop) })
	p = start(t, "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--postgres", recovered, "--redis", redis.URL(), "--limits", "off")
	for app, want := range map[int]string{1: `"description":"1"`, 3: `"description":"2"`, 5: ""} {
		status, text, err := p.Send(t.Context(), "GET", fmt.Sprintf("/api/v10/applications/%d/commands", appID(app)), fmt.Sprint("Bot bot-V7mQ2xK9tR4zL8pW3n-", app), "")
		if err != nil || status != 200 || !strings.Contains(text, want) || want == "" && text != "[]" {
			t.Errorf("application %d after the recovery: %d %s %v, want %q", app, status, text, err, want)
		}
	}
	mustWrite(t, p, 1, 4)
	p.StopCleanly(t)
}

// mustWrite is write for a write that must succeed.
func mustWrite(t *testing.T, p *process, app, generation int) {
	t.Helper()
	if status, text, err := write(t.Context(), p, app, generation); err != nil || status >= 300 {
		t.Fatalf("write: %d %s %v", status, text, err)
	}
}

// serverTime returns the time of a PostgreSQL server.
func serverTime(t *testing.T, database string) (at string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	if err := conn.QueryRow(t.Context(), "SELECT clock_timestamp()::text").Scan(&at); err != nil {
		t.Fatal(err)
	}
	return at
}
