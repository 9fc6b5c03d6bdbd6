package server

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
	second.ID, second.Name, second.BotToken, second.ClientSecret = 1300000000000000002, "Other", "bot-P4wZ9gT1uM7eY5hC8q-2", "client-H3kD8vB5yN0cF6jX2s"
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
	status, text := askAs(t, "Bot bot-P4wZ9gT1uM7eY5hC8q-2", "GET", r.base+"/api/v10/applications/"+other+"/commands", nil)
	if status != 200 {
		t.Errorf("the commands of another application: %d %s, want 200", status, text)
	}
	if log := r.log.String(); !strings.Contains(log, `"table":"commands","key":"id = `) {
		t.Errorf("the log does not name the row:\n%s", log)
	}
	operator, err := r.server.Operators().CreateFirst(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, text := askAs(t, "Bearer "+operator.Reveal(), "GET", r.base+"/metrics", nil); !strings.Contains(text, "bellhop_store_damaged_reads_total 1\n") {
		t.Error("the metric does not count the damaged row")
	}
}

// TestHiddenCommands flips bits of the application in one of many stored commands, in the table and in its indexes. The
// list must not be answered without some of its commands.
func TestHiddenCommands(t *testing.T) {
	t.Parallel()
	const size = 60
	cfg := Config{Data: t.TempDir(), World: testWorld(t)}
	r := runServer(t, cfg)
	for i := range size {
		create := strings.NewReader(fmt.Sprintf(`{"name":"roll%d","description":"throws dice"}`, i))
		if status, text := ask(t, "POST", r.base+"/api/v10/applications/"+echo+"/commands", create); status != 201 {
			t.Fatalf("create: %d %s", status, text)
		}
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	// The file has the row of each command, and an entry for it in each index of the application.
	change(t, cfg.Data, "PRAGMA wal_checkpoint(TRUNCATE)")
	file := filepath.Join(cfg.Data, DatabaseFile)
	intact, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	application, err := strconv.ParseUint(echo, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	key := binary.BigEndian.AppendUint64(nil, application)
	var places []int
	for at := 0; ; at++ {
		i := bytes.Index(intact[at:], key)
		if i < 0 {
			break
		}
		at += i
		places = append(places, at)
	}
	if len(places) < size {
		t.Fatalf("the file has the application %d times, want at least %d", len(places), size)
	}
	refused := 0
	for i := range 12 {
		damaged := bytes.Clone(intact)
		damaged[places[i*len(places)/12]+i%8] ^= 1 << (i % 7)
		cfg.Data = t.TempDir()
		if err := os.WriteFile(filepath.Join(cfg.Data, DatabaseFile), damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		cfg.World = nil
		r := runServer(t, cfg)
		status, text := ask(t, "GET", r.base+"/api/v10/applications/"+echo+"/commands", nil)
		if n := strings.Count(text, `"version"`); status == 200 && n != size {
			t.Errorf("flip %d at %d: 200 with %d of %d commands", i, places[i*len(places)/12], n, size)
		}
		if status != 200 {
			refused++
		}
		if err := r.stop(); err != nil {
			t.Fatal(err)
		}
	}
	if refused == 0 {
		t.Error("no flip was noticed")
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
