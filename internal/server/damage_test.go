package server

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellhop/bellhop/internal/store/sqlite"
)

// TestDamagedRow changes a byte of a stored command while the service is stopped.
func TestDamagedRow(t *testing.T) {
	t.Parallel()
	const other = "1300000000000000002"
	w := testWorld(t)
	second := w.Applications[0]
	second.ID, second.Name, second.BotToken, second.ClientSecret = 1300000000000000002, "Other", "another-very-secret-bot-token", "another-very-secret-secret"
	w.Applications = append(w.Applications, second)
	cfg := Config{Data: t.TempDir(), World: w}
	r := runServer(t, cfg)
	create := strings.NewReader(`{"name":"roll","description":"throws dice"}`)
	if status, text := ask(t, "POST", r.base+"/api/v10/applications/"+echo+"/commands", create); status != 201 {
		t.Fatalf("create: %d %s", status, text)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	change(t, cfg.Data, "UPDATE commands SET doc = CAST(REPLACE(CAST(doc AS TEXT), 'throws', 'shows ') AS BLOB)")
	r = runServer(t, cfg)
	if status, text := ask(t, "GET", r.base+"/api/v10/applications/"+echo+"/commands", nil); status != 500 || strings.Contains(text, "shows") {
		t.Errorf("the damaged command: %d %s, want 500", status, text)
	}
	status, text := askAs(t, "Bot "+"another-very-secret-bot-token", "GET", r.base+"/api/v10/applications/"+other+"/commands", nil)
	if status != 200 {
		t.Errorf("the commands of another application: %d %s, want 200", status, text)
	}
	if log := r.log.String(); !strings.Contains(log, `"table":"commands","key":"id = `) {
		t.Errorf("the log does not name the row:\n%s", log)
	}
	operator, err := r.server.Directory().Operators.CreateFirst(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, text := askAs(t, "Bearer "+operator.Reveal(), "GET", r.base+"/metrics", nil); !strings.Contains(text, "bellhop_store_damaged_reads_total 1\n") {
		t.Error("the metric does not count the damaged row")
	}
}

// change runs a statement on the database in a data folder. No service may use the folder.
func change(t *testing.T, data, statement string) {
	t.Helper()
	db, err := sqlite.OpenTables(filepath.Join(data, DatabaseFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"PRAGMA query_only = 0", statement} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
