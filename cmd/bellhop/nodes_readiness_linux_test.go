package main

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestNodesReadiness(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1, "--limits", "off")
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
		cl.nodes[0].waitReady(t, http.StatusOK)
		do(c.breaks)
		if text := cl.nodes[0].waitReady(t, http.StatusServiceUnavailable); text != `{"status":"unavailable","reason":"`+c.reason+`"}` {
			t.Errorf("/readyz: %s, want the reason %q", text, c.reason)
		}
		do(c.repair)
		cl.nodes[0].waitReady(t, http.StatusOK)
	}
	cl.nodes[0].stop(t)
}
