package guide_test

import (
	"net/url"
	"os"
	"testing"

	"github.com/bellhop/bellhop/internal/testkit/engines"
)

// startPostgres starts PostgreSQL with two empty databases, and returns variables with their URLs. They name a socket in a folder,
// which a script in a network of its own can reach.
func startPostgres(t *testing.T) []string {
	t.Helper()
	engines.Need(t, "postgres")
	folder, err := os.MkdirTemp("", "socket") //nolint:usetesting // the server is another user: it cannot enter a folder of t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	server, err := engines.StartPostgres(t.Context(), append(engines.Quick, "unix_socket_directories="+folder)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	var variables []string
	for _, name := range []string{"POSTGRES", "NEW_POSTGRES"} {
		database, err := server.Database(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(database)
		if err != nil {
			t.Fatal(err)
		}
		query := url.Values{"host": {folder}, "port": {u.Port()}, "sslmode": {"disable"}}
		variables = append(variables, name+"=postgres://bellhop@"+u.Path+"?"+query.Encode())
	}
	return variables
}
