package doctor_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellhop/bellhop/internal/audit"
	"github.com/bellhop/bellhop/internal/auth"
	"github.com/bellhop/bellhop/internal/clock"
	"github.com/bellhop/bellhop/internal/store"
	"github.com/bellhop/bellhop/internal/store/sqlite"
	"github.com/bellhop/bellhop/internal/tools/doctor"
)

// sealedFolder returns a data folder whose audit log has five sealed entries, and the keys of the chain.
func sealedFolder(t *testing.T) (dir string, keys *auth.Sealer) {
	t.Helper()
	sum := sha256.Sum256([]byte("key"))
	keys, err := auth.NewSealer(base64.StdEncoding.EncodeToString(sum[:]))
	if err != nil {
		t.Fatal(err)
	}
	dir = healthyFolder(t)
	log := slog.New(slog.DiscardHandler)
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, databaseFile), clock.System{}, log)
	if err != nil {
		t.Fatal(err)
	}
	now := clock.NewMovable(clock.System{})
	l := &audit.Log{Store: db, Clock: now, Wall: now, IDs: store.NewIDs(0, now.Now, time.Time{}), Logger: log, Sealer: keys}
	for i := range 5 {
		l.AddAlone(t.Context(), audit.Entry{Action: "act", Target: fmt.Sprintf("target/%d", i)})
		now.Advance(time.Minute)
	}
	if err := l.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, keys
}

// TestAuditLog changes the audit log past the service, with checksums that are right.
func TestAuditLog(t *testing.T) {
	t.Parallel()
	third := "(SELECT id FROM audit WHERE target = 'target/2')"
	for _, tt := range []struct{ name, sql, want string }{
		{"nothing", "", ""},
		{"a deleted entry", "DELETE FROM audit WHERE target = 'target/2'", "deleted from the audit log: entry "},
		{"an entry that is a copy of another one", "UPDATE audit SET (actor, action, target, doc, checksum) = (SELECT actor, action, target, doc, checksum FROM audit WHERE target = 'target/3') WHERE id = " + third, "changed in the audit log: entry "},
		{"two swapped entries", "UPDATE audit SET id = -id WHERE target IN ('target/1', 'target/2'); UPDATE audit SET id = (SELECT -id FROM audit WHERE target = 'target/2') WHERE target = 'target/1'", "changed in the audit log: entry "},
		{"no chain", "DELETE FROM audit_seals WHERE number = 0", "the chain of the audit log was changed: its description is missing"},
		{"no block", "DELETE FROM audit_seals WHERE number = 1", "the chain of the audit log was changed: it ends with block 0 instead of 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, keys := sealedFolder(t)
			if tt.sql != "" {
				execute(t, dir, strings.Split(tt.sql, "; ")...)
			}
			var found problems
			if err := (&doctor.Data{Location: folder(dir), Course: &found, Sealer: keys}).Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			// The keys of the folder are not encrypted, and the doctor says so.
			if got := found.String(); !strings.Contains(got, tt.want) || tt.want == "" && strings.Contains(got, "audit log") {
				t.Errorf("problems:\n%s\nwant %q", got, tt.want)
			}
		})
	}
}
